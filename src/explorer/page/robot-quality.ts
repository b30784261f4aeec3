/** How well robots are drawn, from best to least. */

/** Pixels on each side of the picture that shadows are taken from. Flat ones need none, and little time. */
export type Shadow = number | 'flat';

export interface Quality {
  /** Pixels that are drawn for each of the page, in width and in height. */
  readonly pixelRatio: number;
  readonly shadow: Shadow;
  /** Which of the frames of the screen are drawn. */
  readonly everyFrame: number;
}

export const QUALITIES: readonly Quality[] = [
  // More pixels than the screen has, which makes edges smooth.
  { pixelRatio: 2, shadow: 2048, everyFrame: 1 },
  { pixelRatio: 1, shadow: 1024, everyFrame: 1 },
  { pixelRatio: 1, shadow: 'flat', everyFrame: 1 },
  { pixelRatio: 0.75, shadow: 'flat', everyFrame: 1 },
  { pixelRatio: 0.5, shadow: 'flat', everyFrame: 1 },
  { pixelRatio: 0.4, shadow: 'flat', everyFrame: 2 },
];

export interface Limits {
  readonly best: number;
  readonly first: number;
  /** Screens that refresh more slowly than this on average, in milliseconds, because drawing holds them up, get less. */
  readonly slow: number;
  /** Those that refresh faster than this can have more. */
  readonly smooth: number;
}

export const WITH_GPU: Limits = { best: 0, first: 0, slow: 28, smooth: 18 };
/** It must not be slow while it finds out how slow it is. */
export const WITHOUT_GPU: Limits = { best: 2, first: 4, slow: 36, smooth: 22 };
