import { afterEach, expect, it, vi } from 'vitest';
import { fetchModel } from './fetch-model.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

const serve = (answer: (name: string) => Response) =>
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(answer(url.replace('http://here/', ''))));

it('fetchModel says which file of a run cannot be read', async () => {
  serve((name) => (name === 'model.json' ? new Response('{}') : new Response(null, { status: 404 })));
  await expect(fetchModel('http://here/')).rejects.toThrow('model.safetensors of this run cannot be read (404).');
});

it('fetchModel says why a model cannot be played that it has read', async () => {
  serve((name) => new Response(name === 'model.json' ? '{"format":"other"}' : 'nothing'));
  await expect(fetchModel('http://here/')).rejects.toThrow(/^This run cannot be played: .+\.$/);
});
