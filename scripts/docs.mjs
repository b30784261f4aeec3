// Writes the documentation that comes from the program itself, from its build: `npm run docs`. With --check it writes
// nothing and fails where a page is not what it would write.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publicApi } from './api.mjs';
import { environmentPages } from './environments.mjs';
import { root } from './steps.mjs';

// Not as a literal: types are checked before anything is built.
/** @param {string} path @returns {Promise<unknown>} */
const built = (path) => import(new URL(`../dist/node/${path}`, import.meta.url).href);
const { settingsDocument } = /** @type {typeof import('../src/cli/settings.js')} */ (await built('cli/settings.js'));
const envs = /** @type {typeof import('../src/envs/index.js')} */ (await built('envs/index.js'));

const api = publicApi();

/** @type {[path: string, content: string][]} */
const pages = [['docs/settings.md', settingsDocument()], ['docs/api.txt', api.text], ...(await environmentPages(envs))];

for (const problem of api.problems) {
  console.log(problem);
  process.exitCode = 1;
}

for (const [path, content] of pages) {
  const file = join(root, path);
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== content) {
    console.log(`${path} is not what the program says; run npm run docs.`);
    process.exitCode = 1;
  }
}
