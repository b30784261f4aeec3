import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ListedRun } from '../run-list.js';
import { readHash } from './address.js';
import type { BrokenRun, RunData } from './run-data.js';
import * as state from './state.js';

vi.mock('./early.js', () => ({
  preferredTheme: 'dark',
  isStillPreferred: true,
  runList: Promise.resolve({ live: false, runs: [] }),
}));
const loadRun = vi.hoisted(() => vi.fn<(listed: ListedRun) => Promise<RunData | BrokenRun>>());
vi.mock('./run-data.js', async (original) => ({ ...(await original<object>()), loadRun }));
vi.hoisted(() => vi.stubGlobal('document', { addEventListener: () => undefined }));

const runOf = (id: string, objectives: number, evaluated = { preferences: [], returns: [] } as object) =>
  ({
    id,
    env: { objectives: Array.from({ length: objectives }, (_, k) => ({ name: `Objective ${k + 1}` })) },
    kept: { evaluated },
    metrics: [],
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

describe('isPlaying', () => {
  it('begins with a still picture where a person asked their system for less motion', () => {
    expect(state.isPlaying.value).toBe(false);
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

describe('fan', () => {
  const WIDE = runOf('wide', 2, {
    preferences: [0, 0.25, 0.5, 0.75, 1].map((weight) => [weight, 1 - weight]),
    returns: [0, 1, 2, 3, 4].map((value) => [value, 4 - value]),
  });

  beforeEach(() => {
    state.runs.value = new Map([...state.runs.value, ['wide', WIDE]]);
    state.chooseRun('wide');
    state.message.value = '';
  });

  it('plays policies of the whole front, and goes on with the one that was chosen among them', () => {
    state.fan(true);
    expect(state.isFan.value).toBe(true);
    expect(state.preferences.value.map(([weight]) => weight)).toEqual([1, 0.75, 0.5, 0.25, 0]);
    expect(state.paneName(1)).toBe('2');
    state.activePane.value = 3;
    state.fan(false);
    expect(state.preferences.value).toEqual([[0.25, 0.75]]);
    expect(state.activePane.value).toBe(0);
  });

  it('is no comparison, and a comparison no fan', () => {
    state.fan(true);
    expect(state.isComparing.value).toBe(false);
    state.compare(true);
    expect(state.isFan.value).toBe(false);
    expect(state.paneName(1)).toBe('B');
  });

  it('says why there is none where the front has too few points', () => {
    state.chooseRun('tree');
    state.fan(true);
    expect(state.isFan.value).toBe(false);
    expect(state.message.value).toBe('A fan needs 3 policies that differ, and the front of this run has 2.');
  });

  it('has the policies of the front of another run, unless one was moved', () => {
    const front = { preferences: [0.1, 0.4, 0.8].map((w) => [w, 1 - w]), returns: [0, 1, 2].map((x) => [x, 2 - x]) };
    state.runs.value = new Map([...state.runs.value, ['narrow', runOf('narrow', 2, front)]]);
    const weights = () => state.preferences.value.map(([weight]) => weight);
    state.fan(true, 5);
    state.activePane.value = 4;
    state.chooseRun('narrow');
    expect(weights()).toEqual([0.8, 0.4, 0.1]);
    expect(state.activePane.value).toBe(2);
    state.setPreference([0.2, 0.8]);
    state.chooseRun('wide');
    expect(weights()).toEqual([0.8, 0.4, 0.2]);
  });

  it('has a short address, until one of its policies is another', () => {
    vi.stubGlobal('location', { href: 'http://here/' });
    state.fan(true, 3);
    expect(state.addressHere()).toBe('http://here/#run=wide&fan=3');
    state.setPreference([0.9, 0.1]);
    expect(state.addressHere()).toBe('http://here/#run=wide&w=0.9,0.1&w=0.5,0.5&w=0,1');
  });
});

describe('take', () => {
  const listed = (id: string, stamp: string, isTraining = false) => ({ id, name: id, stamp, isTraining });
  const take = (...runs: readonly ListedRun[]) => state.take({ live: true, runs });
  const wholes = ({ id }: ListedRun) => Promise.resolve(runOf(id, 2));

  beforeEach(async () => {
    loadRun.mockReset().mockImplementation(wholes);
    state.list.value = { live: true, runs: [] };
    await take(listed('tree', '1'), listed('other tree', '1'));
    loadRun.mockClear();
  });

  it('reads runs that are new or have been written to, and no others', async () => {
    await take(listed('new', '1'), listed('tree', '1'), listed('other tree', '2'));
    expect(loadRun.mock.calls.map(([{ id }]) => id)).toEqual(['new', 'other tree']);
    expect([...state.runs.value.keys()]).toEqual(['new', 'tree', 'other tree']);
  });

  it('reads a run again whose process has ended', async () => {
    await take(listed('tree', '1', true), listed('other tree', '1'));
    await take(listed('tree', '1'), listed('other tree', '1'));
    expect(loadRun).toHaveBeenCalledTimes(2);
  });

  it('shows no run in the place of one that is gone', async () => {
    await take(listed('other tree', '1'));
    expect([...state.runs.value.keys()]).toEqual(['other tree']);
    expect(state.runId.value).toBe('tree');
    expect(state.run.value).toBeUndefined();
  });

  it('shows the first run of a folder that had none before', async () => {
    loadRun.mockResolvedValueOnce({ id: 'folder', name: 'folder', problem: 'There is no run in this folder yet.' });
    await take(listed('folder', '1'));
    state.chooseRun('folder');
    await take(listed('folder first', '1'));
    expect(state.run.value?.id).toBe('folder first');
  });

  it('leaves a run as it was whose files do not fit together for a moment, and reads it again', async () => {
    const damaged = { id: 'tree', name: 'tree', problem: 'fronts/2.json of this run is missing.' };
    loadRun.mockResolvedValueOnce(damaged);
    await take(listed('tree', '2'), listed('other tree', '1'));
    expect(state.run.value).toBeDefined();
    await take(listed('tree', '2'), listed('other tree', '1'));
    expect(loadRun).toHaveBeenCalledTimes(2);
    loadRun.mockResolvedValue(damaged);
    await take(listed('tree', '3'), listed('other tree', '1'));
    await take(listed('tree', '3'), listed('other tree', '1'));
    expect(state.runs.value.get('tree')).toEqual(damaged);
  });
});

describe('tryAgain', () => {
  it('reads a run again that could not be read, and no other', async () => {
    state.list.value = { live: false, runs: ['tree', 'broken'].map((id) => ({ id, name: id })) };
    loadRun.mockReset().mockResolvedValue(runOf('broken', 2));
    state.tryAgain();
    expect([loadRun.mock.calls.length, state.tries.value]).toEqual([0, 1]);
    state.chooseRun('broken');
    state.tryAgain();
    await vi.waitFor(() => expect(state.run.value?.id).toBe('broken'));
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

describe('playBeside', () => {
  const playable = (id: string, env: string) =>
    ({
      ...runOf(id, 2),
      ...{ id, env: { id: env, objectives: TREE.env.objectives }, envOptions: { depth: 5 }, hasModel: true },
    }) as unknown as RunData;

  beforeEach(() => {
    const all = [playable('a', 'sea'), playable('b', 'sea'), playable('elsewhere', 'tree')];
    state.runs.value = new Map(all.map((run) => [run.id, run]));
    state.playBeside('');
    state.chooseRun('a');
    state.setPreference([0.25, 0.75]);
  });

  it('plays two runs at one preference, which stays one when it is moved', () => {
    state.playBeside('b');
    state.setPreference([1, 0]);
    expect(state.preferences.value).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(state.rival.value?.id).toBe('b');
  });

  it('is over when two preferences are compared, and when it is ended', () => {
    state.playBeside('b');
    state.compare(true);
    expect(state.rival.value).toBeUndefined();
    state.playBeside('b');
    state.playBeside('');
    expect(state.preferences.value).toEqual([[0.25, 0.75]]);
  });

  it('is over when preferences of the run itself are played', () => {
    state.playBeside('b');
    state.playAt([[0, 1], [1, 0]]); // oxfmt-ignore
    expect([state.rivalId.value, state.activePane.value]).toEqual(['', 0]);
    expect(state.preferences.value).toEqual([[0, 1], [1, 0]]); // oxfmt-ignore
  });

  it('is over when a run of another environment is chosen', () => {
    state.playBeside('b');
    state.chooseRun('elsewhere');
    expect([state.rival.value, state.preferences.value]).toEqual([undefined, [[0.25, 0.75]]]);
  });

  it('refuses the run itself, and one of another environment', () => {
    for (const id of ['a', 'elsewhere', 'gone']) {
      state.playBeside(id);
      expect(state.preferences.value).toEqual([[0.25, 0.75]]);
    }
  });

  it('plays runs whose environments have different options, and no run without a policy', () => {
    const [a, b] = [playable('a', 'sea'), playable('b', 'sea')];
    expect(state.rivalObstacle(a, { ...b, envOptions: { depth: 5, encoding: 'path' } })).toBeUndefined();
    expect(state.rivalObstacle(a, { ...b, hasModel: false })).toBe('one of them has no policy yet');
    expect(state.rivalObstacle({ ...a, unplayable: 'nobody has it' }, b)).toBe('nobody has it');
  });

  it('says why a run that an address asks for is not played beside another, once it was read', async () => {
    state.list.value = { live: true, runs: ['a', 'elsewhere', 'late'].map((id) => ({ id, name: id })) };
    const said = (rival: string) => {
      state.message.value = '';
      state.goTo(readHash(`#run=a&rival=${rival}`), '');
      return state.message.value;
    };
    expect(said('elsewhere')).toContain('because it is of another environment, tree.');
    expect(said('gone')).toBe(
      'gone cannot be played beside this run, because one of them is not here or cannot be shown.',
    );
    expect(said('a')).toContain('because both are the same run.');
    expect([said('late'), state.rivalId.value]).toEqual(['', 'late']);
    loadRun.mockReset().mockResolvedValue({ ...playable('late', 'sea'), hasModel: false });
    await state.take({ live: true, runs: ['a', 'late'].map((id) => ({ id, name: id, stamp: 'new' })) });
    expect(state.message.value).toContain('because one of them has no policy yet.');
  });

  it('is over when the rival is not listed any more', async () => {
    const listed = ['a', 'b'].map((id) => ({ id, name: id }));
    state.list.value = { live: true, runs: listed };
    state.playBeside('b');
    await state.take({ live: true, runs: listed.slice(0, 1) });
    expect([state.rivalId.value, state.preferences.value]).toEqual(['', [[0.25, 0.75]]]);
  });

  it('makes room for what an address asks for: two preferences, another rival, or neither', () => {
    const goTo = (hash: string) => {
      state.goTo(readHash(hash), '');
      return [state.rival.value?.id, state.preferences.value];
    };
    const [one, other] = [[1, 0], [0, 1]]; // oxfmt-ignore
    expect(goTo('#run=a&rival=b&w=1,0')).toEqual(['b', [one, one]]);
    expect(goTo('#run=a&rival=b&w=0,1')).toEqual(['b', [other, other]]);
    expect(goTo('#run=a&w=1,0&w=0,1')).toEqual([undefined, [one, other]]);
    state.playBeside('b');
    expect(goTo('#run=b&rival=a&w=0,1')).toEqual(['a', [other, other]]);
    expect(goTo('#run=b')).toEqual([undefined, [other]]);
  });
});
