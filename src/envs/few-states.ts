/** Settings for environments with few states. */
import type { EnvSettings } from './registration.js';

/** Networks of this size are enough there, but learn nothing unless they are updated often and towards fast targets (docs/benchmarks.md). */
export function quickForFewStates(steps: number, evaluations: number, nStep = 1): EnvSettings {
  return {
    presets: ['quick'],
    algorithms: ['psl-ddqn', 'pd-ddqn'],
    settings: {
      hidden: [64, 64],
      batch: 64,
      groups: 16,
      updatesPerStep: 0.5,
      tau: 0.02,
      utilityError: 10,
      boundedTargets: true,
      finalLearningRate: 0.01,
      epsilonEnd: 0.4,
      nStep,
      steps,
      evaluations,
    },
  };
}
