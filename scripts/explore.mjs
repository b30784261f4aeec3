// From a fresh clone to a page where a preference is dragged: `npm run explore`. Flags and runs after `--` go to
// `psl explore`; without a run it opens the examples that come with the package.

import { join } from 'node:path';
import { installNeeded, prepare, root, run } from './steps.mjs';

if (installNeeded()) console.error('explore: installing the dependencies (once)');
await prepare();
const main = join(root, 'dist', 'src', 'cli', 'main.js');
const { code } = await run(process.execPath, [main, 'explore', ...process.argv.slice(2)], 'inherit');
process.exitCode = code;
