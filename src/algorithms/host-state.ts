import type { StateValue } from '../envs/index.js';

/** Data that a learner keeps on the host, outside of its state. */
export interface HostState {
  save(): StateValue;
  load(saved: StateValue): void;
  /** What a replica can take along into another training; absent where that is nothing, as of running episodes. */
  saveReplica?(replica: number): StateValue;
  /** @param isElsewhere whether it comes from another environment, whose returns say nothing here */
  loadReplica?(replica: number, saved: StateValue, isElsewhere: boolean): void;
}
