/** Decides every training of a table. */
import { unknownName } from '../text/index.js';
import type { Case, Entry, Experiment } from './experiment.js';
import { jobOf } from './job.js';
import type { Job, Method } from './job.js';

/** What of a table is to be trained again. */
export interface ReproductionRequest<C extends Case = Case> {
  /** `small` by default. */
  readonly budget?: string;
  /** How many seeds, counted from 1; the budget's own by default. */
  readonly seeds?: number;
  /** Keys of cases, such as depths or environments; the budget's own by default. */
  readonly cases?: readonly C['key'][];
  /** Names of algorithms; all of the table by default. */
  readonly methods?: readonly string[];
  /** `cpu` by default. */
  readonly device?: string;
  /** Whether all seeds of a method are trained in one program; false by default. */
  readonly lockstep?: boolean;
}

/** A reproduction, fully decided. */
export interface Reproduction<C extends Case = Case, E extends Entry = Entry, X extends object = object> {
  readonly experiment: Experiment<C, E, X>;
  readonly budget: string;
  readonly seeds: number;
  readonly cases: readonly C[];
  readonly methods: readonly Method[];
  /** A seed of everything before the next seed, so that one that ends early compares what there is. */
  readonly jobs: readonly Job[];
}

const MOST_SEEDS = 1000;

/** Decides everything that a request leaves open, and checks all of it. */
export function planReproduction<C extends Case, E extends Entry, X extends object>(
  experiment: Experiment<C, E, X>,
  request: ReproductionRequest<C> = {},
): Reproduction<C, E, X> {
  const { budget = 'small', device = 'cpu', lockstep = false } = request;
  const names = Object.keys(experiment.budgets);
  if (!names.includes(budget)) throw new RangeError(unknownName('budget', budget, names));
  const { cases: keys = experiment.cases.map(({ key }) => key), seeds: count } = experiment.budgets[budget];
  const known = experiment.methods.map(({ algorithm }) => algorithm);
  const { seeds = count, cases: wanted = keys, methods: algorithms = known } = request;
  checkSeeds(seeds);
  const cases = chosen(`${experiment.caseName}s`, wanted, experiment.cases, ({ key }) => key);
  const methods = chosen('methods', algorithms, experiment.methods, ({ algorithm }) => algorithm);
  const replicas = lockstep ? seeds : 1;
  const jobs: Job[] = [];
  for (let seed = 1; seed <= seeds; seed += replicas) {
    for (const where of cases) {
      for (const method of methods) {
        jobs.push(jobOf(method, experiment.plan(budget, method, where, { seed, replicas, device })));
      }
    }
  }
  return { experiment, budget, seeds, cases, methods, jobs };
}

function checkSeeds(seeds: number): void {
  if (Number.isSafeInteger(seeds) && seeds >= 1 && seeds <= MOST_SEEDS) return;
  throw new RangeError(`seeds is ${seeds}, but must be an integer from 1 to ${MOST_SEEDS}.`);
}

/** Those of a table that were given by their keys, in the order of the table. */
function chosen<T, K extends number | string>(
  name: string,
  given: readonly K[],
  all: readonly T[],
  keyOf: (one: T) => K,
): T[] {
  const known = all.map(keyOf);
  const wrong = given.find((key) => !known.includes(key));
  if (typeof wrong === 'string') throw new RangeError(unknownName(name, wrong, known.map(String)));
  if (wrong !== undefined || given.length === 0) {
    const shown = given.length === 0 ? 'empty' : given.join(',');
    throw new RangeError(`${name} is ${shown}, but must be one or more of: ${known.join(', ')}.`);
  }
  return all.filter((one) => given.includes(keyOf(one)));
}

/** How many runs there will be: one for each seed of each job. */
export function plannedRuns({ jobs }: Pick<Reproduction, 'jobs'>): number {
  return jobs.reduce((sum, { plan }) => sum + plan.replicas, 0);
}
