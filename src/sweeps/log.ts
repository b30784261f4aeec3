/**
 * What happened to a training of a sweep, as a list of entries to which every machine can add. An entry is added by whoever
 * makes its number first, and only at the end of what he has seen: so the list is the same for all, and the number of a claim
 * is a fencing token. Whoever lost his claim finds its successor in the place where he would have written his result.
 */

/** What a finished training came to, one for each of its runs. */
export interface JobResult {
  readonly run: string;
  readonly hypervolume: number;
  readonly envSteps: number;
  readonly seconds: number;
  /** Of all its files but result.json, which has the clock in it. */
  readonly sha256: string;
}

export type Entry =
  | { readonly kind: 'claimed'; readonly worker: string }
  /** The claim is given up, and whoever comes next goes on from what it saved, if anything. */
  | { readonly kind: 'released'; readonly why: Release }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'cancelled' }
  /** Whatever failed or was cancelled is to be trained after all. */
  | { readonly kind: 'retried' }
  | { readonly kind: 'done'; readonly claim: number; readonly worker: string; readonly results: readonly JobResult[] }
  /** Of a later version, or torn by a file system that cannot make a file at once. */
  | { readonly kind: 'unreadable' };

/** `died` is the fault of the training, in a process that ended without a word; `damaged` means to begin anew. */
export type Release = 'stopped' | 'died' | 'damaged';

export type Standing =
  | { readonly is: 'waiting' }
  | { readonly is: 'claimed'; readonly claim: number; readonly worker: string }
  | { readonly is: 'failed'; readonly error: string }
  | { readonly is: 'cancelled' }
  | { readonly is: 'done'; readonly claim: number; readonly results: readonly JobResult[] };

/** How often the process of a training may die before the training itself is blamed. */
export const MOST_DEATHS = 3;

/** @param entries the first has the number 1 */
export function standingOf(entries: readonly Entry[]): Standing {
  const last = entries.at(-1);
  switch (last?.kind) {
    case 'claimed':
      return { is: 'claimed', claim: entries.length, worker: last.worker };
    case 'failed':
      return { is: 'failed', error: last.error };
    case 'cancelled':
      return { is: 'cancelled' };
    case 'done':
      return { is: 'done', claim: last.claim, results: last.results };
    default:
      return { is: 'waiting' };
  }
}

/** Whether a training waits for nobody any more. */
export function isSettled({ is }: Standing): boolean {
  return is === 'done' || is === 'failed' || is === 'cancelled';
}

/** Whether somebody may claim it. */
export async function isOpen(
  standing: Standing,
  isAlive: (worker: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  return standing.is === 'waiting' || (standing.is === 'claimed' && !(await isAlive(standing.worker)));
}

/** What is written of a training whose process died: that it is to be tried again or, after some times, that it failed. */
export function entryOfDeath(
  entries: readonly Entry[],
  error: string,
): Extract<Entry, { readonly kind: 'released' | 'failed' }> {
  const since = entries.slice(entries.findLastIndex(({ kind }) => kind === 'retried') + 1);
  const deaths = 1 + since.filter((entry) => entry.kind === 'released' && entry.why !== 'stopped').length;
  if (deaths < MOST_DEATHS) return { kind: 'released', why: 'died' };
  return { kind: 'failed', error: `${error}, ${deaths} times` };
}

/** Earlier claims whose files a new one can go on from, the latest first. */
export function claimsToContinue(entries: readonly Entry[]): number[] {
  const from = entries.findLastIndex((entry) => entry.kind === 'released' && entry.why === 'damaged') + 1;
  return entries.flatMap(({ kind }, i) => (kind === 'claimed' && i >= from ? i + 1 : [])).reverse();
}

/** Reads an entry back. */
export function entryIn(value: unknown): Entry {
  const { kind, worker, why, error, claim, results } = (value ?? {}) as Record<string, unknown>;
  if (kind === 'claimed' && typeof worker === 'string') return { kind, worker };
  if (kind === 'released' && (why === 'stopped' || why === 'died' || why === 'damaged')) return { kind, why };
  if (kind === 'failed' && typeof error === 'string') return { kind, error };
  if (kind === 'cancelled' || kind === 'retried') return { kind };
  if (kind === 'done' && Number.isSafeInteger(claim) && typeof worker === 'string' && Array.isArray(results)) {
    return { kind, claim: claim as number, worker, results: results as readonly JobResult[] };
  }
  return { kind: 'unreadable' };
}
