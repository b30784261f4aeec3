import { beforeEach, expect, it, vi } from 'vitest';
import { DOWNLOADS } from './downloads.js';
import type { RunData } from './run-data.js';
import * as state from './state.js';
import { lookAt, lookAtKept } from './time.js';

/** What was saved last. */
let saved: Blob;

vi.mock('./early.js', () => ({ preferredTheme: 'dark', isStillPreferred: true }));
vi.mock('./sharing.js', () => ({}));
vi.hoisted(() => {
  const createElement = () => ({ click: () => undefined });
  vi.stubGlobal('document', { addEventListener: () => undefined, createElement });
});
const fetched = vi.hoisted((): string[] => []);
vi.mock('../../model/fetch-model.js', () => ({
  fetchModel: (url: string) => {
    fetched.push(url);
    return Promise.reject(new Error('there is none'));
  },
}));
const front = (best: number) => ({ preferences: [[1, 0]], returns: [[best, 1]] });
vi.mock('./run-data.js', async (original) => ({
  ...(await original<object>()),
  fetchFront: (_: RunData, envSteps: number) => Promise.resolve(front(envSteps)),
}));

const RUN = {
  ...{ id: 'run', url: 'http://here/runs/run/', name: 'run', algorithm: 'psl-td3', hasModel: true, returnDiscount: 1 },
  env: { id: 'walk', objectives: [{ name: 'Up' }, { name: 'Calm' }] },
  ...{ referencePoint: [0, 0], metrics: [], kept: { envSteps: 300, values: {}, evaluated: front(300) } },
} as unknown as RunData;

beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved = blob as Blob;
    return '';
  });
  state.runs.value = new Map([['run', RUN]]);
  state.list.value = { live: false, runs: [{ id: 'run', name: 'run', snapshots: [100] }] };
  state.chooseRun('run');
  lookAtKept();
});

async function savedBy(name: string): Promise<string> {
  await DOWNLOADS[name]();
  return saved.text();
}

it.each(['Front (CSV)', 'Front (SVG)'])('%s has the front of the evaluation that is shown', async (name) => {
  const kept = await savedBy(name);
  await lookAt(RUN, 200);
  expect(await savedBy(name)).not.toBe(kept);
  lookAtKept();
  expect(await savedBy(name)).toBe(kept);
});

it('Front (CSV) has the returns of that evaluation', async () => {
  expect(await savedBy('Front (CSV)')).toContain('300,1');
  await lookAt(RUN, 200);
  expect(await savedBy('Front (CSV)')).toContain('200,1');
});

it('Front (SVG) says of an earlier evaluation when it was', async () => {
  expect(await savedBy('Front (SVG)')).not.toContain('steps');
  await lookAt(RUN, 200);
  expect(await savedBy('Front (SVG)')).toContain('run, after 200 steps');
});

it.each(['Policy at this preference (ONNX)', 'Policy at this preference (JSON)'])(
  '%s is of the policies that are played',
  async (name) => {
    const urlOf = async () => {
      await expect(DOWNLOADS[name]()).rejects.toThrow('there is none');
      return fetched.pop();
    };
    expect(await urlOf()).toBe(RUN.url);
    await lookAt(RUN, 100);
    expect(await urlOf()).toBe(`${RUN.url}snapshots/100/`);
    await lookAt(RUN, 200);
    expect(await urlOf()).toBe(RUN.url);
  },
);
