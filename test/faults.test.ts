/** What goes wrong around a training: disks, workers and numbers. Each ends in a sentence, and nothing that was saved is lost. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { environmentOf, register } from '../src/envs/index.js';
import { openRun, readReturns, resumeRun, trainRun } from '../src/runs/index.js';
import { planTraining, NonFiniteError } from '../src/training/index.js';
import type { TrainingRequest } from '../src/training/index.js';
import { contentsOf, newestCheckpoint } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { toyEnv } from './support/toy.mjs';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const psl = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));
const faultyEnv = new URL('./support/faulty-env.mjs', import.meta.url).href;
const folder = temporaryFolder('faults');
const at = (name: string) => join(folder, name);

const sets = (...settings: string[]) => settings.flatMap((setting) => ['--set', setting]);
const TINY = ['hidden=8', 'hyperHidden=4', 'hyperFeatures=2', 'batch=8', 'groups=4', 'learnAfter=20', 'startSteps=2'];
const OFTEN = ['--checkpoint-every', '0.001s'];

interface Ran {
  readonly status: number | null;
  readonly text: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}, limit: readonly string[] = []): Ran {
  const [command, ...rest] = [...limit, process.execPath, psl, ...args];
  const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8', env: { ...process.env, ...env } });
  return { status, text: stdout + stderr };
}

/** A disk that is soon full, and how it gets more room; undefined where this machine has no way to make one. */
interface SmallDisk {
  readonly folder: string;
  /** To put before a command that is to meet it. */
  readonly limit: readonly string[];
  readonly reason: string;
  makeRoom(): void;
  remove(): void;
}

const KILOBYTES = 200;

function smallDisk(): SmallDisk | undefined {
  const own = at('small-disk');
  mkdirSync(own);
  const mount = (...options: string[]) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', own]).status === 0;
  if (mount(`size=${KILOBYTES}k`)) {
    return {
      folder: own,
      limit: [],
      reason: 'no space left on device',
      makeRoom: () => void mount('remount', 'size=64m'),
      remove: () => void spawnSync('umount', [own]),
    };
  }
  // Without the right to mount: no file may be larger, which ends in another error of the same kind.
  const limit = ['prlimit', `--fsize=${KILOBYTES * 100}`];
  if (spawnSync(limit[0], [...limit.slice(1), 'true']).status !== 0) return undefined;
  const nothing = () => undefined;
  return { folder: own, limit, reason: 'file too large', makeRoom: nothing, remove: nothing };
}

describe('a disk that is full', () => {
  const training = ['fruit-tree-d5', '--steps', '3000', '--device', 'cpu:1', ...sets(...TINY, 'evaluations=6')];
  const settings = sets('evaluationDivisions=1', 'updatesPerStep=0.2', 'capacity=3000');

  it('ends a training with a sentence, and the run goes on once there is room', ({ skip }) => {
    const disk = smallDisk();
    if (disk === undefined) {
      skip('this machine lets nobody make a small disk: neither mount nor prlimit works');
      return;
    }
    try {
      const [whole, out] = [at('with-room'), join(disk.folder, 'run')];
      expect(run(['train', ...training, ...settings, '--out', whole]).status).toBe(0);

      const { status, text } = run(['train', ...training, ...settings, ...OFTEN, '--out', out], {}, disk.limit);
      expect(status).toBe(1);
      expect(text).toMatch(
        new RegExp(`\npsl: ${out}\\S* could not be written \\(${disk.reason}\\)\\. There is a checkpoint after `),
      );
      expect(text).toMatch(new RegExp(` after \\d+ of 3000 environment steps: go on with psl resume ${out}\n$`));

      const still = run(['resume', out, ...OFTEN], {}, disk.limit);
      expect([still.status, still.text]).toEqual([1, expect.stringContaining(`(${disk.reason})`)]);
      disk.makeRoom();
      expect(run(['resume', out]).status).toBe(0);
      expect(contentsOf(out)).toEqual(contentsOf(whole));
    } finally {
      disk.remove();
    }
  });
});

