import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FromTrainer } from '../train/messages.js';
import { saveAs } from './downloads.js';
import { say } from './state.js';
import { saveRun, trainHere, training } from './training-here.js';

/** What is called before the page is closed. */
const page = vi.hoisted(() => ({ onClosing: (_: { readonly preventDefault: () => void }): void => undefined }));
const worker = vi.hoisted(() => ({
  postMessage: () => undefined,
  terminate: () => undefined,
  onmessage: undefined as unknown as (event: { readonly data: FromTrainer }) => void,
}));
vi.hoisted(() => {
  vi.stubGlobal('location', { href: 'http://here/' });
  vi.stubGlobal('addEventListener', (_: string, listener: typeof page.onClosing) => (page.onClosing = listener));
  // As a constructor, which gives the one worker that there is.
  vi.stubGlobal('Worker', function () {
    return worker;
  });
});
vi.mock('./state.js', () => ({ chooseRun: vi.fn(), say: vi.fn(), showHere: vi.fn(() => Promise.resolve()) }));
vi.mock('./downloads.js', () => ({ saveAs: vi.fn() }));

const hear = (...said: readonly FromTrainer[]) => said.forEach((data) => worker.onmessage({ data }));
const isAsked = () => {
  const preventDefault = vi.fn();
  page.onClosing({ preventDefault });
  return preventDefault.mock.calls.length > 0;
};
const begin = () => {
  trainHere({ env: 'deep-sea-treasure', seed: 3, device: 'auto' });
  hear({ kind: 'begun', device: 'CPU', steps: 500 }, { kind: 'file', name: 'config.json', content: '{}' });
  return training.value!.id;
};

beforeEach(() => {
  vi.clearAllMocks();
});

describe('a training in the page', () => {
  it('is lost when the page is closed, which asks before, until the run was saved', async () => {
    expect(isAsked()).toBe(false);
    const id = begin();
    expect(isAsked()).toBe(true);
    hear({ kind: 'evaluated' }, { kind: 'done', stopped: false });
    expect([training.value?.state, isAsked()]).toEqual(['finished', true]);
    await saveRun(id);
    expect(isAsked()).toBe(false);
  });

  it('is saved under a name that those of other seeds and of other steps do not have', async () => {
    const id = begin();
    hear({ kind: 'done', stopped: true });
    await saveRun(id);
    expect(vi.mocked(saveAs).mock.lastCall?.[0]).toBe('deep-sea-treasure-seed-3-steps-500.tar.gz');
  });

  it('leaves nothing to be lost where it fails before it was evaluated', () => {
    begin();
    hear({ kind: 'failed', reason: 'it has no memory.' });
    expect(say).toHaveBeenCalledWith('The training has ended: it has no memory.');
    expect([training.value?.state, isAsked()]).toEqual(['stopped', false]);
  });

  it('can be saved where it fails later, and does not go on from checkpoints, of which a page has none', async () => {
    const id = begin();
    const reason = 'the GPU was lost (it was unplugged); go on from the last checkpoint with psl resume RUN';
    hear({ kind: 'evaluated' }, { kind: 'failed', reason });
    expect(say).toHaveBeenCalledWith('The training has ended: the GPU was lost (it was unplugged).');
    expect(isAsked()).toBe(true);
    await saveRun(id);
    expect(isAsked()).toBe(false);
  });
});
