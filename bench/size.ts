// How large the package is: `npm run bench -- size [--json]`. The tarball, an install with and without what is optional, what a
// bundle takes of each subpath, and the explorer exported with the examples.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { exportPage, exportPreviews, findRuns } from '../src/explorer/index.js';

const usage = `usage: npm run bench -- size [--json]

Prints, in megabytes, the tarball and what it unpacks to, what an install has besides, and each optional package with all that it
brings; in bytes, minified and compressed, what a bundle for browsers takes of each subpath (MuJoCo and planck aside, which are
loaded by themselves); and what psl explore --export writes with the examples: the sum of all files as they are, each compressed
by itself with gzip at its usual level, and with Brotli at its highest. Last line with --json: one JSON object with bytes.`;

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

interface Sizes {
  readonly whole: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** What a folder of a web server takes: its files as they are and each of them compressed, by the part that they belong to. */
function compressedSizes(folder: string, below = '', into = new Map<string, Sizes>()): Map<string, Sizes> {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      compressedSizes(folder, name, into);
      continue;
    }
    const content = readFileSync(join(folder, name));
    const part = /^runs\/[^/]+|^share|mujoco-[\d.]+\.wasm$|onnxruntime-[\d.]+\.brotli$/.exec(name)?.[0] ?? 'page';
    const { whole, gzip, brotli } = into.get(part) ?? { whole: 0, gzip: 0, brotli: 0 };
    into.set(part, {
      whole: whole + content.length,
      gzip: gzip + gzipSync(content).length,
      brotli: brotli + brotliCompressSync(content).length,
    });
  }
  return into;
}

/** The explorer with all examples, as psl explore --export writes it. */
async function exportedSizes(): Promise<Map<string, Sizes>> {
  const out = mkdtempSync(join(tmpdir(), 'psl-size-'));
  try {
    const runs = findRuns([join(root, 'examples/runs')]);
    exportPage(join(root, 'dist/src/explorer/page'), runs, out);
    await exportPreviews(runs, out);
    return compressedSizes(out);
  } finally {
    rmSync(out, { recursive: true });
  }
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

const parts = [...(await exportedSizes())].sort(([, a], [, b]) => b.gzip - a.gzip);
const sumOf = (size: keyof Sizes) => parts.reduce((sum, [, sizes]) => sum + sizes[size], 0);
const site: Sizes = { whole: sumOf('whole'), gzip: sumOf('gzip'), brotli: sumOf('brotli') };

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const lines: [string, string][] = [
  ['tarball', megabytes(tarball)],
  ['unpacked', megabytes(unpacked)],
  ['install, with what it needs', megabytes(install)],
  ...optional.map(([name, bytes]): [string, string] => [`  optional: ${name}`, megabytes(bytes)]),
  ...bundles.map(([name, bytes]): [string, string] => [`${name}, in a bundle`, `${bytes} bytes`]),
];
for (const [what, size] of lines) console.log(`${what.padEnd(34)} ${size.padStart(12)}`);
const row = (...cells: readonly string[]) =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(34) : cell.padStart(12))).join(' ');
console.log(`\n${row('exported explorer', 'as it is', 'gzip', 'Brotli')}`);
for (const [name, { whole, gzip, brotli }] of [...parts, ['all', site] as const]) {
  console.log(row(`  ${name}`, megabytes(whole), megabytes(gzip), megabytes(brotli)));
}
if (options.json) {
  const all = {
    tarball,
    unpacked,
    install,
    optional: Object.fromEntries(optional),
    bundles: Object.fromEntries(bundles),
    exported: { ...site, parts: Object.fromEntries(parts) },
  };
  console.log(JSON.stringify(all));
}
