import { unknownName } from '../../text/index.js';
import { loopFields, planTraining, settingsOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import { checkSeeds, chosenOf, jobsOf } from '../reproduction.js';
import type { Method, Reproduction, Seeds } from '../reproduction.js';
import { budgetNames, budgets, sharedSettings } from './budgets.js';
import type { Budget, BudgetName } from './budgets.js';
import { ftnDepths, ftnEnv, ftnMethods } from './published.js';

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
  /** Whether all seeds of a method are trained in one program; false by default. */
  readonly lockstep?: boolean;
}

/** A reproduction of the fruit-tree table. */
export interface FtnReproduction extends Reproduction {
  readonly experiment: 'ftn';
  readonly budget: BudgetName;
  readonly depths: readonly number[];
}

/** Decides every training, and checks all that was asked for. */
export function planFtn(request: FtnRequest = {}): FtnReproduction {
  const { budget = 'small', depths = ftnDepths, device = 'cpu', lockstep = false } = request;
  if (!budgetNames.includes(budget)) throw new RangeError(unknownName('budget', budget, budgetNames));
  const { seeds = budgets[budget].seeds, methods = ftnMethods.map(({ algorithm }) => algorithm) } = request;
  checkSeeds(seeds);
  const known = ftnMethods.map(({ algorithm }) => algorithm);
  const chosen = {
    depths: chosenOf('depths', depths, ftnDepths),
    methods: ftnMethods.filter(({ algorithm }) => chosenOf('methods', methods, known).includes(algorithm)),
  };
  const jobs = jobsOf({ seeds, lockstep }, chosen.depths, chosen.methods, (depth, method, together) =>
    planOf(budgets[budget], method, depth, { ...together, device }),
  );
  return { experiment: 'ftn', budget, seeds, ...chosen, jobs };
}

function planOf(
  budget: Budget,
  { algorithm }: Method,
  depth: number,
  how: Seeds & { readonly device: string },
): TrainingPlan {
  const steps = budget.steps?.[depth];
  const settings = { ...budget.settings, ...(steps !== undefined && { steps }) };
  const request = { env: ftnEnv(depth), algorithm, preset: budget.preset, ...how, settings };
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
