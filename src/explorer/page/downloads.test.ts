import { beforeEach, expect, it, vi } from 'vitest';
import { DOWNLOADS } from './downloads.js';
import type { RunData } from './run-data.js';
import * as state from './state.js';
import { lookAt, lookAtKept } from './time.js';

/** What was saved last, and the link that it was saved by. */
let saved: Blob;
const link = vi.hoisted(() => ({ click: () => undefined, download: '' }));

vi.mock('./early.js', () => ({ preferredTheme: 'dark', isStillPreferred: true }));
vi.mock('./sharing.js', () => ({}));
vi.hoisted(() => {
  const createElement = () => link;
  vi.stubGlobal('document', { addEventListener: () => undefined, createElement });
});
const fetchModel = vi.hoisted(() => vi.fn<(url: string) => Promise<object>>());
vi.mock('../../model/fetch-model.js', () => ({ fetchModel }));
vi.mock('../../model/index.js', async (original) => ({
  ...(await original<object>()),
  plainPolicy: (model: object) => ({
    ...model,
    prefer: (preference: number[]) => Object.assign(model, { preference }),
  }),
  policyAsJson: (policy: object) => policy,
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
  await DOWNLOADS[name].begin(RUN, [1, 0]);
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
    fetchModel.mockRejectedValue(new Error('there is none'));
    const urlOf = async () => {
      await expect(DOWNLOADS[name].begin(RUN, [1, 0])).rejects.toThrow('there is none');
      return fetchModel.mock.lastCall?.[0];
    };
    expect(await urlOf()).toBe(RUN.url);
    await lookAt(RUN, 100);
    expect(await urlOf()).toBe(`${RUN.url}snapshots/100/`);
    await lookAt(RUN, 200);
    expect(await urlOf()).toBe(RUN.url);
  },
);

it('Policy at this preference (JSON) is of the run and the preference that were shown when it was asked for', async () => {
  let arrive = (_: object): void => undefined;
  fetchModel.mockReturnValue(new Promise((resolve) => (arrive = resolve)));
  const model = {};
  const saving = DOWNLOADS['Policy at this preference (JSON)'].begin(RUN, [0.25, 0.75]);
  state.runs.value = new Map([['other', { ...RUN, id: 'other' }]]);
  state.chooseRun('other');
  arrive(model);
  await saving;
  expect(link.download).toBe('run-policy.json');
  expect(model).toEqual({ preference: [0.25, 0.75] });
});

it('fronts are there from the first evaluation on, and policies as soon as they can be played', () => {
  const there = () => Object.entries(DOWNLOADS).flatMap(([name, { isThere }]) => (isThere.value ? [name] : []));
  const fronts = ['Front (CSV)', 'Front (SVG)', 'Front (PNG)'];
  const show = (run: Partial<RunData>) => (state.runs.value = new Map([['run', { ...RUN, ...run }]]));
  expect(there()).toEqual(Object.keys(DOWNLOADS));
  state.list.value = { live: false, runs: [{ id: 'run', name: 'run' }] };
  show({ hasModel: false });
  expect(there()).toEqual(fronts);
  show({ hasModel: false, kept: undefined });
  expect(there()).toEqual([]);
  // One that trains in the page has the policies of its last evaluation.
  state.list.value = { live: false, runs: [{ id: 'run', name: 'run', snapshots: [100] }] };
  show({ hasModel: false });
  expect(there()).toEqual(Object.keys(DOWNLOADS));
});
