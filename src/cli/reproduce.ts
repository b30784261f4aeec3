import { join } from 'node:path';
import { choice, flag, integer, integers, text, twoColumns, wrap } from '../config/index.js';
import { envInfo, prepareEnv } from '../envs/index.js';
import {
  checkReproductionOut,
  checkTheory,
  checkTheoryOut,
  cutToMissing,
  ftn,
  mujoco,
  plannedRuns,
  planReproduction,
  reportOf,
  runReproduction,
  writeReport,
  writeTheoryReport,
  type Experiment,
  type Finding,
  type Outcome,
  type Report,
  type Reproduction,
  type Table,
  type TheoryReport,
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

const EXPERIMENTS = { ftn, mujoco };
type Name = keyof typeof EXPERIMENTS;
const NAMES = Object.keys(EXPERIMENTS) as Name[];
const DEPTHS = ftn.cases.map(({ key }) => key);
const ENVS = mujoco.cases.map(({ key }) => key);
const methodsOf = ({ methods }: Pick<Experiment, 'methods'>) => methods.map(({ key }) => key);
const MOST_JOBS = 256;

/** `psl reproduce`: a table of the paper, trained again, beside the printed one. */
/** What options have that were not given; without an entry, nothing. */
const DEFAULTS: Partial<Values> & Pick<Values, 'budget' | 'jobs' | 'lockstep'> = {
  budget: 'small',
  jobs: 1,
  lockstep: false,
};

export const reproduce = defineCommand({
  operands: {
    experiment: required(
      choice([...NAMES, 'theory'], {
        about:
          'What to reproduce: ftn, the fruit-tree table; mujoco, the table of robots; or theory, the theorems, which ' +
          'are checked in seconds and take --out only.',
      }),
    ),
  },
  options: {
    budget: choice([...new Set(NAMES.flatMap((name) => Object.keys(EXPERIMENTS[name].budgets)))], {
      default: DEFAULTS.budget,
      about: 'What each training may spend; they are listed below.',
    }),
    seeds: ifGiven(integer({ min: 1, max: 1000, about: 'Train each method with seeds 1 to this.' }), "the budget's"),
    depths: ifGiven(
      integers({
        min: Math.min(...DEPTHS),
        max: Math.max(...DEPTHS),
        minLength: 1,
        about: 'Depths of the tree, for ftn.',
      }),
      DEPTHS.join(','),
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
        allowed: 'one or more methods of the table',
        about: `Methods: of ftn ${methodsOf(ftn).join(', ')}; of mujoco ${methodsOf(mujoco).join(', ')}.`,
      }),
      "the budget's",
    ),
    out: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder',
        about: 'Where the runs and the report go: a new or empty folder, or one to go on in.',
      }),
      'runs/EXPERIMENT-BUDGET, which goes on if it is there; runs/theory',
    ),
    jobs: integer({
      default: DEFAULTS.jobs,
      min: 1,
      max: MOST_JOBS,
      about: 'Train this many at once, each in a process of its own with one thread.',
    }),
    lockstep: flag({
      default: DEFAULTS.lockstep,
      about: 'Train all seeds of a method in one program, which is what makes a GPU pay.',
    }),
    device: ifGiven(deviceOption, 'cpu, with one thread for each of several jobs'),
  },
  notes: () => [
    ...NAMES.flatMap((experiment) => [
      `Budgets of ${experiment}:`,
      ...twoColumns(
        Object.entries(EXPERIMENTS[experiment].budgets).map(([name, { about, seeds }]) => [
          name,
          `${about} (${counted(seeds, 'seed')})`,
        ]),
      ),
      '',
    ]),
    ...wrap('Runs that are finished are kept, and the same command goes on where it was stopped, or died.'),
  ],

  async run({ experiment, ...rest }, output) {
    if (experiment === 'theory') return theory(rest, output);
    const values = { experiment, ...rest };
    const { budget, jobs } = values;
    const planned = reproductionFor(values);
    const out = values.out ?? join('runs', `${experiment}-${budget}`);
    checkInput(() => checkReproductionOut(planned, out, '--out'));
    const reproduction = cutToMissing(planned, out);
    for (const env of new Set(reproduction.jobs.map(({ plan }) => plan.env))) await prepareEnv(env);
    const began = performance.now();
    const outcomes = await training(reproduction, out, jobs, output);
    const report = reportOf(reproduction, outcomes, out);
    writeReport(reproduction, report);
    output.report(reportLines(reproduction, report, (performance.now() - began) / 1000));
    return report;
  },
});

