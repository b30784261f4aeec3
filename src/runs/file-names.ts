/** The files of a run directory, which one part writes and another reads. */

/**
 * Of the files of a run; one that changes it so that older versions misread it counts it up. From 2 on, JSON files carry
 * a checksum of themselves and result.json has those of all others.
 */
export const RUN_FORMAT = 2;
export const OLDEST_RUN_FORMAT = 1;

export const CONFIG = 'config.json';
export const METRICS = 'metrics.jsonl';
/** The same as a table. */
export const METRICS_TABLE = 'metrics.csv';
/** What updates reported, more often than policies are evaluated. */
export const TRAINING_LOG = 'training.csv';
/** What grows while a run is trained. */
export const GROWING: readonly string[] = [METRICS, METRICS_TABLE, TRAINING_LOG];
export const RESULT = 'result.json';
export const FRONTS = 'fronts';
export const FINAL = `${FRONTS}/final.json`;
export { DESCRIPTION_FILE as MODEL, WEIGHTS_FILE as WEIGHTS } from '../model/index.js';
/** The policy set that was evaluated last, as a model of its own beside the one that is kept. */
export const LAST = 'last';
export const KEYS = 'keys.json';
/** What a learner has learned besides its policy, so that another training can begin with it. */
export const LEARNER = 'learner.json';
export const LEARNER_WEIGHTS = 'learner.safetensors';
