// Writes the documentation that comes from the program itself, from its build: `npm run docs`. With --check it writes
// nothing and fails where a page is not what it would write.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicApi } from './api.mjs';
import { root } from './steps.mjs';

// Not as a literal: types are checked before anything is built.
const built = new URL('../dist/src/cli/settings.js', import.meta.url).href;
/** @type {unknown} */
const settings = await import(built);
const { settingsDocument } = /** @type {typeof import('../src/cli/settings.js')} */ (settings);

const api = publicApi();

/** @type {[path: string, content: string][]} */
const pages = [
  ['docs/settings.md', settingsDocument()],
  ['docs/api.txt', api.text],
];

for (const problem of api.problems) {
  console.log(problem);
  process.exitCode = 1;
}

for (const [path, content] of pages) {
  const file = join(root, path);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== content) {
    console.log(`${path} is not what the program says; run npm run docs.`);
    process.exitCode = 1;
  }
}
