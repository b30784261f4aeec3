import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isBroken, loadRun, REGRET, type RunData } from './run-data.js';

const LISTED = { id: 'tree', name: 'My tree', env: 'fruit-tree-d5' };
const CONFIG = {
  env: 'fruit-tree-d5',
  envOptions: { encoding: 'path' },
  algorithm: 'psl-ddqn',
  seed: 3,
  preset: 'quick',
  settings: { steps: 2000, keep: 'best', clip: null, hidden: [64, 64] },
  protocol: { returnDiscount: 0.99, episodes: 2, referencePoint: [0, 0, 0, 0, 0, 0] },
};
const ROW = [1, 0, 0, 0, 0, 0];
const FRONT = { preferences: [ROW], returns: [[1, 2, 3, 4, 5, 6]] };
const metric = (envSteps: number, hypervolume: number) =>
  JSON.stringify({ envSteps, score: { hypervolume, sparsity: { distinct: 4, all: 5 } }, diagnostics: { loss: 0.5 } });
const RESULT = {
  envSteps: 2000,
  stopped: false,
  keptAt: 2000,
  hypervolume: 20,
  evaluations: [
    { envSteps: 1000, seconds: 5 },
    { envSteps: 2000, seconds: 25 },
  ],
};

/** What a server has of the run, by the name of the file: text, or the status of an answer. */
let files: Record<string, string | number>;

