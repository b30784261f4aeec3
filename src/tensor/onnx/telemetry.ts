/**
 * Turns the telemetry of onnxruntime off; imported before anything that loads it. From version 1.29 on it writes an identifier
 * of the machine into the home folder and reports sessions to its makers (its docs/Privacy.md), unless this variable is set
 * when its first session begins. A user who wants that sets the variable to 0.
 */
import { isMainThread } from 'node:worker_threads';

const VARIABLE = 'ORT_DISABLE_TELEMETRY';

// The native library reads the environment of the process. A thread has a copy, made when it began, and can change only that.
if (isMainThread) process.env[VARIABLE] ??= '1';

/** Throws an Error in a thread of a process that has not decided about telemetry. */
export function assertTelemetryDecided(): void {
  if (process.env[VARIABLE] !== undefined) return;
  throw new Error(
    `onnxruntime would report to its makers from this worker thread: import psl-morl in the main thread before the worker begins, or start the process with ${VARIABLE}=1.`,
  );
}
