/** Bytes of a run that change, on a disk or on the way: each is noticed, or makes no difference. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { exportPage, findRuns, serve } from '../src/explorer/index.js';
import { checksum } from '../src/files/index.js';
import { Random } from '../src/random/index.js';
import { encodeManifest } from '../src/runs/checkpoint.js';
import {
  changedFiles,
  isChanged,
  loadPolicy,
  openRun,
  readKeys,
  readReturns,
  resumeRun,
  trainRun,
} from '../src/runs/index.js';
import { planTraining } from '../src/training/index.js';
import { callsOf } from './support/calls.js';
import { mutatedData } from './support/mutate.js';
import { contentsOf, filesBelow, flipByte, newestCheckpoint } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { stopAfter } from './support/stop-after.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
// Drawing pixels takes a third of the time of these trainings, and what is drawn is compared as SVG.
vi.mock('../src/plots/png.js', () => ({ svgToPng: (svg: string) => Promise.resolve(new TextEncoder().encode(svg)) }));
vi.mock('../src/tensor/onnx/runtime.js', async (original) =>
  (await import('./support/shared-sessions.js')).sharing(
    await original<typeof import('../src/tensor/onnx/runtime.js')>(),
  ),
);

const folder = temporaryFolder('damage');
const at = (name: string) => join(folder, name);

const settings = {
  steps: 240,
  children: 4,
  evaluations: 4,
  evaluationDivisions: 1,
  startSteps: 4,
  learnAfter: 20,
  updatesPerStep: 0.5,
  batch: 8,
  groups: 4,
  capacity: 100,
  hidden: [6],
  hyperHidden: [4],
  hyperFeatures: 2,
  keep: 'best',
};
const plan = planTraining({ env: 'fruit-tree-d5', settings, device: 'cpu:1', seed: 12 });
const [whole, stopped] = [at('whole'), at('stopped')];

beforeAll(async () => {
  await trainRun(plan, { out: whole });
  const events = stopAfter(40);
  await trainRun(plan, { out: stopped, events, checkpointEvery: 0 });
});

/** As a manifest's file has it. */
type Manifest = Parameters<typeof encodeManifest>[0] & { readonly sha256: string };

let copies = 0;
/** A copy of a run whose file was changed. */
function damagedCopy(run: string, name: string, damage: (path: string) => void): string {
  const out = at(`copy-${++copies}`);
  cpSync(run, out, { recursive: true });
  damage(join(out, name));
  return out;
}

const { call } = callsOf({ psl, commands, capture });

