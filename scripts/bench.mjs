// Runs one benchmark: `npm run bench -- NAME [flags]`. A benchmark is bench/NAME.ts or bench/NAME/main.ts. It prints one
// line of JSON last on stdout, so everything that this script has to say itself goes to stderr.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run } from './steps.mjs';

const folder = join(root, 'bench');

/** The benchmarks by name, each with its file's path below bench/ (without the ending). */
function benchmarks() {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && existsSync(join(folder, entry.name, 'main.ts'))) {
      files.set(entry.name, join(entry.name, 'main'));
    } else if (/^[^.]+\.ts$/.test(entry.name)) {
      const name = entry.name.slice(0, -'.ts'.length);
      files.set(name, name);
    }
  }
  return files;
}

const name = process.argv.at(2);
const flags = process.argv.slice(3);
const available = benchmarks();
const names = [...available.keys()].sort();
const file = name === undefined ? undefined : available.get(name);

if (name === undefined) {
  console.log(
    ['usage: npm run bench -- NAME [--json]', '', 'NAME is one of:', ...names.map((n) => `  ${n}`)].join('\n'),
  );
} else if (file === undefined) {
  console.error(`bench: NAME is "${name}", but must be one of: ${names.join(', ') || '(there are none yet)'}.`);
  process.exitCode = 2;
} else {
  await prepare();
  const { code } = await run(process.execPath, [join(root, 'dist', 'bench', `${file}.js`), ...flags], 'inherit');
  process.exitCode = code;
}
