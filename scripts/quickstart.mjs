// From a fresh clone to a first trained hypernetwork: `npm run quickstart`. A seed may follow `--`.

import { join } from 'node:path';
import { installNeeded, prepare, root, run } from './steps.mjs';

if (installNeeded()) console.error('quickstart: installing the dependencies (once)');
await prepare();
const main = join(root, 'dist', 'examples', 'fit-family.js');
const { code } = await run(process.execPath, [main, ...process.argv.slice(2)], 'inherit');
process.exitCode = code;
