/** The summary of all experiments, each of which has a folder of its own below it. */
import { join, relative } from 'node:path';
import { writeAtomic, writeJson } from '../files/index.js';
import { checkOut } from '../runs/index.js';
import { checkMarker, hasMarker, markFolder, refusalOf } from './marker.js';
import { markdownTable } from './report-parts.js';

/** One experiment. */
export interface SummaryPart {
  readonly experiment: string;
  readonly folder: string;
  /** Runs of a table; statements about theorems. */
  readonly runs: { readonly planned: number; readonly finished: number };
  /** Of all trainings together. */
  readonly seconds: number;
  readonly isFinished: boolean;
}

export interface Summary {
  readonly format: 1;
  readonly experiment: 'all';
  readonly folder: string;
  readonly budget: string;
  readonly parts: readonly SummaryPart[];
  /** Experiments that were not begun. */
  readonly missing: readonly string[];
  readonly seconds: number;
}

/** Throws a RangeError unless all experiments with this budget can be written there, or go on there. */
export function checkAllOut(budget: string, out: string, name = 'out'): void {
  if (hasMarker(out)) checkMarker(out, { experiment: 'all', budget }, refusalOf(name, out));
  else checkOut(out, name);
}

/** Makes the folder of all experiments, unless it is there. */
export function markAll(budget: string, out: string): void {
  markFolder(out, { experiment: 'all', budget });
}

/** Writes `summary.md` and `summary.json`, over earlier ones. */
export function writeSummary(given: Pick<Summary, 'folder' | 'budget' | 'parts' | 'missing'>): Summary {
  const { folder, budget, parts, missing } = given;
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  const summary: Summary = { format: 1, experiment: 'all', ...given, seconds };
  const rows = [
    ...parts.map((part) => [
      part.experiment,
      `${part.runs.finished} of ${part.runs.planned}`,
      part.seconds.toFixed(0),
      `[report](${relative(folder, join(part.folder, 'report.md'))})`,
    ]),
    ...missing.map((experiment) => [experiment, 'not begun', '-', '-']),
  ];
  const table = markdownTable({ head: ['experiment', 'finished', 'seconds', 'report'], rows });
  writeJson(join(folder, 'summary.json'), summary);
  writeAtomic(
    join(folder, 'summary.md'),
    `# All experiments, budget ${budget}\n\n${table}\n\nMade by \`psl reproduce all --budget ${budget}\`.\n`,
  );
  return summary;
}
