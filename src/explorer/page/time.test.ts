import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunData } from './run-data.js';
import * as state from './state.js';
import {
  askedSteps,
  evaluatedPlayed,
  evaluatedThen,
  frontPlayed,
  frontThen,
  isArrived,
  lookAt,
  lookAtKept,
  pastSteps,
  isPlayable,
  played,
  playedSteps,
} from './time.js';

vi.mock('./early.js', () => ({ preferredTheme: 'dark', isStillPreferred: true }));
const fetchFront = vi.hoisted(() => vi.fn());
vi.mock('./run-data.js', async (original) => ({ ...(await original<object>()), fetchFront }));
vi.hoisted(() => vi.stubGlobal('document', { addEventListener: () => undefined }));

const evaluatedAt = (value: number) => ({ preferences: [[1, 0], [0, 1]], returns: [[value, 1], [0, 0]] }); // oxfmt-ignore
const runOf = (id: string) =>
  ({
    ...{ id, url: `http://here/${id}/`, env: { objectives: [{ name: 'A' }, { name: 'B' }] }, metrics: [] },
    kept: { envSteps: 300, values: {}, evaluated: evaluatedAt(300) },
  }) as unknown as RunData;
const [RUN, OTHER] = [runOf('run'), runOf('other')];

beforeEach(() => {
  fetchFront.mockReset().mockImplementation((_: RunData, envSteps: number) => Promise.resolve(evaluatedAt(envSteps)));
  state.runs.value = new Map([RUN, OTHER].map((one) => [one.id, one]));
  state.chooseRun('run');
  lookAtKept();
});

describe('lookAt', () => {
  it('shows the front of an evaluation, until the kept one is asked for again', async () => {
    expect([askedSteps.value, pastSteps.value]).toEqual([300, undefined]);
    await lookAt(RUN, 100);
    expect([askedSteps.value, pastSteps.value]).toEqual([100, 100]);
    expect(evaluatedThen.value).toEqual(evaluatedAt(100));
    expect(frontThen.value).toEqual({ preferences: [[1, 0]], returns: [[100, 1]] });
    lookAtKept();
    expect([askedSteps.value, pastSteps.value]).toEqual([300, undefined]);
    expect(evaluatedThen.value).toBe(RUN.kept?.evaluated);
    expect(frontThen.value).toBe(state.front.value);
  });

  it('shows what was asked for last, however long the files of others take', async () => {
    let arrive = (_: unknown): void => undefined;
    fetchFront.mockReturnValueOnce(new Promise((resolve) => (arrive = resolve)));
    const slow = lookAt(RUN, 150);
    await lookAt(RUN, 200);
    arrive(evaluatedAt(150));
    await slow;
    expect(pastSteps.value).toBe(200);
  });

  it('tells what is on its way from what is there', async () => {
    expect(isArrived.value).toBe(true);
    for (const envSteps of [120, 130]) {
      const looking = lookAt(RUN, envSteps);
      expect(isArrived.value).toBe(false);
      await looking;
      expect(isArrived.value).toBe(true);
    }
    await lookAt(RUN, 300);
    expect(isArrived.value).toBe(true);
  });

  it('asks for no file of the evaluation that is kept, and for each other one once', async () => {
    expect(await lookAt(RUN, 300)).toBe(true);
    expect(pastSteps.value).toBeUndefined();
    await lookAt(RUN, 250);
    await lookAt(RUN, 250);
    expect(fetchFront).toHaveBeenCalledTimes(1);
  });

  it('says what is wrong with a front that cannot be read, and goes back', async () => {
    fetchFront.mockRejectedValueOnce(new Error('fronts/50.json of this run is missing.'));
    expect(await lookAt(RUN, 50)).toBe(false);
    expect(state.message.value).toBe('fronts/50.json of this run is missing.');
    expect([askedSteps.value, pastSteps.value]).toEqual([300, undefined]);
  });

  it('shows the kept evaluation until the next one is there, and as one of the past when another is kept', async () => {
    await lookAt(RUN, 200);
    await lookAt(RUN, 300);
    const looking = lookAt(RUN, 260);
    expect(evaluatedThen.value).toEqual(evaluatedAt(300));
    await looking;
    // It trains on, and whoever asks may not have heard of that yet.
    await lookAt(RUN, 300);
    state.runs.value = new Map([
      ['run', { ...RUN, kept: { ...RUN.kept!, envSteps: 400, evaluated: evaluatedAt(400) } }],
    ]);
    expect([isArrived.value, pastSteps.value, evaluatedThen.value]).toEqual([true, 300, evaluatedAt(300)]);
    await lookAt(RUN, 300);
    expect(isArrived.value).toBe(true);
  });

  it('is about one run: another one is shown as it is kept', async () => {
    await lookAt(RUN, 100);
    state.chooseRun('other');
    expect([askedSteps.value, pastSteps.value]).toEqual([300, undefined]);
    expect(evaluatedThen.value).toBe(OTHER.kept?.evaluated);
  });
});

describe('playedSteps', () => {
  const listed = (snapshots: number[]) => ({ live: false, runs: [{ id: 'run', name: 'run', snapshots }] });
  const now = (hasModel: boolean) => {
    state.runs.value = new Map([['run', { ...RUN, hasModel }]]);
  };

  it('are those of the evaluation that is shown, where its policies are kept', async () => {
    now(true);
    state.list.value = listed([100]);
    expect(playedSteps.value).toBeUndefined();
    await lookAt(RUN, 100);
    expect(playedSteps.value).toBe(100);
    await lookAt(RUN, 200);
    expect(playedSteps.value).toBeUndefined();
  });

  it('say where the policies are that are played, and what those achieved', async () => {
    now(true);
    state.list.value = listed([100]);
    const { url } = RUN;
    const seen = () => [played(RUN)[0].url, evaluatedPlayed.value, frontPlayed.value.returns];
    expect(seen()).toEqual([url, evaluatedAt(300), [[300, 1]]]);
    await lookAt(RUN, 100);
    expect(seen()).toEqual([`${url}snapshots/100/`, evaluatedAt(100), [[100, 1]]]);
    await lookAt(RUN, 200);
    expect(seen()).toEqual([url, evaluatedAt(300), [[300, 1]]]);
  });

  it('are those of the evaluation that a run in training would keep, or of its last one, and so is what they achieved', async () => {
    now(false);
    const seen = () => [playedSteps.value, evaluatedPlayed.value, frontPlayed.value.returns];
    state.list.value = listed([300, 400]);
    expect(seen()).toEqual([300, evaluatedAt(300), [[300, 1]]]);
    state.list.value = listed([100, 450]);
    expect(seen()).toEqual([450, undefined, []]);
    await vi.waitFor(() => expect(seen()).toEqual([450, evaluatedAt(450), [[450, 1]]]));
  });

  it('are those of the last one that is kept of a run without a model, which cannot be played where there is none', () => {
    now(false);
    state.list.value = listed([100, 200]);
    expect([playedSteps.value, isPlayable.value]).toEqual([200, true]);
    state.list.value = listed([]);
    expect([playedSteps.value, isPlayable.value]).toEqual([undefined, false]);
  });
});
