/** The budgets of tables of robots: how long their trainings are. */
import type { Budget } from '../experiment.js';

export interface RobotBudget extends Budget {
  /** Environment steps of a run, the same for all methods; those of the preset where absent. */
  readonly steps?: number;
  /** Over those of the preset, for the methods that have such settings. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same for methods that improve a population; their generations keep the published proportions. */
  readonly populationSettings: Readonly<Record<string, unknown>>;
}

/** Of the start states that the scores are measured on. */
const FINAL_SEED = 1000;

/** What all tables of robots have in common. */
export const robotBudgets = {
  tiny: {
    about: '600 steps on one robot, half a minute; shows that everything works, and learns next to nothing',
    preset: 'best',
    seeds: 1,
    cases: ['mo-walker2d-v2'],
    steps: 600,
    settings: {
      children: 4,
      hidden: [16, 16],
      criticHidden: [16, 16],
      hyperHidden: [8],
      hyperFeatures: 2,
      startSteps: 25,
      learnAfter: 100,
      updatesPerStep: 0.1,
      batch: 32,
      groups: 8,
      evaluations: 2,
      evaluationDivisions: 4,
      horizon: 32,
    },
    populationSettings: { children: 1, taskDivisions: 2, epochs: 2 },
    final: { divisions: 4, episodes: 1, seed: FINAL_SEED },
  },
  small: {
    about: '100,000 steps for every method on every robot, about a day on two cores',
    preset: 'best',
    seeds: 3,
    steps: 100_000,
    final: { divisions: 200, episodes: 3, seed: FINAL_SEED },
    settings: { evaluations: 10 },
    populationSettings: { horizon: 128, batch: 64 },
  },
  million: {
    about:
      'a million steps for every method on every robot; days on two cores, with a GPU a quarter of an hour for a robot',
    preset: 'best',
    seeds: 3,
    steps: 1_000_000,
    final: { divisions: 200, episodes: 3, seed: FINAL_SEED },
    settings: { evaluations: 20 },
    populationSettings: {},
  },
  paper: {
    about:
      'weeks; the published settings of every method, which do not spend the same, and the final grid of 1001 preferences with three episodes each',
    preset: 'paper',
    seeds: 6,
    final: { divisions: 1000, episodes: 3, seed: FINAL_SEED },
    settings: { evaluations: 20 },
    populationSettings: { evaluations: 60 },
  },
} as const satisfies Readonly<Record<string, RobotBudget>>;

export const mujocoBudgets: Readonly<Record<string, RobotBudget>> = {
  ...robotBudgets,
  // The published settings alone; tuned ones can be asked for.
  paper: {
    ...robotBudgets.paper,
    methods: [
      ...['ra', 'pfa', 'moead', 'random', 'pg-morl', 'meta'],
      ...['pd-td3-published', 'psl-td3-published', 'psl-ppo'],
    ],
  },
};
