import { join } from 'node:path';
import { choice, flag, integer, integers, text, twoColumns, wrap } from '../config/index.js';
import { envInfo, prepareEnv } from '../envs/index.js';
import {
  budgetNames,
  budgets,
  checkReproductionOut,
  ftnDepths,
  ftnMethods,
  MUJOCO_LEGEND,
  mujocoBudgetNames,
  mujocoBudgets,
  mujocoEnvs,
  mujocoMethods,
  mujocoReportOf,
  mujocoTableOf,
  planFtn,
  planMujoco,
  plannedRuns,
  reportOf,
  runReproduction,
  tableOf,
  writeMujocoReport,
  writeReport,
  type Outcome,
  type Reproduction,
  type Table,
} from '../experiments/index.js';
import { ceilingOf } from '../fronts/index.js';
import { returnDiscountOf } from '../training/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { deviceOption } from './device-option.js';
import { checkInput, UsageError } from './errors.js';
import { duration } from './progress.js';
import { ReproductionLine } from './reproduce-progress.js';
import { counted, typedPath } from './result.js';
import { aligned } from './table.js';
import type { Output } from './terminal.js';

const EXPERIMENTS = ['ftn', 'mujoco'] as const;
type Experiment = (typeof EXPERIMENTS)[number];
const BUDGETS: Readonly<Record<Experiment, Readonly<Record<string, { about: string; seeds: number }>>>> = {
  ftn: budgets,
  mujoco: mujocoBudgets,
};
const METHODS: Readonly<Record<Experiment, readonly string[]>> = {
  ftn: ftnMethods.map(({ algorithm }) => algorithm),
  mujoco: mujocoMethods.map(({ algorithm }) => algorithm),
};
const ENVS = mujocoEnvs.map(({ env }) => env);
const MOST_JOBS = 256;

/** `psl reproduce`: a table of the paper, trained again, beside the printed one. */
export const reproduce = defineCommand({
  operands: {
    experiment: required(
      choice(EXPERIMENTS, { about: 'What to reproduce: ftn, the fruit-tree table, or mujoco, the table of robots.' }),
    ),
  },
  options: {
    budget: choice([...new Set([...budgetNames, ...mujocoBudgetNames])], {
      default: 'small',
      about: 'What each training may spend; they are listed below.',
    }),
    seeds: ifGiven(integer({ min: 1, max: 1000, about: 'Train each method with seeds 1 to this.' }), "the budget's"),
    depths: ifGiven(
      integers({
        min: Math.min(...ftnDepths),
        max: Math.max(...ftnDepths),
        minLength: 1,
        about: 'Depths of the tree, for ftn.',
      }),
      ftnDepths.join(','),
    ),
    envs: ifGiven(
      text({
        placeholder: 'NAME,...',
        allowed: `one or more of: ${ENVS.join(', ')}`,
        about: 'Robots, for mujoco.',
      }),
      "the budget's",
    ),
    methods: ifGiven(
      text({
        placeholder: 'NAME,...',
        allowed: 'one or more algorithms of the table',
        about: `Algorithms: of ftn ${METHODS.ftn.join(', ')}; of mujoco ${METHODS.mujoco.join(', ')}.`,
      }),
      'all of the table',
    ),
    out: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder',
        about: 'Where the runs and the report go: a new or empty folder, or one to go on in.',
      }),
      'runs/EXPERIMENT-BUDGET, which goes on if it is there',
    ),
    jobs: integer({
      default: 1,
      min: 1,
      max: MOST_JOBS,
      about: 'Train this many at once, each in a process of its own with one thread.',
    }),
    lockstep: flag({
      default: false,
      about: 'Train all seeds of a method in one program, which is what makes a GPU pay.',
    }),
    device: ifGiven(deviceOption, 'cpu, with one thread for each of several jobs'),
  },
  notes: () => [
    ...EXPERIMENTS.flatMap((experiment) => [
      `Budgets of ${experiment}:`,
      ...twoColumns(
        Object.entries(BUDGETS[experiment]).map(([name, { about, seeds }]) => [
          name,
          `${about} (${counted(seeds, 'seed')})`,
        ]),
      ),
      '',
    ]),
    ...wrap('Runs that are finished are kept, and the same command goes on where it was stopped, or died.'),
  ],

  async run(values, output) {
    const { experiment, budget, jobs } = values;
    const table = tableFor(values);
    const { reproduction } = table;
    const out = values.out ?? join('runs', `${experiment}-${budget}`);
    checkInput(() => checkReproductionOut(reproduction, out, '--out'));
    for (const env of new Set(reproduction.jobs.map(({ plan }) => plan.env))) await prepareEnv(env);
    const began = performance.now();
    const outcomes = await training(table, out, jobs, output);
    const { report, lines } = table.report(outcomes, out);
    output.report(reportLines(report, lines, (performance.now() - began) / 1000));
    return report;
  },
});

interface Values {
  readonly experiment: Experiment;
  readonly budget: string;
  readonly seeds: number | undefined;
  readonly depths: readonly number[] | undefined;
  readonly envs: string | undefined;
  readonly methods: string | undefined;
  readonly jobs: number;
  readonly lockstep: boolean;
  readonly device: string | undefined;
}

