import { algorithm } from '../algorithms/index.js';
import type { OffPolicyAlgorithm } from '../algorithms/index.js';
import { resolveConfig } from '../config/index.js';
import { envInfo } from '../envs/index.js';
import type { StateValue } from '../envs/index.js';
import { keyPreferences } from '../preferences/index.js';
import { StoppedError } from './definition.js';
import type { OffPolicyPlan, Plan } from './definition.js';
import type { Trained, TrainingEvents } from './loop.js';
import { trainOffPolicy } from './off-policy.js';
import type { TrainedKeys } from './off-policy.js';
import { settingsOf } from './plan.js';
import type { Restored } from './snapshot.js';

/** Where their training was when a checkpoint was taken. */
interface SavedKeys {
  readonly keyTraining: StateValue;
  /** What each has achieved so far. */
  readonly best: readonly Float64Array[];
}

/** What PD-MORL does differently where it trains for one preference alone. */
const SETTINGS = {
  family: 'conditioned',
  criticAngle: 0,
  actorAngle: 0,
  children: 1,
  // Every transition under the preference that was followed, noise and all.
  groups: 100,
  batch: 100,
  learnAfter: 200,
  updatesPerStep: 1,
  hindsight: 0,
  preferenceNoise: 0.05,
  discount: 0.99,
  episodes: 10,
  keep: 'last',
  // What an environment may have other values for.
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
  if (known != null) return trainOffPolicy({ ...plan, keys: known.returns }, events, from, known);
  const keys = await trainKeys(plan, events, from);
  // It has started with them.
  return trainOffPolicy({ ...plan, keys: keys.returns }, { ...events, started: () => undefined }, undefined, keys);
}

/**
 * Trains for each key preference alone, all side by side, and returns the best that each achieved.
 * @param from of a training that was at its key solutions when its checkpoint was taken
 */
async function trainKeys(plan: OffPolicyPlan, events: TrainingEvents, from?: Restored): Promise<TrainedKeys> {
  const { objectives, keyTraining } = envInfo(plan.env);
  // Key solutions are the same for all replicas, also for those that differ in settings.
  const { variants: _, ...alike } = plan;
  const tasks = keyPreferences(objectives.length);
  const method = algorithm('pd-td3') as OffPolicyAlgorithm;
  const steps = plan.config.keySteps as number;
  const decided = { ...plan.config, ...SETTINGS, ...keyTraining };
  const wanted = resolveConfig(settingsOf(method), decided) as OffPolicyPlan['config'];
  const own = {
    ...wanted,
    steps,
    capacity: Math.min(wanted.capacity, plan.config.capacity),
    startSteps: Math.min(wanted.startSteps, Math.ceil(steps / 8)),
    // Ten episodes for each take more steps than a short training itself.
    evaluations: Math.min(10, Math.ceil(steps / 5000)),
  };
  const saved = from?.state as SavedKeys | undefined;
  const best: (readonly number[])[] = (saved?.best ?? []).map((point) => [...point]);
  const worth = (task: number, returns: readonly number[]) =>
    tasks[task].reduce((sum, weight, k) => sum + weight * returns[k], 0);
  const { envSteps, learner, stopped } = await trainOffPolicy(
    { ...alike, tasks, replicas: tasks.length, algorithm: method, config: own },
    {
      started: () => events.started?.(),
      shouldStop: () => events.shouldStop?.() ?? false,
      progress: (progress) => events.keyProgress?.(progress.envSteps * tasks.length, steps * tasks.length),
      evaluated({ replica, returns }) {
        const found = returns[replica];
        if (best.at(replica) === undefined || worth(replica, found) > worth(replica, best[replica])) {
          best[replica] = found;
        }
      },
      checkpointDue: () => events.checkpointDue?.() ?? false,
      async checkpoint({ state: keyTraining, tensors }, replays) {
        const state = { keyTraining, best: best.map((point) => Float64Array.from(point)) };
        await events.checkpoint?.({ state, tensors }, replays);
      },
    },
    from && { ...from, state: saved!.keyTraining },
  );
  await learner.dispose();
  if (stopped) throw new StoppedError('stopped while its key solutions were trained, before there is a policy.');
  return { returns: best, envSteps: envSteps * tasks.length };
}
