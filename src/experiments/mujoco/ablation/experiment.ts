import { robotBudgets } from '../budgets.js';
import { methodRows } from '../method-rows.js';
import { robotExperiment } from '../robots.js';
import { ablationCaveats, ablationMethods, ablationPublished } from './published.js';

/** The ablation of parameter fusion. */
export const ablation = robotExperiment({
  name: 'ablation',
  methods: ablationMethods,
  budgets: robotBudgets,
  layout: {
    ...methodRows,
    title: 'Ablation of parameter fusion',
    judged: { subject: ['fused'], pairs: [] },
    published: ablationPublished,
    caveats: ablationCaveats,
  },
});
