import type { Experiment } from '../experiment.js';
import { mujocoBudgets } from './budgets.js';
import { mujocoLayout } from './layout.js';
import type { MujocoEntry, MujocoRest } from './layout.js';
import { planRobot } from './plan.js';
import { mujocoCases, mujocoMethods } from './published.js';
import type { MujocoCase } from './published.js';

/** The table of robots. */
export const mujoco: Experiment<MujocoCase, MujocoEntry, MujocoRest> = {
  name: 'mujoco',
  methods: mujocoMethods,
  cases: mujocoCases,
  caseName: 'env',
  budgets: mujocoBudgets,
  plan: (budget, ...training) => planRobot(mujocoBudgets[budget], ...training),
  layout: mujocoLayout,
};
