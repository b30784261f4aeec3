// The README as it is packed. The registry's page shows no images by relative paths unless the sources are public somewhere; the
// package has them, and unpkg serves the files of every package. `npm pack` and `npm publish` call this before and after.
//
//   node scripts/packed-readme.mjs             images as addresses
//   node scripts/packed-readme.mjs --restore   as paths again
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './steps.mjs';

/** @type {unknown} */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { name, version } = /** @type {{ name: string, version: string }} */ (manifest);
const PATHS = '](docs/images/';
const ADDRESSES = `](https://unpkg.com/${name}@${version}/docs/images/`;

/**
 * The same text with images where the registry's page finds them.
 * @param {string} text
 */
export const packed = (text) => text.replaceAll(PATHS, ADDRESSES);

/** @param {string} text */
export const restored = (text) => text.replaceAll(ADDRESSES, PATHS);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const readme = join(root, 'README.md');
  const change = process.argv[2] === '--restore' ? restored : packed;
  writeFileSync(readme, change(readFileSync(readme, 'utf8')));
}
