/** Trains into a folder, or goes on there, in a process of its own where several trainings run at a time. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { requestOf, StoppedError } from '../training/index.js';
import type { TrainingEvents, TrainingPlan, TrainingRequest } from '../training/index.js';
import { moduleFiles } from './modules.js';
import { resumeRun, trainRun } from './train-run.js';

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

export interface ApartOptions {
  /** Seconds between two checkpoints; a minute by default. */
  readonly checkpointEvery?: number;
  /** Ends the process at once: nothing more is saved. */
  readonly signal?: AbortSignal;
}

/** What a child process is asked to train. */
export interface WorkerTask extends Pick<ApartOptions, 'checkpointEvery'> {
  readonly request: TrainingRequest;
  readonly out: string;
  /** Files of the user's own environments, algorithms and families. */
  readonly modules: readonly string[];
}

/** What it answers: how far it is, then that it is done, or why it is not. */
export type WorkerAnswer =
  | JobProgress
  | { readonly done: true }
  | { readonly error: string; readonly kind: string | undefined };

/** The process of a training ended without a word: it was killed, or ran out of memory. */
export class ProcessDiedError extends Error {
  override readonly name = 'ProcessDiedError';
}

/** Trains into a new folder, or goes on with what was begun there, in this process. */
export async function trainHere(
  plan: TrainingPlan,
  out: string,
  { shouldStop, progress }: JobEvents,
  { checkpointEvery }: Pick<ApartOptions, 'checkpointEvery'> = {},
): Promise<void> {
  let hypervolume: number | null = null;
  const events: TrainingEvents = {
    shouldStop,
    progress: ({ envSteps }) => progress({ envSteps, hypervolume }),
    evaluated({ envSteps, score }) {
      hypervolume = score.hypervolume;
      progress({ envSteps, hypervolume });
    },
  };
  // There are hundreds of runs, which nobody trains further.
  const options = { events, keepLearner: false, ...(checkpointEvery !== undefined && { checkpointEvery }) };
  const training = existsSync(out) ? resumeRun(out, options) : trainRun(plan, { ...options, out });
  await training.catch((error: unknown) => {
    if (!(error instanceof StoppedError)) throw error;
  });
}

/** How often is asked whether a child process is to stop, in milliseconds. */
const STOP_CHECK = 200;

/**
 * The same in a process of its own. Rejects with an error of the same name as the training's, and with a ProcessDiedError
 * where the process ended without a word.
 */
export function trainApart(
  plan: TrainingPlan,
  out: string,
  { shouldStop, progress }: JobEvents,
  { checkpointEvery, signal }: ApartOptions = {},
): Promise<void> {
  const task: WorkerTask = {
    request: requestOf(plan),
    out,
    modules: Object.values(moduleFiles(plan)),
    ...(checkpointEvery !== undefined && { checkpointEvery }),
  };
  return new Promise((resolve, reject) => {
    // Nothing of a child is shown: what it has to say comes as a message.
    const child = fork(new URL('./worker.js', import.meta.url), { stdio: 'ignore', execArgv: [] });
    // A child that has just ended hears nothing any more, which is no error here: its exit tells how it ended.
    const tell = (message: WorkerTask | 'stop') => child.send(message, () => undefined);
    const stopping = setInterval(() => {
      if (!shouldStop()) return;
      clearInterval(stopping);
      tell('stop');
    }, STOP_CHECK);
    const kill = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', kill);
    const end = () => {
      clearInterval(stopping);
      signal?.removeEventListener('abort', kill);
    };
    let outcome: (() => void) | undefined;
    child.on('message', (answer: WorkerAnswer) => {
      if ('done' in answer) outcome = resolve;
      else if ('error' in answer) outcome = () => reject(namedError(answer));
      else progress(answer);
    });
    child.on('error', (error) => {
      end();
      reject(error);
    });
    child.on('exit', (code, killedBy) => {
      end();
      const ended = `the process that trained ${plan.env} with ${plan.algorithm.name} ended with ${killedBy ?? `code ${code}`}`;
      (outcome ?? (() => reject(new ProcessDiedError(ended))))();
    });
    tell(task);
    if (signal?.aborted === true) kill();
  });
}

function namedError({ error, kind }: { readonly error: string; readonly kind: string | undefined }): Error {
  return Object.assign(new Error(error), kind !== undefined && { name: kind });
}
