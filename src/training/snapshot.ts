/**
 * What a checkpoint of a training holds, and how a training is restored from it. Nothing is read from or written to disk
 * here: `src/runs` stores snapshots.
 */
import { REPLAY } from '../algorithms/index.js';
import type { Learner } from '../algorithms/index.js';
import type { StateValue } from '../envs/index.js';
import type { NamedTensor } from '../model/index.js';
import type { Replay } from '../replay/index.js';
import type { Values } from '../tensor/index.js';
import type { Evaluated } from './definition.js';
import type { Keeper } from './evaluation.js';
import { checkNumbers } from './non-finite.js';

/** Everything that a training needs to go on exactly where it was, but for what its replays hold. */
export interface Snapshot {
  readonly state: StateValue;
  readonly tensors: ReadonlyMap<string, NamedTensor>;
}

/** A snapshot that was kept, with the replays that belong to it. */
export interface Restored extends Snapshot {
  /** Fills empty replays. */
  restoreReplays(replays: readonly Replay[]): void;
}

/** No generation of a checkpoint can be used, or it does not belong to its run. */
export class CheckpointError extends RangeError {
  override readonly name = 'CheckpointError';
}

/** Restores a training; rejects with a CheckpointError where the checkpoint is not what such a training saves. */
export async function takeOver(restore: () => Promise<void>): Promise<void> {
  try {
    await restore();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw new CheckpointError(`its checkpoint does not fit it: ${reason}`, { cause: error });
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
    // So that there is a good checkpoint to go back to where the numbers of a training are no longer finite.
    checkNumbers(`parameter ${name}`, values instanceof Float32Array ? values : await learner.state.read(name));
    tensors.set(`learner.${name}`, { shape: [values.length], values });
  }
  const kept = keeper?.save() ?? { tensors: [], evaluated: [], last: [] };
  for (const [name, values] of kept.tensors) tensors.set(`kept.${name}`, { shape: [values.length], values });
  const evaluations = { kept: kept.evaluated as unknown as StateValue, last: kept.last as unknown as StateValue };
  return { state: { learner: learner.save(), ...evaluations }, tensors };
}

type SavedLearner = { readonly learner: StateValue; readonly kept: StateValue; readonly last: StateValue };

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
  // Checkpoints of earlier versions know nothing of the last evaluations.
  const [evaluated, last] = [saved.kept, (saved as Partial<SavedLearner>).last ?? []].map((all) => {
    if (!Array.isArray(all) || !all.every(isEvaluated)) throw new RangeError('lacks what its policies earn');
    // Nor of regret.
    return (all as unknown as Evaluated[]).map((one) => {
      return { ...one, score: { ...one.score, regret: one.score.regret ?? null } };
    });
  });
  keeper?.load({ evaluated, last, tensors: kept });
}

/** Whether something is an evaluation as far as anybody relies on it later; `returns` need not be saved with it. */
export function isEvaluated(value: unknown): boolean {
  const { replica, envSteps, gradientSteps, score, returns = [] } = (value ?? {}) as Partial<Evaluated>;
  const counts = [replica, envSteps, gradientSteps].every((count) => Number.isSafeInteger(count) && count! >= 0);
  const isRow = (row: unknown) => Array.isArray(row) && row.every(Number.isFinite);
  const hypervolume: unknown = (score as Partial<Evaluated['score']> | undefined)?.hypervolume;
  return counts && Number.isFinite(hypervolume) && Array.isArray(returns) && returns.every(isRow);
}
