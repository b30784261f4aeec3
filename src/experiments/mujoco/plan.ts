import { generationsOf, planTraining, settingsOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import type { TrainedHow } from '../experiment.js';
import type { Method } from '../job.js';
import { publishedProportions } from '../working-range.js';
import type { RobotBudget } from './budgets.js';
import type { MujocoCase } from './published.js';

/** The training of a method on a robot. */
export function planRobot(
  budget: RobotBudget,
  { algorithm, preset = budget.preset, settings: own = {} }: Method,
  { env }: MujocoCase,
  how: TrainedHow,
): TrainingPlan {
  const request = { env, algorithm, preset, ...how };
  const { config, algorithm: chosen } = planTraining({ ...request, preset: budget.preset });
  const isPopulation = chosen.kind === 'population';
  const wanted = {
    // A table is scored in one way, and its methods spend alike, also with fewer steps or another preset.
    steps: config.steps,
    evaluationDivisions: config.evaluationDivisions,
    episodes: config.episodes,
    keep: config.keep,
    ...budget.settings,
    ...(isPopulation && budget.populationSettings),
    ...(budget.steps !== undefined && { steps: budget.steps }),
    ...own,
  };
  // What is said of all methods may be no setting of one of them.
  const known = Object.keys(settingsOf(chosen));
  const settings = Object.fromEntries(Object.entries(wanted).filter(([field]) => known.includes(field)));
  // One environment for all: that of PSL-MORL, also where the code of a method has another.
  const { envOptions } = planTraining({ env, algorithm: 'psl-td3', preset: budget.preset });
  const plan = planTraining({ ...request, envOptions, settings });
  if (generationsOf(plan) === undefined || budget.steps === undefined) return plan;
  return planTraining({ ...request, envOptions, settings: { ...settings, ...publishedProportions(plan) } });
}
