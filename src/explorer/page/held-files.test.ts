import { afterEach, expect, it, vi } from 'vitest';
import { fetchFile, heldRuns, holdRun } from './held-files.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('heldRuns gives the runs that hold what is asked for, also where that is a folder inside of one', () => {
  const [one, other] = ['http://page/runs/here.1/', 'http://page/runs/here.2/'];
  const files = new Map([['config.json', '{}']]);
  holdRun(one, files);
  holdRun(other, new Map());
  expect(heldRuns([one])).toEqual(new Map([[one, files]]));
  expect(heldRuns([`${one}snapshots/400/`])).toEqual(new Map([[one, files]]));
  expect(heldRuns(['http://page/runs/elsewhere/'])).toEqual(new Map());
});

it.each([
  [() => Promise.reject(new TypeError('Failed to fetch')), 'cannot be read: the server does not answer.'],
  [() => Promise.resolve(new Response(null, { status: 409 })), 'is damaged: it is not what was written.'],
])('fetchFile says in a sentence what is wrong with a file', async (fetch, sentence) => {
  vi.stubGlobal('location', { href: 'http://page/' });
  vi.stubGlobal('fetch', fetch);
  const files = { './runs/tree/model.json': 'model.json', 'http://page/runs/a/fronts/10.json': 'fronts/10.json' };
  for (const [address, name] of Object.entries(files)) {
    await expect(fetchFile(address)).rejects.toThrow(`${name} of this run ${sentence}`);
  }
});
