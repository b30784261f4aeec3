/** Sweeps with the built program, whose trainings are processes of their own. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Sweeps from '../src/sweeps/index.js';
import type { GridReport, SweepStatus } from '../src/sweeps/index.js';
import { pslProcess } from './support/process.js';
import { contentsOf } from './support/run-folders.js';
import { startSlurm, whyNoSlurm } from './support/slurm.js';
import { temporaryFolder } from './support/temporary-folder.js';

// Starting processes takes its time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = temporaryFolder('sweep');
const at = (...names: string[]) => join(folder, ...names);
const main = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));
/** Trains in processes of its own, whose program is built. */
const sweeps = new URL('../dist/node/sweeps/index.js', import.meta.url).href;
const tiny = { hidden: [8], hyperHidden: [4], batch: 8, groups: 4, learnAfter: 20, updatesPerStep: 0.2, capacity: 300 };
const spec = {
  environments: ['fruit-tree-d5'],
  seeds: [1, 2],
  overrides: { ...tiny, steps: 1500, evaluations: 3, evaluationDivisions: 1 },
};
const OFTEN = ['--checkpoint-every', '0.001s'];

const sweep = (args: readonly string[], interruptAt?: string) =>
  pslProcess(['sweep', at('spec.json'), ...args, '--json'], interruptAt);

/** What a store holds of each run, by the name of its folder. */
const runsIn = (store: string) =>
  Object.fromEntries(readdirSync(join(store, 'runs')).map((run) => [run, contentsOf(join(store, 'runs', run))]));

let whole: SweepStatus;
beforeAll(async () => {
  writeFileSync(at('spec.json'), JSON.stringify(spec));
  const { code, stdout, stderr } = await sweep(['--store', at('whole'), '--jobs', '2']);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  whole = JSON.parse(stdout) as SweepStatus;
});

describe('psl sweep', () => {
  it('trains every run and says what each came to', async () => {
    expect(whole).toMatchObject({ counts: { done: 2, failed: 0, waiting: 0 }, jobs: [{ envSteps: 1500 }, {}] });
    expect(whole.jobs.map(({ name }) => name)).toEqual(
      [1, 2].map((seed) => `fruit-tree-d5-psl-ddqn-quick-seed${seed}`),
    );
    for (const { run } of whole.jobs) expect(existsSync(join(run!, 'model.safetensors'))).toBe(true);
    const { stdout } = await pslProcess(['sweep', 'report', '--store', at('whole'), '--json']);
    const [{ hypervolume, seeds }] = (JSON.parse(stdout) as GridReport).entries;
    expect(seeds.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(hypervolume!.mean).toBeCloseTo((whole.jobs[0].hypervolume! + whole.jobs[1].hypervolume!) / 2, 9);
    expect(readFileSync(at('whole', 'report.md'), 'utf8')).toContain('2 of 2 runs are finished');
  });

  it('trains nothing again that is finished', async () => {
    const { code, stderr } = await sweep(['--store', at('whole')]);
    expect(code).toBe(0);
    expect(stderr).toContain('2 were there already');
    expect(stderr).not.toContain('begins');
  });

  it('says in a sentence what is wrong, before it writes anything', async () => {
    const wrong = await pslProcess(['sweep', '{"environments": ["fruit-tree"]}', '--store', at('never')]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(
      /^psl: environment is "fruit-tree" \(did you mean "fruit-tree-d5"\?\), but must be one of: /,
    );
    expect(existsSync(at('never'))).toBe(false);
  });
});

/** Begins to work on a store; resolves when a training has been saved for the first time after that. */
async function begin(store: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main, ...args, '--store', store, '--jobs', '1', ...OFTEN], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => data.includes('begins') && resolve());
  });
  const jobs = join(store, 'jobs');
  const hasSaved = (id: string) =>
    readdirSync(join(jobs, id)).some((name) => existsSync(join(jobs, id, name, 'checkpoint')));
  await vi.waitUntil(() => readdirSync(jobs).some(hasSaved), { timeout: 100_000, interval: 5 });
  return child;
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.on('exit', resolve));

/** How often each training of a store was finished. */
const timesDone = (store: string) =>
  readdirSync(join(store, 'jobs')).map((id) => {
    const names = readdirSync(join(store, 'jobs', id));
    const kindOf = (name: string) =>
      (JSON.parse(readFileSync(join(store, 'jobs', id, name), 'utf8')) as { kind: string }).kind;
    return names.filter((name) => kindOf(name) === 'done').length;
  });

