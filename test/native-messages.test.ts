/** Native libraries write to stderr by themselves and into the home folder; a user sees and gets neither. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.js';

const psl = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));
const folder = temporaryFolder('native');

const library = new URL('../dist/node/index.js', import.meta.url).href;

function node(args: readonly string[], env: Readonly<Record<string, string>>) {
  const inherited = { ...process.env, CI: undefined, ORT_DISABLE_TELEMETRY: undefined };
  return spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...inherited, ...env } });
}

const run = (args: readonly string[], env: Readonly<Record<string, string>>) => node([psl, ...args], env);

/** A program that opens the CPU in a worker thread; `first` is what its main thread does before. */
const inWorker = (first: string): string[] => {
  const worker = `const { compile, float32, step } = await import('${library}');
    const x = float32(1);
    const program = await compile(step({ state: {}, inputs: { x }, body: (_, { x }) => ({ state: {}, outputs: { y: x.square() } }) }));
    await program.run({ x: new Float32Array(1) });`;
  const main = `import { Worker } from 'node:worker_threads';
    ${first}
    new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(worker)})))
      .on('error', (error) => { console.log(error.message); process.exitCode = 3; });`;
  return ['--input-type=module', '--eval', main];
};

const train = (name: string): string[] => [
  ...['train', 'deep-sea-treasure', '--steps', '60', '--out', join(folder, name)],
  ...['--set', 'hidden=8', '--set', 'learnAfter=20'],
];
const freshHome = () => {
  const home = mkdtempSync(join(folder, 'home-'));
  return { home, env: { HOME: home, XDG_CACHE_HOME: join(home, 'cache') } };
};

describe('onnxruntime', () => {
  it('a home folder that cannot be written to gives no messages', () => {
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const { status, stderr } = run(train('unwritable-home'), { HOME: file, XDG_CACHE_HOME: file });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('nothing is written into the home folder', () => {
    const { home, env } = freshHome();
    const { status } = run(train('empty-home'), env);
    expect(status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  it('nothing is written into it by threads in which PPO learns', () => {
    const { home, env } = freshHome();
    const out = ['--out', join(folder, 'threads')];
    const sizes = ['hidden=8', 'children=2', 'horizon=8', 'batch=8', 'epochs=1'].flatMap((setting) => [
      '--set',
      setting,
    ]);
    const args = [
      'train',
      'deep-sea-treasure',
      '--algo',
      'psl-ppo',
      '--steps',
      '64',
      '--replicas',
      '2',
      '--device',
      'cpu:2',
    ];
    const { status, stderr } = run([...args, ...out, ...sizes], env);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  it('nothing is written into it by the thread of a program whose main thread imports the package too', () => {
    const { home, env } = freshHome();
    const { status, stdout } = node(inWorker(`await import('${library}');`), env);
    expect(stdout).toBe('');
    expect(status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  it('a program that imports the package in a thread alone is told in a sentence how to turn telemetry off', () => {
    const { home, env } = freshHome();
    const { status, stdout } = node(inWorker(''), env);
    expect(stdout).toMatch(
      /^onnxruntime would report to its makers from this worker thread: .*ORT_DISABLE_TELEMETRY=1\.\n$/,
    );
    expect(status).toBe(3);
    expect(readdirSync(home)).toEqual([]);
    expect(node(inWorker(''), { ...env, ORT_DISABLE_TELEMETRY: '1' }).status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });
});

// Elsewhere than on Linux a machine's GPU cannot be hidden by these variables.
describe.runIf(process.platform === 'linux')('Dawn', () => {
  const noDriver = {
    VK_ICD_FILENAMES: join(folder, 'no-driver.json'),
    VK_DRIVER_FILES: join(folder, 'no-driver.json'),
  };

  it('a machine without a GPU gets a list of devices and no messages', () => {
    const { status, stdout, stderr } = run(['devices'], noDriver);
    expect(stderr).toBe('');
    expect(stdout).toContain('not available: no GPU was found');
    expect(status).toBe(0);
  });

  it('a GPU that is missing gives one sentence', () => {
    const { status, stderr } = run([...train('no-gpu'), '--device', 'gpu'], noDriver);
    expect(stderr).toMatch(/^psl: no GPU was found: .*or use --device cpu\n$/);
    expect(status).toBe(1);
  });
});
