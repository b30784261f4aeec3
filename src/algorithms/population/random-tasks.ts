/**
 * RANDOM, PG-MORL's own baseline (Xu et al., "Prediction-guided multi-objective reinforcement learning for continuous robot
 * control", ICML 2020): a random policy of the population and a random weight for every task.
 */
import { generational, type SelectionRule } from './selection.js';

export const randomTasks: SelectionRule = {
  ...generational,
  next: ({ weights, population, random }) =>
    weights.map(({ length }) => {
      const from = population[random.integer(population.length)];
      // Uniform in the cube and then divided by the sum, as published, which is not uniform on the simplex.
      const drawn = Array.from({ length }, () => random.uniform());
      const sum = drawn.reduce((total, value) => total + value, 0);
      return { from, weight: sum > 0 ? drawn.map((value) => value / sum) : drawn.map(() => 1 / length) };
    }),
};
