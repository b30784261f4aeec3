// From a fresh clone to a first trained Pareto set: `npm run quickstart`. Flags after `--` go to `psl fit`.

import { join } from 'node:path';
import { installNeeded, prepare, root, run } from './steps.mjs';

if (installNeeded()) console.error('quickstart: installing the dependencies (once)');
await prepare();
const main = join(root, 'dist', 'src', 'cli', 'main.js');
const { code } = await run(process.execPath, [main, 'fit', ...process.argv.slice(2)], 'inherit');
process.exitCode = code;
