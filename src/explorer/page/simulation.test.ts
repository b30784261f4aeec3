import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as early from './early.js';
import type { FromWorker, PaneFrame, ToWorker } from './messages.js';
import type { RunData } from './run-data.js';
import { canTryAgain, connect, KEPT_REWARDS, stepOnce } from './simulation.js';
import * as state from './state.js';
import { lookAt, lookAtKept } from './time.js';

/** What the worker was told. */
const messages = vi.hoisted((): ToWorker[] => {
  vi.stubGlobal('document', { addEventListener: () => undefined, visibilityState: 'visible' });
  vi.stubGlobal('requestAnimationFrame', () => 0);
  return [];
});
vi.mock('./early.js', () => ({
  preferredTheme: 'dark',
  isStillPreferred: false,
  runList: Promise.resolve({ live: false, runs: [] }),
  isAlive: new Promise(() => undefined),
  worker: { postMessage: (message: ToWorker) => messages.push(message), onmessage: null, onerror: null },
}));

const runOf = (id: string, other: Partial<RunData> = {}) =>
  ({
    id,
    url: `http://here/runs/${id}/`,
    env: { id: 'fruit-tree-d5', objectives: [{ name: 'One' }, { name: 'Other' }] },
    envOptions: { encoding: 'path' },
    returnDiscount: 0.99,
    episodes: 3,
    kept: {
      evaluated: {
        preferences: [
          [1, 0],
          [0, 1],
        ],
        returns: [
          [5, 1],
          [1, 5],
        ],
      },
    },
    hasModel: true,
    modelSteps: 1000,
    ...other,
  }) as unknown as RunData;

/** What the worker was told since this was last asked. */
const told = (): ToWorker[] => messages.splice(0);

let session = 0;
const frameOf = (step: number, reward = [step, -step]): PaneFrame => ({
  ...{ observation: Float32Array.of(0), action: 0, reward, returns: [0, 0], step, episode: 0 },
});
type Said = FromWorker extends infer T ? (T extends unknown ? Omit<T, 'session'> : never) : never;
const say = (message: Said, as = session): void => {
  early.worker.onmessage!({ data: { session: as, ...message } } as MessageEvent<FromWorker>);
};
const sayFrames = (...panes: PaneFrame[]) => say({ kind: 'frame', panes, at: 0, duration: 0, cost: 0 });

connect();

beforeEach(() => {
  state.runs.value = new Map([
    ['a', runOf('a')],
    ['b', runOf('b', { envOptions: { encoding: 'row-column' } })],
    ['training', runOf('training', { hasModel: false })],
    ['unplayable', runOf('unplayable', { unplayable: 'nobody has it' })],
  ]);
  state.chooseRun('a');
  state.compare(false);
  state.setPreference([0.5, 0.5]);
  for (const message of told()) if (message.kind === 'open') ({ session } = message);
});
afterEach(() => {
  state.chooseRun('training');
  told();
});

describe('the worker', () => {
  it('is told to open two runs, where another one is played beside the first at the same preference', () => {
    state.playBeside('b');
    const [opened] = told();
    const preference = [0.5, 0.5];
    const runs = ['http://here/runs/a/', 'http://here/runs/b/'];
    const options = { envOptions: { encoding: 'path' }, rivalOptions: { encoding: 'row-column' } };
    expect(opened).toMatchObject({ kind: 'open', runs, ...options, preferences: [preference, preference] });
    state.setPreference([0.25, 0.75]);
    expect(told().map((message) => message.kind === 'prefer' && message.pane)).toEqual([0, 1]);
    state.compare(false);
    expect(told()).toMatchObject([{ kind: 'open', runs: ['http://here/runs/a/'] }]);
  });

  it('is told to open the run that is chosen, with how its returns are measured', () => {
    state.chooseRun('b');
    expect(told()).toEqual([
      {
        ...{
          kind: 'open',
          session: session + 1,
          runs: ['http://here/runs/b/'],
          env: 'fruit-tree-d5',
          module: undefined,
        },
        ...{ envOptions: { encoding: 'row-column' }, returnDiscount: 0.99, episodes: 3, preferences: [[0.5, 0.5]] },
      },
    ]);
  });

  it('is told to close what it plays where there is nothing to play', () => {
    state.chooseRun('training');
    expect(told()).toEqual([{ kind: 'close' }]);
  });

  it('is told of a new preference of the pane that has one, and of no other', () => {
    state.compare(true);
    expect(told()).toEqual([
      {
        kind: 'panes',
        preferences: [
          [0.5, 0.5],
          [0, 1],
        ],
      },
    ]);
    state.setPreference([0.2, 0.8]);
    expect(told()).toMatchObject([{ kind: 'prefer', pane: 1, preference: [0.2, 0.8] }]);
  });

  it('plays at the speed that is chosen, and not at all in a pause', () => {
    state.speed.value = 2;
    state.isPlaying.value = false;
    state.isPlaying.value = true;
    state.speed.value = 1;
    expect(told().map((message) => message.kind === 'play' && message.speed)).toEqual([2, 0, 2, 1]);
  });

  it('pauses when it is asked for one step', () => {
    stepOnce();
    expect(state.isPlaying.value).toBe(false);
    expect(told()).toEqual([{ kind: 'play', speed: 0 }, { kind: 'step' }]);
    state.isPlaying.value = true;
  });
});

