/** Runs one training of a reproduction, in a process of its own where several run at a time. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resumeRun, trainRun } from '../runs/index.js';
import { lastSeedOf, StoppedError, variedSettings } from '../training/index.js';
import type { TrainingEvents, TrainingPlan, TrainingRequest } from '../training/index.js';

/** How far a training is. */
export interface JobProgress {
  readonly envSteps: number;
  /** Of the last evaluation; null before the first. */
  readonly hypervolume: number | null;
}

export interface JobEvents {
  /** Asked again and again; true ends the training early. */
  readonly shouldStop: () => boolean;
  readonly progress: (progress: JobProgress) => void;
}

/** What a child process is asked to train. */
export interface WorkerTask {
  readonly request: TrainingRequest;
  readonly out: string;
}

/** What it answers: how far it is, then that it is done, or why it is not. */
export type WorkerAnswer = JobProgress | { readonly done: true } | { readonly error: string };

/** Trains into a new folder, or goes on with what was begun there, in this process. */
export async function runHere(plan: TrainingPlan, out: string, { shouldStop, progress }: JobEvents): Promise<void> {
  let hypervolume: number | null = null;
  const events: TrainingEvents = {
    shouldStop,
    progress: ({ envSteps }) => progress({ envSteps, hypervolume }),
    evaluated({ envSteps, score }) {
      hypervolume = score.hypervolume;
      progress({ envSteps, hypervolume });
    },
  };
  // A table has hundreds of runs, which nobody trains further.
  const options = { events, keepLearner: false };
  const training = existsSync(out) ? resumeRun(out, options) : trainRun(plan, { ...options, out });
  await training.catch((error: unknown) => {
    if (!(error instanceof StoppedError)) throw error;
  });
}

/** How often a child process is told to stop, once it is to, in milliseconds. */
const STOP_CHECK = 200;

/** The same in a process of its own. */
export function runApart(plan: TrainingPlan, out: string, { shouldStop, progress }: JobEvents): Promise<void> {
  const { env, algorithm, preset, config: settings, envOptions, seed, device } = plan;
  const vary = Object.fromEntries(variedSettings(plan));
  const replicas = lastSeedOf(plan) - seed + 1;
  const task: WorkerTask = {
    request: { env, algorithm: algorithm.name, preset, settings, envOptions, seed, replicas, vary, device },
    out,
  };
  return new Promise((resolve, reject) => {
    // Nothing of a child is shown: what it has to say comes as a message.
    const child = fork(new URL('./worker.js', import.meta.url), { stdio: 'ignore', execArgv: [] });
    const stopping = setInterval(() => {
      if (shouldStop() && child.connected) child.send('stop');
    }, STOP_CHECK);
    let outcome: (() => void) | undefined;
    child.on('message', (answer: WorkerAnswer) => {
      if ('done' in answer) outcome = resolve;
      else if ('error' in answer) outcome = () => reject(new Error(answer.error));
      else progress(answer);
    });
    child.on('error', (error) => {
      clearInterval(stopping);
      reject(error);
    });
    child.on('exit', (code, signal) => {
      clearInterval(stopping);
      const ended = `the process that trained ${env} with ${algorithm.name} ended with ${signal ?? `code ${code}`}`;
      (outcome ?? (() => reject(new Error(ended))))();
    });
    child.send(task);
  });
}
