import { mujocoBudgets } from './budgets.js';
import { mujocoLayout } from './layout.js';
import { mujocoMethods } from './published.js';
import { robotExperiment } from './robots.js';

/** The table of robots. */
export const mujoco = robotExperiment({
  name: 'mujoco',
  methods: mujocoMethods,
  budgets: mujocoBudgets,
  layout: mujocoLayout,
});
