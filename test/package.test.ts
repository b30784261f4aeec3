/**
 * The package as users get it: packed, installed into an empty project without any engine, type-checked in both ways, run in
 * Node, and built by Vite into an application that runs in Chromium.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { packed as packedReadme, restored } from '../scripts/packed-readme.mjs';
import { temporaryFolder } from './support/temporary-folder.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const project = join(temporaryFolder('package', { on: tmpdir() }), 'project');
const installed = join(project, 'node_modules', 'psl-morl');
const run = promisify(execFile);

/** Without what the npm that runs the tests tells its scripts, except where packages come from, and with its certificates. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(?!config_(?:registry|cafile|cache|userconfig)$)/i.test(name),
    ),
  ),
  NODE_EXTRA_CA_CERTS: process.env.CERTIFICATES_FOR_NPM,
};

const npm = (args: readonly string[], cwd: string) =>
  run('npm', args, { cwd, env, shell: process.platform === 'win32', maxBuffer: 1 << 26 });

const put = (name: string, content: unknown) => {
  writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
};

const tsc = (config: string) =>
  run(process.execPath, [join(repository, 'node_modules/@typescript/native/bin/tsc'), '-p', config], {
    cwd: project,
  }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  });

/** What a program sees of the subpaths, in Node and in a browser. */
const SHARED = `
import { makeEnv, prepareEnv } from 'psl-morl/envs';
import { mlp } from 'psl-morl/nn';
import { hypervolume } from 'psl-morl/pareto';
import { plainPolicy, type Model } from 'psl-morl/policy';
import { simplexGrid } from 'psl-morl/preferences';
import { compile, float32, step } from 'psl-morl/tensor';

export async function look(model: Model) {
  const policy = plainPolicy(model);
  policy.prefer([0.25, 0.75]);
  const square = step({
    state: {},
    inputs: { x: float32(2) },
    body: (_, { x }) => ({ state: {}, outputs: { y: x.square() } }),
  });
  const program = await compile(square, { device: 'reference' });
  const { y } = await program.run({ x: Float32Array.of(2, 3) });
  await prepareEnv('mo-hopper-v2');
  const sea = makeEnv('deep-sea-treasure');
  sea.reset({ seed: 1 });
  return {
    hypervolume: hypervolume([[1, 5], [3, 4]], [0, 0]),
    grid: simplexGrid(2, 4).length,
    treasure: Array.from(sea.step(1).reward),
    hopper: makeEnv('mo-hopper-v2').reset({ seed: 1 }).observation.length,
    action: Array.from(policy.act(new Float32Array(17)) as Float32Array),
    tensors: Object.keys(mlp({ inputs: 2, hidden: [3], outputs: 1, activation: 'tanh' }).specs).length,
    squares: Array.from(y),
    cpu: await compile(square).catch((error: unknown) => (error as Error).message),
  };
}
`;

const IN_NODE = `
import { readFileSync } from 'node:fs';
import { evaluateRun, hypervolume, openRun, RunError, trainRun, type TrainRunOptions } from 'psl-morl';
import { readModel } from 'psl-morl/policy';
import { look } from './shared.js';

const folder = process.argv[2];
const model = readModel(JSON.parse(readFileSync(folder + '/model.json', 'utf8')), readFileSync(folder + '/model.safetensors'));
const options: TrainRunOptions = {};
console.log(JSON.stringify({
  ...(await look(model)),
  root: [evaluateRun, hypervolume, openRun, RunError, trainRun].length + Object.keys(options).length,
}));
`;

const IN_BROWSER = `
import { fetchModel } from 'psl-morl/policy';
import { look } from './shared.js';

declare global {
  var found: ReturnType<typeof look>;
}
globalThis.found = fetchModel('run').then(look);
`;

const strict = { strict: true, target: 'es2023', noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };

beforeAll(async () => {
  mkdirSync(join(project, 'public'), { recursive: true });
  put('package.json', { private: true, type: 'module' });
  const packed = await npm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', join(project, '..')],
    repository,
  );
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  await npm(['install', '--prefer-offline', '--no-audit', '--no-fund', `../${filename}`], project);
  put('shared.ts', SHARED);
  put('in-node.ts', IN_NODE);
  put('in-browser.ts', IN_BROWSER);
  put('index.html', '<!doctype html><title>app</title><script type="module" src="./in-browser.ts"></script>');
  put('nodenext.json', {
    compilerOptions: {
      ...strict,
      module: 'nodenext',
      lib: ['es2023'],
      types: ['node'],
      typeRoots: [join(repository, 'node_modules/@types')],
      outDir: 'out',
    },
    files: ['in-node.ts'],
  });
  put('bundler.json', {
    compilerOptions: {
      ...strict,
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom'],
      types: [],
      noEmit: true,
    },
    files: ['in-browser.ts'],
  });
}, 240_000);

it('the package installs no engine, and runs no code while it installs', () => {
  const at = (name: string) => existsSync(join(project, 'node_modules', name));
  expect(at('@mujoco/mujoco')).toBe(true);
  expect(
    ['onnxruntime-node', 'webgpu', '@napi-rs/canvas', 'inter-ui', 'bullmq', 'ioredis', '@aws-sdk/client-s3'].filter(at),
  ).toEqual([]);
  const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { scripts: object };
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

it('its README has images where the registry finds them, of files that are in the package', () => {
  const text = readFileSync(join(repository, 'README.md'), 'utf8');
  const images = [...packedReadme(text).matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, address]) => address);
  expect(images.length).toBeGreaterThan(0);
  for (const address of images) {
    const [, path] = /^https:\/\/unpkg\.com\/psl-morl@[\d.]+\/(.*)$/.exec(address)!;
    expect(existsSync(join(installed, path)), path).toBe(true);
  }
  expect(restored(packedReadme(text))).toBe(text);
});

