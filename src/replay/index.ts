export { drawHindsight, type HindsightOptions } from './hindsight.js';
export { Replay, ringSize, type BatchColumns, type Lookahead, type ReplayShape, type Transition } from './replay.js';
