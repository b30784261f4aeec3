/** What trainings with replay and trainings from rollouts share. */
import { REPLAY } from '../algorithms/index.js';
import type { Learner } from '../algorithms/index.js';
import type { StateValue } from '../envs/index.js';
import type { Replay } from '../replay/index.js';
import type { Model, NamedTensor } from '../model/index.js';
import { EnvFault } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import type { Values } from '../tensor/index.js';
import type { Evaluated, Progress } from './definition.js';
import type { Evaluator, Keeper } from './evaluation.js';
import { checkNumbers, faultOf } from './sickness.js';
import type { Restored, Snapshot } from './snapshot.js';

export interface TrainingEvents {
  /** Once everything that was asked for has proved possible, before the first step. */
  started?(): void;
  /** Asked after every iteration, and before the first of a training that goes on; true ends it there, with an evaluation. */
  shouldStop?(): boolean;
  /** After every iteration, with the steps of the loop alone. */
  progress?(progress: Progress): void;
  /** While key solutions are trained first: how many of their environment steps are done. */
  keyProgress?(done: number, all: number): void;
  /** After every evaluation of a replica. */
  evaluated?(evaluated: Evaluated): void;
  /** Asked after every iteration; true has a checkpoint taken. One is also taken where the training is stopped. */
  checkpointDue?(): boolean;
  /** Takes a checkpoint over; the training goes on when it resolves. */
  checkpoint?(snapshot: Snapshot, replays: readonly Replay[]): Promise<void>;
}

/** Its environment steps are those of the first replica; playing key preferences can take others longer. */
export interface Trained extends Progress {
  readonly learner: Learner;
  /** The finite set of policies that each replica ends with, where it is not the learner's own. */
  readonly sets?: readonly Model[];
  /** What the policy set achieves that each replica ends with. */
  readonly results: readonly Evaluated[];
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
}

/** Evaluates every replica, offers each to the keeper and tells of it. */
export async function evaluateAll(
  { evaluator, keeper, replicas }: { evaluator: Evaluator; keeper: Keeper; replicas: number },
  progressOf: (replica: number) => Progress,
  tell?: (evaluated: Evaluated) => void,
): Promise<void> {
  const all = Array.from({ length: replicas }, (_, replica) => replica);
  for (const scored of await evaluator.scoreEach(all)) {
    const evaluated = { ...scored, ...progressOf(scored.replica) };
    await keeper.consider(evaluated);
    tell?.(evaluated);
  }
}

/** What a checkpoint holds of a learner and of the policies that are kept, if any are. */
export async function snapshotLearner(
  learner: Learner,
  keeper?: Keeper,
): Promise<{ readonly state: SavedLearner; readonly tensors: Map<string, NamedTensor> }> {
  const tensors = new Map<string, NamedTensor>();
  // Replays are saved by themselves: most of one is in an earlier checkpoint already.
  for (const name of learner.state.names.filter((entry) => entry !== REPLAY)) {
    const values = await learner.state.save(name);
    // So that there is a good checkpoint to go back to where a training turns sick.
    checkNumbers(`parameter ${name}`, values instanceof Float32Array ? values : await learner.state.read(name));
    tensors.set(`learner.${name}`, { shape: [values.length], values });
  }
  const kept = keeper?.save() ?? { tensors: [], evaluated: [] };
  for (const [name, values] of kept.tensors) tensors.set(`kept.${name}`, { shape: [values.length], values });
  return { state: { learner: learner.save(), kept: kept.evaluated as unknown as StateValue }, tensors };
}

type SavedLearner = { readonly learner: StateValue; readonly kept: StateValue };

export function restoreLearner(learner: Learner, keeper: Keeper | undefined, { state, tensors }: Restored): void {
  const saved = state as unknown as SavedLearner;
  const kept = new Map<string, Values>();
  for (const [name, { values }] of tensors) {
    if (name.startsWith('kept.')) kept.set(name.slice('kept.'.length), values);
    else if (name.startsWith('learner.')) learner.state.restore(name.slice('learner.'.length), values);
  }
  const missing = learner.state.names.find((name) => name !== REPLAY && !tensors.has(`learner.${name}`));
  if (missing !== undefined) throw new RangeError(`lacks "${missing}"`);
  learner.load(saved.learner);
  if (!Array.isArray(saved.kept) || !saved.kept.every(isEvaluated))
    throw new RangeError('lacks what its policies earn');
  // Checkpoints of earlier versions know nothing of regret.
  const evaluated = (saved.kept as unknown as Evaluated[]).map((one) => {
    return { ...one, score: { ...one.score, regret: one.score.regret ?? null } };
  });
  keeper?.load(evaluated, kept);
}

/** Whether something is an evaluation as far as anybody relies on it later; `returns` need not be saved with it. */
export function isEvaluated(value: unknown): boolean {
  const { replica, envSteps, gradientSteps, score, returns = [] } = (value ?? {}) as Partial<Evaluated>;
  const counts = [replica, envSteps, gradientSteps].every((count) => Number.isSafeInteger(count) && count! >= 0);
  const isRow = (row: unknown) => Array.isArray(row) && row.every(Number.isFinite);
  const hypervolume: unknown = (score as Partial<Evaluated['score']> | undefined)?.hypervolume;
  return counts && Number.isFinite(hypervolume) && Array.isArray(returns) && returns.every(isRow);
}

/** Waits for a step; an environment that fails is named with the preference it was played at. */
export async function finishStep(pool: EnvPool, preferences: Float32Array): Promise<void> {
  try {
    await pool.finish();
  } catch (error) {
    if (!(error instanceof EnvFault)) throw error;
    const { objectives } = pool.shape;
    const own = preferences.subarray(error.row * objectives, (error.row + 1) * objectives);
    // As it was drawn, and not as float32 holds it.
    throw faultOf(error.at(Array.from(own, (weight) => Number(weight.toPrecision(6)))), pool);
  }
}