it('the lines that install what is optional name versions that the package takes', () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  const files = [
    'README.md',
    'src/tensor/onnx/open.ts',
    'src/tensor/webgpu/faults.ts',
    'src/plots/png.ts',
    'src/sweeps/bullmq.ts',
    'src/sweeps/s3.ts',
  ];
  for (const file of files) {
    const lines = readFileSync(join(repository, file), 'utf8').match(/npm install [^`'"\n]*@[^`'"\n]*/g) ?? [];
    const named = lines.flatMap((line) => [...line.matchAll(/([@\w/-]+)@([\d.]*\d)/g)]);
    expect(named.length).toBeGreaterThan(0);
    for (const [, name, version] of named) expect(peerDependencies[name].startsWith(`^${version}`)).toBe(true);
  }
});

it('a program for Node is checked with nodenext, and runs with the root and all subpaths', async () => {
  await tsc('nodenext.json');
  const example = join(installed, 'examples/runs/half-cheetah');
  const { stdout } = await run(process.execPath, ['out/in-node.js', example], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({
    hypervolume: 13,
    grid: 5,
    treasure: expect.any(Array) as number[],
    hopper: 11,
    action: expect.any(Array) as number[],
    tensors: 2,
    squares: [4, 9],
    cpu: 'the device cpu needs onnxruntime-node, which is not installed: npm install onnxruntime-node@1 --ignore-scripts',
    root: 5,
  });
});

it('psl says the line that installs an engine where it needs one, and works without one where not', async () => {
  const psl = (...args: string[]) =>
    run(process.execPath, [join(installed, 'dist/node/cli/main.js'), ...args], { cwd: project });
  await expect(psl('train', 'deep-sea-treasure', '--steps', '60')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install onnxruntime-node@1 --ignore-scripts\n') as string,
  });
  await psl('explore', join(installed, 'examples/runs/half-cheetah'), '--export', 'site');
  expect(existsSync(join(project, 'site/assets/mujoco-3.14.0.wasm'))).toBe(true);
});

/** What Vite makes of a module. */
async function bundleOf(entry: string, code: string): Promise<string> {
  put(entry, code);
  const output = (await build({
    configFile: false,
    root: project,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['es'] }, minify: true },
  })) as unknown as Rolldown.RolldownOutput[];
  return output
    .flatMap(({ output: files }) => files.map((file) => (file.type === 'chunk' ? file.code : '')))
    .join('\n');
}

describe('in a bundle', () => {
  it('hypervolume brings its own few files, and a policy the few that act', async () => {
    const pareto = await bundleOf('p.js', `export { hypervolume } from 'psl-morl/pareto';`);
    const policy = await bundleOf('q.js', `export { fetchModel, plainPolicy } from 'psl-morl/policy';`);
    expect(gzipSync(pareto).length).toBeLessThan(3000);
    // Without the comments that name modules by where this test put them.
    expect(gzipSync(policy.replace(/^\/\/.*\n/gm, '')).length).toBeLessThan(6000);
  });

  it('there is nothing of Node', async () => {
    const all = ['nn', 'pareto', 'policy', 'preferences', 'tensor'].map((name) => `export * from 'psl-morl/${name}';`);
    const code = await bundleOf('all.js', all.join('\n'));
    // The kernels of the GPU are there, so that the whole was looked at.
    expect(code.includes('@compute')).toBe(true);
    expect(code.match(/.{20}(?:node:|browser-external|onnxruntime-node).{20}/g)).toBe(null);
  });
});

const browserPath = findChromium();
if (browserPath === undefined) console.warn('SKIPPED: the package in a browser, because there is no Chromium');

describe.runIf(browserPath !== undefined)('in a browser', () => {
  const site = join(project, 'dist');
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
  const server = createServer((request, response) => {
    const path = join(site, request.url === '/' ? 'index.html' : request.url!);
    response.writeHead(existsSync(path) ? 200 : 404, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
    });
    response.end(existsSync(path) ? readFileSync(path) : '');
  });
  afterAll(() => server.close());

  it('an application is checked with bundler, built by Vite, and finds what Node does', async () => {
    await tsc('bundler.json');
    const example = join(installed, 'examples/runs/half-cheetah');
    for (const name of ['model.json', 'model.safetensors'])
      cpSync(join(example, name), join(project, 'public/run', name));
    await build({ configFile: false, root: project, logLevel: 'error', build: { target: 'es2022' } });
    const inNode = JSON.parse(
      (await run(process.execPath, ['out/in-node.js', example], { cwd: project })).stdout,
    ) as Record<string, unknown>;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.waitForFunction('globalThis.found !== undefined');
      const found = await page.evaluate<Record<string, unknown>>('globalThis.found');
      const { root: _, cpu: __, action, ...same } = inNode;
      expect(found).toMatchObject(same);
      expect(found.cpu).toBe('device is "cpu", but must be one of: gpu, gpu-mixed, reference, where there is no Node.');
      (action as number[]).forEach((value, i) => expect((found.action as number[])[i]).toBeCloseTo(value, 5));
    } finally {
      await browser.close();
    }
  });
});
