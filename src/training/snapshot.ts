/** What a training saves of itself, and goes on from. Where that is kept, and how, is the business of whoever keeps it. */
import type { StateValue } from '../envs/index.js';
import type { NamedTensor } from '../model/index.js';
import type { Replay } from '../replay/index.js';

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

/** Has a training take over what a checkpoint says. A CheckpointError where it is not what such a training saved. */
export async function takeOver(restore: () => Promise<void>): Promise<void> {
  try {
    await restore();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw new CheckpointError(`its checkpoint does not fit it: ${reason}`, { cause: error });
  }
}