beforeEach(() => {
  files = {
    'config.json': JSON.stringify(CONFIG),
    'metrics.jsonl': `${metric(1000, 10)}\n${metric(2000, 20)}\n`,
    'result.json': JSON.stringify(RESULT),
    'fronts/final.json': JSON.stringify(FRONT),
  };
  vi.stubGlobal('location', { href: 'http://localhost:4000/page/#run=tree' });
  vi.stubGlobal('fetch', (url: string) => {
    const file = files[url.replace('./runs/tree/', '')] as string | number | undefined;
    return Promise.resolve(typeof file === 'string' ? new Response(file) : new Response(null, { status: file ?? 404 }));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function whole(): Promise<RunData> {
  const run = await loadRun(LISTED);
  if (isBroken(run)) throw new Error(run.problem);
  return run;
}

async function problem(): Promise<string> {
  const run = await loadRun(LISTED);
  return isBroken(run) ? run.problem : 'none';
}

describe('loadRun', () => {
  it('reads what a finished run is, from its files', async () => {
    const run = await whole();
    expect(run).toMatchObject({
      ...{ id: 'tree', name: 'My tree', url: 'http://localhost:4000/page/runs/tree/', algorithm: 'psl-ddqn', seed: 3 },
      ...{ steps: 2000, returnDiscount: 0.99, episodes: 2, envOptions: { encoding: 'path' } },
      ...{ isFinished: true, isStopped: false, hasModel: true, modelSteps: 2000, keepsBest: true },
      method: {
        ...{ env: 'fruit-tree-d5', algorithm: 'psl-ddqn', preset: 'quick', envOptions: { encoding: 'path' } },
        settings: { steps: '2000', keep: 'best', clip: 'none', hidden: '64,64' },
      },
    });
    expect(run.env.objectives).toHaveLength(6);
    expect(run.unplayable).toBeUndefined();
  });

  it('has the numbers of each evaluation by name, with the rate at which the steps before it were taken', async () => {
    const { metrics } = await whole();
    expect(metrics.map(({ envSteps }) => envSteps)).toEqual([1000, 2000]);
    expect(metrics.map(({ values }) => values)).toEqual([
      { hypervolume: 10, sparsity: 4, loss: 0.5, stepsPerSecond: 200 },
      { hypervolume: 20, sparsity: 4, loss: 0.5, stepsPerSecond: 50 },
    ]);
  });

  it('takes the reference point from the protocol, and says where weights were rounded', async () => {
    expect(await whole()).not.toHaveProperty('weights');
    const referencePoint = [-1, 0, 0, 0, 0, 0];
    files['config.json'] = JSON.stringify({ ...CONFIG, protocol: { ...CONFIG.protocol, referencePoint } });
    files['result.json'] = JSON.stringify({ ...RESULT, weights: 'float16' });
    expect(await whole()).toMatchObject({ referencePoint, weights: 'float16' });
  });

  it('calls the parts of the regret by words, and leaves out what is not a number', async () => {
    const score = { hypervolume: null, regret: { mean: 0.1, worst: 0.5, below80: 0.25 } };
    files['metrics.jsonl'] = JSON.stringify({ envSteps: 1000, score });
    const [{ values }] = (await whole()).metrics;
    expect(values).toEqual({
      [REGRET.mean]: 0.1,
      [REGRET.worst]: 0.5,
      [REGRET.below80]: 0.25,
      stepsPerSecond: 200,
    });
  });

  it('shows the last front of a run that still trains, which has no model', async () => {
    delete files['result.json'];
    delete files['fronts/final.json'];
    files['fronts/2000.json'] = JSON.stringify(FRONT);
    const run = await whole();
    expect(run).toMatchObject({ isFinished: false, hasModel: false, kept: { envSteps: 2000, evaluated: FRONT } });
    expect(run.metrics[0].values).not.toHaveProperty('stepsPerSecond');
  });

  it('measures the rate of a run that still trains by when its evaluations were seen', async () => {
    delete files['result.json'];
    files['fronts/2000.json'] = JSON.stringify(FRONT);
    const run = (await loadRun(
      LISTED,
      new Map([
        [1000, 3],
        [2000, 13],
      ]),
    )) as RunData;
    expect(run.metrics.map(({ values }) => values.stepsPerSecond)).toEqual([undefined, 100]);
  });

  it('shows that a run goes on which was stopped before, and still has the model of then', async () => {
    files['metrics.jsonl'] = `${metric(1000, 10)}\n${metric(2000, 20)}\n${metric(3000, 30)}\n`;
    files['fronts/3000.json'] = JSON.stringify({ ...FRONT, returns: [[6, 5, 4, 3, 2, 1]] });
    const run = await whole();
    expect(run).toMatchObject({ isFinished: false, hasModel: true, modelSteps: 2000 });
    expect(run.kept).toMatchObject({ envSteps: 2000, values: { hypervolume: 20 }, evaluated: FRONT });
  });

  it('counts the steps that a training took, which are whole iterations, instead of those that it was asked for', async () => {
    files['config.json'] = JSON.stringify({ ...CONFIG, settings: { steps: 1 } });
    expect((await whole()).steps).toBe(2000);
    delete files['result.json'];
    files['fronts/2000.json'] = JSON.stringify(FRONT);
    expect((await whole()).steps).toBe(2000);
    files['config.json'] = JSON.stringify({ ...CONFIG, settings: { steps: 2010 } });
    expect((await whole()).steps).toBe(2010);
    files['result.json'] = JSON.stringify({ ...RESULT, stopped: true });
    expect((await whole()).steps).toBe(2010);
  });

  it('counts the steps of the run that it began with, and measures rates from there', async () => {
    const from = { run: 'parent', envSteps: 100_000 };
    files['config.json'] = JSON.stringify({ ...CONFIG, from });
    files['metrics.jsonl'] = [100_000, 101_000].map((envSteps) => `${metric(envSteps, 10)}\n`).join('');
    const evaluations = [
      { envSteps: 100_000, seconds: 5 },
      { envSteps: 101_000, seconds: 15 },
    ];
    files['result.json'] = JSON.stringify({
      ...RESULT,
      stopped: true,
      envSteps: 101_000,
      keptAt: 101_000,
      evaluations,
    });
    const { steps, metrics } = await whole();
    expect(steps).toBe(102_000);
    expect(metrics.map(({ values }) => values.stepsPerSecond)).toEqual([undefined, 100]);
    files['metrics.jsonl'] = `${metric(101_000, 10)}\n`;
    const alone = { ...RESULT, envSteps: 101_000, keptAt: 101_000, evaluations: [{ envSteps: 101_000, seconds: 20 }] };
    files['result.json'] = JSON.stringify(alone);
    expect((await whole()).metrics.map(({ values }) => values.stepsPerSecond)).toEqual([50]);
  });

  it('counts the steps of key solutions that it trains first, one for each objective and one between them', async () => {
    delete files['result.json'];
    files['fronts/2000.json'] = JSON.stringify(FRONT);
    const stepsWith = async (own: object, others = {}) => {
      files['config.json'] = JSON.stringify({ ...CONFIG, ...others, settings: { ...CONFIG.settings, ...own } });
      return (await whole()).steps;
    };
    const trained = { keys: 'trained', keySteps: 500, criticAngle: 0, actorAngle: 10 };
    expect(await stepsWith(trained)).toBe(2000 + 7 * 500);
    expect(await stepsWith({ ...trained, actorAngle: 0 })).toBe(2000);
    expect(await stepsWith({ ...trained, keys: 'known' })).toBe(2000);
    expect(await stepsWith(trained, { keys: [ROW] })).toBe(2000);
  });

  it('has the hypervolume, the front and all other numbers of the policy set that is kept, not of the last', async () => {
    files['metrics.jsonl'] = `${metric(1000, 30)}\n${metric(2000, 20)}\n`;
    files['result.json'] = JSON.stringify({ ...RESULT, keptAt: 1000, hypervolume: 30 });
    const { kept } = await whole();
    expect(kept).toMatchObject({ envSteps: 1000, values: { hypervolume: 30, loss: 0.5 }, evaluated: FRONT });
  });

  it('keeps the evaluation of its end where it was stopped before the first', async () => {
    delete files['metrics.jsonl'];
    files['result.json'] = JSON.stringify({ ...RESULT, stopped: true, envSteps: 150, keptAt: 150, evaluations: [] });
    expect(await whole()).toMatchObject({ metrics: [], modelSteps: 150, kept: { envSteps: 150, evaluated: FRONT } });
  });

  it('finds out which one is kept by a run of an earlier version, which does not say so', async () => {
    files['metrics.jsonl'] = `${metric(1000, 30)}\n${metric(2000, 20)}\n`;
    files['result.json'] = JSON.stringify({ envSteps: 2000, hypervolume: 30 });
    expect((await whole()).kept?.envSteps).toBe(1000);
  });

  it('shows of a run that trains the policy set that it would keep now', async () => {
    delete files['result.json'];
    files['metrics.jsonl'] = `${metric(1000, 30)}\n${metric(2000, 20)}\n`;
    files['fronts/1000.json'] = JSON.stringify(FRONT);
    expect((await whole()).kept).toMatchObject({ envSteps: 1000, values: { hypervolume: 30 }, evaluated: FRONT });
    files['config.json'] = JSON.stringify({ ...CONFIG, settings: { keep: 'last' } });
    files['fronts/2000.json'] = JSON.stringify(FRONT);
    expect((await whole()).kept).toMatchObject({ envSteps: 2000, values: { hypervolume: 20 } });
  });

  it('keeps nothing before the first evaluation', async () => {
    delete files['result.json'];
    delete files['metrics.jsonl'];
    expect(await whole()).toMatchObject({ metrics: [], kept: undefined, hasModel: false });
  });

  it('describes an environment that the page does not have by what the files say', async () => {
    files['config.json'] = JSON.stringify({ ...CONFIG, env: 'thermostat', protocol: { referencePoint: [-1, -2] } });
    files['model.json'] = JSON.stringify({ objectives: ['Comfort', 'Thrift'] });
    files['fronts/final.json'] = JSON.stringify({ preferences: [[1, 0]], returns: [[3, 4]] });
    const { env, unplayable } = await whole();
    expect(env).toMatchObject({ id: 'thermostat', objectives: [{ name: 'Comfort' }, { name: 'Thrift' }] });
    expect(env.referencePoint).toEqual([-1, -2]);
    expect(unplayable).toContain('psl explore --import FILE adds it');
    delete files['model.json'];
    expect((await whole()).env.objectives).toEqual([{ name: 'Objective 1' }, { name: 'Objective 2' }]);
  });

  it.each<[string, Record<string, string | number>, string]>([
    ['has no configuration', { 'config.json': 404 }, 'There is no run in this folder yet: it has no config.json.'],
    ['was changed', { 'config.json': 409 }, 'config.json of this run is damaged: it is not what was written.'],
    ['cannot be read', { 'result.json': 500 }, 'result.json of this run cannot be read (500).'],
    ['is cut off', { 'config.json': '{"env":' }, 'config.json of this run is damaged: it is not valid JSON.'],
    ['names no environment', { 'config.json': '{}' }, 'config.json of this run names no environment.'],
    ['has a broken line', { 'metrics.jsonl': '{"a' }, 'metrics.jsonl of this run is damaged: it is not valid JSON.'],
    ['lacks its front', { 'fronts/final.json': 404 }, 'fronts/final.json of this run is missing.'],
    [
      'has a front of other objectives',
      { 'fronts/final.json': '{"preferences":[[1,0]],"returns":[[1,2]]}' },
      'fronts/final.json of this run is damaged: it lacks preferences or returns.',
    ],
  ])('says what is wrong with a run that %s', async (_, damage, sentence) => {
    Object.assign(files, damage);
    expect(await problem()).toBe(sentence);
  });
});
