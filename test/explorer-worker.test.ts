/** The worker of the explorer's page, without a browser: what it answers when it plays the run that comes with the package. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentOf, register } from '../src/envs/index.js';
import type { Achieved, FromWorker, ToWorker } from '../src/explorer/page/messages.js';
import { toyEnv } from './support/toy.mjs';

const RUN = new URL('../examples/runs/fruit-tree/', import.meta.url);
const { preferences, returns } = JSON.parse(readFileSync(new URL('fronts/final.json', RUN), 'utf8')) as {
  preferences: number[][];
  returns: number[][];
};
const config = JSON.parse(readFileSync(new URL('config.json', RUN), 'utf8')) as {
  env: string;
  envOptions: Record<string, string>;
  protocol: { returnDiscount: number; episodes: number };
};

let said: FromWorker[] = [];
const scope = { onmessage: undefined as unknown as (event: { data: ToWorker }) => void, postMessage };
function postMessage(message: FromWorker): void {
  said.push(message);
}
vi.stubGlobal('self', scope);
/** The same run with all its weights turned round, below an address of its own. */
const RIVAL = new URL('../rival/', RUN);
vi.stubGlobal('fetch', (url: string) => {
  const file = readFileSync(new URL(url.replace(RIVAL.href, RUN.href)));
  return Promise.resolve(new Response(url.startsWith(RIVAL.href) && url.endsWith('s') ? turned(file) : file));
});

/** Numbers of a safetensors file, behind the length of its header and the header. */
function turned(file: Buffer): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(file);
  const from = 8 + Number(file.readBigUInt64LE(0));
  // The sign of a number of half precision is in its last byte.
  for (let i = from + 1; i < copy.length; i += 2) copy[i] ^= 0x80;
  return copy;
}
// By its address, because its types are those of a browser.
await import(new URL('../src/explorer/page/simulation.worker.ts', import.meta.url).href);
const alive = said;

const tell = (data: ToWorker) => scope.onmessage({ data });
let session = 0;
function open(...wanted: number[][]): void {
  openRuns([RUN.href], wanted);
}

function openRuns(runs: readonly string[], wanted: readonly number[][]): void {
  const { env, envOptions, protocol } = config;
  const run = { runs, env, module: undefined, envOptions, ...protocol, preferences: wanted };
  tell({ kind: 'open', session: ++session, ...run });
}

/** Much more than it takes, since the machine may be busy. */
const PATIENCE = 100_000;

/** What the policy of a pane achieves, once it is known. */
const achievedAt = (preference: number[]): Promise<Achieved> =>
  vi.waitFor(() => {
    const found = said.find((one) => one.kind === 'achieved' && one.achieved.preference === preference);
    if (found?.kind !== 'achieved') throw new Error('nothing yet');
    return found.achieved;
  }, PATIENCE);

beforeEach(() => {
  said = [];
});

it('the worker says that it is alive before it is told anything', () => {
  expect(alive).toEqual([{ session: 0, kind: 'alive' }]);
});

describe('a run that is opened in the worker', () => {
  const places = [0, Math.floor(preferences.length / 2), preferences.length - 1];

  it.each(places)('achieves at preference %i what it was evaluated with', async (i) => {
    open(preferences[i]);
    const { returns: found, path } = await achievedAt(preferences[i]);
    found.forEach((value, k) => expect(value).toBeCloseTo(returns[i][k], 4));
    // From the root of the tree to a leaf, a level with each step.
    expect(path.map(({ row }) => row)).toEqual(path.map((_, level) => level));
    expect(said.every((one) => one.session === session)).toBe(true);
  });

  it('follows a preference that is changed, and says when it acted by it', async () => {
    const [first, other] = [preferences[0], preferences[places[1]]];
    open(first);
    await achievedAt(first);
    tell({ kind: 'prefer', pane: 0, preference: other, askedAt: 123 });
    const policy = said.findLast((one) => one.kind === 'policy');
    expect(policy).toMatchObject({ pane: 0, askedAt: 123 });
    const { returns: found } = await achievedAt(other);
    found.forEach((value, k) => expect(value).toBeCloseTo(returns[places[1]][k], 4));
  });

  it('plays a pane for each preference', async () => {
    const [first, other] = [preferences[0], preferences[places[2]]];
    open(first);
    await achievedAt(first);
    tell({ kind: 'panes', preferences: [first, other] });
    await achievedAt(other);
    expect(said.findLast((one) => one.kind === 'achieved')).toMatchObject({ pane: 1 });
  });

  it('plays another run in the second pane, at the same preference', async () => {
    const preference = preferences[places[1]];
    openRuns([RUN.href, RIVAL.href], [preference, [...preference]]);
    const found = await vi.waitFor(() => {
      const both = [0, 1].map((pane) => said.find((one) => one.kind === 'achieved' && one.pane === pane));
      return both.map((one) => {
        if (one?.kind !== 'achieved') throw new Error('nothing yet');
        return one.achieved.returns;
      });
    }, PATIENCE);
    found[0].forEach((value, k) => expect(value).toBeCloseTo(returns[places[1]][k], 4));
    expect(found[1]).not.toEqual(found[0]);
  });

  it('lets a robot go whose pane is gone', async () => {
    const [first, other] = [preferences[0], preferences[places[2]]];
    open(first, other);
    await achievedAt(other);
    tell({ kind: 'panes', preferences: [first] });
    tell({ kind: 'pull', pane: 1, pull: undefined });
    tell({ kind: 'push', pane: 1, force: [1, 0, 0] });
    tell({ kind: 'prefer', pane: 0, preference: other, askedAt: 123 });
    expect(said.at(-1)).toMatchObject({ kind: 'policy', pane: 0, askedAt: 123 });
  });

  it('closes its environments where another one is asked for while it is loading', async () => {
    const close = vi.fn();
    register(toyEnv(environmentOf, 'test-closed-walk', { close }));
    const settings = { envOptions: {}, returnDiscount: 1, episodes: 1, preferences: [[1, 0]] };
    tell({
      kind: 'open',
      session: ++session,
      runs: [RUN.href],
      env: 'test-closed-walk',
      module: undefined,
      ...settings,
    });
    open(preferences[0]);
    await achievedAt(preferences[0]);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('begins with the preferences that were wanted last while it was loading', async () => {
    open(preferences[0]);
    tell({ kind: 'prefer', pane: 0, preference: preferences[places[2]], askedAt: 0 });
    await achievedAt(preferences[places[2]]);
    expect(said.some((one) => one.kind === 'achieved' && one.achieved.preference === preferences[0])).toBe(false);
  });

  it('is the last one that was asked for', async () => {
    open(preferences[0]);
    open(preferences[places[1]]);
    await achievedAt(preferences[places[1]]);
    expect(said.every((one) => one.session === session)).toBe(true);
  });

  it('is answered by a sentence where it cannot be played', async () => {
    tell({
      ...{
        kind: 'open',
        session: ++session,
        runs: [new URL('../../src/', RUN).href],
        env: config.env,
        module: undefined,
      },
      ...{ envOptions: {}, returnDiscount: 1, episodes: 1, preferences: [preferences[0]] },
    });
    await vi.waitFor(
      () => expect(said).toContainEqual(expect.objectContaining({ session, kind: 'problem' })),
      PATIENCE,
    );
  });
});