describe('a run that is to go on', () => {
  /** What happens to a run with a damage: the same in the end, or a refusal; and what is said about it. */
  async function outcomeOf(out: string) {
    const warnings: string[] = [];
    const problem = await resumeRun(out, { warn: (warning) => warnings.push(warning) }).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    return { problem, warnings: warnings.join('\n'), isSame: problem === undefined && sameButFronts(out) };
  }

  /** Whether it came to the same, leaving aside fronts of earlier evaluations, which a resumed run does not make anew. */
  function sameButFronts(out: string): boolean {
    const [found, expected] = [out, whole].map((run) => {
      return JSON.stringify(Object.entries(contentsOf(run)).filter(([name]) => !/^fronts\/\d+\.json$/.test(name)));
    });
    return found === expected;
  }

  it('notices a byte that changed in any of its files, or makes the file anew', async () => {
    const random = new Random(3);
    const names = filesBelow(stopped);
    for (const kind of ['config.json', 'metrics.jsonl', 'fronts/60.json', 'fronts/final.json', 'model.json']) {
      expect(names).toContain(kind);
    }
    expect(names.filter((name) => name.startsWith('checkpoint/')).length).toBeGreaterThan(8);
    const newest = newestCheckpoint(stopped);
    const isOfNewest = (file: string) => new RegExp(`-${newest}\\.`).test(file);
    for (const name of names) {
      const out = damagedCopy(stopped, name, (path) => flipByte(path, random));
      const { problem, warnings, isSame } = await outcomeOf(out);
      const file = name.split('/').at(-1)!;
      if (name === 'config.json') expect(problem).toContain('config.json');
      else if (/^fronts\/\d/.test(name)) expect([isSame, warnings]).toEqual([true, expect.stringContaining(file)]);
      else if (name.startsWith('checkpoint/')) {
        const passedOver = `checkpoint ${newest} has [^\n]*; the one before it is used`;
        // Transitions that both generations share are there once: without them neither can be used.
        if (problem !== undefined)
          expect([file.startsWith('replay-'), problem]).toEqual([true, expect.stringContaining(file)]);
        else if (isOfNewest(file)) expect([isSame, warnings]).toEqual([true, expect.stringMatching(passedOver)]);
        else expect([isSame, warnings]).toEqual([true, '']);
      } else expect([isSame, warnings, problem]).toEqual([true, '', undefined]);
    }
  });

  it('notices files that are torn, empty or gone', async () => {
    const newest = newestCheckpoint(stopped);
    const parts = [`generation-${newest}.json`, `state-${newest}.json`, `tensors-${newest}.safetensors`];
    const damages: ((path: string) => void)[] = [
      (path) => truncateSync(path, readFileSync(path).length >> 1),
      (path) => truncateSync(path, 0),
      (path) => rmSync(path),
    ];
    for (const part of parts) {
      for (const damage of damages) {
        const { isSame, warnings } = await outcomeOf(damagedCopy(stopped, `checkpoint/${part}`, damage));
        expect(isSame).toBe(true);
        // A generation without a manifest never was one.
        if (!part.startsWith('generation') || damage !== damages[2]) {
          expect(warnings).toMatch(new RegExp(`^checkpoint ${newest} (?:has|lacks) .*; the one before it is used$`));
        }
      }
    }
    const torn = damagedCopy(stopped, 'config.json', damages[0]);
    expect((await outcomeOf(torn)).problem).toContain('config.json is not valid JSON');
  });

  it('is refused in a sentence where no checkpoint is whole, and stays as it is', async () => {
    const out = at('destroyed');
    cpSync(stopped, out, { recursive: true });
    const names = filesBelow(out).filter((name) => name.startsWith('checkpoint/'));
    for (const name of names) writeFileSync(join(out, name), 'x');
    const before = contentsOf(out);
    const { code, error } = await call('resume', out);
    expect(code).toBe(2);
    expect(error).toMatch(/^psl: RUN is "[^"]*", but must be the folder of a run that can be resumed \([^\n]*\)\.\n$/);
    expect(contentsOf(out)).toEqual(before);
  });

  it('does not go on from the checkpoint of another', async () => {
    const other = at('other');
    const events = stopAfter(10);
    await trainRun({ ...plan, seed: 13 }, { out: other, events });
    const out = damagedCopy(stopped, 'config.json', (path) => cpSync(join(other, 'config.json'), path));
    const { code, error } = await call('resume', out);
    expect(code).toBe(2);
    expect(error).toContain('config.json is not the one that its checkpoint was written for).');
  });

  it('refuses a checkpoint that somebody made up, or goes on from it, and touches nothing else', async () => {
    const random = new Random(6);
    const newest = newestCheckpoint(stopped);
    const [manifest, state] = ['generation', 'state'].map((part) => `checkpoint/${part}-${newest}.json`);
    for (let i = 0; i < 30; i++) {
      // All its checksums are right.
      const forged = damagedCopy(stopped, state, (path) => {
        const saved = JSON.stringify(mutatedData(JSON.parse(readFileSync(path, 'utf8')), random));
        writeFileSync(path, saved);
        const { sha256: _, ...listed } = JSON.parse(readFileSync(join(stopped, manifest), 'utf8')) as Manifest;
        const part = { file: `state-${newest}.json`, bytes: Buffer.byteLength(saved), sha256: checksum(saved) };
        const text = encodeManifest({ ...listed, state: part });
        const folder = dirname(path);
        for (const name of readdirSync(folder)) if (name.startsWith('generation-')) rmSync(join(folder, name));
        writeFileSync(join(folder, `generation-${newest}.json`), text);
      });
      const before = filesBelow(folder).filter((name) => !name.startsWith(`copy-${copies}/`));
      const events = stopAfter(2);
      const problem = await resumeRun(forged, { events }).then(
        () => 'none',
        (error: unknown) => (error as Error).message,
      );
      expect(problem).not.toBe('');
      expect(filesBelow(folder).filter((name) => !name.startsWith(`copy-${copies}/`))).toEqual(before);
      rmSync(forged, { recursive: true });
    }
  });

  it('says so where it was begun by another version', async () => {
    const out = at('older');
    cpSync(stopped, out, { recursive: true });
    rmSync(join(out, 'checkpoint'), { recursive: true });
    rmSync(join(out, 'result.json'));
    const config = readFileSync(join(out, 'config.json'), 'utf8');
    // One of the first format, which has no checksums.
    writeFileSync(
      join(out, 'config.json'),
      config
        .replace('"format": 2', '"format": 1')
        .replace(/"psl": "[^"]*"/, '"psl": "0.0.9"')
        .replace(/,\s*"sha256": "\w+"/, ''),
    );
    const { isSame, warnings, problem } = await outcomeOf(out);
    expect([isSame, problem]).toEqual([false, undefined]);
    expect(warnings).toMatch(/^this run was begun with psl 0\.0\.9 on Node \S+, and goes on with psl \S+ on Node /);
    expect(readFileSync(join(out, 'model.safetensors')).equals(readFileSync(join(whole, 'model.safetensors')))).toBe(
      true,
    );
  });
});

