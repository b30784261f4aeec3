import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checksummed } from '../files/index.js';
import { isBeingTrained, lockRun } from './lock.js';
import { thisProcess, type ProcessIdentity } from './process-identity.js';

const base = mkdtempSync(join(tmpdir(), 'psl-lock-'));
const group = join(base, 'group');
const replica = join(group, 'seed-1');
const path = join(group, 'lock');
const lockedBy = (holder: ProcessIdentity) => writeFileSync(path, checksummed(JSON.stringify(holder)));
/** Of a process that nobody finds: process numbers end far below this. */
const NOBODY = 2 ** 30;
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
    const self = thisProcess();
    for (const other of [
      { ...self, pid: NOBODY },
      { ...self, began: 'before' },
    ]) {
      lockedBy(other);
      expect(isBeingTrained(group)).toBe(false);
    }
  });

  it('looks for the process of a lock of an earlier version by its host alone', () => {
    const { pid, host, began } = thisProcess();
    lockedBy({ pid, host, began });
    expect(isBeingTrained(group)).toBe(true);
    lockedBy({ pid: NOBODY, host, began });
    expect(isBeingTrained(group)).toBe(false);
  });

  it('is false where the lock cannot be read', () => {
    writeFileSync(path, 'nothing');
    expect(isBeingTrained(group)).toBe(false);
  });
});

describe('lockRun', () => {
  it('takes over the lock of a process that is gone, and no lock of one that cannot be looked for', () => {
    const self = thisProcess();
    lockedBy({ ...self, pid: NOBODY });
    lockRun(group)();
    lockedBy({ ...self, pid: NOBODY, host: 'elsewhere' });
    expect(() => lockRun(group)).toThrow(
      `process ${NOBODY} on elsewhere is training it; if that is over, remove ${path}`,
    );
  });

  // Elsewhere a process does not know its table.
  it.runIf(process.platform === 'linux')(
    'says which lock to remove where its process had the same host name in another container, or before a restart',
    () => {
      const { host, began } = thisProcess();
      lockedBy({ pid: NOBODY, host, table: 'another', began });
      expect(() => lockRun(group)).toThrow(
        `process ${NOBODY} on ${host}, in another container or before this one was started again, is training it; ` +
          `if that is over, remove ${path}`,
      );
    },
  );

  it('unlocks nothing that somebody else holds by now', () => {
    const unlock = lockRun(group);
    lockedBy({ pid: NOBODY, host: 'elsewhere', began: null });
    const taken = readFileSync(path, 'utf8');
    unlock();
    expect(readFileSync(path, 'utf8')).toBe(taken);
    rmSync(path);
    unlock();
    expect(existsSync(path)).toBe(false);
  });
});
