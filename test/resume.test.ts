/** Runs that are killed, stopped, locked and damaged, as users meet them: real processes of the compiled program. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../src/random/index.js';
import { contentsOf, newestCheckpoint } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

const psl = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));
const killSwitch = new URL('./support/kill-switch.mjs', import.meta.url).href;
const folder = temporaryFolder('resume');
const at = (name: string) => join(folder, name);

// Starting processes takes its time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const sets = (...settings: string[]) => settings.flatMap((setting) => ['--set', setting]);
const TINY = ['hidden=8', 'hyperHidden=4', 'hyperFeatures=2', 'batch=8', 'groups=4', 'learnAfter=20', 'startSteps=2'];
const SCORED = ['evaluationDivisions=1', 'updatesPerStep=0.2', 'capacity=300'];
const common = ['--device', 'cpu:1', ...sets(...TINY, ...SCORED)];
/** As often as the disk can take it. */
const OFTEN = ['--checkpoint-every', '0.001s'];
const trainings: Readonly<Record<string, readonly string[]>> = {
  long: ['fruit-tree-d5', '--steps', '6000', ...common, ...sets('evaluations=30')],
  tree: ['fruit-tree-d5', '--steps', '1500', ...common, ...sets('evaluations=5')],
  robot: [
    ...['mo-swimmer-v2', '--steps', '600', ...common, ...sets('criticHidden=8', 'evaluations=2')],
    ...sets('criticAngle=1', 'actorAngle=1', 'keyUpdates=none'),
  ],
  replicas: ['fruit-tree-d5', '--replicas', '2', '--steps', '600', ...common, ...sets('evaluations=5')],
  // Evaluations of 1600 steps after 100 and 200 steps of training.
  evaluated: [
    'test-fault',
    '--steps',
    '200',
    ...common,
    ...sets('criticHidden=8', 'atoms=0', 'evaluations=2', 'episodes=40'),
  ],
  // Its episodes are short, and so are those of its key solutions.
  keys: [
    ...[
      'test-fault',
      '--steps',
      '200',
      ...common,
      ...sets('criticHidden=8', 'atoms=0', 'evaluations=1', 'keys=trained'),
    ],
    ...sets('keySteps=600', 'criticAngle=1', 'actorAngle=1', 'keyUpdates=none'),
  ],
};
const faultyEnv = new URL('./support/faulty-env.mjs', import.meta.url).href;
const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${faultyEnv}` };
const train = (name: string, out: string) => ['train', ...trainings[name], '--out', out, ...OFTEN];
const resume = (out: string) => ['resume', out, ...OFTEN];

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [psl, ...args], { encoding: 'utf8', env });
  return { status, text: stdout + stderr };
}

/** The same training without interruption, once for all who ask. */
function undisturbed(name: string): Record<string, unknown> {
  const out = at(name);
  if (!existsSync(out)) expect(run('train', ...trainings[name], '--out', out).status).toBe(0);
  return contentsOf(out);
}

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly text: string;
}

/** Starts a process, and has `act` look at it and its output whenever something may have happened, until it ends. */
function started(
  args: readonly string[],
  act: (child: ReturnType<typeof spawn>, text: string) => void,
  own: Readonly<Record<string, string>> = {},
  node: readonly string[] = [],
): Promise<Ended> {
  const child = spawn(process.execPath, [...node, psl, ...args], { env: { ...env, ...own } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (text += data.toString()));
  const watch = setInterval(() => act(child, text), 2);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearInterval(watch);
      resolve({ code, signal, text });
    });
  });
}

/** Runs a command that is killed at a file operation, or comes to its end before that. */
function killedAt(operation: number, args: readonly string[], out: string): Promise<Ended> {
  const own = { KILL_AT: String(operation), KILL_IN: out };
  return started(args, () => undefined, own, ['--import', killSwitch]);
}

/** Runs a command and kills it once it has taken a checkpoint and some more milliseconds have passed. */
function killedAfter(delay: number, args: readonly string[], out: string): Promise<Ended> {
  const before = newestCheckpoint(out);
  let isDue = false;
  return started(args, (child) => {
    if (isDue || newestCheckpoint(out) <= before) return;
    isDue = true;
    setTimeout(() => child.kill('SIGKILL'), delay);
  });
}

describe('a run that is killed', () => {
  it('fifty times, at file operations and between them, ends with the same bytes as one that never was', async () => {
    const out = at('fifty');
    const random = new Random(7);
    // Where the folder says nothing yet, there is nothing to resume: a new training takes its place.
    const command = () => {
      if (existsSync(join(out, 'config.json'))) return resume(out);
      rmSync(out, { recursive: true, force: true });
      return train('long', out);
    };
    for (let kills = 0; kills < 50; kills++) {
      const life =
        kills % 2 === 0
          ? await killedAt(1 + random.integer(120), command(), out)
          : await killedAfter(15 * random.uniform(), command(), out);
      if (life.signal !== 'SIGKILL') expect.fail(`it ended by itself in life ${kills + 1}: ${life.text}`);
    }
    const { status, text } = run('resume', out);
    expect({ status, text: status === 0 ? '' : text }).toEqual({ status: 0, text: '' });
    expect(contentsOf(out)).toEqual(undisturbed('long'));
    expect(readdirSync(out).filter((name) => /lock|checkpoint|tmp/.test(name))).toEqual([]);
  });

  it('while it writes what it came to, ends with the same bytes and leaves nothing behind', async () => {
    const expected = undisturbed('replicas');
    const stopped = at('almost');
    const random = new Random(8);
    expect((await killedAfter(0, train('replicas', stopped), stopped)).signal).toBe('SIGKILL');
    const copy = (name: string) => {
      cpSync(stopped, at(name), { recursive: true });
      return at(name);
    };
    const whole = copy('whole');
    const { text } = await killedAt(0, ['resume', whole], whole);
    const operations = Number(/file operations: (\d+)/.exec(text)?.[1]);
    expect(operations).toBeGreaterThan(100);
    // The last ones are those of models, pictures, results, and of what is taken away in the end.
    for (const back of [0, 2, 5, 8 + random.integer(60), 8 + random.integer(60)]) {
      const out = copy(`ending-${back}`);
      expect((await killedAt(operations - back, ['resume', out], out)).signal).toBe('SIGKILL');
      const again = run('resume', out);
      if (again.status !== 0) expect(again.text).toContain('(it is finished)');
      expect(contentsOf(out)).toEqual(expected);
      expect(readdirSync(out).filter((name) => /checkpoint|tmp/.test(name))).toEqual([]);
    }
  });

  it.each(['robot', 'replicas'])('a few times ends with the same bytes as one that never was (%s)', async (name) => {
    const out = at(`${name}-killed`);
    const random = new Random(9);
    let life = await killedAfter(30 * random.uniform(), train(name, out), out);
    let kills = 0;
    while (life.signal === 'SIGKILL' && ++kills < 4) {
      life = await killedAfter(100 * random.uniform(), resume(out), out);
    }
    expect(kills).toBeGreaterThan(1);
    if (life.signal === 'SIGKILL') expect(run('resume', out).status).toBe(0);
    expect(contentsOf(out)).toEqual(undisturbed(name));
  });
});

// Windows has no signals to send.
describe.skipIf(process.platform === 'win32')('a run that is asked to stop', () => {
  const stopping = 'stopping: saving what there is; once more ends at once, and leaves the last checkpoint';

  it.each([
    ['Ctrl-C', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
  ] as const)(
    'once by %s ends with a policy set, a checkpoint and the command to go on with',
    async (_, signal, expected) => {
      const out = at(signal);
      let isAsked = false;
      const { code, text } = await started(train('tree', out), (child) => {
        if (!isAsked && newestCheckpoint(out) > 0) isAsked = child.kill(signal);
      });
      expect(code).toBe(expected);
      expect(text).toContain(stopping);
      expect(text).toMatch(/stopped early, after \d+ of 1500 environment steps; go on with psl resume /);
      expect(text).toContain(`psl resume ${out}\n`);
      expect(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'))).toMatchObject({ stopped: true });
      expect(run('eval', out).status).toBe(0);
      expect(run('resume', out).status).toBe(0);
      expect(contentsOf(out)).toEqual(undisturbed('tree'));
    },
  );

  it('and is killed when it goes on still has the policy set and the front of where it was stopped', async () => {
    const out = at('stopped-twice');
    const metricsOf = () => {
      const path = join(out, 'metrics.jsonl');
      return existsSync(path) ? readFileSync(path, 'utf8').length : 0;
    };
    let isAsked = false;
    await started(train('tree', out), (child) => {
      if (!isAsked && metricsOf() > 0) isAsked = child.kill('SIGINT');
    });
    const read = [
      ['front', out],
      ['eval', out],
      ['compare', out, at('tree')],
    ];
    undisturbed('tree');
    const untimed = (text: string) => text.replace(/\d+ s\b/g, '');
    const before = read.map((args) => run(...args));
    const metrics = metricsOf();
    const { signal } = await started(resume(out), (child) => {
      if (metricsOf() > metrics) child.kill('SIGKILL');
    });
    expect(signal).toBe('SIGKILL');
    for (const [i, args] of read.entries()) {
      const { status, text } = run(...args);
      expect({ status, text: untimed(text) }).toEqual({ status: 0, text: untimed(before[i].text) });
    }
    expect(run('resume', out).status).toBe(0);
    expect(contentsOf(out)).toEqual(undisturbed('tree'));
  });

  it('again and again ends at once, and loses nothing that was saved', async () => {
    const out = at('impatient');
    const { code, text } = await started(train('tree', out), (child) => {
      if (newestCheckpoint(out) > 0) child.kill('SIGINT');
    });
    expect(code).toBe(130);
    expect(text).toContain(stopping);
    expect(existsSync(join(out, 'result.json'))).toBe(false);
    expect(newestCheckpoint(out)).toBeGreaterThan(0);
    expect(run('resume', out).status).toBe(0);
    expect(contentsOf(out)).toEqual(undisturbed('tree'));
  });

  /** Runs a command that Ctrl-C is pressed for in a step of its environments. */
  function interruptedAt(step: number, ...args: string[]): Promise<Ended> {
    return started(args, () => undefined, { TEST_INTERRUPT_AT: String(step) });
  }

  it.each(['0', '1'])(
    'in the middle of its first evaluation does not wait for it, and makes it when it goes on (%s workers)',
    async (workers) => {
      const out = at(`first-evaluation-${workers}`);
      const own = ['--workers', workers, '--checkpoint-every', '60s'];
      const { code, text } = await interruptedAt(110, 'train', ...trainings.evaluated, '--out', out, ...own);
      expect(text).toContain(stopping);
      expect(text).toContain(`\nstopped early, after 100 of 200 environment steps; go on with psl resume ${out}\n`);
      expect(code).toBe(130);
      for (const name of ['metrics.jsonl', 'result.json']) expect(existsSync(join(out, name))).toBe(false);
      expect(run('resume', out, ...own).status).toBe(0);
      expect(contentsOf(out)).toEqual(undisturbed('evaluated'));
    },
  );

  it('in the middle of a later evaluation, again and again, ends with the best policy set before it', async () => {
    const out = at('later-evaluation');
    const own = ['--workers', '0', '--checkpoint-every', '60s'];
    // Resumed, it is at the evaluation at once.
    for (const [step, ...args] of [
      [1810, 'train', ...trainings.evaluated, '--out', out],
      [10, 'resume', out],
      [200, 'resume', out],
    ] as const) {
      const { code, text } = await interruptedAt(step, ...args, ...own);
      expect(text).toContain(`\nstopped early, after 200 of 200 environment steps; go on with psl resume ${out}\n`);
      expect(code).toBe(130);
      const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as object;
      expect(result).toMatchObject({ stopped: true, envSteps: 200, evaluationSteps: 1600 });
    }
    const { code, text } = await interruptedAt(100, 'eval', out, '--workers', '0');
    expect({ code, text }).toEqual({
      code: 130,
      text: 'stopped in the middle of the evaluation, which changes nothing\n',
    });
    expect(run('resume', out).status).toBe(0);
    expect(contentsOf(out)).toEqual(undisturbed('evaluated'));
  });

  it('while it trains its key solutions loses nothing', async () => {
    const out = at('keys-interrupted');
    let isAsked = false;
    const { code, text } = await started(train('keys', out), (child) => {
      if (!isAsked && newestCheckpoint(out) > 3) isAsked = child.kill('SIGINT');
    });
    expect(code).toBe(130);
    expect(text).toContain(`stopped while its key solutions are trained; go on with psl resume ${out}\n`);
    expect(existsSync(join(out, 'config.json'))).toBe(true);
    expect(existsSync(join(out, 'result.json'))).toBe(false);
    expect(run('resume', out).status).toBe(0);
    expect(contentsOf(out)).toEqual(undisturbed('keys'));
  });
});

describe('the lock of a run', () => {
  let stopped: string;
  beforeAll(async () => {
    stopped = at('to-lock');
    expect((await killedAfter(50, train('tree', stopped), stopped)).signal).toBe('SIGKILL');
  });
  const copied = (name: string) => {
    cpSync(stopped, at(name), { recursive: true });
    return at(name);
  };

  it('keeps a second process off while the first one trains', async () => {
    const out = copied('locked');
    const before = newestCheckpoint(out);
    let second: ReturnType<typeof run> | undefined;
    const first = await started(resume(out), (child) => {
      if (second !== undefined || newestCheckpoint(out) === before) return;
      child.kill('SIGSTOP');
      second = run('resume', out);
      child.kill('SIGKILL');
    });
    expect(first.signal).toBe('SIGKILL');
    expect(second?.status).toBe(2);
    expect(second?.text).toMatch(/can be resumed \(process \d+ on [^\n]* is training it\)\.\n$/);
    expect(run('resume', out).status).toBe(0);
    expect(contentsOf(out)).toEqual(undisturbed('tree'));
  });

  it('lets one of several processes through that find it stale at once', async () => {
    const out = copied('contested');
    const lives = await Promise.all([1, 2, 3].map(() => started(['resume', out], () => undefined)));
    expect(lives.map(({ code }) => code).sort()).toEqual([0, 2, 2]);
    for (const { code, text } of lives) {
      if (code === 2) expect(text).toMatch(/\((?:process \d+ on [^\n]* is training it|it is finished)\)\.\n$/);
    }
    expect(contentsOf(out)).toEqual(undisturbed('tree'));
  });

  it('is not taken for stale where it cannot be read', () => {
    const out = copied('illegible');
    const lock = readFileSync(join(out, 'lock'), 'utf8');
    writeFileSync(
      join(out, 'lock'),
      lock.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    );
    const { status, text } = run('resume', out);
    expect(status).toBe(2);
    expect(text).toContain(`(its lock cannot be read; remove ${join(out, 'lock')} if no process is training it).`);
  });
});
