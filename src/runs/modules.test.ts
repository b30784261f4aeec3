import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerFamily } from '../algorithms/index.js';
import { planTraining, type TrainingPlan } from '../training/index.js';
import { importModule, importRunModules, moduleFiles } from './modules.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'psl-run-modules-')));
const run = join(home, 'runs', 'run');
afterAll(() => rmSync(home, { recursive: true, force: true }));

declare global {
  var imported: string | undefined;
  var register: () => void;
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
    ['on another machine', () => '\\\\there\\share\\evil.mjs', /on another machine/],
    ['on another machine, with slashes', () => '//there/share/evil.mjs', /on another machine/],
    ['on another machine that is mounted when it is asked for', () => '/net/there/evil.mjs', /on another machine/],
    ['on another machine by AFS', () => '/afs/there/evil.mjs', /on another machine/],
    ['on another machine by a detour', () => '/home/../net/there/evil.mjs', /which no training notes/],
    ['by a link', links, /which is a link/],
    ['in the folder of the run', came, /which came with the run/],
    ['at a place where nothing is', () => join(home, 'gone.mjs'), /which is not there/],
  ])('is not imported %s', async (_, path, reason) => {
    noted(path());
    await expect(importRunModules(run)).rejects.toThrow(reason);
    expect(globalThis.imported).toBeUndefined();
  });

  it('is not imported from the folder that is opened with several runs', async () => {
    noted(write(join(home, 'runs', 'beside.mjs')));
    await expect(importRunModules(join(home, 'runs'))).rejects.toThrow(/which came with the run/);
    expect(globalThis.imported).toBeUndefined();
    await expect(importRunModules(run)).rejects.toThrow('cannot be imported');
    expect(globalThis.imported).toBeDefined();
  });

  it('is imported from a folder of runs that one works in', async () => {
    noted(write(join(home, 'runs', 'mine.mjs')));
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(join(home, 'runs'));
    await expect(importRunModules(join(home, 'runs'))).rejects.toThrow('cannot be imported');
    cwd.mockRestore();
    expect(globalThis.imported).toBe(join(home, 'runs', 'mine.mjs'));
  });
});

describe('moduleFiles', () => {
  it('says so where the file of a module is gone since it was imported', async () => {
    globalThis.register = () => registerFamily({ name: 'gone', summary: '', shares: () => ({ base: 1 }) });
    const module = join(home, 'family.mjs');
    writeFileSync(module, 'globalThis.register();\n');
    await importModule(pathToFileURL(module));
    const plan = {
      ...planTraining({ env: 'deep-sea-treasure' }),
      config: { family: 'gone' },
    } as unknown as TrainingPlan;
    expect(moduleFiles(plan)).toEqual({ family: module });
    rmSync(module);
    const sentence = `family "gone" was imported from ${module}, which is not there any more.`;
    expect(() => moduleFiles(plan)).toThrow(new RangeError(sentence));
  });
});
