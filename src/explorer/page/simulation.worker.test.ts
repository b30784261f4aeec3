import { beforeEach, expect, it, vi } from 'vitest';
import type { FromWorker, ToWorker } from './messages.js';

const scope = vi.hoisted(() => {
  const worker = { said: [] as FromWorker[], postMessage: (message: FromWorker) => worker.said.push(message) };
  vi.stubGlobal('self', worker);
  return worker as typeof worker & { onmessage: (event: { readonly data: ToWorker }) => void };
});
/** What goes wrong in the environment from its next step on. */
let fault: Error | undefined;
const stepInto = (): string => {
  if (fault !== undefined) throw fault;
  return 'running';
};
const closed = vi.hoisted(() => vi.fn());
vi.mock('../../envs/index.js', () => ({
  envInfo: () => ({ view: { kind: 'scene', stepSeconds: 0.001 } }),
  isRobotEnvironment: () => false,
  prepareEnv: () => Promise.resolve(),
  makeEnv: () => ({
    ...{ objectives: [{ name: 'One' }], observationSpace: { low: [0], high: [1] }, close: closed, stepInto },
    reset: () => ({ observation: Float32Array.of(0) }),
    resetInto: () => undefined,
  }),
}));
vi.mock('../../model/fetch-model.js', () => ({ fetchModel: () => Promise.resolve({}) }));
const layers = [{ weight: Float32Array.of(1), bias: Float32Array.of(0) }];
vi.mock('../../model/index.js', () => ({ plainPolicy: () => ({ layers, act: () => 0, prefer: () => undefined }) }));

await import('./simulation.worker.js');

const tell = (data: ToWorker) => scope.onmessage({ data });
const kinds = (session: number) => scope.said.filter((one) => one.session === session).map(({ kind }) => kind);
const open = async (session: number, speed: number) => {
  tell({ kind: 'play', speed });
  const run = { runs: ['a'], env: 'own', module: undefined, envOptions: {}, returnDiscount: 1, episodes: 1 };
  tell({ kind: 'open', session, ...run, preferences: [[1]] });
  await vi.waitFor(() => expect(kinds(session)).toContain('frame'));
};

beforeEach(() => {
  scope.said.length = 0;
  fault = undefined;
});

it('says what an environment throws that is played, stops playing it, and plays what is opened next', async () => {
  await open(1, 1);
  fault = new Error('The lake is empty.');
  await vi.waitFor(() =>
    expect(scope.said).toContainEqual({ session: 1, kind: 'problem', message: 'The lake is empty.' }),
  );
  // That of the pane, and that in which episodes are played in the background.
  expect(closed).toHaveBeenCalledTimes(2);
  fault = undefined;
  await open(2, 1);
  expect(kinds(1).filter((kind) => kind === 'problem')).toHaveLength(1);
  tell({ kind: 'close' });
});

it('says what an environment throws at a step that a person asks for', async () => {
  await open(3, 0);
  tell({ kind: 'step' });
  expect(kinds(3)).not.toContain('problem');
  fault = new Error('The lake is empty.');
  tell({ kind: 'step' });
  expect(scope.said.at(-1)).toEqual({ session: 3, kind: 'problem', message: 'The lake is empty.' });
});
