/** The fruit-tree table of the paper, as data. */
import type { Case, Published } from '../case.js';
import type { Method } from '../job.js';

/** In the order of the paper's table. */
export const ftnMethods: readonly Method[] = [
  { key: 'envelope', algorithm: 'envelope', label: 'Envelope' },
  { key: 'pd-ddqn-published', algorithm: 'pd-ddqn', label: 'PD-MORL, as published', preset: 'paper' },
  { key: 'pd-ddqn', algorithm: 'pd-ddqn', label: 'PD-MORL, tuned', preset: 'best' },
  { key: 'psl-ddqn-published', algorithm: 'psl-ddqn', label: 'PSL-MORL, as published', preset: 'paper' },
  { key: 'psl-ddqn', algorithm: 'psl-ddqn', label: 'PSL-MORL, tuned', preset: 'best' },
];

/** A tree of the table, by its depth. */
export interface FtnCase extends Case {
  readonly key: number;
}

export const ftnCases: readonly FtnCase[] = [5, 6, 7].map((key) => ({ key, env: `fruit-tree-d${key}` }));

/** By algorithm, then by depth. */
const table: Readonly<Record<string, Readonly<Record<number, Published>>>> = {
  envelope: {
    5: { hypervolume: 6920.58, sparsity: null },
    6: { hypervolume: 8427.51, sparsity: null },
    7: { hypervolume: 6395.27, sparsity: null },
  },
  'pd-ddqn': {
    5: { hypervolume: 6920.58, sparsity: null },
    6: { hypervolume: 9299.15, sparsity: null },
    7: { hypervolume: 11419.58, sparsity: null },
  },
  'psl-ddqn': {
    5: { hypervolume: 6920.58, sparsity: 0.01 },
    6: { hypervolume: 9302.38, sparsity: 0.01 },
    7: { hypervolume: 11786.1, sparsity: null },
  },
};

export function ftnPublished({ algorithm }: Method, { key }: FtnCase): Published {
  return table[algorithm][key];
}

/** What a reader of the table has to know before comparing anything with it. */
export const ftnCaveats: readonly string[] = [
  'The paper gives one number for each entry, without a spread.',
  'It writes the reference point as (0,0); the fruit tree has six objectives, so the origin of all six is meant, as here.',
  'It explains N/A as a single policy. That cannot be so: 6920.58 is the hypervolume of all 32 leaves of depth 5, and no ' +
    'single leaf has more than 3073.8. Its sparsity is most likely the one with every copy, which for the whole front is ' +
    '0.0113, 0.0066 and 0.0037 at depths 5, 6 and 7.',
];
