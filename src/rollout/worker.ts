/** The program of a worker thread: it holds a share of each pool and steps it when told to. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { envIds, importEnvs, prepareEnv } from '../envs/index.js';
import type { EnvState } from '../envs/index.js';
import { allowTypeScript } from '../typescript/index.js';
import { Word } from './protocol.js';
import type { Answer, Request, Share, WorkerStart } from './protocol.js';
import { EnvFault, EnvRows, PoolArrays } from './rows.js';

const { signal, port } = workerData as WorkerStart;
const shares = new Set<OpenShare>();

interface OpenShare extends Share {
  readonly rows: EnvRows;
  stepsTaken: number;
}

while (true) {
  // Read before looking for work: whatever comes after that changes it, and the wait below is over at once.
  const seen = Atomics.load(signal, 0);
  for (const share of received<Share>(port)) await open(share);
  for (const share of shares) {
    if (share.stepsTaken !== Atomics.load(share.words, Word.steps)) step(share);
    for (const request of received<Request>(share.port)) obey(share, request);
  }
  Atomics.wait(signal, 0, seen);
}

function* received<T>(from: MessagePort): Generator<T> {
  for (let next = receiveMessageOnPort(from); next !== undefined; next = receiveMessageOnPort(from)) {
    yield next.message as T;
  }
}

async function open(share: Share): Promise<void> {
  const { env, module, options, shape, buffer, from, seeds } = share;
  try {
    if (module !== undefined) {
      allowTypeScript(module);
      await importEnvs(module);
    }
    if (!envIds().includes(env)) {
      throw new Error(`${env} is not known to worker threads: add it with importEnvs, or use no workers.`);
    }
    await prepareEnv(env);
    const rows = new EnvRows(env, options, new PoolArrays(shape, buffer), from, seeds);
    shares.add({ ...share, rows, stepsTaken: 0 });
    answer(share, { kind: 'done', states: [] });
  } catch (error) {
    answer(share, { kind: 'error', error });
  }
}

function step(share: OpenShare): void {
  share.stepsTaken = (share.stepsTaken + 1) | 0;
  try {
    share.rows.step();
    answer(share);
  } catch (error) {
    if (!(error instanceof EnvFault)) throw error;
    const { row, step, cause } = error;
    answer(share, { kind: 'fault', row, step, cause });
  }
}

function obey(share: OpenShare, request: Request): void {
  try {
    answer(share, { kind: 'done', states: statesAfter(share, request) });
  } catch (error) {
    answer(share, { kind: 'error', error });
  }
}

/** Does what is requested. Only saving returns something. */
function statesAfter(share: OpenShare, request: Request): EnvState[] {
  switch (request.kind) {
    case 'save':
      return share.rows.save();
    case 'restore':
      share.rows.restore(request.states);
      return [];
    case 'close':
      share.rows.close();
      shares.delete(share);
      return [];
  }
}

function answer({ words, port, worker }: Share, message?: Answer): void {
  if (message !== undefined) {
    port.postMessage(message);
    Atomics.store(words, Word.messages, 1);
  }
  Atomics.add(words, Word.answeredBy + worker, 1);
  if (Atomics.sub(words, Word.missing, 1) > 1) return;
  Atomics.add(words, Word.answered, 1);
  Atomics.notify(words, Word.answered);
}
