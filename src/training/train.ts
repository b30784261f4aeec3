/** Chooses the training loop for a plan. */
import type { SavedReplica } from '../algorithms/index.js';
import { isOffPolicy, isOnPolicy } from './definition.js';
import type { Plan, PopulationPlan } from './definition.js';
import { trainWithKeys, wantsKeys } from './key-solutions.js';
import type { Trained, TrainingEvents } from './loop.js';
import { trainOffPolicy } from './off-policy.js';
import { trainOnPolicy } from './on-policy.js';
import { trainPopulation } from './population.js';
import type { Restored } from './snapshot.js';

/**
 * Trains what a plan says, from the beginning or from where a checkpoint was taken. Rejects with a NonFiniteError where
 * there is nothing more to learn.
 * @param learned by the run that the plan begins with, where it does and there is no checkpoint yet
 */
export function train(
  plan: Plan,
  events: TrainingEvents = {},
  from?: Restored,
  learned?: SavedReplica,
): Promise<Trained> {
  if (isOffPolicy(plan)) {
    return wantsKeys(plan) ? trainWithKeys(plan, events, from) : trainOffPolicy(plan, events, from, { learned });
  }
  if (isOnPolicy(plan)) return trainOnPolicy(plan, events, from, learned);
  return trainPopulation(plan as PopulationPlan, events, from);
}
