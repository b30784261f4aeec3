/**
 * onnxruntime as this project uses it: without telemetry and without log messages. The other files of this folder import it
 * from here, so that both are set before the first session starts the native library.
 */
import * as ort from 'onnxruntime-node';

// From version 1.29 on, onnxruntime writes an identifier of the machine into the home folder and reports sessions to its
// makers (its docs/Privacy.md). A user who wants that sets the variable to 0.
process.env.ORT_DISABLE_TELEMETRY ??= '1';

// It writes to stderr by itself. All errors are exceptions too, with the same text.
ort.env.logLevel = 'fatal';
/** The same level for the messages of a session. */
export const FATAL_ONLY = 4;

export { ort };
