/** Step sizes that fall over a training. */

/** The learning rate after a part of the training, which falls linearly to a share of itself. */
export function decayedRate(
  { learningRate, finalLearningRate }: { readonly learningRate: number; readonly finalLearningRate: number },
  progress: number,
): number {
  return learningRate * (1 - progress * (1 - finalLearningRate));
}
