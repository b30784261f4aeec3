/** Trains a plan into a run folder, and resumes a run from its last checkpoint. Both hold the lock of the folder meanwhile. */
import { join } from 'node:path';
import type { SavedReplica } from '../algorithms/index.js';
import { makeFolder, removeTemporaries } from '../files/index.js';
import { CheckpointError, train } from '../training/index.js';
import type { ParentRun, TrainingPlan } from '../training/index.js';
import { VERSION } from '../version.js';
import { CheckpointStore } from './checkpoint.js';
import type { RestoredCheckpoint } from './checkpoint.js';
import { changedFiles, loadLearned, openBegun, openRun } from './directory.js';
import type { BegunRun } from './directory.js';
import { CONFIG, FRONTS, LAST, LEARNER } from './file-names.js';
import { lockRun } from './lock.js';
import { checkOut, freshFolder } from './out-folder.js';
import { Recorder, savedIn } from './recorder.js';
import type { RecorderOptions, SavedRun, TrainedRuns } from './recorder.js';
import { RunError } from './run-error.js';

export interface TrainRunOptions extends RecorderOptions {
  /** Must not exist, or be empty; a new folder in `runs` by default. Replicas get a folder each inside it. */
  readonly out?: string;
}

/**
 * Trains, and writes everything about it into run directories. Nothing is written before the first step. Rejects with a
 * StoppedError where it is stopped before there is a policy, and with a NonFiniteError where there is nothing more to learn;
 * that run then ends with its last good checkpoint.
 */
export async function trainRun(plan: TrainingPlan, options: TrainRunOptions = {}): Promise<TrainedRuns> {
  const { out } = options;
  checkOut(out);
  const learned = plan.from && learnedBy(plan.from);
  let unlock: (() => void) | undefined;
  try {
    const open = () => {
      const folder = out ?? freshFolder(plan);
      makeFolder(folder);
      unlock = lockRun(folder);
      return folder;
    };
    return await intoFolder(plan, options, open, { learned });
  } finally {
    unlock?.();
  }
}

/** What the run has learned that a training begins with, which is looked at again since it was planned. */
function learnedBy({ run: folder, sha256 }: ParentRun): SavedReplica {
  const { learned, sha256: now } = loadLearned(openRun(folder));
  if (now !== sha256) throw new RunError(folder, `its ${LEARNER} is not the one that the training was planned with`);
  return learned;
}

export interface ResumeOptions extends RecorderOptions {
  /** Threads that step environments, which changes nothing but the time; by default as many as pay, with `cpu:2` at most two, with `cpu:1` none. */
  readonly workers?: number;
  /** Is told, in whole sentences, what is damaged but not needed. */
  readonly warn?: (warning: string) => void;
}

/**
 * The plan of a run that can be resumed. Throws a RunError where it is finished; what it left behind because its process
 * was killed at the very end, is removed.
 */
export function planToResume(folder: string): TrainingPlan {
  const { plan, folders, isFinished } = openToResume(folder);
  if (!isFinished) return plan;
  if (CheckpointStore.isLeftIn(folder)) {
    const unlock = lockRun(folder);
    new CheckpointStore(folder).remove();
    removeAllTemporaries(folder, folders);
    unlock();
  }
  throw cannotResume(folder, 'it is finished');
}

function openToResume(folder: string): BegunRun {
  try {
    return openBegun(folder);
  } catch (error) {
    throw error instanceof RunError ? cannotResume(error.folder, error.problem) : error;
  }
}

function cannotResume(folder: string, problem: string): RunError {
  return new RunError(folder, problem, 'the folder of a run that can be resumed');
}

/** Continues a run from its last checkpoint, or from its beginning if it has no checkpoint. */
export async function resumeRun(folder: string, options: ResumeOptions = {}): Promise<TrainedRuns> {
  planToResume(folder);
  const unlock = lockRun(folder);
  try {
    // Again, under the lock: another process may just have ended it.
    const { plan, folders, versions, isFinished } = openToResume(folder);
    if (isFinished) throw cannotResume(folder, 'it is finished');
    removeAllTemporaries(folder, folders);
    if (versions.psl !== VERSION || versions.node !== process.versions.node) {
      const [then, now] = [versions, { psl: VERSION, node: process.versions.node }].map(
        ({ psl, node }) => `psl ${String(psl)} on Node ${String(node)}`,
      );
      options.warn?.(`this run was begun with ${then}, and goes on with ${now}, which may round differently`);
    }
    const from = CheckpointStore.existsIn(folder) ? new CheckpointStore(folder).restore() : undefined;
    if (from === undefined && plan.from !== undefined) {
      throw cannotResume(
        folder,
        `it was to begin with the run ${plan.from.run}, and was ended before it had; train anew`,
      );
    }
    for (const warning of from?.warnings ?? []) options.warn?.(`${warning}; the one before it is used`);
    if (from !== undefined) checkFolders(folders, savedIn(from), options.warn);
    const { workers } = options;
    return await intoFolder({ ...plan, ...(workers !== undefined && { workers }) }, options, () => folder, { from });
  } finally {
    unlock();
  }
}

function removeAllTemporaries(folder: string, runs: readonly string[]): void {
  removeTemporaries(folder);
  for (const run of runs) for (const inside of [run, join(run, FRONTS), join(run, LAST)]) removeTemporaries(inside);
}

/** Compares what was written before a checkpoint with what is there. */
function checkFolders(folders: readonly string[], { writers }: SavedRun, warn?: (warning: string) => void): void {
  folders.forEach((folder, r) => {
    const changed = changedFiles({ folder, files: writers.at(r)?.files ?? {} });
    if (changed.includes(CONFIG)) {
      throw new CheckpointError(`${join(folder, CONFIG)} is not the one that its checkpoint was written for`);
    }
    // Metrics are written anew; a front cannot be, but nothing is learned from it.
    for (const name of changed.filter((other) => other.startsWith(FRONTS))) {
      warn?.(`${join(folder, name)} is not what was written`);
    }
  });
}

async function intoFolder(
  plan: TrainingPlan,
  options: RecorderOptions,
  open: () => string,
  { from, learned }: { readonly from?: RestoredCheckpoint | undefined; readonly learned?: SavedReplica | undefined },
): Promise<TrainedRuns> {
  const recorder = new Recorder(plan, options, open, from);
  try {
    const start = from && { ...from, state: savedIn(from).training };
    const trained = await train(plan, recorder.events, start, learned);
    return await recorder.finish(trained);
  } catch (error) {
    await recorder.endWith(error);
    throw error;
  }
}
