/** `psl reproduce`: a table of the paper, trained again, beside the printed one. */
import { join } from 'node:path';
import { choice, flag, integer, integers, text, twoColumns, wrap } from '../config/index.js';
import { checkTheoryOut } from '../experiments/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { deviceOption } from './device-option.js';
import { checkInput, UsageError } from './errors.js';
import { reproduceAll } from './reproduce-all.js';
import {
  DEPTHS,
  methodsOf,
  plannedTable,
  reportLines,
  ROBOTS,
  TABLE_NAMES,
  TABLES,
  trainTable,
  type TableValues,
} from './reproduce-table.js';
import { mustHold, showTheory } from './reproduce-theory.js';
import { counted } from './result.js';

const MOST_JOBS = 256;

/** What options have that were not given; without an entry, nothing. */
const DEFAULTS: Partial<TableValues> & Pick<TableValues, 'budget' | 'firstSeed' | 'jobs' | 'lockstep'> = {
  budget: 'small',
  firstSeed: 1,
  jobs: 1,
  lockstep: false,
};

export const reproduce = defineCommand({
  operands: {
    experiment: required(
      choice([...TABLE_NAMES, 'theory', 'all'], {
        about:
          'What to reproduce: ftn, the fruit-tree table; mujoco, the table of robots; ablation, ways to use a ' +
          'hypernetwork; alpha, its share in the parameters; theory, the theorems, which are checked in a minute and ' +
          'take --out and --budget tiny only; or all of these, one after the other.',
      }),
    ),
  },
  options: {
    budget: choice([...new Set(TABLE_NAMES.flatMap((name) => Object.keys(TABLES[name].budgets)))], {
      default: DEFAULTS.budget,
      about: 'What each training may spend; they are listed below.',
    }),
    seeds: ifGiven(integer({ min: 1, max: 1000, about: 'Train each method with this many seeds.' }), "the budget's"),
    firstSeed: integer({
      default: DEFAULTS.firstSeed,
      min: 1,
      max: 1000,
      about: 'The first of the seeds; the others count up from it.',
    }),
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
        allowed: `one or more of: ${ROBOTS.join(', ')}`,
        about: 'Robots, for mujoco, ablation and alpha.',
      }),
      "the budget's",
    ),
    methods: ifGiven(
      text({
        placeholder: 'NAME,...',
        allowed: 'one or more methods of the table',
        about: `Methods: ${TABLE_NAMES.map((name) => `of ${name} ${methodsOf(TABLES[name]).join(', ')}`).join('; ')}.`,
      }),
      "the budget's",
    ),
    out: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder',
        about: 'Where the runs and the report go: a new or empty folder, or one to go on in.',
      }),
      'runs/EXPERIMENT-BUDGET, which goes on if it is there; runs/theory, or runs/theory-tiny',
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
    ...budgetNotes(),
    ...wrap('Runs that are finished are kept, and the same command goes on where it was stopped, or died.'),
  ],

  async run({ experiment, out: given, ...rest }, output) {
    if (experiment === 'theory') {
      const { budget, ...others } = rest;
      const isTiny = budget === 'tiny';
      if (!isTiny) checkLeftOut({ budget }, 'tiny or left out with theory, which trains nothing');
      checkLeftOut(others, 'left out with theory, which trains nothing');
      const out = given ?? join('runs', isTiny ? 'theory-tiny' : 'theory');
      checkInput(() => checkTheoryOut(out, '--out'));
      const report = await showTheory(out, output, isTiny ? 'tiny' : 'full');
      mustHold(report);
      return report;
    }
    const out = given ?? join('runs', `${experiment}-${rest.budget}`);
    if (experiment === 'all') return reproduceAll(rest, out, output);
    const trained = await trainTable(plannedTable({ experiment, ...rest }, out), { out, jobs: rest.jobs }, output);
    output.report(reportLines(trained));
    return trained.report;
  },
});

/** Refuses options that were given. */
function checkLeftOut(values: Readonly<Record<string, unknown>>, allowed: string): void {
  for (const [name, value] of Object.entries(values)) {
    const isGiven = value !== (DEFAULTS as Readonly<Record<string, unknown>>)[name];
    const typed = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (isGiven) throw new UsageError(typed, String(value), allowed);
  }
}

/** The budgets of each table, and once for tables that have the same. */
function budgetNotes(): string[] {
  const tables = new Map<string, string[]>();
  for (const name of TABLE_NAMES) {
    const lines = twoColumns(
      Object.entries(TABLES[name].budgets).map(([budget, { about, seeds }]) => [
        budget,
        `${about} (${counted(seeds, 'seed')})`,
      ]),
    );
    tables.set(lines.join('\n'), [...(tables.get(lines.join('\n')) ?? []), name]);
  }
  return [...tables].flatMap(([lines, names]) => [`Budgets of ${names.join(', ')}:`, ...lines.split('\n'), '']);
}
