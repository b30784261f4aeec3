/** The budgets of the table of robots: how long its trainings are. */
import type { Budget } from '../experiment.js';

export interface MujocoBudget extends Budget {
  /** Environment steps of a run, the same for all methods; those of the preset where absent. */
  readonly steps?: number;
  /** Over those of the preset, for the methods that have such settings. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same for methods that improve a population. */
  readonly populationSettings: Readonly<Record<string, unknown>>;
}

export const mujocoBudgets: Readonly<Record<string, MujocoBudget>> = {
  tiny: {
    about: '5,000 steps on two robots, a few minutes; shows that everything works, and learns next to nothing',
    preset: 'quick',
    seeds: 1,
    cases: ['mo-halfcheetah-v2', 'mo-swimmer-v2'],
    steps: 5_000,
    settings: {
      hidden: [16, 16],
      criticHidden: [16, 16],
      hyperHidden: [8],
      hyperFeatures: 2,
      startSteps: 50,
      learnAfter: 500,
      updatesPerStep: 0.1,
      batch: 64,
      evaluations: 2,
      evaluationDivisions: 10,
      horizon: 64,
    },
    populationSettings: { children: 2, warmup: 2, generation: 1 },
  },
  small: {
    about: '100,000 steps for every method on every robot, about a day on two cores',
    preset: 'best',
    seeds: 3,
    steps: 100_000,
    settings: { evaluations: 10 },
    populationSettings: { horizon: 128, batch: 64, warmup: 5, generation: 2 },
  },
  million: {
    about:
      'a million steps for every method on every robot; days on two cores, with a GPU a quarter of an hour for a robot',
    preset: 'best',
    seeds: 3,
    steps: 1_000_000,
    settings: { evaluations: 20 },
    populationSettings: { warmup: 13, generation: 4 },
  },
  paper: {
    about: 'weeks; the published settings of every method, which do not spend the same',
    preset: 'paper',
    seeds: 6,
    settings: {},
    populationSettings: {},
  },
};
