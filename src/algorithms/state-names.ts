/** Entries of a learner's state that are not learned. */

/** In which a device keeps the replays, or the rollouts, of all replicas. */
export const REPLAY = 'replay';
/** The settings in which replicas differ. */
export const VARIED = 'settings';
