/** The program of a child process: one training, of which it is told by a message. */
import { planTraining } from '../training/index.js';
import { runHere } from './run-job.js';
import type { JobProgress, WorkerAnswer, WorkerTask } from './run-job.js';

/** Milliseconds between two reports. */
const REPORT = 200;

// Ctrl-C reaches all processes of a terminal; the parent decides what happens. Without a parent the process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(1));

let isStopping = false;
process.on('message', (message: WorkerTask | 'stop') => {
  if (message === 'stop') isStopping = true;
  else void work(message);
});

async function work(task: WorkerTask): Promise<void> {
  const answer = (message: WorkerAnswer) => void process.send?.(message);
  let lastReport = -Infinity;
  let lastHypervolume: number | null = null;
  const progress = (state: JobProgress) => {
    const now = performance.now();
    if (now - lastReport < REPORT && state.hypervolume === lastHypervolume) return;
    lastReport = now;
    lastHypervolume = state.hypervolume;
    answer(state);
  };
  try {
    await runHere(planTraining(task.request), task.out, { shouldStop: () => isStopping, progress });
    answer({ done: true });
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) });
  }
  process.removeAllListeners('disconnect');
  process.disconnect();
}
