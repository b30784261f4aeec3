import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checksummed } from '../files/index.js';
import { isBeingTrained, lockRun } from './lock.js';

const base = mkdtempSync(join(tmpdir(), 'psl-lock-'));
const group = join(base, 'group');
const replica = join(group, 'seed-1');
afterAll(() => rmSync(base, { recursive: true }));

beforeEach(() => {
  rmSync(group, { recursive: true, force: true });
  mkdirSync(replica, { recursive: true });
});

describe('isBeingTrained', () => {
  it('is true while a process holds the lock of the run, or of the folder around its replicas', () => {
    expect(isBeingTrained(group)).toBe(false);
    const unlock = lockRun(group);
    expect([group, replica].map(isBeingTrained)).toEqual([true, true]);
    unlock();
    expect([group, replica].map(isBeingTrained)).toEqual([false, false]);
  });

  it('is false where the process of the lock is gone, or its number belongs to another process by now', () => {
    lockRun(group);
    const path = join(group, 'lock');
    const holder = JSON.parse(readFileSync(path, 'utf8')) as { pid: number; host: string; began: string };
    const { pid, host } = holder;
    // Process numbers end far below this.
    for (const other of [
      { pid: 2 ** 30, host, began: holder.began },
      { pid, host, began: 'before' },
    ]) {
      writeFileSync(path, checksummed(JSON.stringify(other)));
      expect(isBeingTrained(group)).toBe(false);
    }
  });

  it('is false where the lock cannot be read', () => {
    writeFileSync(join(group, 'lock'), 'nothing');
    expect(isBeingTrained(group)).toBe(false);
  });
});
