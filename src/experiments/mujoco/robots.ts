import type { Experiment, Layout } from '../experiment.js';
import type { RobotBudget } from './budgets.js';
import { mujocoLayout } from './layout.js';
import type { MujocoEntry, MujocoRest } from './layout.js';
import { planRobot } from './plan.js';
import { mujocoCases } from './published.js';
import type { MujocoCase } from './published.js';

type RobotExperiment = Experiment<MujocoCase, MujocoEntry, MujocoRest>;

/** A table of the paper's robots: what makes it differ from others. */
export function robotExperiment({
  budgets,
  layout,
  ...rest
}: Pick<RobotExperiment, 'name' | 'methods'> & {
  readonly budgets: Readonly<Record<string, RobotBudget>>;
  readonly layout: Pick<Layout<MujocoCase, MujocoEntry, MujocoRest>, 'title' | 'judged' | 'published' | 'caveats'> &
    Partial<Layout<MujocoCase, MujocoEntry, MujocoRest>>;
}): RobotExperiment {
  return {
    ...rest,
    cases: mujocoCases,
    caseName: 'env',
    budgets,
    plan: (budget, ...training) => planRobot(budgets[budget], ...training),
    layout: { ...mujocoLayout, ...layout },
  };
}
