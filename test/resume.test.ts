/** Runs that are killed, damaged and resumed, as users meet them: real processes of the compiled program. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../src/random/index.js';

const psl = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'psl-resume-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** More take too long for a test: every one is the start of a process. */
const KILLS = 3;

const common = ['--device', 'cpu:1', '--checkpoint-every', '0.02s', '--set', 'hidden=16', '--set', 'batch=32'];
const trainings: Readonly<Record<string, readonly string[]>> = {
  tree: ['fruit-tree-d5', '--steps', '2500', '--set', 'evaluationDivisions=2', '--set', 'learnAfter=100'],
  robot: [
    ...['mo-swimmer-v2', '--steps', '1500', '--set', 'criticHidden=16', '--set', 'evaluationDivisions=1'],
    ...['--set', 'learnAfter=100', '--set', 'startSteps=20', '--set', 'updatesPerStep=0.2', '--set', 'evaluations=2'],
    ...['--set', 'criticAngle=1', '--set', 'actorAngle=1', '--set', 'keyUpdates=none', '--set', 'capacity=600'],
  ],
  replicas: ['fruit-tree-d5', '--replicas', '2', '--steps', '1500', '--set', 'evaluationDivisions=2'],
};

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [psl, ...args], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

/** Runs a command and kills it once there is a checkpoint and some more time has passed; true if it was killed. */
async function killed(args: readonly string[], out: string, delay: number): Promise<boolean> {
  const before = generations(out);
  const child = spawn(process.execPath, [psl, ...args], { stdio: 'ignore' });
  const ended = new Promise<boolean>((resolve) => child.on('exit', (_, signal) => resolve(signal === 'SIGKILL')));
  const watch = setInterval(() => {
    if (generations(out) <= before) return;
    clearInterval(watch);
    setTimeout(() => child.kill('SIGKILL'), delay);
  }, 2);
  const wasKilled = await ended;
  clearInterval(watch);
  return wasKilled;
}

/** The newest checkpoint of a run; 0 where there is none. */
function generations(out: string): number {
  const checkpoints = join(out, 'checkpoint');
  if (!existsSync(checkpoints)) return 0;
  const numbers = readdirSync(checkpoints).map((name) => Number(/^generation-(\d+)\.json$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** Checksums of all files of a run but checkpoints and those that measure time, by name. */
function contents(out: string): Map<string, string> {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = new Map<string, string>();
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    if (name === 'result.json' || name === 'lock' || name.endsWith('.png') || parentPath.endsWith('checkpoint'))
      continue;
    found.set(path.slice(out.length), createHash('sha256').update(readFileSync(path)).digest('hex'));
  }
  return found;
}

describe.each(Object.keys(trainings))('a killed run (%s)', (name) => {
  const args = trainings[name];
  beforeAll(() => {
    expect(run('train', ...args, ...common, '--out', at(name)).status).toBe(0);
  }, 120_000);

  it('ends with the same bytes as one that was never interrupted, however often it is killed', async () => {
    const out = at(`${name}-killed`);
    const random = new Random(7);
    let kills = 0;
    let isRunning = await killed(['train', ...args, ...common, '--out', out], out, 30 * random.uniform());
    while (isRunning && ++kills < KILLS) {
      isRunning = await killed(['resume', out, '--checkpoint-every', '0.02s'], out, 200 * random.uniform());
    }
    expect(kills).toBeGreaterThan(0);
    if (isRunning) {
      expect(run('resume', out).status).toBe(0);
      expect(existsSync(join(out, 'checkpoint')) || existsSync(join(out, 'lock'))).toBe(false);
    }
    expect(contents(out)).toEqual(contents(at(name)));
  }, 120_000);
});

describe('a damaged checkpoint', () => {
  const stopped = at('stopped');
  beforeAll(async () => {
    const args = ['train', ...trainings.tree, ...common, '--out', stopped];
    for (let delay = 200; generations(stopped) < 2; delay *= 2) {
      rmSync(stopped, { recursive: true, force: true });
      expect(await killed(args, stopped, delay)).toBe(true);
    }
  }, 120_000);

  it.each(['generation', 'state', 'tensors', 'replay'])(
    'is passed over where its %s is not what was written, and the one before is used',
    (part) => {
      const out = at(`damaged-${part}`);
      cpSync(stopped, out, { recursive: true });
      const newest = generations(out);
      const checkpoints = join(out, 'checkpoint');
      const file = readdirSync(checkpoints).find((entry) => new RegExp(`^${part}-(?:0-)?${newest}\\.`).test(entry))!;
      const bytes = readFileSync(join(checkpoints, file));
      bytes[bytes.length >> 1] ^= 1;
      writeFileSync(join(checkpoints, file), bytes);
      const { status, text } = run('resume', out);
      expect(text).toMatch(new RegExp(`warning: checkpoint ${newest} has [^\\n]*; the one before it is used`));
      expect(status).toBe(0);
      expect(contents(out)).toEqual(contents(at('tree')));
    },
    120_000,
  );

  it('is refused in a sentence where none is whole, and nothing is lost', () => {
    const out = at('destroyed');
    cpSync(stopped, out, { recursive: true });
    const checkpoints = join(out, 'checkpoint');
    for (const file of readdirSync(checkpoints)) writeFileSync(join(checkpoints, file), 'x');
    const before = contents(out);
    const { status, text } = run('resume', out);
    expect(status).toBe(2);
    expect(text).toMatch(/^psl: RUN is "[^"]*", but must be the folder of a run that can be resumed \([^\n]*\)\.\n$/);
    expect(contents(out)).toEqual(before);
  });

  it('does not keep two processes from being told apart: a run that is being trained is locked', async () => {
    const out = at('locked');
    cpSync(stopped, out, { recursive: true });
    const child = spawn(process.execPath, [psl, 'resume', out, '--checkpoint-every', '0.02s'], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const before = generations(out);
    while (generations(out) === before && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2));
    child.kill('SIGSTOP');
    const { status, text } = run('resume', out);
    child.kill('SIGKILL');
    await ended;
    expect(status).toBe(2);
    expect(text).toMatch(/can be resumed \(process \d+ on [^\n]* is training it\)\.\n$/);
    expect(run('resume', out).status).toBe(0);
    expect(contents(out)).toEqual(contents(at('tree')));
  }, 120_000);
});
