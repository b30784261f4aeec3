import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportPage, findRuns, runFinder, serve, type Served } from '../src/explorer/index.js';
import type { RunList } from '../src/explorer/run-list.js';
import { mujocoFile } from '../src/explorer/server/page-files.js';
import { checksum, isChecksumIntact } from '../src/files/index.js';
import { changedFiles, loadModel, openRun } from '../src/runs/index.js';
import { lockRun } from '../src/runs/lock.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('explorer');
const page = join(folder, 'page');
const run = join(folder, 'runs', 'My run');
/** The folders that are served. */
const given = [run];
let served: Served;

beforeAll(async () => {
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, 'index.html'), '<!doctype html>');
  writeFileSync(join(page, 'assets', 'simulation.worker-abc.js'), '1');
  writeFileSync(join(folder, 'secret.json'), '{"secret": true}');
  mkdirSync(join(run, 'fronts'), { recursive: true });
  writeFileSync(join(run, 'config.json'), '{"env": "fruit-tree-d6"}');
  writeFileSync(join(run, 'notes.txt'), 'private');
  writeFileSync(join(run, 'fronts', '100.json'), '{}');
  symlinkSync(join(folder, 'secret.json'), join(run, 'result.json'));
  writeFileSync(join(run, 'model.safetensors'), 'weights');
  served = await serve({ page, find: () => findRuns(given), host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await served.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** As fetch, but sends the path as it is: fetch would tidy it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(served.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers, method }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

async function list(): Promise<RunList> {
  return JSON.parse((await get('/runs.json')).body) as RunList;
}

describe('the server of the explorer', () => {
  it('gives out the page and the list of runs', async () => {
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect(await get('/')).toMatchObject({ status: 200, body: '<!doctype html>' });
    expect((await get('/')).headers['content-type']).toBe('text/html; charset=utf-8');
    const listed = { id: 'my-run', name: 'My run', env: 'fruit-tree-d6', view: 'tree', isTraining: false };
    expect(await list()).toMatchObject({ live: true, runs: [listed] });
    expect(await get('/runs/my-run/config.json')).toMatchObject({ status: 200, body: '{"env": "fruit-tree-d6"}' });
    expect(await get('/runs/my-run/fronts/100.json')).toMatchObject({ status: 200, body: '{}' });
  });

  it.each([
    '/../secret.json',
    '/runs/../../secret.json',
    '/runs/my-run/../../secret.json',
    '/runs/my-run/fronts/../../../../secret.json',
    '/runs/my-run/%2e%2e/%2e%2e/secret.json',
    '/runs/my-run/fronts/..%2f..%2f..%2fsecret.json',
    '/runs/my-run/..\\..\\secret.json',
    '/runs/my-run/config.json%00.html',
    '//etc/passwd',
    '/assets/../../secret.json',
    // Not one of the files that the page reads.
    '/runs/my-run/notes.txt',
    '/runs/my-run/',
    '/runs/other/config.json',
    // A link that leads out of the run.
    '/runs/my-run/result.json',
  ])('has nothing at %s', async (path) => {
    const { status, body } = await get(path);
    expect({ status, body }).toEqual({ status: 404, body: 'There is no such file.\n' });
  });

  it('refuses foreign host names and everything but reading', async () => {
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '10.0.0.1']) {
      expect((await get('/', { host })).status).toBe(403);
    }
    for (const host of ['localhost', 'LOCALHOST:1234', '127.0.0.1:80', '[::1]:80']) {
      expect((await get('/', { host })).status).toBe(200);
    }
    expect((await get('/', {}, 'POST')).status).toBe(405);
    expect(await get('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  it('allows the page nothing from elsewhere, and eval to the worker alone', async () => {
    const { headers } = await get('/');
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*|http/);
    const worker = await get('/assets/simulation.worker-abc.js');
    expect(worker.headers['content-security-policy']).toContain("'unsafe-eval'");
    expect(worker.headers['cross-origin-embedder-policy']).toBe('require-corp');
  });

  it('tells when a run has been written to, and whether a process is training it', async () => {
    const state = async () => (await list()).runs.find(({ id }) => id === 'my-run')!;
    const before = await state();
    expect((await state()).stamp).toBe(before.stamp);
    writeFileSync(join(run, 'metrics.jsonl'), '{"envSteps": 1}\n');
    await expect.poll(async () => (await state()).stamp).not.toBe(before.stamp);
    const unlock = lockRun(run);
    await expect.poll(async () => (await state()).isTraining).toBe(true);
    unlock();
    await expect.poll(async () => (await state()).isTraining).toBe(false);
  });

  it('lists runs that a folder was given later, and no longer those that are gone', async () => {
    const ids = async () => (await list()).runs.map(({ id }) => id);
    const later = join(folder, 'later');
    mkdirSync(later);
    given.push(later);
    await expect.poll(ids).toEqual(['my-run', 'later']);
    for (const name of ['b', 'a']) {
      mkdirSync(join(later, name));
      writeFileSync(join(later, name, 'config.json'), '{}');
    }
    await expect.poll(ids).toEqual(['my-run', 'later-a', 'later-b']);
    expect((await get('/runs/later-a/config.json')).status).toBe(200);
    rmSync(join(later, 'a'), { recursive: true });
    await expect.poll(ids).toEqual(['my-run', 'later-b']);
    expect((await get('/runs/later-a/config.json')).status).toBe(404);
    given.pop();
  });

  it('compresses text and WebAssembly for browsers that accept it, and weights never', async () => {
    const gzip = { 'accept-encoding': 'gzip, br' };
    const encoding = async (path: string, headers = {}) => (await get(path, headers)).headers['content-encoding'];
    expect(await encoding('/', gzip)).toBe('gzip');
    expect(await encoding(`/${mujocoFile().name}`, gzip)).toBe('gzip');
    expect(await encoding('/runs/my-run/fronts/100.json', gzip)).toBe('gzip');
    expect(await encoding('/runs/my-run/model.safetensors', gzip)).toBeUndefined();
    expect(await encoding('/')).toBeUndefined();
    // Undoes the compression, and sees the same.
    expect(await (await fetch(served.url)).text()).toBe('<!doctype html>');
    expect(await (await fetch(`${served.url}runs/my-run/fronts/100.json`)).text()).toBe('{}');
  });
});

describe('findRuns', () => {
  it('finds the runs that a folder holds, and gives every run a name of its own', () => {
    for (const held of ['seed-10', 'seed-9', join('apart', 'seed-1')]) {
      mkdirSync(join(folder, 'many', held), { recursive: true });
      writeFileSync(join(folder, 'many', held, 'config.json'), '{}');
    }
    const found = findRuns([join(folder, 'many'), run, run]);
    expect(found.map(({ id, name }) => ({ id, name }))).toEqual([
      { id: 'many-apart-seed-1', name: `many ${join('apart', 'seed-1')}` },
      { id: 'many-seed-9', name: 'many seed-9' },
      { id: 'many-seed-10', name: 'many seed-10' },
      { id: 'my-run', name: 'My run' },
      { id: 'my-run.2', name: 'My run (2)' },
    ]);
  });

  it('gives a run the same name again, whatever others come and go', async () => {
    const group = join(folder, 'group');
    const begin = (name: string) => {
      mkdirSync(join(group, name), { recursive: true });
      writeFileSync(join(group, name, 'config.json'), '{}');
    };
    begin('a.b');
    const find = runFinder([group]);
    expect((await find()).map(({ id }) => id)).toEqual(['group-a-b']);
    // Its name in an address would be the same, and it comes first.
    begin('a b');
    expect((await find()).map(({ id, name }) => [id, name])).toEqual([
      ['group-a-b.2', 'group a b'],
      ['group-a-b', 'group a.b'],
    ]);
  });

  it('refuses what is no folder', () => {
    expect(() => findRuns(['no/such/run'])).toThrow('RUN is "no/such/run", but must be the folder of a run.');
  });
});

describe('exportPage', () => {
  it('refuses folders that hold no run, or one that has not been evaluated, and then writes nothing', () => {
    const out = join(folder, 'not exported');
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect(() => exportPage(page, findRuns([empty]), out)).toThrow(
      `RUN is "${empty}", but must be the folder of a run, or of several, and it holds none.`,
    );
    writeFileSync(join(empty, 'config.json'), '{}');
    expect(() => exportPage(page, findRuns([empty]), out)).toThrow(
      `RUN is "${empty}", but must be a run that has been evaluated, and this one has not.`,
    );
    expect(existsSync(out)).toBe(false);
  });

  it('writes the page and the same files that the server gives out', () => {
    const out = join(folder, 'exported');
    exportPage(page, findRuns([run]), out);
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe('<!doctype html>');
    expect(readFileSync(join(out, 'runs', 'my-run', 'config.json'), 'utf8')).toBe('{"env": "fruit-tree-d6"}');
    expect(JSON.parse(readFileSync(join(out, 'runs.json'), 'utf8'))).toMatchObject({ live: false });
    expect(() => readFileSync(join(out, 'runs', 'my-run', 'notes.txt'))).toThrow('ENOENT');
    expect(() => readFileSync(join(out, 'runs', 'my-run', 'result.json'))).toThrow('ENOENT');
  });

  it('writes runs that open, whose models know their weights, which are packed for web servers', () => {
    const [half, out] = [join(folder, 'half'), join(folder, 'packed')];
    const snapshot = join('snapshots', '100');
    const model = ['model.json', 'model.safetensors'];
    // Its weights are in half precision.
    cpSync(fileURLToPath(new URL('../examples/runs/fruit-tree', import.meta.url)), half, { recursive: true });
    for (const name of model) cpSync(join(half, name), join(half, snapshot, name));
    exportPage(page, findRuns([half]), out);
    const [before, exported] = [half, join(out, 'runs', 'half')].map((run) => openRun(run));
    expect(loadModel(exported).tensors).toEqual(loadModel(before).tensors);
    expect(changedFiles(exported)).toEqual([]);
    for (const place of ['.', snapshot]) {
      const [description, weights] = model.map((name) => readFileSync(join(exported.folder, place, name)));
      expect(weights.equals(readFileSync(join(half, 'model.safetensors')))).toBe(false);
      expect(isChecksumIntact(String(description))).toBe(true);
      expect(JSON.parse(String(description))).toMatchObject({ weights: { sha256: checksum(weights) } });
    }
  });
});
