import { loopFields, planTraining, settingsOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import type { TrainedHow } from '../experiment.js';
import type { Method } from '../job.js';
import { ftnBudgets, sharedSettings } from './budgets.js';
import type { FtnCase } from './published.js';

/** Settings that all methods of a table have, also those with a preset of their own. */
const SCORED_ALIKE = ['steps', 'evaluations', 'evaluationDivisions', 'episodes', 'keep'];

/** The training of a method on a tree. */
export function planFtn(
  name: string,
  { algorithm, preset }: Method,
  { key, env }: FtnCase,
  how: TrainedHow,
): TrainingPlan {
  const budget = ftnBudgets[name];
  // In a shared budget all that is tuned has the settings that fit it, and in others those that win.
  const chosen = budget.isShared && preset !== 'paper' ? budget.preset : (preset ?? budget.preset);
  const request = { env, algorithm, preset: chosen, ...how };
  const steps = budget.steps?.[key];
  const settings = { ...budget.settings, ...(steps !== undefined && { steps }) };
  const model = budget.isShared ? 'psl-ddqn' : algorithm;
  const { config, envOptions } = planTraining({ ...request, algorithm: model, preset: budget.preset, settings });
  const ofModel = (names: readonly string[]) => Object.fromEntries(names.map((field) => [field, config[field]]));
  if (request.preset !== budget.preset) {
    const own = request.preset === 'paper' ? budget.publishedSettings : {};
    return planTraining({ ...request, settings: { ...ofModel(SCORED_ALIKE), ...own } });
  }
  if (!budget.isShared) return planTraining({ ...request, settings });
  const known = Object.keys(settingsOf(planTraining(request).algorithm));
  const shared = [...Object.keys(loopFields), ...sharedSettings].filter((field) => known.includes(field));
  return planTraining({ ...request, envOptions, settings: ofModel(shared) });
}
