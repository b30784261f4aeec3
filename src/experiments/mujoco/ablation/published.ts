/** The paper's ablation of parameter fusion, as data. */
import type { Published } from '../../case.js';
import type { Method } from '../../job.js';
import { asPrinted } from '../published.js';
import type { MujocoCase } from '../published.js';

/** In the order of the paper's table; the last one is not in it. */
export const ablationMethods: readonly Method[] = [
  family('fused', 'PSL-MORL'),
  family('gen', 'PSL-MORL-gen', 'generated'),
  family('add', 'PSL-MORL-add', 'added'),
  family('conditioned', 'no hypernetwork'),
];

function family(key: string, label: string, kind = key): Method {
  return { key, algorithm: 'psl-td3', label, settings: { family: kind } };
}

type Cell = readonly [hypervolume: number, sparsity: number];

/** Hypervolumes and sparsities as they are printed, by method, then by robot. */
const table: Readonly<Record<string, Readonly<Record<string, Cell>>>> = {
  fused: {
    'mo-walker2d-v2': [5.36, 0.01],
    'mo-halfcheetah-v2': [5.92, 0.16],
    'mo-ant-v2': [8.63, 0.68],
    'mo-swimmer-v2': [3.22, 0.42],
    'mo-hopper-v2': [1.95, 0.68],
  },
  gen: {
    'mo-walker2d-v2': [1.47, 0.55],
    'mo-halfcheetah-v2': [4.65, 0.75],
    'mo-ant-v2': [1.39, 1.95],
    'mo-swimmer-v2': [2.11, 3.64],
    'mo-hopper-v2': [0.83, 6.88],
  },
  add: {
    'mo-walker2d-v2': [2.63, 1.26],
    'mo-halfcheetah-v2': [5.62, 1.56],
    'mo-ant-v2': [4.27, 2.13],
    'mo-swimmer-v2': [2.67, 3.68],
    'mo-hopper-v2': [1.28, 8.19],
  },
};

/** Null for what is not in the paper's table. */
export function ablationPublished({ key }: Method, where: MujocoCase): Published | null {
  return Object.hasOwn(table, key) ? asPrinted(table[key][where.env], where) : null;
}

/** What a reader of the table has to know before comparing anything with it. */
export const ablationCaveats: readonly string[] = [
  'The paper gives one number for each entry, without a spread.',
  'The methods differ in the policy family alone: PSL-MORL fuses (1-alpha) base + alpha phi(w), gen generates phi(w), and add adds base + phi(w). The paper does not say how gen and add begin, nor what their target actor is; docs/fidelity.md says what they are here.',
  'The last one is not in the paper: the same learner without a hypernetwork, whose network has the preference as an input, as in PD-MORL. It has no part in the ranks.',
];
