/** What is finished in a folder, by what was trained: a run is the same one whatever its folder is called. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/index.js';
import { openRun, readReturns, RunError } from '../runs/index.js';
import type { Run } from '../runs/index.js';
import { identityOf } from '../training/index.js';
import { refusalOf } from './marker.js';
import { storedRecords } from './records.js';
import type { RecordsOf, RunRecord } from './records.js';

/** A finished run, or the record of it where that is gone. */
export type Finished = Run | RunRecord;

/** By `identityOf` their plans. */
export type AllFinished = ReadonlyMap<string, Finished>;

export function isRun(finished: Finished): finished is Run {
  return 'folder' in finished;
}

/** What a folder of a reproduction holds. Throws a RangeError where its records cannot be read, or are of another one. */
export function finishedIn(folder: string, of: RecordsOf): AllFinished {
  return byIdentity<Finished>([...finishedRunsIn(folder), ...storedRecords(folder, of, refusalOf('folder', folder))]);
}

/** The runs in the folders of a folder that took all their steps and can be read. */
export function finishedRunsIn(folder: string): Run[] {
  return namesIn(folder).flatMap((name) => finishedRunsOf(join(folder, name)));
}

/** The same of a training: one, or those that were trained together. */
export function finishedRunsOf(folder: string): Run[] {
  return [folder, ...namesIn(folder).map((name) => join(folder, name))].flatMap((path) => {
    if (!existsSync(join(path, 'config.json')) || !existsSync(join(path, 'result.json'))) return [];
    const run = unlessDamaged(() => wholeRun(path));
    if (run === undefined || run.result.stopped) return [];
    // One whose model was rounded or calibrated scores as that does, and not as what was trained.
    return run.result.weights === undefined && run.result.answers === undefined ? [run] : [];
  });
}

/** The first of each that is there more than once. */
export function byIdentity<F extends Finished>(all: readonly F[]): ReadonlyMap<string, F> {
  return new Map(all.toReversed().map((one) => [identityOf(one.plan), one]));
}

function wholeRun(folder: string): Run {
  const run = openRun(folder);
  readReturns(run);
  return run;
}

export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