/** What the reports of all tables say. */
interface AnyReport {
  readonly folder: string;
  readonly runs: { readonly planned: number; readonly finished: number };
  readonly stopped: boolean;
  readonly seconds: number;
  readonly notes: readonly string[];
}

/** A table that is to be reproduced. */
interface TableToDo {
  readonly reproduction: Reproduction;
  /** Its cases, to complete "PSL-MORL ...". */
  readonly cases: string;
  /** Writes the report and returns it, and the table for people. */
  report(outcomes: readonly Outcome[], folder: string): { readonly report: AnyReport; readonly lines: string[] };
}

function tableFor(values: Values): TableToDo {
  const { experiment, budget, seeds, depths, envs, jobs, device, lockstep } = values;
  const known = Object.keys(BUDGETS[experiment]);
  if (!known.includes(budget)) throw new UsageError('--budget', budget, known);
  const common = {
    ...(seeds !== undefined && { seeds }),
    ...methodsIn(values),
    lockstep,
    device: device ?? (jobs > 1 ? 'cpu:1' : 'cpu'),
  };
  if (experiment === 'ftn') {
    if (envs !== undefined) throw new UsageError('--envs', envs, 'left out with ftn, which has depths');
    const reproduction = checkInput(() =>
      planFtn({ ...common, budget: budget as keyof typeof budgets, ...(depths !== undefined && { depths }) }),
    );
    return {
      reproduction,
      cases: `at depth ${reproduction.depths.join(', ')}`,
      report(outcomes, folder) {
        const report = reportOf(reproduction, outcomes, folder);
        writeReport(report);
        const legend =
          'HV: hypervolume, larger is better. SP: sparsity with every copy, as published, and over distinct points.';
        return { report, lines: [...alignedTable(tableOf(report), [1]), '', legend] };
      },
    };
  }
  if (depths !== undefined)
    throw new UsageError('--depths', depths.join(','), 'left out with mujoco, which has robots');
  const robots = envs?.split(',').map((name) => name.trim());
  const wrong = robots?.find((name) => !ENVS.includes(name));
  if (wrong !== undefined) throw new UsageError('--envs', wrong, ENVS);
  const reproduction = checkInput(() =>
    planMujoco({
      ...common,
      budget: budget as keyof typeof mujocoBudgets,
      ...(robots !== undefined && { envs: robots }),
    }),
  );
  return {
    reproduction,
    cases: `on ${reproduction.envs.map(({ env }) => env).join(', ')}`,
    report(outcomes, folder) {
      const report = mujocoReportOf(reproduction, outcomes, folder);
      writeMujocoReport(report);
      return { report, lines: [...alignedTable(mujocoTableOf(report), [0, 1]), '', ...wrap(MUJOCO_LEGEND, 96)] };
    },
  };
}

function methodsIn({ experiment, methods }: Values): { readonly methods?: readonly string[] } {
  if (methods === undefined) return {};
  const names = methods.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !METHODS[experiment].includes(name));
  if (wrong !== undefined) throw new UsageError('--methods', wrong, METHODS[experiment]);
  return { methods: names };
}

async function training(
  { reproduction, cases }: TableToDo,
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
  const { experiment, budget, seeds, methods } = reproduction;
  output.line(
    `${experiment}, budget ${budget}: ${methods.map(({ label }) => label).join(', ')} ${cases}, ` +
      `${counted(seeds, 'seed')} each, ${counted(plannedRuns(reproduction), 'run')} in ${out}`,
  );
  try {
    return await runReproduction(reproduction, {
      out,
      jobs,
      events: {
        shouldStop: () => is.stopping,
        started: (index) => line.started(index),
        progress: (index, progress) => line.progress(index, progress),
        finished: (index, outcomes) => line.finished(index, outcomes),
      },
    });
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}

function reportLines(report: AnyReport, lines: readonly string[], seconds: number): string[] {
  const { runs, notes, folder, stopped } = report;
  const path = typedPath(folder);
  return [
    '',
    stopped
      ? `stopped: ${runs.finished} of ${runs.planned} runs are finished; the same command goes on`
      : `${counted(runs.finished, 'run')} in ${duration(seconds)}, of ${duration(report.seconds)} of training`,
    '',
    ...lines,
    '',
    ...notes.flatMap((note) => wrap(note, 96).map((text, i) => (i === 0 ? `- ${text}` : `  ${text}`))),
    '',
    `report: ${join(path, 'report.md')}, ${join(path, 'report.json')}`,
  ];
}

/**
 * Numbers to the right, below their heading; a blank line where the first cell changes.
 * @param words columns that hold words, which begin at the left
 */
function alignedTable({ head, rows }: Table, words: readonly number[]): string[] {
  const [title, ...lines] = aligned([head, ...rows], words);
  return [title, ...lines.flatMap((line, i) => (i > 0 && rows[i][0] !== rows[i - 1][0] ? ['', line] : [line]))];
}