describe('a worker', () => {
  const algo = ['--algo', 'pd-td3', '--workers', '2', '--device', 'cpu:1'];
  const settings = sets(
    'criticHidden=8',
    'atoms=0',
    'criticAngle=0',
    'actorAngle=0',
    'evaluations=4',
    'evaluationDivisions=1',
  );
  const own = TINY.filter((setting) => !setting.startsWith('hyper'));
  const args = ['test-fault', ...algo, '--steps', '1000', ...settings, ...sets(...own, 'updatesPerStep=0.1')];
  const env = (fault: string) => ({
    TEST_FAULT: fault,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${faultyEnv}`,
  });

  it.each([
    [
      'throw',
      /test-fault failed at step \d+ of an episode at preference \[[^\]]*\] \(environment \d+\): The simulation broke\./,
    ],
    ['exit', /worker \d of 2 ended with exit code 3, and its environments with it\./],
    ['hang', /worker \d of 2 with environments \d to \d of test-fault did not answer within 10 s\./],
  ])(
    'that fails (%s) ends its training with a sentence, and the run goes on from its checkpoint',
    (fault, sentence) => {
      const [whole, out] = [at('sound'), at(fault)];
      if (!existsSync(whole)) expect(run(['train', ...args, '--out', whole], env('none')).status).toBe(0);
      const began = performance.now();
      const { status, text } = run(['train', ...args, ...OFTEN, '--out', out], env(fault));
      expect(status).toBe(1);
      expect(text).toMatch(sentence);
      expect(text).toMatch(
        new RegExp(`There is a checkpoint after \\d+ of 1000 environment steps: go on with psl resume ${out}\n$`),
      );
      expect(performance.now() - began).toBeLessThan(100_000);
      expect(newestCheckpoint(out)).toBeGreaterThan(0);
      expect(run(['resume', out], env('none')).status).toBe(0);
      expect(contentsOf(out)).toEqual(contentsOf(whole));
    },
  );
});

describe('a training whose numbers are no longer finite', () => {
  const settings = {
    steps: 2000,
    children: 10,
    evaluations: 4,
    evaluationDivisions: 1,
    startSteps: 2,
    learnAfter: 300,
    updatesPerStep: 0.5,
    batch: 8,
    groups: 4,
    hidden: [8],
    hyperHidden: [4],
    hyperFeatures: 2,
  };
  const robot = { criticHidden: [8], atoms: 0, criticAngle: 0, actorAngle: 0, policyDelay: 2, clip: 1e30 };
  const nonFinite: Readonly<Record<string, TrainingRequest>> = {
    'psl-ddqn': { env: 'fruit-tree-d5', settings: { ...settings, learningRate: 1e30 } },
    envelope: { env: 'fruit-tree-d5', settings: { ...settings, learningRate: 1e30 } },
    'psl-td3': {
      env: 'mo-swimmer-v2',
      settings: { ...settings, ...robot, criticLearningRate: 1e30, learningRate: 1e30 },
    },
    'psl-sac': {
      env: 'mo-swimmer-v2',
      settings: { ...settings, ...robot, criticLearningRate: 1e30, learningRate: 1e30 },
    },
  };
  const planOf = (algorithm: string) => {
    const { settings: own, ...request } = nonFinite[algorithm];
    const { hyperHidden, hyperFeatures, ...rest } = own!;
    const fitting = algorithm === 'envelope' ? rest : { ...rest, hyperHidden, hyperFeatures };
    return planTraining({ ...request, algorithm, settings: fitting, device: 'cpu:1', workers: 0 });
  };

  it.each(Object.keys(nonFinite))('stops at its last good checkpoint and says what to try (%s)', async (algorithm) => {
    const out = at(`non-finite-${algorithm}`);
    const error: unknown = await trainRun(planOf(algorithm), { out, checkpointEvery: 0 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(NonFiniteError);
    const { message, at: moment } = error as NonFiniteError;
    expect(message).toMatch(
      /^[\w .]+ is (?:NaN|-?Infinity) after \d+ environment steps and \d+ gradient steps, so nothing more can be learned; train anew with smaller steps, such as learningRate=0.\d+/,
    );
    expect(moment!.envSteps).toBeGreaterThanOrEqual(300);

    // A run like one that was stopped there: with a policy set of numbers.
    const stopped = openRun(out);
    expect(stopped.result.stopped).toBe(true);
    expect(stopped.result.envSteps).toBeLessThanOrEqual(moment!.envSteps + 10);
    expect(readReturns(stopped).returns.flat().every(Number.isFinite)).toBe(true);
    expect(readFileSync(join(out, 'metrics.jsonl'), 'utf8')).not.toMatch(/null|NaN/);
    expect(newestCheckpoint(out)).toBeGreaterThan(0);
    // Whoever goes on from there meets the same, at that step or, where parameters were looked at, a little before.
    await expect(resumeRun(out, { workers: 0 })).rejects.toBeInstanceOf(NonFiniteError);
  });

  it('by what it sees stops too, at the step and with the number that is none', async () => {
    const id = 'test-nothing';
    register(toyEnv(environmentOf, id, { horizon: 20, sees: ({ steps }) => [steps === 50 ? NaN : 0] }));
    const { hyperHidden: _, hyperFeatures: __, ...rest } = settings;
    const own = { ...rest, ...robot, learnAfter: 100, learningRate: 1e-4 };
    const plan = planTraining({ env: id, algorithm: 'pd-td3', settings: own, device: 'cpu:1', workers: 0 });
    const out = at('blind');
    await expect(trainRun(plan, { out, checkpointEvery: 0 })).rejects.toThrow(
      /^test-nothing failed at step 10 of an episode at preference .*: observation\[0\] is NaN after step 10 of /,
    );
    expect(newestCheckpoint(out)).toBe(49);
  });

  it('ends the program with a code that is not 0', async () => {
    const out = at('non-finite-program');
    const args = ['train', 'fruit-tree-d5', ...sets(...TINY, 'learningRate=1e30', 'evaluations=2'), '--out', out];
    const child = spawn(process.execPath, [psl, ...args, '--device', 'cpu:1']);
    let text = '';
    child.stderr.on('data', (data: Buffer) => (text += data.toString()));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1);
    expect(text).toMatch(
      /^psl: \w+ is NaN after \d+ environment steps .*learningRate=0.0003\. Nothing was saved yet\.$/m,
    );
  });
});
