import { robotBudgets } from '../budgets.js';
import { methodRows } from '../method-rows.js';
import { robotExperiment } from '../robots.js';
import { alphaCaveats, alphaMethods, alphaPublished } from './published.js';

/** The grid search for the coefficient of parameter fusion. */
export const alpha = robotExperiment({
  name: 'alpha',
  methods: alphaMethods,
  // Few values show as well that everything works.
  budgets: { ...robotBudgets, tiny: { ...robotBudgets.tiny, methods: ['0.01', '0.1', '0.5'] } },
  layout: {
    ...methodRows,
    title: 'Coefficient of parameter fusion',
    // Which the paper takes for most robots.
    judged: { subject: ['0.01'], pairs: [] },
    published: alphaPublished,
    caveats: alphaCaveats,
  },
});
