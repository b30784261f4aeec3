// From a fresh clone to a first trained Pareto set: `npm run quickstart`. Flags after `--` go to `psl train`.

import { join } from 'node:path';
import { installNeeded, prepare, root, run } from './steps.mjs';

if (installNeeded()) console.error('quickstart: installing the dependencies (once)');
await prepare();
const main = join(root, 'dist', 'src', 'cli', 'main.js');
const train = ['train', 'fruit-tree-d6', '--preset', 'quick', ...process.argv.slice(2)];
const { code } = await run(process.execPath, [main, ...train], 'inherit');
process.exitCode = code;
