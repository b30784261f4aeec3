// What Node loads, dist/node: the modules of src in a few files in place of hundreds, which halves the time in which a command
// starts (`npm run bench -- start`). A part of `npm run build`. Everything in a process has to come from here, since there is one
// registry of environments and learners. Modules that are imported later are files of their own, and packages stay where they are
// installed. Bundles for browsers are made of dist/src, of which they take single modules.

import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';
import { root } from './steps.mjs';

/** The package and its subpaths, the command, and the index of every folder, which tests and scripts load. */
const ENTRIES = /^(?:index|policy|\w+\/index|cli\/(?:main|psl|commands|terminal|settings))\.ts$/;
const source = join(root, 'src');
const entries = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => ENTRIES.test(path));

/** @param {string} path of a module below src, such as rollout/worker.ts */
const nameOf = (path) => path.replace(/\.ts$/, '');

/** Programs of other threads and processes, which a module finds by its own place. */
const PROGRAM = /new URL\('\.\/(\w+)\.js', import\.meta\.url\)/g;

await build({
  cwd: root,
  input: Object.fromEntries(entries.map((path) => [nameOf(path), join(source, path)])),
  platform: 'node',
  external: /^[^./]/,
  plugins: [
    {
      name: 'programs',
      transform(code, module) {
        if (code.search(PROGRAM) === -1) return undefined;
        const replaced = code.replaceAll(PROGRAM, (_, program) => {
          const id = join(dirname(module), `${program}.ts`);
          const name = nameOf(relative(source, id).replaceAll('\\', '/'));
          return `new URL(import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'chunk', id, name })})`;
        });
        // No line moves.
        return { code: replaced, map: null };
      },
    },
  ],
  output: {
    dir: 'dist/node',
    cleanDir: true,
    sourcemap: true,
    // The package has src too.
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
  },
  logLevel: 'warn',
});
