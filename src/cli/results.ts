import { join } from 'node:path';
import { choice, text, wrap } from '../config/index.js';
import {
  finishedOutcomes,
  planMerge,
  reportOf,
  writeMerge,
  writeReport,
  type Reproduction,
} from '../experiments/index.js';
import { checkOut } from '../runs/index.js';
import { repeated, required } from './arguments.js';
import { defineCommand } from './command.js';
import { checkInput, UsageError } from './errors.js';
import { alignedTable, TABLES } from './reproduce-table.js';
import { counted, typedPath } from './result.js';

/** `psl results`: what is done with results of reproductions that are there. */
export const results = defineCommand({
  operands: {
    action: required(choice(['merge'], { about: 'merge: join folders of psl reproduce that were run elsewhere.' })),
    folder: repeated(
      text({
        allowed: 'the folder of a table, as psl reproduce writes it',
        about: 'Folders of the same table with the same budget: other seeds, methods, environments or machines.',
      }),
    ),
  },
  options: {
    out: required(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder',
        about: 'Where all runs and their report go: a new or empty folder.',
      }),
    ),
  },
  notes: () =>
    wrap(
      'Finished runs are copied, and nothing is overwritten. Runs with other settings than the budget has in this ' +
        'version are refused, and so are runs of the same method, environment and seed that differ. psl reproduce with ' +
        'the same --out then trains what is missing.',
    ),

  async run({ folder: folders, out }, output) {
    if (folders.length === 0) throw new UsageError('FOLDER', undefined, 'given at least once');
    checkInput(() => checkOut(out, '--out'));
    const merge = checkInput(() => planMerge(folders, { experiments: TABLES, name: 'FOLDER' }));
    checkInput(() => writeMerge(merge, out, '--out'));
    const { reproduction, runs, duplicates, unfinished } = merge;
    const { experiment, budget } = reproduction;
    const report = reportOf(reproduction, await finishedOutcomes(reproduction, out), out);
    writeReport(reproduction, report);
    const missing = report.runs.planned - report.runs.finished;
    const path = typedPath(out);
    output.report([
      `${experiment.name}, budget ${budget}: ${counted(runs.length, 'run')} of ${counted(folders.length, 'folder')} in ${path}`,
      ...(duplicates === 0 ? [] : [`in several folders, and kept once: ${counted(duplicates, 'run')}`]),
      ...(unfinished === 0 ? [] : [`not finished, and left out: ${counted(unfinished, 'training')}`]),
      ...(missing === 0
        ? []
        : [`missing: ${counted(missing, 'run')}, which this command trains:`, `  ${commandFor(reproduction, path)}`]),
      '',
      ...alignedTable(experiment.layout.table(report), experiment.layout.words),
      '',
      `report: ${join(path, 'report.html')}, ${join(path, 'report.md')}, ${join(path, 'report.json')}`,
    ]);
    return report;
  },
});

/** What trains the whole of a reproduction, and so what is missing of it. */
function commandFor({ experiment, budget, cases, methods, firstSeed, seeds }: Reproduction, out: string): string {
  const keys = cases.map(({ key }) => key);
  return [
    `psl reproduce ${experiment.name} --budget ${budget}`,
    `--${typeof keys[0] === 'number' ? 'depths' : 'envs'} ${keys.join(',')}`,
    `--methods ${methods.map(({ key }) => key).join(',')}`,
    ...(firstSeed === 1 ? [] : [`--first-seed ${firstSeed}`]),
    `--seeds ${seeds} --out ${out}`,
  ].join(' ');
}
