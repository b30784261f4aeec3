import type { Experiment } from '../experiment.js';
import { ftnBudgets } from './budgets.js';
import { ftnLayout } from './layout.js';
import type { FtnEntry } from './layout.js';
import { planFtn } from './plan.js';
import { ftnCases, ftnMethods } from './published.js';
import type { FtnCase } from './published.js';

/** The fruit-tree table. */
export const ftn: Experiment<FtnCase, FtnEntry> = {
  name: 'ftn',
  methods: ftnMethods,
  cases: ftnCases,
  caseName: 'depth',
  budgets: ftnBudgets,
  plan: planFtn,
  layout: ftnLayout,
};
