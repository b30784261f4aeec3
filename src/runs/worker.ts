/** The program of a child process: one training, of which it is told by a message. */
import { pathToFileURL } from 'node:url';
import { planTraining } from '../training/index.js';
import { importModule } from './modules.js';
import { trainHere } from './train-apart.js';
import type { JobProgress, WorkerAnswer, WorkerTask } from './train-apart.js';

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

async function work({ request, out, modules, ...options }: WorkerTask): Promise<void> {
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
    for (const file of modules) await importModule(pathToFileURL(file));
    await trainHere(planTraining(request), out, { shouldStop: () => isStopping, progress }, options);
    answer({ done: true });
  } catch (error) {
    const isError = error instanceof Error;
    answer({ error: isError ? error.message : String(error), kind: isError ? error.name : undefined });
  }
  process.removeAllListeners('disconnect');
  process.disconnect();
}
