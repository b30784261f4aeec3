import { afterEach, expect, it, vi } from 'vitest';
import { fetchModel } from './fetch-model.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

const serve = (answer: (name: string) => Response) =>
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(answer(url.replace('http://here/', ''))));

it.each([
  [404, 'model.safetensors of this run is missing.'],
  [500, 'model.safetensors of this run cannot be read (500).'],
])('fetchModel says which file of a run is answered by %s', async (status, sentence) => {
  serve((name) => (name === 'model.json' ? new Response('{}') : new Response(null, { status })));
  await expect(fetchModel('http://here/')).rejects.toThrow(sentence);
});

it('fetchModel says why a model cannot be played that it has read', async () => {
  serve((name) => new Response(name === 'model.json' ? '{"format":"other"}' : 'nothing'));
  await expect(fetchModel('http://here/')).rejects.toThrow(/^This run cannot be played: .+\.$/);
});
