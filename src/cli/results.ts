import { join } from 'node:path';
import { choice, text, wrap } from '../config/index.js';
import {
  commandFor,
  finishedOutcomes,
  isReport,
  planMerge,
  reportOf,
  writeMerge,
  writeReport,
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
    action: required(choice(['merge'], { about: 'merge: join what psl reproduce made elsewhere.' })),
    source: repeated(
      text({
        allowed: 'the folder of a table, as psl reproduce writes it, or a report.json of one',
        about:
          'Folders of the same table with the same budget: other seeds, methods, environments or machines. Of one that is ' +
          'gone its report.json, under any name that ends in .json.',
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
      'Finished runs are copied, and nothing is overwritten. Of a run that only a report knows, its record goes into ' +
        'records.json: all numbers, but no model. Runs with other settings than the budget has in this version are ' +
        'refused, records also with another protocol, and so are those of the same method, environment and seed that ' +
        'differ. psl reproduce with the same --out then trains what is missing.',
    ),

  async run({ source: sources, out }, output) {
    if (sources.length === 0) throw new UsageError('SOURCE', undefined, 'given at least once');
    checkInput(() => checkOut(out, '--out'));
    const merge = checkInput(() => planMerge(sources, { experiments: TABLES, name: 'SOURCE' }));
    checkInput(() => writeMerge(merge, out, '--out'));
    const { reproduction, merged, duplicates, unfinished } = merge;
    const { experiment, budget } = reproduction;
    const report = reportOf(reproduction, await finishedOutcomes(reproduction, out), out);
    writeReport(reproduction, report);
    const { planned, finished, additional } = report.runs;
    const missing = planned - finished;
    const recorded = report.entries.flatMap(({ seeds }) => seeds).filter(({ run }) => run === null).length;
    const path = typedPath(out);
    output.report([
      `${experiment.name}, budget ${budget}: ${counted(merged.length, 'run')} of ${kindsOf(sources)} in ${path}`,
      ...(recorded === 0 ? [] : [`known from reports alone, without a model: ${counted(recorded, 'run')}`]),
      ...(duplicates === 0 ? [] : [`in several of them, and kept once: ${counted(duplicates, 'run')}`]),
      ...(unfinished === 0 ? [] : [`not finished, and left out: ${counted(unfinished, 'training')}`]),
      ...(additional === 0 ? [] : [`besides the planned seeds: ${counted(additional, 'run')}`]),
      ...(missing === 0
        ? []
        : [
            `missing: ${counted(missing, 'run')}, which this command trains:`,
            `  ${commandFor(reproduction, report.entries)} --out ${path}`,
          ]),
      '',
      ...alignedTable(experiment.layout.table(report), experiment.layout.words),
      '',
      `report: ${join(path, 'report.html')}, ${join(path, 'report.md')}, ${join(path, 'report.json')}`,
    ]);
    return report;
  },
});

/** How many folders and reports there are. */
function kindsOf(sources: readonly string[]): string {
  const reports = sources.filter(isReport).length;
  const kinds = [
    [sources.length - reports, 'folder'],
    [reports, 'report'],
  ] as const;
  return kinds
    .filter(([count]) => count > 0)
    .map(([count, kind]) => counted(count, kind))
    .join(' and ');
}
