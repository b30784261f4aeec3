/** What the layouts of several experiments need. */
import type { TrainingPlan } from '../training/index.js';
import type { Case } from './case.js';
import { interquartileMean } from '../fronts/index.js';
import type { Entry, SeedResult, Table } from './experiment.js';
import { COMPARABLE, intervalOf } from './judgement.js';
import type { AverageRank } from './judgement.js';

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** What legends say about regret. */
export const REGRET =
  'Regret: what a preference loses on average by its own policy, of the best utility in the same set; smaller is better, and only beside the hypervolume, since policies that are equally bad have none.';

/** What legends say about intervals. */
export const INTERVAL =
  'IQM is the interquartile mean, the mean of the middle half of the seeds, and the interval beside it holds 95 % of a bootstrap of the seeds, which of few seeds is too narrow.';

/** What notes say about ranks of sparsity. */
export const SPARSITY = `Sparsity says little between fronts of different hypervolume: ours is ranked only among methods whose mean hypervolume is at least ${100 * COMPARABLE} % of the best in the same place.`;

/** The interquartile mean of seeds with its interval, for a table; a seed that has no such value is left out. */
export function estimateText(values: readonly (number | null)[], text: (value: number) => string): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '-';
  const interval = intervalOf(known);
  const spread = interval === null ? 'one seed' : `${text(interval.low)} to ${text(interval.high)}`;
  return `${text(interquartileMean(known))} (${spread})`;
}

/** The regret of seeds, for a table. */
export function regretText(seeds: readonly SeedResult[]): string {
  return estimateText(
    seeds.map(({ regret }) => regret?.mean ?? null),
    percent,
  );
}

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

export function caseOf<C extends Case>(cases: readonly C[], env: string): C {
  return cases.find((where) => where.env === env)!;
}

/** A setting for a table or a sentence. */
export function settingText(value: unknown): string {
  if (value === null) return 'none';
  return JSON.stringify(value)
    .replace(/["[\]]/g, '')
    .replaceAll(',', ', ');
}

/** Whether the paper's numbers have other ranks among the methods that ours are ranked among. */
export function hasOtherRanks(ranks: readonly AverageRank[], metric: 'hypervolume' | 'sparsity'): boolean {
  return ranks.some(({ [metric]: { ours, published, publishedAmongOurs } }) => {
    return ours !== null && publishedAmongOurs !== published;
  });
}

/** What tables call those ranks. */
export const AMONG_OURS = 'among those ranked here';

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
