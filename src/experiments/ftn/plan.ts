import { loopFields, planTraining, settingsOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import type { TrainedHow } from '../experiment.js';
import type { Method } from '../job.js';
import { ftnBudgets, sharedSettings } from './budgets.js';
import type { FtnCase } from './published.js';

/** The training of a method on a tree. */
export function planFtn(budget: string, { algorithm }: Method, { key, env }: FtnCase, how: TrainedHow): TrainingPlan {
  const { preset, steps: stepsOf, settings: budgetSettings, isShared } = ftnBudgets[budget];
  const steps = stepsOf?.[key];
  const settings = { ...budgetSettings, ...(steps !== undefined && { steps }) };
  const request = { env, algorithm, preset, ...how, settings };
  if (!isShared) return planTraining(request);
  const { config, envOptions } = planTraining({ ...request, algorithm: 'psl-ddqn' });
  const known = Object.keys(settingsOf(planTraining(request).algorithm));
  const shared = [...Object.keys(loopFields), ...sharedSettings].filter((name) => known.includes(name));
  return planTraining({
    ...request,
    envOptions,
    settings: Object.fromEntries(shared.map((name) => [name, config[name]])),
  });
}
