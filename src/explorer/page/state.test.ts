import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { BrokenRun, RunData } from './run-data.js';
import * as state from './state.js';

vi.mock('./early.js', () => ({ preferredTheme: 'dark', runList: Promise.resolve({ live: false, runs: [] }) }));
vi.hoisted(() => vi.stubGlobal('document', { addEventListener: () => undefined }));

const runOf = (id: string, objectives: number, evaluated = { preferences: [], returns: [] } as object) =>
  ({
    id,
    env: { objectives: Array.from({ length: objectives }, (_, k) => ({ name: `Objective ${k + 1}` })) },
    evaluated,
  }) as unknown as RunData;

const TREE = runOf('tree', 2, {
  preferences: [
    [1, 0],
    [0.5, 0.5],
    [0, 1],
  ],
  returns: [
    [3, 1],
    [1, 1],
    [1, 3],
  ],
});

beforeEach(() => {
  state.runs.value = new Map<string, RunData | BrokenRun>([
    ['tree', TREE],
    ['other tree', runOf('other tree', 2)],
    ['many', runOf('many', 4)],
    ['broken', { id: 'broken', name: 'broken', problem: 'It is damaged.' }],
  ]);
  state.preferences.value = [];
  state.activePane.value = 0;
  state.view.value = 'front';
  state.chooseRun('tree');
});

describe('chooseRun', () => {
  it('begins where all objectives weigh alike', () => {
    expect(state.preferences.value).toEqual([[0.5, 0.5]]);
    expect(state.run.value).toBe(TREE);
  });

  it('keeps preferences that fit the other run, and begins anew where they do not', () => {
    state.setPreference([0.25, 0.75]);
    state.chooseRun('other tree');
    expect(state.preferences.value).toEqual([[0.25, 0.75]]);
    state.chooseRun('many');
    expect(state.preferences.value).toEqual([[0.25, 0.25, 0.25, 0.25]]);
  });

  it('leaves one pane where two preferences do not fit', () => {
    state.compare(true);
    state.chooseRun('many');
    expect(state.preferences.value).toHaveLength(1);
    expect(state.activePane.value).toBe(0);
  });

  it('shows no run where it is damaged', () => {
    state.chooseRun('broken');
    expect(state.run.value).toBeUndefined();
    expect(state.objectives.value).toEqual([]);
    expect(state.front.value.returns).toEqual([]);
  });
});

describe('front', () => {
  it('has the returns that no other dominates, each with its preference', () => {
    const { preferences, returns } = state.front.value;
    const pairs = returns.map((point, i) => [point, preferences[i]]);
    expect(pairs).toHaveLength(2);
    expect(pairs).toContainEqual([
      [3, 1],
      [1, 0],
    ]);
    expect(pairs).toContainEqual([
      [1, 3],
      [0, 1],
    ]);
  });
});

describe('setPreference', () => {
  it('moves the pane that the controls are at, and no other', () => {
    state.compare(true);
    state.setPreference([0.1, 0.9]);
    expect(state.preferences.value).toEqual([
      [0.5, 0.5],
      [0.1, 0.9],
    ]);
  });

  it('scales weights to a sum of one', () => {
    state.setPreference([3, 1]);
    expect(state.preferences.value).toEqual([[0.75, 0.25]]);
  });

  it('changes nothing where the preference is the same, so that nothing is played again', () => {
    const before = state.preferences.value;
    state.setPreference([0.500001, 0.499999]);
    expect(state.preferences.value).toBe(before);
  });
});

describe('compare', () => {
  it('adds a pane with the preference turned round, and takes it away again', () => {
    state.setPreference([0.8, 0.2]);
    state.compare(true);
    expect(state.isComparing.value).toBe(true);
    expect(state.activePane.value).toBe(1);
    expect(state.preferences.value).toEqual([
      [0.8, 0.2],
      [0.2, 0.8],
    ]);
    state.compare(false);
    expect(state.isComparing.value).toBe(false);
    expect(state.activePane.value).toBe(0);
    expect(state.preferences.value).toEqual([[0.8, 0.2]]);
  });
});

describe('addressHere', () => {
  it('leads back to the run, the panel and the preferences that are shown', () => {
    vi.stubGlobal('location', { href: 'http://localhost:4000/#run=old&w=1,0' });
    state.setPreference([0.8, 0.2]);
    state.compare(true);
    state.view.value = 'training';
    expect(state.addressHere()).toBe('http://localhost:4000/#run=tree&view=training&w=0.8,0.2&w=0.2,0.8');
  });
});
