// How large the package is: `npm run bench -- size [--json]`. The tarball, an install with and without what is optional, and
// what a bundle takes of each subpath.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const usage = `usage: npm run bench -- size [--json]

Prints, in megabytes, the tarball and what it unpacks to, what an install has besides, and each optional package with all that it
brings; and in bytes, minified and compressed, what a bundle for browsers takes of each subpath (MuJoCo and planck aside, which
are loaded by themselves). Last line with --json: one JSON object with bytes.`;

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (options.help) {
  console.log(usage);
  process.exit();
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const root = process.cwd();
const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const manifest = read(root);

/** Bytes of all files below a folder, except of packages in it. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? sizeOf(path) : statSync(path).size), 0);
}

/** The folders of packages and of all that they bring; parts for other platforms are not there. */
function closure(names: readonly string[], from = root, found = new Set<string>()): Set<string> {
  for (const name of names) {
    const folder = [join(from, 'node_modules', name), join(root, 'node_modules', name)].find((path) =>
      existsSync(path),
    );
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = read(folder);
    closure([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], folder, found);
  }
  return found;
}

const total = (folders: Iterable<string>) => [...folders].reduce((sum, folder) => sum + sizeOf(folder), 0);

/** What a bundle takes, minified and compressed. */
async function bundled(code: string): Promise<number> {
  const entry = 'virtual:entry';
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: entry, external: ['@mujoco/mujoco', 'planck'], preserveEntrySignatures: 'strict' },
    },
  })) as Rolldown.RolldownOutput;
  return output.output.reduce((sum, file) => sum + (file.type === 'chunk' ? gzipSync(file.code).length : 0), 0);
}

const shell = process.platform === 'win32';
const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8', shell });
const [{ size: tarball, unpackedSize: unpacked }] = JSON.parse(packed) as [{ size: number; unpackedSize: number }];
const needed = closure(Object.keys(manifest.dependencies ?? {}));
const optional = Object.keys(manifest.peerDependencies ?? {}).map((name) => {
  return [name, total([...closure([name])].filter((folder) => !needed.has(folder)))] as const;
});
const install = unpacked + total(needed);

const bundles: [string, number][] = [];
const fileOf = (subpath: string) => join(root, (manifest.exports[subpath] as { readonly default: string }).default);
const hypervolume = `export { hypervolume } from ${JSON.stringify(fileOf('./pareto'))};`;
bundles.push(['hypervolume alone', await bundled(hypervolume)]);
for (const subpath of Object.keys(manifest.exports)) {
  if (!/^\.\/[^.]+$/.test(subpath)) continue;
  const code = `export * from ${JSON.stringify(fileOf(subpath))};`;
  bundles.push([`psl-morl${subpath.slice(1)}`, await bundled(code)]);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const lines: [string, string][] = [
  ['tarball', megabytes(tarball)],
  ['unpacked', megabytes(unpacked)],
  ['install, with what it needs', megabytes(install)],
  ...optional.map(([name, bytes]): [string, string] => [`  optional: ${name}`, megabytes(bytes)]),
  ...bundles.map(([name, bytes]): [string, string] => [`${name}, in a bundle`, `${bytes} bytes`]),
];
for (const [what, size] of lines) console.log(`${what.padEnd(34)} ${size.padStart(12)}`);
if (options.json) {
  const all = {
    tarball,
    unpacked,
    install,
    optional: Object.fromEntries(optional),
    bundles: Object.fromEntries(bundles),
  };
  console.log(JSON.stringify(all));
}