describe('a run that is finished', () => {
  /** Everything that reads a file of a run, by the file. */
  const readers: Readonly<Record<string, (run: string) => unknown>> = {
    'config.json': openRun,
    'result.json': openRun,
    'fronts/final.json': (run) => readReturns(openRun(run)),
    'model.json': (run) => loadPolicy(openRun(run)),
    'model.safetensors': (run) => loadPolicy(openRun(run)),
    'keys.json': readKeys,
  };

  async function problemOf(run: string, read: (run: string) => unknown): Promise<string | undefined> {
    try {
      await read(run);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('is refused, naming the file, by whatever reads one that changed', async () => {
    const random = new Random(4);
    const continuous = {
      criticHidden: [6],
      updatesPerStep: 0.1,
      evaluations: 1,
      steps: 40,
      criticAngle: 1,
      keyUpdates: null,
    };
    const withKeys = at('with-keys');
    const robot = { env: 'mo-swimmer-v2', device: 'cpu:1', workers: 0, settings: { ...settings, ...continuous } };
    await trainRun(planTraining(robot), { out: withKeys });
    for (const name of filesBelow(withKeys)) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      for (let flip = 0; flip < (name.startsWith('model') ? 4 : 40); flip++) {
        const out = damagedCopy(withKeys, name, (path) => flipByte(path, random));
        if (read !== undefined) expect(await problemOf(out, read)).toContain(name);
        // What the explorer asks about every file that it gives out, and psl eval about all.
        expect(isChanged(out, name) || /is not valid JSON/.test((await problemOf(out, openRun)) ?? '')).toBe(true);
        if (!['config.json', 'result.json'].includes(name)) expect(changedFiles(openRun(out))).toEqual([name]);
        rmSync(out, { recursive: true });
      }
    }
    expect(changedFiles(openRun(withKeys))).toEqual([]);
    expect(filesBelow(withKeys).filter((name) => isChanged(withKeys, name))).toEqual([]);
  });

  it('is evaluated with a warning where a file changed that is not needed', async () => {
    const out = damagedCopy(whole, 'front.svg', (path) => flipByte(path, new Random(5)));
    const { code, out: text } = await call('eval', out);
    expect(code).toBe(0);
    expect(text).toMatch(/^warning: front\.svg of this run is not what was written\n/);
    expect((await call('eval', whole)).out).not.toContain('warning');
  });
});

describe('the explorer', () => {
  it('gives out no file that changed, and exports no run that has one', async () => {
    const page = at('page');
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), '<!doctype html>');
    const names = ['config.json', 'metrics.jsonl', 'model.json', 'model.safetensors', 'result.json', 'fronts/60.json'];
    for (const name of names) {
      const out = damagedCopy(whole, name, (path) => {
        const bytes = readFileSync(path);
        // The last digit in it, which leaves everything else as it was.
        const digit = bytes.findLastIndex((byte) => byte >= 0x30 && byte <= 0x38);
        bytes[digit]++;
        writeFileSync(path, bytes);
      });
      const runs = findRuns([out]);
      const { url, close } = await serve({ page, find: () => runs, host: '127.0.0.1', port: 0 });
      try {
        for (const asked of names) {
          const response = await fetch(`${url}runs/${runs[0].id}/${asked}`);
          const text = asked.endsWith('safetensors') ? '' : await response.text();
          if (asked === name) expect([response.status, text || 'a model']).toEqual([409, expect.any(String)]);
          else expect(response.status).toBe(200);
        }
      } finally {
        await close();
      }
      expect(() => exportPage(page, runs, at('exported'))).toThrow(`and its ${name} is not.`);
      expect(existsSync(at('exported'))).toBe(false);
    }
  });
});