describe('a run whose model is replaced, because it was resumed', () => {
  it('is opened again', () => {
    told();
    state.runs.value = new Map([['a', runOf('a', { modelSteps: 2000 })]]);
    expect(told().map(({ kind }) => kind)).toEqual(['open']);
    state.runs.value = new Map([['a', runOf('a', { modelSteps: 2000 })]]);
    expect(told()).toEqual([]);
    session++;
  });
});

describe('what the worker says', () => {
  it('is heard only of the run that is open', () => {
    say({ kind: 'problem', message: 'too late' }, session - 1);
    expect(state.problem.value).toBe('');
    say({ kind: 'problem', message: 'no such file' });
    expect(state.problem.value).toBe('no such file');
  });

  it('is forgotten when another run is opened', () => {
    say({ kind: 'achieved', pane: 0, achieved: { preference: [0.5, 0.5], returns: [1, 2], path: [] } });
    expect(state.achieved.value).toHaveLength(1);
    state.chooseRun('b');
    expect(state.achieved.value).toEqual([]);
  });

  it('belongs to the pane that it names', () => {
    const achieved = { preference: [0, 1], returns: [1, 2], path: [] };
    say({ kind: 'achieved', pane: 1, achieved });
    expect(state.achieved.value).toEqual([undefined, achieved]);
  });

  it('adds up to the rewards of the last steps, which begin anew with an episode', () => {
    for (let step = 0; step <= KEPT_REWARDS + 10; step++) sayFrames(frameOf(step));
    expect(state.rewards.value[0]).toHaveLength(KEPT_REWARDS);
    expect(state.rewards.value[0][0]).toEqual([11, -11]);
    expect(state.rewards.value[0].at(-1)).toEqual([KEPT_REWARDS + 10, -KEPT_REWARDS - 10]);
    sayFrames(frameOf(0));
    expect(state.rewards.value).toEqual([[]]);
  });

  it('is shown as the median of the last measurements', () => {
    for (const actedAt of [110, 900, 120, 130, 105]) {
      say({ kind: 'policy', pane: 0, askedAt: 100, actedAt, parameters: Float32Array.of(1), used: undefined });
    }
    sayFrames(frameOf(0));
    expect(state.statistics.value.action).toBe(20);
  });
});

describe('a fan', () => {
  const grid = { preferences: [0.82, 0.5, 0.18].map((w) => [w, 1 - w]), returns: [3, 2, 1].map((x) => [x, 4 - x]) };
  const fanOf = (id: string) => runOf(id, { kept: { evaluated: grid } as unknown as RunData['kept'] });

  it('has what its policies achieved when they were evaluated, at the preferences that are played, in every run', () => {
    state.runs.value = new Map(['a', 'b'].map((id) => [id, fanOf(id)]));
    // A grid of preferences is not rounded, as those that are played are.
    expect(grid.preferences[0]).not.toEqual([0.82, 0.18]);
    state.fan(true);
    for (const id of ['a', 'b']) {
      state.chooseRun(id);
      expect(state.achieved.value.map((reached) => reached?.preference)).toEqual(state.preferences.value);
      expect(state.achieved.value.map((reached) => reached?.returns)).toEqual(grid.returns);
    }
  });
});

const grid = (best: number) => ({
  preferences: [[1, 0], [0.5, 0.5], [0, 1]], // oxfmt-ignore
  returns: [[best, 1], [2, 2], [1, best]], // oxfmt-ignore
});

