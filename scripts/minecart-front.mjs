// Searches the Pareto front of the deterministic minecart and writes it down: `node scripts/minecart-front.mjs`, after a build.
// It takes minutes.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

// Not as a literal: types are checked before anything is built.
/** @param {string} path @returns {Promise<unknown>} */
const built = (path) => import(new URL(`../dist/src/${path}`, import.meta.url).href);
const { searchFront } = /** @type {typeof import('../src/envs/minecart-search.js')} */ (
  await built('envs/minecart-search.js')
);
const { minecartDeterministic } = /** @type {typeof import('../src/envs/minecart.js')} */ (
  await built('envs/minecart.js')
);

const trips = searchFront(minecartDeterministic.discount, (route, followed) => {
  console.log(`mines ${route.map((mine) => mine + 1).join(', ') || 'none'}: ${followed} sequences followed`);
});
trips.sort((a, b) => b.returns[2] - a.returns[2]);
for (const { returns } of trips) console.log(returns.map((value) => value.toFixed(4)).join(' '));
const path = 'src/envs/minecart-front.ts';
writeFileSync(
  join(root, path),
  [
    '/** Written by scripts/minecart-front.mjs: the actions of all Pareto-optimal trips of the deterministic minecart, a digit each. */',
    'export const OPTIMAL_TRIPS: readonly string[] = [',
    ...trips.map(({ actions }) => `  '${actions.join('')}',`),
    '];',
    '',
  ].join('\n'),
);
console.log(`wrote ${path}: ${trips.length} trips`);
