import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FromTrainer } from '../train/messages.js';
import { saveAs } from './downloads.js';
import { say } from './state.js';
import { linkObstacle, saveRun, trainHere, training } from './training-here.js';

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
const shown = vi.hoisted(() => ({ runId: { value: 'served' }, rival: { value: undefined as object | undefined } }));
vi.mock('./state.js', () => ({
  ...{ chooseRun: vi.fn(), say: vi.fn(), showHere: vi.fn(() => Promise.resolve()) },
  ...shown,
}));
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
    hear({ kind: 'evaluated' }, { kind: 'done', stopped: false, envSteps: 500 });
    expect([training.value?.state, isAsked()]).toEqual(['finished', true]);
    await saveRun(id);
    expect(isAsked()).toBe(false);
  });

  it('is saved under a name that those of other seeds and of other steps do not have', async () => {
    for (const [stopped, envSteps] of [
      [true, 200],
      [false, 500],
    ] as const) {
      // oxfmt-ignore
      const id = begin();
      hear({ kind: 'progress', envSteps: 190, evaluated: undefined }, { kind: 'done', stopped, envSteps });
      await saveRun(id);
      expect(vi.mocked(saveAs).mock.lastCall?.[0]).toBe(`deep-sea-treasure-seed-3-steps-${envSteps}.tar.gz`);
    }
  });

  it('is where no link leads, whether it is chosen or played beside a run of the server', async () => {
    const id = begin();
    hear({ kind: 'done', stopped: false, envSteps: 500 });
    expect(linkObstacle()).toBeUndefined();
    shown.rival.value = { id, name: 'Trained here, seed 3' };
    const sentence = 'Trained here, seed 3, which is played as B, is in this page only, so that no link leads to it.';
    expect(linkObstacle()).toBe(sentence);
    shown.runId.value = id;
    expect(linkObstacle()).toMatch(/^This run is in this page only, .*; Download has it as an archive\.$/);
    await saveRun(id);
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
