/** A table of the paper, trained again. */
import { join } from 'node:path';
import { wrap } from '../config/index.js';
import { envInfo, prepareEnv } from '../envs/index.js';
import {
  checkReproductionOut,
  cutToMissing,
  ftn,
  mujoco,
  plannedRuns,
  planReproduction,
  reportOf,
  runReproduction,
  tables,
  writeReport,
  type Experiment,
  type Outcome,
  type Report,
  type Reproduction,
  type Table,
} from '../experiments/index.js';
import { ceilingOf } from '../fronts/index.js';
import { returnDiscountOf } from '../training/index.js';
import { checkInput, UsageError } from './errors.js';
import { duration } from './progress.js';
import { ReproductionLine } from './reproduce-progress.js';
import { counted, typedPath } from './result.js';
import { aligned } from './table.js';
import type { Output } from './terminal.js';

export const TABLES = tables;
export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
export const DEPTHS = ftn.cases.map(({ key }) => key);
export const ROBOTS = mujoco.cases.map(({ key }) => key);

export function methodsOf({ methods }: Pick<Experiment, 'methods'>): string[] {
  return methods.map(({ key }) => key);
}

/** What of a table is to be trained, and how. */
export interface TableValues {
  readonly experiment: TableName;
  readonly budget: string;
  readonly seeds: number | undefined;
  readonly firstSeed: number;
  readonly depths: readonly number[] | undefined;
  readonly envs: string | undefined;
  readonly methods: string | undefined;
  readonly jobs: number;
  readonly lockstep: boolean;
  readonly device: string | undefined;
}

/** A table that was trained as far as it got. */
export interface TrainedTable {
  readonly reproduction: Reproduction;
  readonly report: Report;
  /** That it took this time. */
  readonly seconds: number;
}

/** Checks what was asked for, before anything is written. */
export function plannedTable(values: TableValues, out: string): Reproduction {
  const planned = reproductionFor(values);
  checkInput(() => checkReproductionOut(planned, out, '--out'));
  return cutToMissing(planned, out);
}

/** Trains what is missing of a table, and writes its report. */
export async function trainTable(
  reproduction: Reproduction,
  { out, jobs }: { readonly out: string; readonly jobs: number },
  output: Output,
): Promise<TrainedTable> {
  for (const env of new Set(reproduction.jobs.map(({ plan }) => plan.env))) await prepareEnv(env);
  const began = performance.now();
  const outcomes = await training(reproduction, out, jobs, output);
  const report = reportOf(reproduction, outcomes, out);
  writeReport(reproduction, report);
  return { reproduction, report, seconds: (performance.now() - began) / 1000 };
}

function reproductionFor(values: TableValues): Reproduction {
  const { budget, seeds, firstSeed, methods, jobs, device, lockstep } = values;
  const experiment: Experiment = TABLES[values.experiment];
  const known = Object.keys(experiment.budgets);
  if (!known.includes(budget)) throw new UsageError('--budget', budget, known);
  const cases = casesIn(values);
  const algorithms = methods === undefined ? undefined : namesIn('--methods', methods, methodsOf(experiment));
  const request = {
    budget,
    firstSeed,
    lockstep,
    device: device ?? (jobs > 1 ? 'cpu:1' : 'cpu'),
    ...(seeds !== undefined && { seeds }),
    ...(cases !== undefined && { cases }),
    ...(algorithms !== undefined && { methods: algorithms }),
  };
  return checkInput(() => planReproduction(experiment, request));
}

/** The cases that were asked for: of a tree its depths, of robots their names. */
function casesIn({ experiment, depths, envs }: TableValues): readonly (number | string)[] | undefined {
  if (experiment === 'ftn') {
    if (envs !== undefined) throw new UsageError('--envs', envs, 'left out with ftn, which has depths');
    return depths;
  }
  if (depths !== undefined) {
    throw new UsageError('--depths', depths.join(','), `left out with ${experiment}, which has robots`);
  }
  return envs === undefined ? undefined : namesIn('--envs', envs, ROBOTS);
}

/** The names in a list that was typed, all of which must be known. */
export function namesIn(option: string, typed: string, known: readonly string[]): readonly string[] {
  const names = typed.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) throw new UsageError(option, wrong, known);
  return names;
}

async function training(
  reproduction: Reproduction,
  out: string,
  jobs: number,
  output: Output,
): Promise<readonly Outcome[]> {
  const plans = reproduction.jobs;
  const ceilings = new Map(
    plans.map(({ plan }) => [plan.env, ceilingOf(envInfo(plan.env), returnDiscountOf(plan))] as const),
  );
  const line = new ReproductionLine(output.human, reproduction, jobs, ceilings);
  const is = { stopping: false };
  const ignoreInterrupts = output.onInterrupt(() => {
    is.stopping = true;
    line.say('stopping: what was trained is kept, and the same command goes on from there');
  });
  const { experiment, budget, seeds, cases, methods } = reproduction;
  output.line(
    `${experiment.name}, budget ${budget}: ${methods.map(({ label }) => label).join(', ')} ` +
      `${experiment.layout.atSome} ${cases.map(({ key }) => key).join(', ')}, ${counted(seeds, 'seed')} each, ${counted(plannedRuns(reproduction), 'run')} in ${out}`,
  );
  try {
    return await runReproduction(reproduction, {
      out,
      jobs,
      events: {
        shouldStop: () => is.stopping,
        started: (index) => line.started(index),
        progress: (index, progress) => line.progress(index, progress),
        scoring: (index, share) => line.scoring(index, share),
        finished: (index, outcomes) => line.finished(index, outcomes),
      },
    });
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}

/** What there is to say of a table that was trained. */
export function reportLines({ reproduction, report, seconds }: TrainedTable): string[] {
  const { layout } = reproduction.experiment;
  const { runs, notes, folder, stopped } = report;
  const path = typedPath(folder);
  return [
    '',
    stopped
      ? `stopped: ${runs.finished} of ${runs.planned} runs are finished; the same command goes on`
      : `${counted(runs.finished, 'run')} in ${duration(seconds)}, of ${duration(report.seconds)} of training`,
    '',
    ...alignedTable(layout.table(report), layout.words),
    '',
    ...wrap(layout.legend, 96),
    '',
    ...notes.flatMap((note) => wrap(note, 96).map((text, i) => (i === 0 ? `- ${text}` : `  ${text}`))),
    '',
    `report: ${join(path, 'report.html')}, ${join(path, 'report.md')}, ${join(path, 'report.json')}`,
  ];
}

/**
 * Numbers to the right, below their heading; a blank line where the first cell changes, unless it always does.
 * @param words columns that hold words, which begin at the left
 */
export function alignedTable({ head, rows }: Table, words: readonly number[]): string[] {
  const [title, ...lines] = aligned([head, ...rows], words);
  const isNew = rows.map((row, i) => i > 0 && row[0] !== rows[i - 1][0]);
  const isGrouped = isNew.lastIndexOf(false) > 0;
  return [title, ...lines.flatMap((line, i) => (isGrouped && isNew[i] ? ['', line] : [line]))];
}
