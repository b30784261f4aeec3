/** The budgets of the fruit-tree table: how long its trainings are, and which settings the methods share. */
import type { Budget } from '../experiment.js';

export interface FtnBudget extends Budget {
  /** Environment steps of a run by depth; those of the preset where absent. */
  readonly steps?: Readonly<Record<number, number>>;
  /** Over those of the preset, for all methods but those as published. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same for methods as published, where the budget has another preset. */
  readonly publishedSettings?: Readonly<Record<string, unknown>>;
  /** Whether all methods spend, explore, learn and are scored alike: see `sharedSettings`. */
  readonly isShared: boolean;
}

export const ftnBudgets: Readonly<Record<string, FtnBudget>> = {
  tiny: {
    about: 'seconds; shows that everything works, and learns next to nothing',
    preset: 'quick',
    seeds: 1,
    cases: [5],
    steps: { 5: 400, 6: 400, 7: 400 },
    settings: {
      children: 10,
      updatesPerStep: 0.2,
      hidden: [16],
      startSteps: 10,
      learnAfter: 100,
      batch: 32,
      groups: 8,
      evaluations: 2,
      evaluationDivisions: 3,
    },
    publishedSettings: { hidden: [16], learnAfter: 100, updatesPerStep: 0.2 },
    isShared: true,
  },
  small: {
    about:
      'about half an hour on two cores; the same steps, batch, network and exploration for all methods, and beside them the published settings with as many steps',
    preset: 'quick',
    seeds: 3,
    steps: { 5: 8_000, 6: 16_000, 7: 32_000 },
    settings: { children: 10, updatesPerStep: 0.2, batch: 256, learnAfter: 1000, evaluations: 10 },
    isShared: true,
  },
  paper: {
    about: 'days; the published settings of every method, which do not spend the same',
    preset: 'paper',
    seeds: 6,
    // The published settings alone; tuned ones can be asked for.
    methods: ['envelope', 'pd-ddqn-published', 'psl-ddqn-published'],
    settings: {},
    isShared: false,
  },
};

/**
 * Settings outside the training loop that all methods take from PSL-MORL in a shared budget, so that none is ahead by
 * its network, its step size or its exploration. What makes a method what it is stays its own.
 */
export const sharedSettings: readonly string[] = [
  'hidden',
  'learningRate',
  'finalLearningRate',
  'epsilonStart',
  'epsilonEnd',
  'epsilonDecay',
];
