/** What methods with a population need of a budget, by what was published for them. */
import { generationsOf, planTraining } from '../training/index.js';
import type { Generations, TrainingPlan } from '../training/index.js';

/**
 * Least share of the published first generation, in environment steps of a task. Before policies have learned anything
 * there is nothing to choose between them by.
 */
export const LEAST_WARMUP = 0.5;

/** Trains its tasks to the end whatever they achieve: it has nothing to choose, and so no range. */
const NEVER_CHOOSES = 'ra';

/** Whether the first generation is too short for what the method chooses by. */
export function isBelowRange(plan: TrainingPlan): boolean {
  const generations = generationsOf(plan);
  if (generations === undefined || plan.algorithm.name === NEVER_CHOOSES) return false;
  const length = ({ first, iterations, rollout }: Generations) => Math.min(first, iterations) * rollout;
  return length(generations) < LEAST_WARMUP * length(publishedFor(plan));
}

/** Lengths of generations that have the published share of all iterations, and of each other. */
export function publishedProportions(plan: TrainingPlan): { readonly warmup: number; readonly generation: number } {
  const published = publishedFor(plan);
  const share = published.generation / published.iterations;
  const generation = Math.max(1, Math.round(share * generationsOf(plan)!.iterations));
  return { warmup: (published.warmup / published.generation) * generation, generation };
}

function publishedFor({ env, algorithm }: TrainingPlan): Generations {
  return generationsOf(planTraining({ env, algorithm: algorithm.name, preset: 'paper' }))!;
}
