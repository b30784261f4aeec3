import { unknownName } from '../../text/index.js';
import { planTraining, settingsOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import { checkSeeds, chosenOf, jobsOf } from '../reproduction.js';
import type { Method, Reproduction, Seeds } from '../reproduction.js';
import { mujocoBudgetNames, mujocoBudgets } from './budgets.js';
import type { MujocoBudget, MujocoBudgetName } from './budgets.js';
import { mujocoEnvs, mujocoMethods } from './published.js';
import type { MujocoEnv } from './published.js';

/** What of the MO-MuJoCo table is to be trained again. */
export interface MujocoRequest {
  /** `small` by default. */
  readonly budget?: MujocoBudgetName;
  /** How many seeds, counted from 1; the budget's own by default. */
  readonly seeds?: number;
  /** Ids of environments; the budget's own by default. */
  readonly envs?: readonly string[];
  /** Names of algorithms; all of the table by default. */
  readonly methods?: readonly string[];
  /** `cpu` by default. */
  readonly device?: string;
  /** Whether all seeds of a method are trained in one program; false by default. */
  readonly lockstep?: boolean;
}

/** A reproduction of the MO-MuJoCo table. */
export interface MujocoReproduction extends Reproduction {
  readonly experiment: 'mujoco';
  readonly budget: MujocoBudgetName;
  readonly envs: readonly MujocoEnv[];
}

/** Decides every training, and checks all that was asked for. */
export function planMujoco(request: MujocoRequest = {}): MujocoReproduction {
  const { budget: name = 'small', device = 'cpu', lockstep = false } = request;
  if (!mujocoBudgetNames.includes(name)) throw new RangeError(unknownName('budget', name, mujocoBudgetNames));
  const budget: MujocoBudget = mujocoBudgets[name];
  const knownEnvs = mujocoEnvs.map(({ env }) => env);
  const knownMethods = mujocoMethods.map(({ algorithm }) => algorithm);
  const { seeds = budget.seeds, envs = budget.envs ?? knownEnvs, methods = knownMethods } = request;
  checkSeeds(seeds);
  const [chosenEnvs, chosenMethods] = [chosenOf('envs', envs, knownEnvs), chosenOf('methods', methods, knownMethods)];
  const chosen = {
    envs: mujocoEnvs.filter(({ env }) => chosenEnvs.includes(env)),
    methods: mujocoMethods.filter(({ algorithm }) => chosenMethods.includes(algorithm)),
  };
  const jobs = jobsOf({ seeds, lockstep }, chosen.envs, chosen.methods, ({ env }, method, together) =>
    planOf(budget, method, env, { ...together, device }),
  );
  return { experiment: 'mujoco', budget: name, seeds, ...chosen, jobs };
}

function planOf(
  budget: MujocoBudget,
  { algorithm }: Method,
  env: string,
  how: Seeds & { readonly device: string },
): TrainingPlan {
  const request = { env, algorithm, preset: budget.preset, ...how };
  const plain = planTraining(request);
  const isPopulation = plain.algorithm.kind === 'population';
  const wanted = {
    ...budget.settings,
    ...(isPopulation && budget.populationSettings),
    ...(budget.steps !== undefined && { steps: budget.steps }),
  };
  // What is said of all methods may be no setting of one of them.
  const own = Object.keys(settingsOf(plain.algorithm));
  const settings = Object.fromEntries(Object.entries(wanted).filter(([field]) => own.includes(field)));
  // One environment for all: that of PSL-MORL, also where the code of a method has another.
  const { envOptions } = planTraining({ ...request, algorithm: 'psl-td3' });
  return planTraining({ ...request, envOptions, settings });
}
