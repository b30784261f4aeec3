import { describe, expect, it } from 'vitest';
import { claimsToContinue, entryIn, entryOfDeath, isOpen, isSettled, standingOf, type Entry } from './log.js';

const claimed = (worker: string): Entry => ({ kind: 'claimed', worker });
const released = (why: 'stopped' | 'died' | 'damaged'): Entry => ({ kind: 'released', why });
const done: Entry = { kind: 'done', claim: 1, worker: 'a', results: [] };

describe('the log of a training', () => {
  it('says how the training stands by its last entry', () => {
    expect(standingOf([])).toEqual({ is: 'waiting' });
    expect(standingOf([claimed('a')])).toEqual({ is: 'claimed', claim: 1, worker: 'a' });
    expect(standingOf([claimed('a'), claimed('b')])).toEqual({ is: 'claimed', claim: 2, worker: 'b' });
    expect(standingOf([claimed('a'), released('stopped')])).toEqual({ is: 'waiting' });
    expect(standingOf([claimed('a'), { kind: 'failed', error: 'why' }])).toEqual({ is: 'failed', error: 'why' });
    expect(standingOf([{ kind: 'cancelled' }, { kind: 'retried' }])).toEqual({ is: 'waiting' });
    expect(standingOf([claimed('a'), done])).toEqual({ is: 'done', claim: 1, results: [] });
    // Of a later version: whatever it says, an entry behind it is possible.
    expect(standingOf([claimed('a'), { kind: 'unreadable' }])).toEqual({ is: 'waiting' });
  });

  it('can be claimed while it waits, or where its worker is gone, and never once it is settled', async () => {
    const isAlive = (worker: string) => worker === 'alive';
    const open = (...entries: Entry[]) => isOpen(standingOf(entries), isAlive);
    expect(await open()).toBe(true);
    expect(await open(claimed('alive'))).toBe(false);
    expect(await open(claimed('gone'))).toBe(true);
    for (const last of [done, { kind: 'failed', error: '' } as const, { kind: 'cancelled' } as const]) {
      expect(await open(claimed('gone'), last)).toBe(false);
      expect(isSettled(standingOf([claimed('gone'), last]))).toBe(true);
    }
  });

  it('blames the training when its process has died three times, and forgives where it is retried', () => {
    const once = [claimed('a'), released('died'), claimed('b')];
    expect(entryOfDeath([claimed('a')], 'it ended')).toEqual(released('died'));
    expect(entryOfDeath(once, 'it ended')).toEqual(released('died'));
    const twice = [...once, released('died'), claimed('c'), released('stopped'), claimed('d')];
    expect(entryOfDeath(twice, 'it ended')).toEqual({ kind: 'failed', error: 'it ended, 3 times' });
    expect(entryOfDeath([...twice, { kind: 'retried' }, claimed('e')], 'it ended')).toEqual(released('died'));
  });

  it('goes on from the latest claim, and from none before files that were damaged', () => {
    expect(claimsToContinue([claimed('a'), claimed('b'), released('stopped')])).toEqual([2, 1]);
    expect(claimsToContinue([claimed('a'), released('damaged'), claimed('b')])).toEqual([3]);
    expect(claimsToContinue([claimed('a'), released('damaged')])).toEqual([]);
  });

  it('reads its entries back, and takes nothing else for one', () => {
    const entries: Entry[] = [
      claimed('a'),
      released('died'),
      { kind: 'failed', error: 'x' },
      done,
      { kind: 'retried' },
    ];
    for (const entry of entries) expect(entryIn({ ...entry, at: '2026-01-01' })).toEqual(entry);
    for (const other of [
      undefined,
      null,
      7,
      {},
      { kind: 'claimed' },
      { kind: 'done', claim: 'x' },
      { kind: 'later' },
    ]) {
      expect(entryIn(other)).toEqual({ kind: 'unreadable' });
    }
  });
});
