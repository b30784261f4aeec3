/** A training as a stream of what happens in it, for `for await`. */
import type { Evaluated, Progress } from '../training/index.js';
import type { RecorderOptions, TrainedRuns } from './recorder.js';

export type RunEvent =
  /** From here on the run can be resumed, whatever ends it. */
  | { readonly kind: 'opened'; readonly folder: string }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** Of one replica. */
  | { readonly kind: 'evaluated'; readonly evaluated: Evaluated }
  /** The last one; also of a training that was stopped, where there is a policy set to end with. */
  | { readonly kind: 'finished'; readonly trained: TrainedRuns };

/** What a training has to be started with, so that it can be followed. */
export type Watched = Required<Pick<RecorderOptions, 'events' | 'opened' | 'signal'>>;

/**
 * Starts a training and yields its events. Progress that nobody waited for is left out, all else comes in order. Leaving
 * the loop stops the training, which then saves what it has; errors of the training come out of the loop.
 * @param start such as (watched) => trainRun(plan, watched), or resumeRun
 * @param signal stops it too
 */
export async function* runEvents(
  start: (watched: Watched) => Promise<TrainedRuns>,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent, void, undefined> {
  const leaving = new AbortController();
  const waiting: RunEvent[] = [];
  let wake = (): void => undefined;
  const tell = (event: RunEvent): void => {
    if (event.kind === 'progress' && waiting.at(-1)?.kind === 'progress') waiting.pop();
    waiting.push(event);
    wake();
  };
  const is = { over: false };
  const training = start({
    signal: signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]),
    opened: (folder) => tell({ kind: 'opened', folder }),
    events: {
      progress: (progress) => tell({ kind: 'progress', progress }),
      evaluated: (evaluated) => tell({ kind: 'evaluated', evaluated }),
    },
  })
    .then((trained) => tell({ kind: 'finished', trained }))
    .finally(() => {
      is.over = true;
      wake();
    });
  // Its error is thrown below, when what came before it has been read.
  training.catch(() => undefined);
  try {
    while (true) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (is.over) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    leaving.abort();
    await training;
  }
}