// Windows has no signals to send.
describe.skipIf(process.platform === 'win32')('a sweep that is disturbed', () => {
  it('ends with the same bytes, every run finished once, where one process is killed and one sleeps past its lease', async () => {
    const store = at('disturbed');
    const killed = await begin(store, ['sweep', at('spec.json')]);
    killed.kill('SIGKILL');
    await ended(killed);
    const asleep = await begin(store, ['worker', '--lease', '0.5s']);
    asleep.kill('SIGSTOP');
    const { code, stdout } = await sweep(['--store', store, '--jobs', '1']);
    expect(code).toBe(0);
    asleep.kill('SIGCONT');
    expect(await ended(asleep)).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { done: 2 } });
    expect(runsIn(store)).toEqual(runsIn(at('whole')));
    expect(timesDone(store)).toEqual([1, 1]);
  });

  it('is no matter for one who lost his claim, and his files with it, before he looked', async () => {
    const { parseSpec, SweepStore, Worker } = (await import(sweeps)) as typeof Sweeps;
    const store = new SweepStore(at('lost'));
    const longer = parseSpec({ ...spec, seeds: [1], overrides: { ...spec.overrides, steps: 100_000 } });
    const sweep = await store.plan(longer);
    await store.begin(sweep);
    const [job] = sweep.jobs;
    let claim: Awaited<ReturnType<Sweeps.Worker['claim']>> | undefined;
    const rob = async () => {
      if (claim === undefined || !('entries' in claim)) return;
      const successor = { kind: 'claimed', worker: 'somebody' } as const;
      if (await store.append(job.id, claim.entries, successor)) await store.removeAttempts(job.id, 1);
    };
    const robbing: Promise<void>[] = [];
    const events = { progress: () => void robbing.push(rob()) };
    const worker = await Worker.open(store, { lease: 1000, checkpointEvery: 0.001, events });
    try {
      claim = await worker.claim(job);
      if (!('entries' in claim)) throw new Error(`It is ${claim.is}.`);
      expect(await worker.train(claim)).toEqual({ is: 'lost' });
    } finally {
      await worker.leave();
      await Promise.all(robbing);
    }
  });

  it('is left by a worker for one training when that has ended, and not when its process dies', async () => {
    const { parseSpec, SweepStore } = (await import(sweeps)) as typeof Sweeps;
    const store = new SweepStore(at('died'));
    const sweep = await store.plan(parseSpec(spec));
    await store.begin(sweep);
    const kinds = async (index: number) => (await store.entries(sweep.jobs[index].id)).map(({ kind }) => kind);
    const worker = await begin(store.address, ['worker', '--most', '1']);
    const lock = readFileSync(join(store.claimAddress(sweep.jobs[0].id, 1), 'lock'), 'utf8');
    process.kill((JSON.parse(lock) as { pid: number }).pid, 'SIGKILL');
    expect(await ended(worker)).toBe(0);
    expect(await kinds(0)).toEqual(['claimed', 'released', 'claimed', 'done']);
    expect(await kinds(1)).toEqual([]);
    const [[name, files]] = Object.entries(runsIn(store.address));
    expect(files).toEqual(runsIn(at('whole'))[name]);
  });

  it('goes on where Ctrl-C stopped it, and cancelled trainings go on where they are opened again', async () => {
    const store = at('stopped');
    const { code, stdout } = await sweep(['--store', store, '--jobs', '1', ...OFTEN], 'begins');
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { waiting: 2 } });
    const cancelled = await pslProcess(['sweep', 'cancel', '--store', store]);
    expect(cancelled.stdout).toBe('cancelled: 2 trainings\n');
    const nothing = await sweep(['--store', store]);
    expect(JSON.parse(nothing.stdout)).toMatchObject({ counts: { cancelled: 2 } });
    await pslProcess(['sweep', 'retry', '--store', store]);
    expect((await sweep(['--store', store])).code).toBe(0);
    expect(runsIn(store)).toEqual(runsIn(at('whole')));
  });
});

/** A Redis for this test alone, with a password, that keeps what it has when it is started again; with TLS on the next port. */
function redisAt(port: number) {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'];
  const tls = ['--tls-port', String(port + 1), '--tls-cert-file', at('redis.crt'), '--tls-key-file', at('redis.key')];
  const access = ['--requirepass', 'secret', '--tls-ca-cert-file', at('redis.crt'), '--tls-auth-clients', 'no'];
  const child = spawn('redis-server', [...own, ...tls, ...access], { stdio: 'ignore' });
  return async () => {
    child.kill('SIGTERM');
    await ended(child);
  };
}

/** A key and a certificate that nobody but its owner vouches for. */
function makeCertificate(): void {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const about = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...about, '-keyout', at('redis.key'), '-out', at('redis.crt')], {
    stdio: 'ignore',
  });
}

