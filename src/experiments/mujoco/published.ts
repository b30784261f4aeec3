/** The MO-MuJoCo table of the paper, as data. */
import type { Case, Published } from '../case.js';
import type { Method } from '../job.js';

/** In the order of the paper's table; the last one is not in it. */
export const mujocoMethods: readonly Method[] = [
  { key: 'ra', algorithm: 'ra', label: 'RA' },
  { key: 'pfa', algorithm: 'pfa', label: 'PFA' },
  { key: 'moead', algorithm: 'moead', label: 'MOEA/D' },
  { key: 'random', algorithm: 'random', label: 'RANDOM' },
  { key: 'pg-morl', algorithm: 'pg-morl', label: 'PG-MORL' },
  { key: 'meta', algorithm: 'meta', label: 'META' },
  { key: 'pd-td3-published', algorithm: 'pd-td3', label: 'PD-MORL, as published', preset: 'paper' },
  { key: 'pd-td3', algorithm: 'pd-td3', label: 'PD-MORL, tuned', preset: 'best' },
  { key: 'psl-td3-published', algorithm: 'psl-td3', label: 'PSL-MORL, as published', preset: 'paper' },
  { key: 'psl-td3', algorithm: 'psl-td3', label: 'PSL-MORL, tuned', preset: 'best' },
  { key: 'psl-ppo', algorithm: 'psl-ppo', label: 'PSL-PPO' },
];

/** A robot of the table, with the powers of ten that its columns are printed in. */
export interface MujocoCase extends Case {
  readonly key: string;
  /** As the paper calls it. */
  readonly label: string;
  readonly hypervolumeUnit: number;
  readonly sparsityUnit: number;
}

export const mujocoCases: readonly MujocoCase[] = [
  robot('mo-walker2d-v2', 'MO-Walker2d-v2', 1e6, 1e4),
  robot('mo-halfcheetah-v2', 'MO-HalfCheetah-v2', 1e6, 1e3),
  robot('mo-ant-v2', 'MO-Ant-v2', 1e6, 1e4),
  robot('mo-swimmer-v2', 'MO-Swimmer-v2', 1e4, 1e1),
  robot('mo-hopper-v2', 'MO-Hopper-v2', 1e7, 1e4),
];

function robot(env: string, label: string, hypervolumeUnit: number, sparsityUnit: number): MujocoCase {
  return { key: env, env, label, hypervolumeUnit, sparsityUnit };
}

/** The order of the methods in the paper's table. */
const columns: readonly string[] = ['ra', 'pfa', 'moead', 'random', 'pg-morl', 'meta', 'pd-td3', 'psl-td3'];

/** Hypervolumes and sparsities as they are printed. */
const table: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  'mo-walker2d-v2': [
    [4.82, 0.04],
    [4.16, 0.37],
    [4.44, 1.28],
    [4.11, 0.07],
    [4.82, 0.04],
    [2.1, 2.1],
    [5.41, 0.03],
    [5.36, 0.01],
  ],
  'mo-halfcheetah-v2': [
    [5.66, 15.87],
    [5.75, 3.81],
    [5.61, 16.96],
    [5.69, 1.09],
    [5.77, 0.44],
    [5.18, 2.13],
    [5.89, 0.49],
    [5.92, 0.16],
  ],
  'mo-ant-v2': [
    [5.98, 5.5],
    [6.23, 1.56],
    [6.28, 1.97],
    [5.54, 1.13],
    [6.35, 0.37],
    [2.4, 1.56],
    [7.48, 0.78],
    [8.63, 0.68],
  ],
  'mo-swimmer-v2': [
    [2.33, 4.43],
    [2.35, 2.49],
    [2.42, 5.64],
    [2.38, 1.94],
    [2.57, 0.99],
    [1.23, 2.44],
    [3.21, 0.57],
    [3.22, 0.42],
  ],
  'mo-hopper-v2': [
    [1.96, 5.99],
    [1.9, 3.96],
    [2.03, 2.73],
    [1.88, 1.2],
    [2.02, 0.5],
    [1.25, 4.84],
    [1.88, 0.3],
    [1.95, 0.68],
  ],
};

/** Null for a method that is not in the paper. */
export function mujocoPublished({ algorithm }: Method, where: MujocoCase): Published | null {
  const cell = columns.includes(algorithm) ? table[where.env][columns.indexOf(algorithm)] : undefined;
  return cell === undefined ? null : asPrinted(cell, where);
}

/** A hypervolume and a sparsity in the units of their columns. */
export function asPrinted([hypervolume, sparsity]: readonly number[], where: MujocoCase): Published {
  const exact = (value: number) => Number(value.toPrecision(12));
  return { hypervolume: exact(hypervolume * where.hypervolumeUnit), sparsity: exact(sparsity * where.sparsityUnit) };
}

/** What a reader of the table has to know before comparing anything with it. */
export const mujocoCaveats: readonly string[] = [
  'The paper gives one number for each entry, without a spread, and does not say how many environment steps each method took. The code that the methods come from takes 10 million for PD-MORL, besides 3 to 6 million for its key solutions, and 12 to 48 million for each of the others.',
  'Its "six seeds" are six trainings for PG-MORL and its relatives; in the code of PD-MORL they are six evaluations of one training.',
  'META has no published settings for these robots: what it is here is described in docs/fidelity.md.',
  'PSL-PPO is not in the paper: it is its method with PPO, and has no part in the ranks.',
];