/** Answers every request with a front. */
function serveFront(front: ReturnType<typeof grid>): void {
  vi.stubGlobal('location', { href: 'http://here/' });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(front))));
}

describe('an evaluation whose policies are played again', () => {
  it('opens these, and has a fan of them at what they achieved then', async () => {
    serveFront(grid(3));
    const run = runOf('a', { kept: { envSteps: 300, evaluated: grid(9) } as unknown as RunData['kept'] });
    state.runs.value = new Map([['a', run]]);
    state.list.value = { live: false, runs: [{ id: 'a', name: 'a', snapshots: [100] }] };
    state.fan(true);
    const returns = () => state.achieved.value.map((reached) => reached?.returns);
    expect(returns()).toEqual(grid(9).returns);
    told();
    await lookAt(run, 100);
    expect(told()).toMatchObject([{ kind: 'open', runs: ['http://here/runs/a/snapshots/100/'] }]);
    expect(returns()).toEqual(grid(3).returns);
    lookAtKept();
    expect(returns()).toEqual(grid(9).returns);
  });
});

describe('a run in training whose kept policies are gone', () => {
  it('has a fan at what those achieved that are played, once that was read', async () => {
    serveFront(grid(3));
    const kept = { envSteps: 300, evaluated: grid(9) } as unknown as RunData['kept'];
    state.runs.value = new Map([['late', runOf('late', { hasModel: false, kept })]]);
    state.list.value = { live: true, runs: [{ id: 'late', name: 'late', snapshots: [400] }] };
    state.chooseRun('late');
    state.fan(true);
    const returns = () => state.achieved.value.map((reached) => reached?.returns);
    await vi.waitFor(() => expect(returns()).toEqual(grid(3).returns));
  });
});

describe('a run that could not be read', () => {
  const failed = (): void => {
    const opened = told().find(({ kind }) => kind === 'open');
    if (opened?.kind === 'open') ({ session } = opened);
    say({ kind: 'problem', message: 'the server does not answer' });
  };
  const kinds = () => told().map(({ kind }) => kind);

  it('is opened again when the server is back, and before that by nothing that a person does', () => {
    failed();
    state.setPreference([0.25, 0.75]);
    state.isServed.value = false;
    expect(kinds()).toEqual(['prefer']);
    state.isServed.value = true;
    expect(kinds()).toEqual(['open']);
    expect(state.problem.value).toBe('');
    state.isServed.value = false;
    state.isServed.value = true;
    expect(kinds()).toEqual([]);
  });

  it('is opened again when somebody asks for that, where it failed', () => {
    state.tryAgain();
    expect(kinds()).toEqual([]);
    failed();
    state.tryAgain();
    expect(kinds()).toEqual(['open']);
    expect(canTryAgain()).toBe(true);
  });

  it('is opened again when it has been written to, and not when another one has', () => {
    const list = (a: string, b: string) => {
      const runs = [{ id: 'a', name: 'a', stamp: a }, { id: 'b', name: 'b', stamp: b }]; // oxfmt-ignore
      state.list.value = { live: true, runs };
    };
    list('1', '1');
    failed();
    list('1', '2');
    expect(kinds()).toEqual([]);
    list('2', '2');
    expect(kinds()).toEqual(['open']);
    list('3', '2');
    expect(kinds()).toEqual([]);
  });
});

describe('a run that cannot be played', () => {
  it('shows what was achieved at the evaluated preference that is most alike', () => {
    state.chooseRun('unplayable');
    state.setPreference([0.9, 0.1]);
    expect(state.achieved.value).toEqual([{ preference: [1, 0], returns: [5, 1], path: [] }]);
    state.setPreference([0.1, 0.9]);
    expect(state.achieved.value).toEqual([{ preference: [0, 1], returns: [1, 5], path: [] }]);
    expect(told()).toEqual([{ kind: 'close' }]);
  });
});

// The last one, since there is no other worker after it.
describe('a worker that fails', () => {
  it('is said of every run that would be played, and of no other', () => {
    const sentence = 'The simulation could not be started in this browser.';
    early.worker.onerror!({} as ErrorEvent);
    expect(state.problem.value).toBe(sentence);
    state.chooseRun('unplayable');
    expect(state.problem.value).toBe('');
    told();
    state.chooseRun('b');
    expect(state.problem.value).toBe(sentence);
    expect(told()).toEqual([]);
    expect(canTryAgain()).toBe(false);
  });
});
