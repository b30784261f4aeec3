/**
 * Training for the key preferences, which PD-MORL does before the training itself: one policy for each key preference
 * alone. The returns that they reach are the directions of the angle term.
 */
import { algorithm } from '../algorithms/index.js';
import type { OffPolicyAlgorithm } from '../algorithms/index.js';
import { resolveConfig } from '../config/index.js';
import { envInfo } from '../envs/index.js';
import type { StateValue } from '../envs/index.js';
import { keyPreferences } from '../preferences/index.js';
import { replicaPlan, StoppedError } from './definition.js';
import type { OffPolicyPlan, Plan } from './definition.js';
import type { Trained, TrainingEvents } from './loop.js';
import { trainOffPolicy } from './off-policy.js';
import type { TrainedKeys } from './off-policy.js';
import { settingsOf } from './plan.js';
import type { Restored } from './snapshot.js';

/** The state of their training in a checkpoint. */
interface SavedKeys {
  readonly keyTraining: StateValue;
  /** The best return that each has reached so far. */
  readonly best: readonly Float64Array[];
}

/** The settings that PD-MORL has for a learner of one preference. */
const SETTINGS = {
  family: 'conditioned',
  criticAngle: 0,
  actorAngle: 0,
  children: 1,
  // No relabelling: every transition is learned under the preference that was followed, with its noise.
  groups: 100,
  batch: 100,
  learnAfter: 200,
  updatesPerStep: 1,
  hindsight: 0,
  preferenceNoise: 0.05,
  discount: 0.99,
  episodes: 10,
  keep: 'last',
  // An environment may have its own values for these.
  policyDelay: 2,
  capacity: 500_000,
  startSteps: 25_000,
};

/** Whether a training has to begin with its key solutions. */
export function wantsKeys({ config, keys, tasks }: Plan): boolean {
  const usesAngle = [config.criticAngle, config.actorAngle].some((weight) => typeof weight === 'number' && weight > 0);
  return config.keys === 'trained' && usesAngle && keys === undefined && tasks === undefined;
}

/** Trains key solutions first, unless they were before the checkpoint was taken. */
export async function trainWithKeys(plan: OffPolicyPlan, events: TrainingEvents, from?: Restored): Promise<Trained> {
  const { keys: known } = (from?.state ?? {}) as { readonly keys?: TrainedKeys | null };
  if (known != null) return trainOffPolicy({ ...plan, keys: known.returns }, events, from, { keys: known });
  const keys = await trainKeys(plan, events, from);
  // The events were told of the start when the key solutions began.
  return trainOffPolicy({ ...plan, keys: keys.returns }, { ...events, started: () => undefined }, undefined, { keys });
}

/**
 * Trains for each key preference alone, all side by side, and returns the best that each achieved.
 * @param from of a training that was at its key solutions when its checkpoint was taken
 */
async function trainKeys(plan: OffPolicyPlan, events: TrainingEvents, from?: Restored): Promise<TrainedKeys> {
  const { objectives, keyTraining } = envInfo(plan.env);
  // Key solutions are the same for all replicas: where those differ in settings, as the first one has them.
  const alike = replicaPlan(plan, 0);
  const tasks = keyPreferences(objectives.length);
  const method = algorithm('pd-td3') as OffPolicyAlgorithm;
  const steps = alike.config.keySteps as number;
  const fields = settingsOf(method);
  // The algorithm that they are for may have settings that this one does not know.
  const known = Object.entries(alike.config).filter(([name]) => Object.hasOwn(fields, name));
  const decided = { ...Object.fromEntries(known), ...SETTINGS, ...keyTraining };
  const wanted = resolveConfig(fields, decided) as OffPolicyPlan['config'];
  const keyConfig = {
    ...wanted,
    steps,
    capacity: Math.min(wanted.capacity, alike.config.capacity),
    startSteps: Math.min(wanted.startSteps, Math.ceil(steps / 8)),
    // Ten episodes for each take more steps than a short training itself.
    evaluations: Math.min(10, Math.ceil(steps / 5000)),
  };
  const saved = from?.state as SavedKeys | undefined;
  const best: (readonly number[])[] = (saved?.best ?? []).map((point) => [...point]);
  const utility = (task: number, returns: readonly number[]) =>
    tasks[task].reduce((sum, weight, k) => sum + weight * returns[k], 0);
  const { envSteps, evaluationSteps, learner, stopped } = await trainOffPolicy(
    { ...alike, tasks, replicas: tasks.length, algorithm: method, config: keyConfig },
    {
      started: () => events.started?.(),
      shouldStop: () => events.shouldStop?.() ?? false,
      progress: (progress) => events.keyProgress?.(progress.envSteps * tasks.length, steps * tasks.length),
      evaluating: (share) => events.evaluating?.(share),
      evaluated({ replica, returns }) {
        const reached = returns[replica];
        if (best.at(replica) === undefined || utility(replica, reached) > utility(replica, best[replica])) {
          best[replica] = reached;
        }
      },
      checkpointDue: () => events.checkpointDue?.() ?? false,
      async checkpoint({ state: keyTraining, tensors }, replays) {
        const state = { keyTraining, best: best.map((point) => Float64Array.from(point)) };
        await events.checkpoint?.({ state, tensors }, replays);
      },
    },
    from && { ...from, state: saved!.keyTraining },
  ).catch((error: unknown) => {
    throw error instanceof StoppedError ? new StoppedError('key solutions') : error;
  });
  await learner.dispose();
  if (stopped) throw new StoppedError('key solutions');
  return {
    returns: best,
    envSteps: envSteps * tasks.length,
    evaluationSteps: evaluationSteps.reduce((sum, taken) => sum + taken, 0),
  };
}
