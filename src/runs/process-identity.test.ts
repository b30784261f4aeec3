import { describe, expect, it } from 'vitest';
import { canLookFor, isAlive, thisProcess } from './process-identity.js';

describe('canLookFor', () => {
  const self = { pid: 7, host: 'node', table: 'boot-1 pid:[1]', began: '100' };

  it('is true of another process in the same process table', () => {
    expect(canLookFor({ ...self, pid: 8, began: '200' }, self)).toBe(true);
  });

  it('is false of one on another host, in another PID namespace, and of another boot', () => {
    expect(canLookFor({ ...self, host: 'other' }, self)).toBe(false);
    expect(canLookFor({ ...self, table: 'boot-1 pid:[2]' }, self)).toBe(false);
    expect(canLookFor({ ...self, table: 'boot-2 pid:[1]' }, self)).toBe(false);
  });

  it('goes by the host where one of the two does not tell its table, as earlier versions did', () => {
    const { table, ...untold } = self;
    expect(canLookFor(untold, { ...untold, table })).toBe(true);
    expect(canLookFor({ ...untold, table }, untold)).toBe(true);
    expect(canLookFor({ ...untold, host: 'other' }, self)).toBe(false);
  });
});

describe('isAlive', () => {
  it('is true of this process, and false of one that is not in its table', () => {
    expect(isAlive(thisProcess())).toBe(true);
    // Process numbers end far below this.
    expect(isAlive({ ...thisProcess(), pid: 2 ** 30 })).toBe(false);
  });
});
