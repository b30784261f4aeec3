// The layering of the program, as .dependency-cruiser.mjs has it, and that nothing which runs in a browser reaches a module of
// Node. Both from one reading of all imports, which is most of the time that this takes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, format } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { root } from './steps.mjs';

/** @typedef {import('dependency-cruiser').ICruiseResult} Imports */

process.chdir(root);
const layers = await extractDepcruiseOptions('./.dependency-cruiser.mjs');
const cruised = await cruise(['.'], layers, undefined, { tsConfig: extractTSConfig('tsconfig.json') });
const imports = /** @type {Imports} */ (cruised.output);
const { output, exitCode } = await format(imports, { outputType: 'err-long' });
console.log(output);

/** @type {unknown} */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { browser } = /** @type {{ readonly browser: Readonly<Record<string, string>> }} */ (manifest);

/** @param {string} path of a built file */
const source = (path) => path.replace('./dist/', '').replace('.js', '.ts');

/** A bundle has other files in place of these, which therefore lead nowhere. */
const replaced = new Set(Object.keys(browser).map(source));
const inTheirPlace = new Set(Object.values(browser).map(source));

/** Whether a module and what it imports, however indirectly, runs in a browser. @param {string} path */
const runsInBrowser = (path) =>
  !path.endsWith('.test.ts') &&
  (/^src\/(?:explorer\/(?:page|train)|training)\//.test(path) ||
    path === 'src/runs/train-in-memory.ts' ||
    inTheirPlace.has(path));

const importsOf = new Map(imports.modules.map((module) => [module.source, module.dependencies]));

/** Modules of Node that a file reaches, each with the imports that lead there. @param {string} start */
function reachedOfNode(start) {
  /** @type {string[][]} */
  const found = [];
  const seen = new Set([start]);
  /** @type {string[][]} */
  const paths = [[start]];
  for (const path of paths) {
    for (const { resolved, coreModule } of importsOf.get(path[path.length - 1]) ?? []) {
      if (seen.has(resolved) || replaced.has(resolved)) continue;
      seen.add(resolved);
      (coreModule ? found : paths).push([...path, resolved]);
    }
  }
  return found;
}

const starts = [...importsOf.keys()].filter(runsInBrowser);
// Renamed folders must not leave this without anything to look at.
if (starts.length === 0) throw new Error('No file that runs in a browser was found');
const reached = starts.flatMap(reachedOfNode);
for (const path of reached) console.log(`  error runs in a browser, and reaches Node: ${path.join(' →\n    ')}`);
if (exitCode !== 0 || reached.length > 0) process.exitCode = 1;
