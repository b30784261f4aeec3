/** Where stores of sweeps can be: a folder, and object storage, with the built program and a real server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseSpec, statusOf, SweepStore, type GridReport, type SweepStatus } from '../src/sweeps/index.js';
import { FolderPlace } from '../src/sweeps/folder-place.js';
import { S3Place } from '../src/sweeps/s3-place.js';
import { placeContract } from './support/place-contract.js';
import { pslProcess } from './support/process.js';
import { contentsOf } from './support/run-folders.js';
import { startS3, whyNoS3, type ObjectStorage } from './support/s3.js';
import { temporaryFolder } from './support/temporary-folder.js';

// Starting processes takes its time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const noS3 = await whyNoS3();
if (noS3 !== undefined) console.warn(`Stores in S3 are not tested: ${noS3}.`);

it('an address of S3 is refused in a sentence where it is none', () => {
  const allowed = 'but must be an address such as s3://BUCKET/SWEEP.';
  expect(() => new SweepStore('s3://', '--store')).toThrow(`--store is "s3://", ${allowed}`);
  expect(() => new SweepStore('s3://bucket/../other')).toThrow(`store is "s3://bucket/../other", ${allowed}`);
  expect(new SweepStore('s3://bucket/a/b/').place.address('runs')).toBe('s3://bucket/a/b/runs');
});

const folder = temporaryFolder('places');
let places = 0;

describe('a folder', () => placeContract(() => new FolderPlace(join(folder, `place-${++places}`))));

describe.skipIf(noS3 !== undefined)('object storage', () => {
  let server: ObjectStorage | undefined;
  beforeAll(async () => {
    // Above those that are given out by chance, and apart from those of other tests.
    server = await startS3(join(folder, 'ceph'), 61_000 + ((process.pid + 2000) % 4000), 'sweeps');
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });

  placeContract(() => new S3Place(`s3://sweeps/place-${++places}`, 'store'));

  it('says in a sentence why it cannot be used', async () => {
    const spec = parseSpec({ environments: ['fruit-tree-d5'] });
    const refusal = (reason: string) => `must be a folder with a sweep, and it cannot be reached (${reason}).`;
    await expect(new SweepStore('s3://other').plan(spec)).rejects.toThrow(refusal('there is no such bucket'));
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
    const wrong = refusal('the secret in AWS_SECRET_ACCESS_KEY is wrong');
    await expect(new SweepStore('s3://sweeps').plan(spec)).rejects.toThrow(wrong);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', server!.env.AWS_SECRET_ACCESS_KEY);
  });

  const main = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));
  const tiny = { hidden: [8], hyperHidden: [4], batch: 8, groups: 4, learnAfter: 20, updatesPerStep: 0.2 };
  const spec = JSON.stringify({
    environments: ['fruit-tree-d5'],
    seeds: [1, 2],
    overrides: { ...tiny, capacity: 300, steps: 3000, evaluations: 3, evaluationDivisions: 1 },
  });
  const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
  const ended = async (child: ChildProcess) => {
    if (!isOver(child)) await new Promise((resolve) => child.on('exit', resolve));
    return child.exitCode;
  };

  /** Begins to work on a store; resolves when the files of a claim of this process are there, or all is done already. */
  async function begin(store: SweepStore, args: readonly string[]): Promise<ChildProcess> {
    const own = ['--store', store.address, '--jobs', '1', '--checkpoint-every', '0.001s'];
    const child = spawn(process.execPath, [main, ...args, ...own], { stdio: 'ignore' });
    const hasSaved = async () => {
      const { jobs, workers } = await statusOf(store).catch(() => ({ jobs: [], workers: [] }));
      const { name } = workers.find(({ name: of }) => of.includes(`-${child.pid}-`)) ?? {};
      for (const { worker, folder: at } of jobs) {
        if (name === undefined || worker !== name) continue;
        const key = at!.slice(store.address.length + 1);
        if (await store.place.exists(`${key}/manifest.json`)) return true;
      }
      return false;
    };
    await vi.waitUntil(async () => isOver(child) || hasSaved(), { timeout: 240_000, interval: 20 });
    return child;
  }

  it('holds a sweep whose workers are killed and sleep past their lease, with the bytes of one in a folder', async () => {
    const alone = join(folder, 'alone');
    expect((await pslProcess(['sweep', spec, '--store', alone])).code).toBe(0);
    const store = new SweepStore('s3://sweeps/disturbed');
    const killed = await begin(store, ['sweep', spec]);
    killed.kill('SIGKILL');
    await ended(killed);
    const asleep = await begin(store, ['worker', '--lease', '0.5s']);
    asleep.kill('SIGSTOP');
    const { code, stdout } = await pslProcess(['worker', '--store', store.address, '--jobs', '1', '--json']);
    expect(code).toBe(0);
    const { counts, jobs } = JSON.parse(stdout) as SweepStatus;
    expect(counts).toMatchObject({ done: 2 });
    asleep.kill('SIGCONT');
    expect(await ended(asleep)).toBe(0);
    const names = jobs.map(({ run }) => run!.slice('s3://sweeps/disturbed/runs/'.length));
    const runs = await store.place.borrow('runs');
    for (const name of names) {
      expect(contentsOf(join(runs.folder, name))).toEqual(contentsOf(join(alone, 'runs', name)));
    }
    await runs.close();
    for (const { id } of jobs) {
      expect((await store.entries(id)).filter(({ kind }) => kind === 'done')).toHaveLength(1);
      // Nothing is left of the claims.
      expect((await store.place.list(`jobs/${id}`)).filter((name) => name.startsWith('attempt'))).toEqual([]);
    }
    const report = await pslProcess(['sweep', 'report', '--store', store.address, '--json']);
    expect((JSON.parse(report.stdout) as GridReport).runs).toEqual({ planned: 2, finished: 2 });
    expect(new TextDecoder().decode(await store.place.read('report.md'))).toContain('2 of 2 runs are finished');
  });
});
