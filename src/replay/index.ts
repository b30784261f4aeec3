export { drawHindsight, type HindsightOptions } from './hindsight.js';
export { Replay, type BatchColumns, type ReplayShape, type Transition } from './replay.js';
