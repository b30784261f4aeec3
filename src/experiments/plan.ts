/** Decides every training of a table. */
import { unknownName } from '../text/index.js';
import type { Case } from './case.js';
import type { Entry, Experiment, Seeds } from './experiment.js';
import type { Job, Method } from './job.js';

/** What of a table is to be trained again. */
export interface ReproductionRequest<C extends Case = Case> {
  /** `small` by default. */
  readonly budget?: string;
  /** How many seeds, counted from the first; the budget's own by default. */
  readonly seeds?: number;
  /** 1 by default. */
  readonly firstSeed?: number;
  /** Keys of cases, such as depths or environments; the budget's own by default. */
  readonly cases?: readonly C['key'][];
  /** Keys of methods; the budget's own by default. */
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
  readonly firstSeed: number;
  readonly seeds: number;
  readonly cases: readonly C[];
  readonly methods: readonly Method[];
  readonly device: string;
  /** A seed of everything before the next seed, so that one that ends early compares what there is. */
  readonly jobs: readonly Job[];
}

const MOST_SEEDS = 1000;

/** Decides everything that a request leaves open, and checks all of it. */
export function planReproduction<C extends Case, E extends Entry, X extends object>(
  experiment: Experiment<C, E, X>,
  request: ReproductionRequest<C> = {},
): Reproduction<C, E, X> {
  const { budget = 'small', firstSeed = 1, device = 'cpu', lockstep = false } = request;
  const names = Object.keys(experiment.budgets);
  if (!names.includes(budget)) throw new RangeError(unknownName('budget', budget, names));
  const own = experiment.budgets[budget];
  const { seeds = own.seeds } = request;
  checkSeeds('seeds', seeds);
  checkSeeds('firstSeed', firstSeed);
  const all = ofBudget(experiment, budget);
  const cases =
    request.cases === undefined
      ? all.cases
      : chosen(`${experiment.caseName}s`, request.cases, experiment.cases, ({ key }) => key);
  const methods =
    request.methods === undefined
      ? all.methods
      : chosen('methods', request.methods, experiment.methods, ({ key }) => key);
  const together = lockstep ? seeds : 1;
  const what = { experiment, budget, device };
  const jobs: Job[] = [];
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += together) {
    for (const where of cases) {
      for (const group of trainedTogether(methods)) jobs.push(jobOf(what, where, group, { seed, replicas: together }));
    }
  }
  return { ...what, firstSeed, seeds, cases, methods, jobs };
}

/** Cases and methods that a budget has, unless others are asked for. */
export function ofBudget<C extends Case, E extends Entry, X extends object>(
  { budgets, cases, methods }: Pick<Experiment<C, E, X>, 'budgets' | 'cases' | 'methods'>,
  budget: string,
): { readonly cases: readonly C[]; readonly methods: readonly Method[] } {
  const own = budgets[budget];
  return {
    cases: cases.filter(({ key }) => own.cases?.includes(key) ?? true),
    methods: methods.filter(({ key }) => own.methods?.includes(key) ?? true),
  };
}

function checkSeeds(name: string, seeds: number): void {
  if (Number.isSafeInteger(seeds) && seeds >= 1 && seeds <= MOST_SEEDS) return;
  throw new RangeError(`${name} is ${seeds}, but must be an integer from 1 to ${MOST_SEEDS}.`);
}

/** Methods in groups that one program trains: those that differ in a variant alone. */
export function trainedTogether(methods: readonly Method[]): Method[][] {
  const groups = new Map<string, Method[]>();
  for (const method of methods) {
    const { key, algorithm, settings, variant } = method;
    const sameProgram = variant === undefined ? key : JSON.stringify([algorithm, settings, Object.keys(variant)]);
    groups.set(sameProgram, [...(groups.get(sameProgram) ?? []), method]);
  }
  return [...groups.values()];
}

/** The training of methods with some seeds: of several methods only where they can be trained together. */
export function jobOf<C extends Case, E extends Entry, X extends object>(
  { experiment, budget, device }: Pick<Reproduction<C, E, X>, 'experiment' | 'budget' | 'device'>,
  where: C,
  methods: readonly Method[],
  { seed, replicas }: Seeds,
): Job {
  const varied = Object.keys(methods[0].variant ?? {});
  const vary = Object.fromEntries(varied.map((name) => [name, methods.map(({ variant }) => variant![name])]));
  const plan = experiment.plan(budget, methods[0], where, { seed, replicas, device, vary });
  const keys = methods.map(({ key }) => key).join('-');
  const seeds = replicas === 1 ? `seed${seed}` : `seeds${seed}-${seed + replicas - 1}`;
  return { where, methods, plan, name: `${where.env}-${keys}-${seeds}` };
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

/** How many runs there will be: one for each replica of each job. */
export function plannedRuns({ jobs }: Pick<Reproduction, 'jobs'>): number {
  return jobs.reduce((sum, { plan }) => sum + plan.replicas, 0);
}
