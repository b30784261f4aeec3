import { join } from 'node:path';
import { choice, integer, integers, text, twoColumns, wrap } from '../config/index.js';
import { envInfo, prepareEnv } from '../envs/index.js';
import {
  budgetNames,
  budgets,
  checkReproductionOut,
  ftnDepths,
  ftnMethods,
  planFtn,
  reportOf,
  runReproduction,
  tableOf,
  writeReport,
  type BudgetName,
  type Outcome,
  type Report,
  type Reproduction,
} from '../experiments/index.js';
import { ceilingOf, returnDiscountOf } from '../training/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { deviceOption } from './device-option.js';
import { checkInput, UsageError } from './errors.js';
import { duration } from './progress.js';
import { ReproductionLine } from './reproduce-progress.js';
import { counted, typedPath } from './result.js';
import type { Output } from './terminal.js';

const EXPERIMENTS = 'ftn, the fruit-tree table (the MuJoCo tables come later)';
const METHODS = ftnMethods.map(({ algorithm }) => algorithm);
const MOST_JOBS = 256;

/** `psl reproduce`: a table of the paper, trained again, beside the printed one. */
export const reproduce = defineCommand({
  operands: {
    experiment: required(
      text({ placeholder: 'EXPERIMENT', allowed: EXPERIMENTS, about: `What to reproduce: ${EXPERIMENTS}.` }),
    ),
  },
  options: {
    budget: choice(budgetNames, { default: 'small', about: 'What each training may spend; they are listed below.' }),
    seeds: ifGiven(integer({ min: 1, max: 1000, about: 'Train each method with seeds 1 to this.' }), "the budget's"),
    depths: ifGiven(
      integers({
        min: Math.min(...ftnDepths),
        max: Math.max(...ftnDepths),
        minLength: 1,
        about: 'Depths of the tree.',
      }),
      ftnDepths.join(','),
    ),
    methods: ifGiven(
      text({
        placeholder: 'NAME,...',
        allowed: `one or more of: ${METHODS.join(', ')}`,
        about: 'Algorithms of the table.',
      }),
      METHODS.join(','),
    ),
    out: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder',
        about: 'Where the runs and the report go: a new or empty folder, or one to go on in.',
      }),
      'runs/ftn-BUDGET, which goes on if it is there',
    ),
    jobs: integer({
      default: 1,
      min: 1,
      max: MOST_JOBS,
      about: 'Train this many at once, each in a process of its own with one thread.',
    }),
    device: ifGiven(deviceOption, 'cpu, with one thread for each of several jobs'),
  },
  notes: () => [
    'Budgets:',
    ...twoColumns(
      budgetNames.map((name) => [name, `${budgets[name].about} (${counted(budgets[name].seeds, 'seed')})`]),
    ),
    '',
    ...wrap('Runs that are finished are kept: the same command goes on where it was stopped.'),
  ],

  async run(values, output) {
    const { experiment, budget, jobs } = values;
    if (experiment !== 'ftn') throw new UsageError('EXPERIMENT', experiment, EXPERIMENTS);
    const reproduction = planOf(values);
    const out = values.out ?? join('runs', `${experiment}-${budget}`);
    checkInput(() => checkReproductionOut(reproduction, out, '--out'));
    for (const depth of reproduction.depths) await prepareEnv(`fruit-tree-d${depth}`);
    const began = performance.now();
    const outcomes = await training(reproduction, out, jobs, output);
    const report = reportOf(reproduction, outcomes, out);
    writeReport(report);
    output.report(reportLines(report, (performance.now() - began) / 1000));
    return report;
  },
});

interface Values {
  readonly budget: BudgetName;
  readonly seeds: number | undefined;
  readonly depths: readonly number[] | undefined;
  readonly methods: string | undefined;
  readonly jobs: number;
  readonly device: string | undefined;
}

function planOf({ budget, seeds, depths, methods, jobs, device }: Values): Reproduction {
  const names = methods?.split(',').map((name) => name.trim());
  const wrong = names?.find((name) => !METHODS.includes(name));
  if (wrong !== undefined) throw new UsageError('--methods', wrong, METHODS);
  return checkInput(() =>
    planFtn({
      budget,
      ...(seeds !== undefined && { seeds }),
      ...(depths !== undefined && { depths }),
      ...(names !== undefined && { methods: names }),
      device: device ?? (jobs > 1 ? 'cpu:1' : 'cpu'),
    }),
  );
}

async function training(
  reproduction: Reproduction,
  out: string,
  jobs: number,
  output: Output,
): Promise<readonly Outcome[]> {
  const plans = reproduction.jobs;
  const ceilings = new Map<number, number | null>();
  for (const { depth, plan } of plans) ceilings.set(depth, ceilingOf(envInfo(plan.env), returnDiscountOf(plan)));
  const line = new ReproductionLine(output.human, reproduction, jobs, ceilings);
  const is = { stopping: false };
  const ignoreInterrupts = output.onInterrupt(() => {
    is.stopping = true;
    line.say('stopping: finished runs are kept, and the same command goes on with the others');
  });
  const { budget, seeds, depths, methods } = reproduction;
  output.line(
    `ftn, budget ${budget}: ${methods.map(({ label }) => label).join(', ')} at depth ${depths.join(', ')}, ` +
      `${counted(seeds, 'seed')} each, ${counted(plans.length, 'run')} in ${out}`,
  );
  try {
    return await runReproduction(reproduction, {
      out,
      jobs,
      events: {
        shouldStop: () => is.stopping,
        started: (index) => line.started(index),
        progress: (index, progress) => line.progress(index, progress),
        finished: (index, outcome) => line.finished(index, outcome),
      },
    });
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}

function reportLines(report: Report, seconds: number): string[] {
  const { runs, notes, folder, stopped } = report;
  const path = typedPath(folder);
  return [
    '',
    stopped
      ? `stopped: ${runs.finished} of ${runs.planned} runs are finished; the same command goes on`
      : `${counted(runs.finished, 'run')} in ${duration(seconds)}, of ${duration(report.seconds)} of training`,
    '',
    ...alignedTable(tableOf(report)),
    '',
    'HV: hypervolume, larger is better. SP: sparsity with every copy, as published, and over distinct points.',
    '',
    ...notes.flatMap((note) => wrap(note, 96).map((text, i) => (i === 0 ? `- ${text}` : `  ${text}`))),
    '',
    `report: ${join(path, 'report.md')}, ${join(path, 'report.json')}`,
  ];
}

/** Numbers to the right, below their heading; a blank line between depths. */
function alignedTable({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }): string[] {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 1 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return [
    line(head),
    ...rows.flatMap((row, i) => (i > 0 && row[0] !== rows[i - 1][0] ? ['', line(row)] : [line(row)])),
  ];
}
