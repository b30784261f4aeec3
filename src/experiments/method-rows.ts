/** Tables as the paper has them where methods are few: a row for each, and columns for each case. */
import type { Published } from './case.js';
import type { Entry, SeedResult, Table } from './experiment.js';
import { estimateText, unique } from './report-parts.js';

/** A column: what is measured in a case. */
export interface Measured {
  readonly title: string;
  readonly env: string;
  /** As the paper prints it. */
  readonly printed: (published: Published) => string;
  readonly ours: (seed: SeedResult) => number | null;
  readonly text: (value: number) => string;
}

/** What legends say about the cells. */
export const CELLS =
  "Each cell has the paper's number, then ours: the interquartile mean of the seeds, the mean of their middle half, with the interval that holds 95 % of a bootstrap of the seeds.";

/** Of every method and case the paper's number and ours. */
export function methodRowsTable(entries: readonly Entry[], columns: readonly Measured[]): Table {
  const rows = unique(entries.map(({ method }) => method)).map((method) => [
    method,
    ...columns.map(({ env, printed, ours, text }) => {
      const { published, seeds } = entries.find((one) => one.env === env && one.method === method)!;
      return `${published === null ? '-' : printed(published)} / ${estimateText(seeds.map(ours), text)}`;
    }),
  ]);
  return { head: ['method', ...columns.map(({ title }) => title)], rows };
}