describe('the format of a run', () => {
  const edited = (name: string, change: (text: string) => string) =>
    damagedCopy(whole, name, (path) => writeFileSync(path, change(readFileSync(path, 'utf8'))));

  it.each(['config.json', 'result.json'])('is refused in a sentence where a later version wrote %s', async (name) => {
    const { code, error } = await call(
      'eval',
      edited(name, (text) => text.replace('"format": 2', '"format": 3')),
    );
    expect(code).toBe(2);
    expect(error).toContain(`(${name} has format 3, and this version reads 1 to 2).`);
  });

  it('is refused in a sentence where a later version wrote the model or a checkpoint', async () => {
    const model = await call(
      'eval',
      edited('model.json', (text) => text.replace('"format": 2', '"format": 9')),
    );
    expect(model.error).toContain('(model.json has format 9, and this version reads 1 to 2).');
    const out = at('later-checkpoint');
    cpSync(stopped, out, { recursive: true });
    for (const name of filesBelow(out).filter((entry) => entry.includes('generation-'))) {
      writeFileSync(join(out, name), readFileSync(join(out, name), 'utf8').replace('"format":2', '"format":3'));
    }
    const { code, error } = await call('resume', out);
    expect(code).toBe(2);
    expect(error).toMatch(/checkpoint \d+ has format 3, and this version reads 2/);
  });

  it('is read where it is the first one, of runs that have no checksums', () => {
    const out = at('first-format');
    cpSync(join(import.meta.dirname, '..', 'examples', 'runs', 'fruit-tree'), out, { recursive: true });
    expect(openRun(out).files).toBeDefined();
    for (const name of filesBelow(out).filter((entry) => entry.endsWith('.json'))) {
      const {
        sha256: _,
        files: __,
        ...document
      } = JSON.parse(readFileSync(join(out, name), 'utf8')) as object & {
        sha256?: string;
        files?: unknown;
      };
      writeFileSync(join(out, name), JSON.stringify({ ...document, format: 1 }));
    }
    const run = openRun(out);
    expect(run.files).toBeUndefined();
    expect(readReturns(run).returns.length).toBeGreaterThan(100);
  });
});
