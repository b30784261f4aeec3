/** What the layouts of several experiments need. */
import type { TrainingPlan } from '../training/index.js';
import type { Entry, Table } from './experiment.js';
import { COMPARABLE, type AverageRank } from './judgement.js';

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** What legends say about regret. */
export const REGRET =
  'Regret: what a preference loses on average by its own policy, of the best utility in the same set; smaller is better, and only beside the hypervolume, since policies that are equally bad have none.';

/** What legends say about intervals. */
export const INTERVAL =
  'IQM is the interquartile mean, the mean of the middle half of the seeds, and the interval beside it holds 95 % of a bootstrap of the seeds.';

/** What notes say about ranks of sparsity. */
export const SPARSITY = `Sparsity says little between fronts of different hypervolume: ours is ranked only among methods whose mean hypervolume is at least ${100 * COMPARABLE} % of the best in the same place.`;

/** The interval of an entry for a table. */
export function intervalText(
  { hypervolume, interval }: Pick<Entry, 'hypervolume' | 'interval'>,
  text: (value: number) => string,
): string {
  if (interval === null) return hypervolume === null ? '-' : 'one seed';
  return `${text(interval.low)} to ${text(interval.high)}`;
}

/** Our average rank in sparsity for a table, with the number of cases that it is over where that is not all of them. */
export function sparsityRank({ sparsity: { ours, comparable } }: AverageRank, cases: number): string {
  if (ours === null) return '-';
  return comparable === cases ? ours.toFixed(1) : `${ours.toFixed(1)} (in ${comparable})`;
}

/** A label in a sentence: "PSL-MORL (tuned)" for "PSL-MORL, tuned". */
export function named(method: string): string {
  return method.replace(/, (.*)$/, ' ($1)');
}

/** What the paper, which has each method once, calls it. */
export function inPaper(method: string): string {
  return method.replace(/, .*$/, '');
}

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