/** Checks the theorems; fails where a statement about them does not come out true. */
async function theory(
  values: Omit<Values, 'experiment'> & { readonly out: string | undefined },
  output: Output,
): Promise<TheoryReport> {
  for (const name of ['budget', 'seeds', 'depths', 'envs', 'methods', 'jobs', 'lockstep', 'device'] as const) {
    const value = values[name];
    if (value !== DEFAULTS[name]) {
      throw new UsageError(`--${name}`, String(value), 'left out with theory, which trains nothing');
    }
  }
  const out = values.out ?? join('runs', 'theory');
  checkInput(() => checkTheoryOut(out, '--out'));
  output.line("checking the paper's theorems");
  const report = await checkTheory(out, (finding) => findingLines(finding).forEach((line) => output.line(line)));
  writeTheoryReport(report);
  const path = typedPath(out);
  output.report(['', `report: ${join(path, 'report.md')}, ${join(path, 'report.json')}`]);
  const failed = report.findings.filter(({ holds }) => !holds);
  if (failed.length > 0) {
    throw new Error(`not confirmed: ${failed.map(({ statement }) => statement).join(' ')}`);
  }
  return report;
}

function findingLines({ theorem, statement, holds, table, explanation }: Finding): string[] {
  return [
    '',
    ...wrap(`Theorem ${theorem}, ${holds ? 'confirmed' : 'NOT CONFIRMED'}: ${statement}`, 96),
    '',
    ...aligned([table.head, ...table.rows], [0]).map((line) => `  ${line}`),
    '',
    ...explanation.flatMap((text) => wrap(text, 96)),
  ];
}

interface Values {
  readonly experiment: Name;
  readonly budget: string;
  readonly seeds: number | undefined;
  readonly depths: readonly number[] | undefined;
  readonly envs: string | undefined;
  readonly methods: string | undefined;
  readonly jobs: number;
  readonly lockstep: boolean;
  readonly device: string | undefined;
}

function reproductionFor(values: Values): Reproduction {
  const { budget, seeds, methods, jobs, device, lockstep } = values;
  const experiment: Experiment = EXPERIMENTS[values.experiment];
  const known = Object.keys(experiment.budgets);
  if (!known.includes(budget)) throw new UsageError('--budget', budget, known);
  const cases = casesIn(values);
  const algorithms = methods === undefined ? undefined : namesIn('--methods', methods, methodsOf(experiment));
  const request = {
    budget,
    lockstep,
    device: device ?? (jobs > 1 ? 'cpu:1' : 'cpu'),
    ...(seeds !== undefined && { seeds }),
    ...(cases !== undefined && { cases }),
    ...(algorithms !== undefined && { methods: algorithms }),
  };
  return checkInput(() => planReproduction(experiment, request));
}

/** The cases that were asked for: of a tree its depths, of robots their names. */
function casesIn({ experiment, depths, envs }: Values): readonly (number | string)[] | undefined {
  if (experiment === 'ftn') {
    if (envs !== undefined) throw new UsageError('--envs', envs, 'left out with ftn, which has depths');
    return depths;
  }
  if (depths !== undefined) {
    throw new UsageError('--depths', depths.join(','), 'left out with mujoco, which has robots');
  }
  return envs === undefined ? undefined : namesIn('--envs', envs, ENVS);
}

function namesIn(option: string, typed: string, known: readonly string[]): readonly string[] {
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
        finished: (index, outcomes) => line.finished(index, outcomes),
      },
    });
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}

function reportLines({ experiment: { layout } }: Reproduction, report: Report, seconds: number): string[] {
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
