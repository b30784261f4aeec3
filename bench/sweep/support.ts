/** What the parts of this benchmark have in common: the program, small sweeps, and whether two of them came to the same. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';

import { atOnce } from '../../src/sweeps/at-once.js';
import { SweepStore } from '../../src/sweeps/index.js';
import { contentsOf } from '../../test/support/run-folders.js';

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** Trainings of a second, most of which is the start of a process. */
export const settings = {
  ...{ hidden: [8], hyperHidden: [4], batch: 8, groups: 4, learnAfter: 20, updatesPerStep: 0.2, capacity: 300 },
  ...{ steps: 500, evaluations: 2, evaluationDivisions: 1 },
};

export function psl(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: 'ignore' });
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.on('exit', resolve));
}

/** Seconds that something takes. */
export async function timed(what: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await what();
  return (performance.now() - began) / 1000;
}

/** Seconds that a command takes. */
export async function timedPsl(...args: readonly string[]): Promise<number> {
  return timed(() => ended(psl(...args)));
}

export function writeSpec(path: string, seeds: number, rest: object = {}): string {
  const list = Array.from({ length: seeds }, (_, i) => i + 1);
  writeFileSync(path, JSON.stringify({ environments: ['fruit-tree-d5'], seeds: list, overrides: settings, ...rest }));
  return path;
}

/** A Redis of this benchmark alone, with a password and an append-only file. */
export class Redis {
  readonly url: string;
  private readonly folder: string;
  private child: ChildProcess;

  constructor(
    folder: string,
    private readonly port: number,
  ) {
    this.folder = join(folder, 'redis');
    mkdirSync(this.folder, { recursive: true });
    this.url = `redis://:secret@127.0.0.1:${port}`;
    this.child = this.start();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.child = this.start();
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await ended(this.child);
  }

  /** What it holds in memory. */
  async usedBytes(): Promise<number> {
    const args = ['-p', String(this.port), '-a', 'secret', '--no-auth-warning', 'info', 'memory'];
    const { stdout } = await promisify(execFile)('redis-cli', args);
    return Number(/^used_memory:(\d+)/m.exec(stdout)?.[1]);
  }

  private start(): ChildProcess {
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
    return spawn('redis-server', [...own, '--requirepass', 'secret', '--appendonly', 'yes'], { stdio: 'ignore' });
  }
}

/** How often each training of a store was finished, and the others of its entries. */
export async function logsOf(address: string) {
  const store = new SweepStore(address);
  const { jobs } = await store.open();
  return atOnce(jobs, async (job) => {
    const entries = await store.entries(job.id);
    const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
    return {
      run: basename(store.runAddress(job)),
      done: count('done'),
      claims: count('claimed'),
      releases: count('released'),
    };
  });
}

export async function countDone(address: string): Promise<number> {
  return (await logsOf(address)).filter(({ done }) => done > 0).length;
}

export async function untilDone(address: string, count: number): Promise<void> {
  while ((await countDone(address)) < count) await wait(200);
}

/** What a disturbed sweep came to, against the same one on this machine alone. */
export async function compared(disturbed: string, alone: string) {
  const [found, expected] = [await logsOf(disturbed), await logsOf(alone)];
  const [here, there] = await Promise.all(
    [disturbed, alone].map((address) => new SweepStore(address).place.borrow('runs')),
  );
  const isSame = (run: string, i: number) => {
    try {
      return isDeepStrictEqual(contentsOf(join(here.folder, run)), contentsOf(join(there.folder, expected[i].run)));
    } catch {
      return false;
    }
  };
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const result = {
    runs: found.length,
    finishedOnce: found.filter(({ done }) => done === 1).length,
    sameBytes: found.filter(({ run }, i) => isSame(run, i)).length,
    /** Claims beyond the first one of each run: by whoever took over, or went on. */
    takenUpAgain: sum(found.map(({ claims }) => claims - 1)),
    /** Of those, after their worker had given them back itself. */
    givenBack: sum(found.map(({ releases }) => releases)),
  };
  await Promise.all([here.close(), there.close()]);
  return result;
}

export type Comparison = Awaited<ReturnType<typeof compared>>;

export function sentence({ runs, finishedOnce, sameBytes, takenUpAgain, givenBack }: Comparison): string {
  return (
    `of ${runs} runs ${finishedOnce} were finished once, and ${sameBytes} have the bytes of a sweep on one machine; ` +
    `${takenUpAgain} times one was taken up again, ${givenBack} of them after it was given back`
  );
}
