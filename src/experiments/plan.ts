import { loopFields, planTraining, settingsOf } from '../training/index.js';
import type { TrainingPlan } from '../training/index.js';
import { unknownName } from '../text/index.js';
import { budgetNames, budgets, sharedSettings } from './budgets.js';
import type { Budget, BudgetName } from './budgets.js';
import { ftnDepths, ftnEnv, ftnMethods } from './ftn.js';
import type { Method } from './ftn.js';

/** What of the fruit-tree table is to be trained again. */
export interface FtnRequest {
  /** `small` by default. */
  readonly budget?: BudgetName;
  /** How many seeds, counted from 1; the budget's own by default. */
  readonly seeds?: number;
  /** All of the table by default. */
  readonly depths?: readonly number[];
  /** Names of algorithms; all of the table by default. */
  readonly methods?: readonly string[];
  /** `cpu` by default. */
  readonly device?: string;
}

/** One training of the table. */
export interface Job {
  readonly method: Method;
  readonly depth: number;
  readonly plan: TrainingPlan;
  /** Of its run, within the folder of the reproduction. */
  readonly name: string;
}

/** A reproduction, fully decided. */
export interface Reproduction {
  readonly experiment: 'ftn';
  readonly budget: BudgetName;
  readonly seeds: number;
  readonly depths: readonly number[];
  readonly methods: readonly Method[];
  /** A seed of everything before the next seed, so that one that ends early compares what there is. */
  readonly jobs: readonly Job[];
}

const MOST_SEEDS = 1000;

/** Decides every training, and checks all that was asked for. */
export function planFtn(request: FtnRequest = {}): Reproduction {
  const { budget = 'small', depths = ftnDepths, device = 'cpu' } = request;
  if (!budgetNames.includes(budget)) throw new RangeError(unknownName('budget', budget, budgetNames));
  const { seeds = budgets[budget].seeds, methods = ftnMethods.map(({ algorithm }) => algorithm) } = request;
  if (!Number.isSafeInteger(seeds) || seeds < 1 || seeds > MOST_SEEDS) {
    throw new RangeError(`seeds is ${seeds}, but must be an integer from 1 to ${MOST_SEEDS}.`);
  }
  const known = ftnMethods.map(({ algorithm }) => algorithm);
  const chosen = {
    depths: chosenOf('depths', depths, ftnDepths),
    methods: ftnMethods.filter(({ algorithm }) => chosenOf('methods', methods, known).includes(algorithm)),
  };
  const jobs: Job[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    for (const depth of chosen.depths) {
      for (const method of chosen.methods) {
        const plan = planOf(budgets[budget], method, depth, seed, device);
        jobs.push({ method, depth, plan, name: `${plan.env}-${method.algorithm}-seed${seed}` });
      }
    }
  }
  return { experiment: 'ftn', budget, seeds, ...chosen, jobs };
}

/** Those of the known values that were given, in the order of the table. */
function chosenOf<T extends number | string>(name: string, given: readonly T[], known: readonly T[]): T[] {
  const wrong = given.find((value) => !known.includes(value));
  if (typeof wrong === 'string') throw new RangeError(unknownName(name, wrong, known.map(String)));
  if (wrong !== undefined || given.length === 0) {
    const shown = given.length === 0 ? 'empty' : given.join(',');
    throw new RangeError(`${name} is ${shown}, but must be one or more of: ${known.join(', ')}.`);
  }
  return known.filter((value) => given.includes(value));
}

function planOf(budget: Budget, { algorithm }: Method, depth: number, seed: number, device: string): TrainingPlan {
  const steps = budget.steps?.[depth];
  const settings = { ...budget.settings, ...(steps !== undefined && { steps }) };
  const request = { env: ftnEnv(depth), algorithm, preset: budget.preset, seed, device, settings };
  if (!budget.isShared) return planTraining(request);
  const { config, envOptions } = planTraining({ ...request, algorithm: 'psl-ddqn' });
  const own = Object.keys(settingsOf(planTraining(request).algorithm));
  const shared = [...Object.keys(loopFields), ...sharedSettings].filter((name) => own.includes(name));
  return planTraining({
    ...request,
    envOptions,
    settings: Object.fromEntries(shared.map((name) => [name, config[name]])),
  });
}
