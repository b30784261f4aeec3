import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromWorker, ToWorker } from './messages.js';

const scope = vi.hoisted(() => {
  const worker = {
    said: [] as FromWorker[],
    onerror: undefined as unknown as OnErrorEventHandlerNonNull,
    onmessage: undefined as unknown as (event: { readonly data: ToWorker }) => void,
    postMessage: (message: FromWorker): unknown => worker.said.push(message),
  };
  vi.stubGlobal('self', worker);
  return worker;
});
/** What goes wrong in the environment from its next step on. */
let fault: Error | undefined;
const stepInto = (): string => {
  if (fault !== undefined) throw fault;
  return 'running';
};
const closed = vi.hoisted(() => vi.fn<() => void>());
/** Is given the options of an environment that is made. */
const made = vi.hoisted(() => vi.fn<(options: object) => void>());
vi.mock('../../envs/index.js', () => ({
  envInfo: () => ({ view: { kind: 'scene', stepSeconds: 0.001 } }),
  isRobotEnvironment: () => false,
  prepareEnv: () => Promise.resolve(),
  makeEnv: (_: string, options: { readonly size?: number }) => {
    made(options);
    const low = new Array<number>(options.size ?? 1).fill(0);
    return {
      ...{ objectives: [{ name: 'One' }], observationSpace: { low }, close: closed, stepInto },
      reset: () => ({ observation: Float32Array.from(low) }),
      resetInto: () => undefined,
    };
  },
}));
vi.mock('../../model/fetch-model.js', () => ({ fetchModel: () => Promise.resolve({}) }));
const layers = [{ weight: Float32Array.of(1), bias: Float32Array.of(0) }];
/** Whose policy answers. */
let used = [1];
vi.mock('../../model/index.js', () => ({
  plainPolicy: () => ({ layers, preference: [1], used, act: () => 0, prefer: () => undefined }),
}));

await import('./simulation.worker.js');

const tell = (data: ToWorker) => scope.onmessage({ data });
const kinds = (session: number) => scope.said.filter((one) => one.session === session).map(({ kind }) => kind);
type OpenRequest = Extract<ToWorker, { kind: 'open' }>;
const askFor = (session: number, other: Partial<OpenRequest> = {}) => {
  const run = { runs: ['a'], env: 'own', module: undefined, envOptions: {}, returnDiscount: 1, episodes: 1 };
  tell({ kind: 'open', session, ...run, preferences: [[1]], ...other });
};
const open = async (session: number, speed: number, other: Partial<OpenRequest> = {}) => {
  tell({ kind: 'play', speed });
  askFor(session, other);
  await vi.waitFor(() => expect(kinds(session)).toContain('frame'));
};
const problem = (session: number, message: string) => ({ session, kind: 'problem', message });

beforeEach(() => {
  scope.said.length = 0;
  fault = undefined;
  closed.mockReset();
  made.mockReset();
});
afterEach(() => tell({ kind: 'close' }));

it('says what an environment throws that is played, stops playing it, and plays what is opened next', async () => {
  await open(1, 1);
  fault = new Error('The lake is empty.');
  await vi.waitFor(() => expect(scope.said).toContainEqual(problem(1, 'The lake is empty.')));
  // That of the pane, and that in which episodes are played in the background.
  expect(closed).toHaveBeenCalledTimes(2);
  fault = undefined;
  await open(2, 1);
  expect(kinds(1).filter((kind) => kind === 'problem')).toHaveLength(1);
});

it('plays nothing of a run whose environment throws when it is made, whatever it is told then', async () => {
  // The one in which episodes are played in the background is the first.
  made.mockReturnValueOnce().mockImplementationOnce(() => {
    throw new Error('There is no lake.');
  });
  tell({ kind: 'play', speed: 1 });
  askFor(4);
  await vi.waitFor(() => expect(scope.said).toContainEqual(problem(4, 'There is no lake.')));
  expect(closed).toHaveBeenCalledTimes(1);
  tell({ kind: 'play', speed: 0 });
  tell({ kind: 'play', speed: 1 });
  tell({ kind: 'reset' });
  expect(kinds(4)).toEqual(['problem']);
});

it('plays what is opened next where an environment cannot be closed', async () => {
  await open(5, 0);
  closed.mockImplementation(() => {
    throw new Error('The lake is frozen.');
  });
  await open(6, 0);
  expect(closed).toHaveBeenCalledTimes(2);
  fault = new Error('The lake is empty.');
  tell({ kind: 'step' });
  expect(scope.said.at(-1)).toEqual(problem(6, 'The lake is empty.'));
});

it('says what an environment throws when nobody waits for it, which is not the end of the worker', async () => {
  await open(7, 0);
  const isHandled: unknown = scope.onerror('Uncaught', '', 1, 1, new Error('A wave came late.'));
  expect(isHandled).toBe(true);
  expect(scope.said.at(-1)).toEqual(problem(7, 'A wave came late.'));
  await open(8, 0);
});

it('plays each of two runs in an environment with its own options', async () => {
  const options = { envOptions: { size: 2 }, rivalOptions: { size: 3 } };
  await open(9, 0, { runs: ['a', 'b'], preferences: [[1], [1]], ...options });
  const frame = scope.said.find(({ kind }) => kind === 'frame');
  expect(frame?.kind === 'frame' && frame.panes.map(({ observation }) => observation.length)).toEqual([2, 3]);
  expect(scope.said).toContainEqual({
    session: 9,
    kind: 'world',
    observationSpaces: [{ low: [0, 0] }, { low: [0, 0, 0] }],
  });
  // In those of the panes, and in those in which episodes are played in the background.
  expect(made.mock.calls.flat()).toEqual([{ size: 2 }, { size: 3 }, { size: 2 }, { size: 3 }]);
});

it('says what an environment throws at a step that a person asks for', async () => {
  await open(3, 0);
  tell({ kind: 'step' });
  expect(kinds(3)).not.toContain('problem');
  fault = new Error('The lake is empty.');
  tell({ kind: 'step' });
  expect(scope.said.at(-1)).toEqual(problem(3, 'The lake is empty.'));
});

it('says whose policy answers, where that is not the own one of a preference', async () => {
  const saidOf = (session: number) =>
    scope.said.flatMap((one) => (one.kind === 'policy' && one.session === session ? [one.used] : []));
  await open(10, 0);
  expect(saidOf(10)).toEqual([undefined]);
  used = [0.5];
  await open(11, 0);
  expect(saidOf(11)).toEqual([[0.5]]);
  used = [1];
});
