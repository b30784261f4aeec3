import { planTraining, settingsOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import type { TrainedHow } from '../experiment.js';
import type { Method } from '../job.js';
import { mujocoBudgets } from './budgets.js';
import type { MujocoCase } from './published.js';

/** The training of a method on a robot. */
export function planMujoco(name: string, { algorithm }: Method, { env }: MujocoCase, how: TrainedHow): TrainingPlan {
  const budget = mujocoBudgets[name];
  const request = { env, algorithm, preset: budget.preset, ...how };
  const plain = planTraining(request);
  const isPopulation = plain.algorithm.kind === 'population';
  const wanted = {
    // Also with fewer steps than the preset has: a table is scored on one grid.
    evaluationDivisions: plain.config.evaluationDivisions,
    ...budget.settings,
    ...(isPopulation && budget.populationSettings),
    ...(budget.steps !== undefined && { steps: budget.steps }),
  };
  // What is said of all methods may be no setting of one of them.
  const known = Object.keys(settingsOf(plain.algorithm));
  const settings = Object.fromEntries(Object.entries(wanted).filter(([field]) => known.includes(field)));
  // One environment for all: that of PSL-MORL, also where the code of a method has another.
  const { envOptions } = planTraining({ ...request, algorithm: 'psl-td3' });
  return planTraining({ ...request, envOptions, settings });
}
