/** Policy sets as they were at evaluations, of which a run keeps a few. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeAtomic } from '../files/index.js';
import type { Model } from '../model/index.js';
import { snapshotFiles } from './file-contents.js';

/** The folder inside a run that holds one for each, named by its environment steps. */
const SNAPSHOTS = 'snapshots';

/** Environment steps of the evaluations whose policy sets a run keeps, in order. */
export function snapshotsOf(folder: string): number[] {
  let names: string[];
  try {
    names = readdirSync(join(folder, SNAPSHOTS));
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d{1,15}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Writes one and removes others until there are no more than that many. */
export function writeSnapshot(folder: string, envSteps: number, model: Model, most: number): void {
  const place = join(folder, SNAPSHOTS, String(envSteps));
  makeFolder(place);
  for (const [name, content] of snapshotFiles(model)) writeAtomic(join(place, name), content);
  for (const steps of surplus(snapshotsOf(folder), most)) {
    rmSync(join(folder, SNAPSHOTS, String(steps)), { recursive: true, force: true });
  }
}

/** What to leave out so that the rest is spread evenly: the last always stays, and the first unless it alone would. */
export function surplus(steps: readonly number[], most: number): number[] {
  const kept = [...steps];
  while (kept.length > most) {
    if (kept.length === 2) kept.shift();
    else kept.splice(closest(kept), 1);
  }
  return steps.filter((one) => !kept.includes(one));
}

/** The index of the one between the two whose neighbours are nearest to each other. */
function closest(steps: readonly number[]): number {
  const gaps = steps.slice(1, -1).map((_, i) => steps[i + 2] - steps[i]);
  return 1 + gaps.indexOf(Math.min(...gaps));
}
