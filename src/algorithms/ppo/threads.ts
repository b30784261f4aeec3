/**
 * PPO in several threads. Replicas are independent, so each thread trains some of them with a learner of its own: state
 * goes there with a rollout and comes back after the updates. Bundles for browsers have threads-in-browser.ts in place of this.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

import type { StateValue } from '../../envs/index.js';
import type { RandomState } from '../../random/index.js';
import { sharesAt, type FamilyShares } from '../family-fields.js';
import { loadDiagnostics, replicaPart, saveDiagnostics } from '../learner.js';
import type { Diagnostics, OnPolicyLearner, OnPolicyOptions, Rollout, SavedReplica } from '../learner.js';
import { ppo } from './ppo.js';
import type { PpoConfig } from './ppo.js';

/** What a thread is started with: everything that its learner is made of. */
export interface ThreadStart {
  readonly config: PpoConfig;
  readonly options: Omit<OnPolicyOptions, 'device'>;
  /** Of its policy family, which may be a user's own: threads have registries of their own, which do not know it. */
  readonly shares?: FamilyShares;
}

/** Some replicas, and the rollout that they learn from. */
export interface Lesson {
  readonly replicas: readonly SavedReplica[];
  readonly rollout: Rollout;
  readonly progress: number;
  readonly random: readonly RandomState[];
}

/** The same replicas afterwards, or why there are none. */
export type Learned =
  | {
      readonly replicas: readonly SavedReplica[];
      readonly random: readonly RandomState[];
      readonly diagnostics: Diagnostics;
      readonly updates: number;
    }
  | { readonly error: unknown };

/** Updates, over all replicas, from which on threads save more time than starting them and moving the state takes. */
const LEAST_UPDATES = 500;

/**
 * PPO whose replicas learn in threads. Threads of the device would synchronise after every operation; these do once in an
 * iteration. Everything but `learn` runs in this thread, and so does `learn` where there is one replica, one thread, or
 * little to do.
 */
export async function ppoInThreads(config: PpoConfig, options: OnPolicyOptions): Promise<OnPolicyLearner> {
  const learner = await ppo(config, options);
  const { device, replicas, ...rest } = options;
  const updates = (config.epochs * rest.environments * rest.horizon) / rest.batch;
  const count = updates * replicas >= LEAST_UPDATES ? largestDivisor(replicas, device.threads ?? 1) : 1;
  if (count === 1) return learner;
  const perShare = replicas / count;
  const start: ThreadStart = {
    config,
    options: { ...rest, replicas: perShare },
    ...('alpha' in config && { shares: sharesAt(config.family, config.alpha) }),
  };
  const threads = Array.from({ length: count }, () => new Thread(start));
  let last: Diagnostics = {};
  return {
    ...learner,
    learn: async (rollout, { progress, random }) => {
      const lessons = await Promise.all(
        threads.map(async (_, share): Promise<Lesson> => {
          const ofShare = Array.from({ length: perShare }, (_replica, i) => share * perShare + i);
          return {
            replicas: await Promise.all(ofShare.map((replica) => learner.saveReplica(replica))),
            rollout: shareOf(rollout, share, count),
            progress,
            random: ofShare.map((replica) => random[replica].state),
          };
        }),
      );
      // All of them are waited for, also where one fails: the next lesson must find them ready.
      const answers = await Promise.allSettled(threads.map((thread, share) => thread.learn(lessons[share])));
      const learned = answers.map((answer) => {
        if (answer.status === 'rejected') throw answer.reason;
        return answer.value;
      });
      learned.forEach((part, share) => {
        part.replicas.forEach((saved, i) => {
          const replica = share * perShare + i;
          learner.loadReplica(replica, saved, { goesOn: true });
          random[replica].state = part.random[i];
        });
      });
      last = Object.fromEntries(
        Object.keys(learned[0].diagnostics).map((name) => [
          name,
          Float64Array.from(learned.flatMap(({ diagnostics }) => Array.from(diagnostics[name]))),
        ]),
      );
      return learned[0].updates;
    },
    diagnostics: () => last,
    save: () => ({ ...(learner.save() as Readonly<Record<string, StateValue>>), diagnostics: saveDiagnostics(last) }),
    load: (saved) => {
      learner.load(saved);
      last = loadDiagnostics((saved as Readonly<Record<string, StateValue>>).diagnostics);
    },
    dispose: async () => {
      await Promise.all(threads.map((thread) => thread.end()));
      await learner.dispose();
    },
  };
}

/** The largest number of equal shares that is not above a limit. */
function largestDivisor(count: number, limit: number): number {
  for (let divisor = Math.min(count, limit); divisor > 1; divisor--) if (count % divisor === 0) return divisor;
  return 1;
}

/** Copies: a message takes along whatever lies in the same memory. */
function shareOf(rollout: Rollout, share: number, shares: number): Rollout {
  const replicas = rollout.cut.length / shares;
  return {
    seen: replicaPart(rollout.seen, share, shares).slice(),
    action: replicaPart(rollout.action, share, shares).slice(),
    reward: replicaPart(rollout.reward, share, shares).slice(),
    end: replicaPart(rollout.end, share, shares).slice(),
    preferences: replicaPart(rollout.preferences, share, shares).slice(),
    cut: rollout.cut
      .slice(share * replicas, (share + 1) * replicas)
      .map((steps) => steps.map(({ row, seen }) => ({ row, seen: seen.slice() }))),
  };
}

/** A thread that learns when it is given a lesson. It is started with its first one. */
class Thread {
  private worker: Worker | undefined;
  private ended: Error | undefined;
  private giveUp: ((reason: Error) => void) | undefined;

  constructor(private readonly start: ThreadStart) {}

  async learn(lesson: Lesson): Promise<Exclude<Learned, { error: unknown }>> {
    if (this.ended !== undefined) throw this.ended;
    const worker = (this.worker ??= this.begin());
    // Otherwise the process could end while only this thread works.
    worker.ref();
    try {
      const learned = await new Promise<Learned>((resolve, reject) => {
        this.giveUp = reject;
        worker.once('message', resolve);
        worker.postMessage(lesson, buffersOf(lesson));
      });
      if ('error' in learned) throw learned.error;
      return learned;
    } finally {
      this.giveUp = undefined;
      worker.unref();
    }
  }

  private begin(): Worker {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: this.start,
      // Without the options of this process, which may be about its own program, such as --eval.
      execArgv: [],
    });
    const end = (how: string, cause?: unknown): void => {
      this.ended ??= new Error(`a thread in which PPO learns ${how}, and its replicas with it.`, { cause });
      this.giveUp?.(this.ended);
    };
    worker.on('error', (cause) => end(`failed (${cause.message})`, cause));
    worker.on('exit', (code) => end(`ended with exit code ${code}`));
    return worker;
  }

  /** Lets it finish: a thread that is ended while onnxruntime works may take the process with it. */
  async end(): Promise<void> {
    const { worker } = this;
    if (worker === undefined || this.ended !== undefined) return;
    const ended = once(worker, 'exit');
    worker.ref();
    worker.postMessage('end');
    await ended;
  }
}

/** Memory that goes over to the thread with a lesson. */
function buffersOf({ rollout, replicas }: Lesson): Transferable[] {
  const { seen, action, reward, end, preferences } = rollout;
  const tensors = replicas.flatMap((replica) => [...replica.tensors.values()]);
  return [seen, action, reward, end, preferences, ...tensors].map(({ buffer }) => buffer as ArrayBuffer);
}
