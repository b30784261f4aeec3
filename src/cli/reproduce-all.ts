/** Everything of the paper, one experiment after the other, with one summary. */
import { join } from 'node:path';
import {
  checkAllOut,
  checkTheoryOut,
  markAll,
  readTheoryReport,
  writeSummary,
  type Summary,
  type SummaryPart,
  type TheoryReport,
} from '../experiments/index.js';
import { checkInput, UsageError } from './errors.js';
import { duration } from './progress.js';
import {
  methodsOf,
  namesIn,
  plannedTable,
  TABLE_NAMES,
  TABLES,
  trainTable,
  type TableValues,
} from './reproduce-table.js';
import { mustHold, showTheory } from './reproduce-theory.js';
import { counted, typedPath } from './result.js';
import { aligned } from './table.js';
import type { Output } from './terminal.js';

/**
 * Trains what is missing of every table, each in a folder of its own, and checks the theorems. Where methods are named,
 * tables that have none of them are left out.
 */
export async function reproduceAll(
  values: Omit<TableValues, 'experiment'>,
  out: string,
  output: Output,
): Promise<Summary> {
  const { budget, jobs } = values;
  const known = budgetsOfAll();
  if (!known.includes(budget)) throw new UsageError('--budget', budget, known);
  checkInput(() => checkAllOut(budget, out, '--out'));
  const folderOf = (name: string) => join(out, name);
  // All of it is checked before any of it is trained.
  const chosen = chosenFor(values);
  const tables = chosen.map((table) => plannedTable(table, folderOf(table.experiment)));
  checkInput(() => checkTheoryOut(folderOf('theory'), '--out'));

  markAll(budget, out);
  const parts: SummaryPart[] = [];
  for (const [i, reproduction] of tables.entries()) {
    const { experiment: name } = chosen[i];
    const { report } = await trainTable(reproduction, { out: folderOf(name), jobs }, output);
    const { runs, seconds, stopped } = report;
    parts.push({ experiment: name, folder: folderOf(name), runs, seconds, isFinished: !stopped });
    output.line();
    if (stopped) break;
  }
  const isStopped = parts.some(({ isFinished }) => !isFinished);
  const theory = isStopped
    ? undefined
    : await theoryIn(folderOf('theory'), budget === 'tiny' ? 'tiny' : 'full', output);
  if (theory !== undefined) parts.push(theory.part);
  const missing = [...chosen.map(({ experiment }) => experiment), 'theory'].slice(parts.length);
  const summary = writeSummary({ folder: out, budget, parts, missing });
  output.report(summaryLines(summary));
  if (theory !== undefined) mustHold(theory.report);
  return summary;
}

/** Budgets that every table has. */
function budgetsOfAll(): string[] {
  const [first, ...others] = TABLE_NAMES.map((name) => Object.keys(TABLES[name].budgets));
  return first.filter((budget) => others.every((budgets) => budgets.includes(budget)));
}

/** What is asked of each table: depths of the tree, robots of the other ones, and of each its own methods. */
function chosenFor({ depths, envs, methods, ...rest }: Omit<TableValues, 'experiment'>): TableValues[] {
  const all = [...new Set(TABLE_NAMES.flatMap((name) => methodsOf(TABLES[name])))];
  const named = methods === undefined ? undefined : namesIn('--methods', methods, all);
  return TABLE_NAMES.flatMap((experiment) => {
    const own = named?.filter((name) => methodsOf(TABLES[experiment]).includes(name));
    if (own?.length === 0) return [];
    const isTree = experiment === 'ftn';
    const cases = { depths: isTree ? depths : undefined, envs: isTree ? undefined : envs };
    return [{ ...rest, ...cases, experiment, methods: own?.join(',') }];
  });
}

/** The report on the theorems: an earlier one of the same version, or a new one. */
async function theoryIn(folder: string, budget: TheoryReport['budget'], output: Output) {
  const began = performance.now();
  const report = readTheoryReport(folder, budget) ?? (await showTheory(folder, output, budget));
  const count = report.findings.length;
  const runs = { planned: count, finished: report.findings.filter(({ holds }) => holds).length };
  const seconds = (performance.now() - began) / 1000;
  return { report, part: { experiment: 'theory', folder, runs, seconds, isFinished: report.holds } };
}

function summaryLines({ folder, budget, parts, missing, seconds }: Summary): string[] {
  const rows = parts.map((part) => [
    part.experiment,
    `${part.runs.finished} of ${part.runs.planned}`,
    duration(part.seconds),
    join(typedPath(part.folder), 'report.md'),
  ]);
  return [
    '',
    missing.length === 0
      ? `all, budget ${budget}: ${counted(parts.length, 'experiment')}, ${duration(seconds)} of training and checks`
      : `stopped in ${parts.at(-1)!.experiment}; the same command goes on`,
    '',
    ...aligned([['experiment', 'finished', 'time', 'report'], ...rows], [0, 3]),
    '',
    `summary: ${join(typedPath(folder), 'summary.md')}, ${join(typedPath(folder), 'summary.json')}`,
  ];
}
