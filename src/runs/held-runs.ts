/** Finds the runs inside a folder, such as the replicas of a training or the trainings of a reproduction. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/index.js';
import { CONFIG } from './file-names.js';

/** Replicas lie in the folder of their training, which can be one of many in the folder of a reproduction. */
const DEEPEST = 2;

/** The runs that a folder holds, as paths within it; none where it is a run itself. */
export function heldRuns(folder: string, depth = DEEPEST): string[] {
  if (depth === 0 || existsSync(join(folder, CONFIG))) return [];
  return namesIn(folder)
    .sort(inNaturalOrder)
    .flatMap((name) => {
      const inside = join(folder, name);
      if (existsSync(join(inside, CONFIG))) return [name];
      return heldRuns(inside, depth - 1).map((run) => join(name, run));
    });
}

/** seed-9 before seed-10. */
function inNaturalOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
