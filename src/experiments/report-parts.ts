/** What the layouts of several experiments need. */
import type { TrainingPlan } from '../training/index.js';
import type { Table } from './experiment.js';

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** What legends say about regret. */
export const REGRET =
  'Regret: what a preference loses on average by its own policy, of the best utility in the same set; smaller is better, and only beside the hypervolume, since policies that are equally bad have none.';

/** A share for a table, in percent. */
export function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${(100 * share).toFixed(1)} %`;
}

/** What the methods spend on an environment. */
export interface Spending {
  readonly env: string;
  /** By all methods alike; undefined where they differ. */
  readonly alike: string | undefined;
  /** By each, with the name of its algorithm. */
  readonly each: readonly string[];
}

/** What plans are about to spend, environment by environment. */
export function spendingOf<P extends TrainingPlan>(plans: readonly P[], spent: (plan: P) => string): Spending[] {
  return unique(plans.map(({ env }) => env)).map((env) => {
    const ofEnv = plans.filter((plan) => plan.env === env);
    const all = unique(ofEnv.map(spent));
    return {
      env,
      alike: all.length === 1 ? all[0] : undefined,
      each: unique(ofEnv.map((plan) => `${plan.algorithm.name} ${spent(plan)}`)),
    };
  });
}

export function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
