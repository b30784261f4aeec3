// How long programs take to start: `npm run bench -- start [--json]`. Those of the bundle for Node, dist/node, and of the single
// modules that it was made of, dist/src, take turns, so that a busy moment of the machine hits both.

import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const usage = `usage: npm run bench -- start [--json] [--rounds R]

Prints how many milliseconds programs take from their start to their end, each as one of dist/node and of dist/src: the fastest
of R rounds (default 10). Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '10' },
  },
});
if (options.help) {
  console.log(usage);
  process.exit();
}

/** Arguments of Node, for the programs of a folder of dist. */
const programs: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  'node alone': () => ['--eval', ''],
  'psl --help': (folder) => [`${folder}/cli/main.js`, '--help'],
  'psl train --help': (folder) => [`${folder}/cli/main.js`, 'train', '--help'],
  'psl front': (folder) => [`${folder}/cli/main.js`, 'front', 'examples/runs/fruit-tree'],
  'psl eval': (folder) => [`${folder}/cli/main.js`, 'eval', 'examples/runs/fruit-tree', '--preference', '1,0,0,0,0,0'],
  "import 'psl-morl'": (folder) => ['--input-type=module', '--eval', `import './${folder}/index.js'`],
};
const folders = { bundle: 'dist/node', modules: 'dist/src' };

const figures: Record<string, Record<keyof typeof folders, number>> = {};
for (const [name, args] of Object.entries(programs)) {
  const times = { bundle: Infinity, modules: Infinity };
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const kind of ['bundle', 'modules'] as const) {
      const began = performance.now();
      execFileSync(process.execPath, args(folders[kind]), { stdio: 'ignore' });
      times[kind] = Math.min(times[kind], performance.now() - began);
    }
  }
  figures[name] = times;
  const { bundle, modules } = times;
  console.log(
    `${name.padEnd(18)} bundle ${bundle.toFixed(0).padStart(4)} ms, modules ${modules.toFixed(0).padStart(4)} ms`,
  );
}
if (options.json) console.log(JSON.stringify(figures));
