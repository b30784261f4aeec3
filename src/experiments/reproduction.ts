/** What reproductions of the paper's tables have in common. */
import { unknownName } from '../text/index.js';
import type { TrainingPlan } from '../training/index.js';

/** A method of the paper's tables, by the name of the algorithm that is it here. */
export interface Method {
  readonly algorithm: string;
  /** As the paper calls it. */
  readonly label: string;
}

/** One training of a table: of one seed, or of several in lockstep. */
export interface Job {
  readonly method: Method;
  readonly plan: TrainingPlan;
  /** Of its folder, within that of the reproduction. */
  readonly name: string;
}

/** A reproduction, fully decided. */
export interface Reproduction {
  readonly experiment: string;
  readonly budget: string;
  readonly seeds: number;
  readonly methods: readonly Method[];
  /** A seed of everything before the next seed, so that one that ends early compares what there is. */
  readonly jobs: readonly Job[];
}

/** How many runs there will be: one for each seed of each job. */
export function plannedRuns({ jobs }: Reproduction): number {
  return jobs.reduce((sum, { plan }) => sum + plan.replicas, 0);
}

/** What the paper prints. */
export interface Published {
  readonly hypervolume: number;
  /** Null where the table says N/A. */
  readonly sparsity: number | null;
}

const MOST_SEEDS = 1000;

export function checkSeeds(seeds: number): void {
  if (Number.isSafeInteger(seeds) && seeds >= 1 && seeds <= MOST_SEEDS) return;
  throw new RangeError(`seeds is ${seeds}, but must be an integer from 1 to ${MOST_SEEDS}.`);
}

/** Those of the known values that were given, in the order of the table. */
export function chosenOf<T extends number | string>(name: string, given: readonly T[], known: readonly T[]): T[] {
  const wrong = given.find((value) => !known.includes(value));
  if (typeof wrong === 'string') throw new RangeError(unknownName(name, wrong, known.map(String)));
  if (wrong !== undefined || given.length === 0) {
    const shown = given.length === 0 ? 'empty' : given.join(',');
    throw new RangeError(`${name} is ${shown}, but must be one or more of: ${known.join(', ')}.`);
  }
  return known.filter((value) => given.includes(value));
}

/** Seeds that are trained together: this many from `seed` on. */
export interface Seeds {
  readonly seed: number;
  readonly replicas: number;
}

/** Every method on every case with every seed, or with all seeds at once. */
export function jobsOf<C>(
  { seeds, lockstep }: { readonly seeds: number; readonly lockstep: boolean },
  cases: readonly C[],
  methods: readonly Method[],
  planOf: (where: C, method: Method, seeds: Seeds) => TrainingPlan,
): Job[] {
  const replicas = lockstep ? seeds : 1;
  const jobs: Job[] = [];
  for (let seed = 1; seed <= seeds; seed += replicas) {
    for (const where of cases) {
      for (const method of methods) jobs.push(jobOf(method, planOf(where, method, { seed, replicas })));
    }
  }
  return jobs;
}

function jobOf(method: Method, plan: TrainingPlan): Job {
  const { env, seed, replicas } = plan;
  const seeds = replicas === 1 ? `seed${seed}` : `seeds${seed}-${seed + replicas - 1}`;
  return { method, plan, name: `${env}-${method.algorithm}-${seeds}` };
}

/** The same training one seed after the other. */
export function seedsOf({ method, plan }: Job): Job[] {
  return Array.from({ length: plan.replicas }, (_, r) => jobOf(method, { ...plan, seed: plan.seed + r, replicas: 1 }));
}
