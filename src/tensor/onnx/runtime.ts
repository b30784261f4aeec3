/**
 * onnxruntime as this project uses it: without telemetry and without log messages. The other files of this folder import it
 * from here, so that both are set before the first session starts the native library.
 */
import { assertTelemetryDecided } from './telemetry.js';
import * as ort from 'onnxruntime-node';

assertTelemetryDecided();

// It writes to stderr by itself. All errors are exceptions too, with the same text.
ort.env.logLevel = 'fatal';
/** The same level for the messages of a session. */
export const FATAL_ONLY = 4;

export { ort };
