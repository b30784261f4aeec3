import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, whyNotWritable } from './index.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'psl-folders-'));
  writeFileSync(join(folder, 'file'), 'mine');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file system that is there and accepts no folder, which Linux has. */
const acceptsNothing = process.platform === 'linux' ? it : it.skip;

describe('makeFolder', () => {
  it('makes a folder with all those around it, and leaves one that is there alone', () => {
    const path = join(folder, 'a', 'b', 'c');
    makeFolder(path);
    writeFileSync(join(path, 'kept'), '');
    makeFolder(path);
    expect(readdirSync(path)).toEqual(['kept']);
  });

  it('says in a sentence that a file is in the way', () => {
    const path = join(folder, 'file');
    expect(() => makeFolder(path)).toThrow(`${path} could not be written (file already exists).`);
    expect(() => makeFolder(join(path, 'below'))).toThrow('could not be written (not a directory).');
  });

  acceptsNothing('gives up where a file system accepts no folder', () => {
    expect(() => makeFolder('/proc/psl/run')).toThrow(
      '/proc/psl/run could not be written (no such file or directory).',
    );
  });
});

describe('whyNotWritable', () => {
  it('finds nothing against a folder that can be made, and leaves none behind', () => {
    expect(whyNotWritable(join(folder, 'new', 'run'))).toBeUndefined();
    expect(existsSync(join(folder, 'new'))).toBe(false);
    expect(whyNotWritable(folder)).toBeUndefined();
  });

  it('gives the reason of the file system', () => {
    expect(whyNotWritable(join(folder, 'file'))).toBe('file already exists');
  });

  acceptsNothing('gives the reason of a file system that accepts no folder', () => {
    expect(whyNotWritable('/proc/psl/run')).toBe('no such file or directory');
  });
});
