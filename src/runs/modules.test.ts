import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { importRunModules } from './modules.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'psl-run-modules-')));
const run = join(home, 'runs', 'run');
afterAll(() => rmSync(home, { recursive: true, force: true }));

declare global {
  var imported: string | undefined;
}

/** A module that says that it ran, and then adds nothing. */
function write(path: string): string {
  writeFileSync(path, `globalThis.imported = ${JSON.stringify(path)};\n`);
  return path;
}

/** A run whose environment is of a module. */
function noted(module: string): void {
  mkdirSync(run, { recursive: true });
  const config = { format: 1, env: 'somebody-elses', algorithm: 'psl-ddqn', modules: { environment: module } };
  writeFileSync(join(run, 'config.json'), JSON.stringify(config));
}

beforeEach(() => (globalThis.imported = undefined));

describe('the module that a run notes', () => {
  it('is imported where it is', async () => {
    const module = write(join(home, 'own.mjs'));
    noted(module);
    await expect(importRunModules(run)).rejects.toThrow('cannot be imported');
    expect(globalThis.imported).toBe(module);
  });

  const links = () => {
    write(join(home, 'meant.mjs'));
    symlinkSync(join(home, 'meant.mjs'), join(home, 'link.mjs'));
    return join(home, 'link.mjs');
  };
  const came = () => {
    mkdirSync(run, { recursive: true });
    return write(join(run, 'evil.mjs'));
  };
  it.each<[string, () => string, RegExp]>([
    ['by a relative path', () => relative(process.cwd(), write(join(home, 'near.mjs'))), /which no training notes/],
    ['on another machine', () => '\\\\there\\share\\evil.mjs', /which no training notes/],
    ['on another machine, with slashes', () => '//there/share/evil.mjs', /which no training notes/],
    ['by a link', links, /is a link or came with the run/],
    ['in the folder of the run', came, /is a link or came with the run/],
    ['at a place where nothing is', () => join(home, 'gone.mjs'), /which is not there/],
  ])('is not imported %s', async (_, path, reason) => {
    noted(path());
    await expect(importRunModules(run)).rejects.toThrow(reason);
    expect(globalThis.imported).toBeUndefined();
  });
});