const hasRedis = ['redis-server', 'openssl'].every((name) => spawnSync('which', [name]).status === 0);
/** An optional peer, which a machine may be without. */
const bullmq: string = 'bullmq';
const hasBullMQ = await import(bullmq).then(
  () => true,
  () => false,
);
const isReady = hasRedis && hasBullMQ;
if (!isReady)
  console.warn('Queues are not tested: redis-server, openssl (packages of Debian) or bullmq is not installed.');

describe.skipIf(!isReady)('a sweep by a queue', () => {
  it('is worked off by any number of workers, with TLS or without, also where one is killed and Redis is started again', async () => {
    const store = at('queue');
    // Above those that are given out by chance.
    const port = 61_000 + (process.pid % 4000);
    const queue = `redis://:secret@127.0.0.1:${port}`;
    const safeQueue = `rediss://:secret@127.0.0.1:${port + 1}`;
    makeCertificate();
    let stop = redisAt(port);
    try {
      await vi.waitUntil(async () => (await sweep(['--store', store, '--on', queue])).code === 0, { timeout: 100_000 });
      const wrong = await sweep(['--store', store, '--on', queue.replace('secret', 'wrong')]);
      expect(wrong.stderr).toMatch(/^psl: --on is "redis:.*", but must be that of a Redis that answers \(WRONGPASS/);
      expect(wrong.stderr).not.toContain('wrong@');
      const serve = ['worker', '--queue', queue, '--lease', '2s'];
      const killed = await begin(store, serve);
      killed.kill('SIGKILL');
      await stop();
      stop = redisAt(port);
      await vi.waitUntil(async () => (await sweep(['--store', store, '--on', queue])).code === 0, { timeout: 100_000 });
      const unknown = await sweep(['--store', store, '--on', safeQueue]);
      expect(unknown.stderr).toMatch(/^psl: --on is "rediss:.*", but must be .* \(self-signed certificate\)\.$/m);
      vi.stubEnv('NODE_EXTRA_CA_CERTS', at('redis.crt'));
      const { code } = await pslProcess(['worker', '--queue', safeQueue, '--lease', '2s', '--store', store]);
      expect(code).toBe(0);
      expect(runsIn(store)).toEqual(runsIn(at('whole')));
      expect(timesDone(store)).toEqual([1, 1]);
    } finally {
      vi.unstubAllEnvs();
      await stop();
    }
  });
});

const noSlurm = whyNoSlurm();
if (noSlurm !== undefined) console.warn(`Slurm is not tested: ${noSlurm}.`);

describe.skipIf(noSlurm !== undefined)('a sweep on Slurm', () => {
  it('is an array of tasks that come to the same bytes, also where one is told that its time is over', async () => {
    const store = at('slurm');
    const slurm = await startSlurm(at('cluster'), 61_000 + ((process.pid + 2) % 4000));
    try {
      const submit = ['--store', store, '--on', 'slurm', ...OFTEN];
      writeFileSync(at('slurm.yaml'), 'partition: main\ntime: 5\n');
      expect((await sweep([...submit, '--jobs', '1', '--slurm-file', at('slurm.yaml')])).code).toBe(0);
      const jobs = join(store, 'jobs');
      const attempts = () =>
        (existsSync(jobs) ? readdirSync(jobs) : []).flatMap((id) =>
          readdirSync(join(jobs, id)).map((name) => join(jobs, id, name)),
        );
      await vi.waitUntil(() => attempts().some((path) => existsSync(join(path, 'checkpoint'))), {
        timeout: 100_000,
        interval: 5,
      });
      execFileSync('scancel', ['--batch', '--signal=USR2', '--me', '--state=RUNNING']);
      // The task that was put back waits for two minutes; another one does not.
      await vi.waitUntil(
        () =>
          attempts().some(
            (path) => path.endsWith('.json') && readFileSync(path, 'utf8').match(/"(?:released|done)"/) !== null,
          ),
        { timeout: 100_000 },
      );
      expect((await sweep(submit)).code).toBe(0);
      const { stdout } = await pslProcess(['sweep', 'watch', '--store', store, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ counts: { done: 2 } });
      expect(runsIn(store)).toEqual(runsIn(at('whole')));
      expect(timesDone(store)).toEqual([1, 1]);
      const status = await pslProcess(['sweep', 'status', '--store', store]);
      expect(status.stdout).toMatch(/^2 of 2 trainings finished\n/);
      await pslProcess(['sweep', 'cancel', '--store', store]);
    } finally {
      await slurm.stop();
    }
  });
});
