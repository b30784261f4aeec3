/** Every algorithm, interrupted at random points and resumed, against the same training without interruption. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { algorithm, algorithmNames } from '../src/algorithms/index.js';
import { environmentOf, register } from '../src/envs/index.js';
import { keyPreferences } from '../src/preferences/index.js';
import { Random } from '../src/random/index.js';
import { planFromRun, resumeRun, trainRun } from '../src/runs/index.js';
import { planTraining, settingsOf, StoppedError } from '../src/training/index.js';
import type { Evaluated, TrainingEvents, TrainingPlan, TrainingRequest } from '../src/training/index.js';
import { contentsOf, filesBelow } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { toyEnv } from './support/toy.mjs';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
// Drawing pixels takes a third of the time of these trainings, and what is drawn is compared as SVG.
vi.mock('../src/plots/png.js', () => ({ svgToPng: (svg: string) => Promise.resolve(new TextEncoder().encode(svg)) }));

vi.mock('../src/tensor/onnx/runtime.js', async (original) =>
  (await import('./support/shared-sessions.js')).sharing(
    await original<typeof import('../src/tensor/onnx/runtime.js')>(),
  ),
);

const folder = temporaryFolder('exact');

/** A walk along a line, whose episodes end by chance or after ten steps. */
const WALK = 'test-walk';
const HORIZON = 10;
register(toyEnv(environmentOf, WALK, { horizon: HORIZON, risk: 0.1 }));
/** Poor ones, which are soon beaten. */
const KEYS = keyPreferences(2).map(() => [1, 1]);

/** As small as a training can be: those of these settings that an algorithm has. */
const TINY: Readonly<Record<string, unknown>> = {
  steps: 96,
  children: 2,
  evaluations: 2,
  evaluationDivisions: 1,
  startSteps: 4,
  learnAfter: 16,
  updatesPerStep: 0.7,
  batch: 8,
  groups: 4,
  capacity: 40,
  hidden: [6],
  criticHidden: [6],
  hyperHidden: [4],
  hyperFeatures: 2,
  policyDelay: 2,
  horizon: 8,
  keySteps: 30,
  criticAngle: 1,
  actorAngle: 1,
  keyUpdates: 1,
  normalise: false,
  criticNorm: 'none',
  rewardScale: false,
  atoms: 0,
};
/** A population takes more steps: each of its tasks as many as others do. */
const TINY_POPULATION = { taskDivisions: 2, steps: 8 * 3 * 16, warmup: 2, generation: 2, evaluations: 3 };

/** What is tried of an algorithm besides its own settings. */
type Variation = Partial<Omit<TrainingRequest, 'algorithm'>>;
const FAMILIES = ['fused', 'generated', 'added'];
const families = Object.fromEntries(FAMILIES.map((family) => [family, { settings: { family } }]));
const variations: Readonly<Record<string, Readonly<Record<string, Variation>>>> = {
  'psl-ddqn': {
    ...families,
    'the best policy set': { settings: { keep: 'best', target: 'full' } },
    'repeated random actions, bounded targets, returns of several steps and normalised observations': {
      env: 'deep-sea-treasure',
      replicas: 2,
      settings: { epsilonRepeat: 1.2, boundedTargets: true, utilityError: 10, nStep: 3, normalise: true },
    },
    'two replicas': { replicas: 2 },
    float64: { device: 'reference' },
  },
  'psl-td3': {
    ...families,
    'key solutions of its own': { settings: { keys: 'trained' } },
    'normalised observations': { settings: { normalise: true, criticAngle: 0, actorAngle: 0 } },
    'two replicas': { replicas: 2 },
    'noise that falls, differs between episodes and follows that of the step before': {
      settings: { keyUpdates: null, explorationSpread: 0.5, explorationCorrelation: 0.5, finalExploration: 0.5 },
    },
    'replicas that differ in settings': {
      settings: { keys: 'trained' },
      vary: { tau: [0.1, 0.005], averaging: [0, 0.1] },
    },
    'a robot': { env: 'mo-swimmer-v2', settings: { keyUpdates: null } },
  },
  'psl-sac': {
    ...families,
    'what best has': {
      settings: {
        normalise: true,
        criticNorm: 'residual',
        criticHidden: [6, 6],
        rewardScale: true,
        atoms: 5,
        averaging: 0.1,
        policyDelay: 2,
      },
    },
    'key solutions of its own': { settings: { keys: 'trained' } },
    'replicas that differ in settings': { vary: { temperature: [0.1, 0.5], targetEntropy: [-1, -0.5] } },
  },
  'psl-ppo': { numbers: {}, choices: { env: 'deep-sea-treasure' } },
  'pg-morl': { numbers: {}, choices: { env: 'deep-sea-treasure' } },
};

function planOf(name: string, { settings = {}, env, ...request }: Variation): TrainingPlan {
  const method = algorithm(name);
  const all = { ...TINY, ...(method.kind === 'population' && TINY_POPULATION) };
  const known = Object.entries(all).filter(([setting]) => Object.hasOwn(settingsOf(method), setting));
  const usesKeys = env === undefined && method.actions.includes('continuous') && settings.keys !== 'trained';
  return planTraining({
    env: env ?? (method.actions.includes('continuous') ? WALK : 'fruit-tree-d5'),
    algorithm: name,
    device: 'cpu:1',
    workers: 0,
    ...(usesKeys && { keys: KEYS }),
    ...request,
    settings: { ...Object.fromEntries(known), ...settings },
  });
}

/** A crash: whatever throws in the middle of an iteration. */
class Crash extends Error {}

/**
 * Trains, or goes on with it, until an iteration: then stops there as Ctrl-C does, or crashes, which loses what came
 * after the last checkpoint. Says how many iterations it had.
 */
async function until(iteration: number, how: 'stop' | 'crash', start: (events: TrainingEvents) => Promise<unknown>) {
  let iterations = 0;
  const step = () => {
    iterations++;
    if (how === 'crash' && iterations >= iteration) throw new Crash();
  };
  const events: TrainingEvents = {
    progress: step,
    keyProgress: step,
    shouldStop: () => how === 'stop' && iterations >= iteration,
  };
  await start(events).catch((error: unknown) => {
    if (!(error instanceof Crash || error instanceof StoppedError)) throw error;
  });
  return iterations;
}

/** Trains, or goes on with it, until a step of an evaluation, which is broken off there. */
async function untilEvaluating(step: number, start: (events: TrainingEvents) => Promise<unknown>) {
  let steps = 0;
  const events: TrainingEvents = { evaluating: () => (steps += 1), shouldStop: () => steps >= step };
  await start(events).catch((error: unknown) => {
    if (!(error instanceof StoppedError)) throw error;
  });
}

const cases = algorithmNames().flatMap((name) =>
  Object.entries(variations[name] ?? { 'its defaults': {} }).map(
    ([title, variation]) => [name, title, variation] as const,
  ),
);

describe.each(cases)('%s with %s', (name, title, variation) => {
  const plan = planOf(name, variation);
  const seed = 1 + cases.findIndex((entry) => entry[0] === name && entry[1] === title);
  const [whole, parts, broken] = ['whole', 'parts', 'broken'].map((kind) => join(folder, name, title, kind));
  let iterations: number;
  /** Of its evaluations. */
  let steps = 0;
  beforeAll(async () => {
    const evaluating = () => (steps += 1);
    iterations = await until(Infinity, 'stop', (events) =>
      trainRun(plan, { out: whole, events: { ...events, evaluating } }),
    );
  });

  it('resumes exactly, wherever it is interrupted', async () => {
    const random = new Random(seed);
    // A checkpoint after every iteration or none but that of a stop; each interruption in what is left.
    const checkpointEvery = random.uniform() < 0.5 ? 0 : 60;
    let done = 1 + random.integer(iterations - 1);
    await until(done, 'stop', (events) => trainRun(plan, { out: parts, events, checkpointEvery }));
    for (const how of ['crash', 'stop', 'crash'] as const) {
      if (done + 1 >= iterations) break;
      const more = 1 + random.integer(iterations - done - 1);
      await until(more, how, (events) => resumeRun(parts, { events, checkpointEvery, workers: 0 }));
      if (how === 'stop' || checkpointEvery === 0) done += more - Number(how === 'crash');
    }
    await resumeRun(parts, { workers: 0 });

    expect(contentsOf(parts)).toEqual(contentsOf(whole));
    expect(filesBelow(parts)).toEqual(filesBelow(whole));
  });

  it('resumes exactly where an evaluation is broken off', async () => {
    const random = new Random(seed);
    // In the first half: after the last step of the last evaluation there is nothing to break off.
    const step = 1 + random.integer(Math.max(1, Math.floor(steps / 2)));
    await untilEvaluating(step, (events) => trainRun(plan, { out: broken, events }));
    // Twice more, in its first step, which no evaluation ends with.
    for (let i = 0; i < 2; i++) await untilEvaluating(1, (events) => resumeRun(broken, { events, workers: 0 }));
    await resumeRun(broken, { workers: 0 });
    expect(contentsOf(broken)).toEqual(contentsOf(whole));
    expect(filesBelow(broken)).toEqual(filesBelow(whole));
  });
});

describe.each([
  ['psl-sac', 'what best has'],
  ['psl-ppo', 'numbers'],
])('%s that begins with another run', (name, title) => {
  it('resumes exactly, from its first evaluation and from an iteration', async () => {
    const [parent, whole, parts] = ['parent', 'extended', 'extended-parts'].map((kind) => join(folder, name, kind));
    await trainRun(planOf(name, variations[name][title]), { out: parent });
    const plan = await planFromRun(parent, { workers: 0 });
    await trainRun(plan, { out: whole });
    await untilEvaluating(1, (events) => trainRun(plan, { out: parts, events }));
    expect(filesBelow(parts)).not.toContain('metrics.jsonl');
    await until(4, 'crash', (events) => resumeRun(parts, { events, checkpointEvery: 0, workers: 0 }));
    await resumeRun(parts, { workers: 0 });
    expect(contentsOf(parts)).toEqual(contentsOf(whole));
    expect(filesBelow(parts)).toEqual(filesBelow(whole));
  });
});

describe('a run that keeps its best policy set', () => {
  it('has the last one too where it is resumed and stopped before its next evaluation', async () => {
    const plan = planOf('psl-ddqn', { settings: { keep: 'best', steps: 400, evaluations: 8, learningRate: 0.1 } });
    const out = join(folder, 'last');
    const whole = join(folder, 'last-whole');
    await trainRun(plan, { out: whole });
    const metrics = readFileSync(join(whole, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
    const hypervolumes = metrics.map((line) => (JSON.parse(line) as Pick<Evaluated, 'score'>).score.hypervolume);
    // An evaluation after which another policy set is kept, which is what this is about.
    const worse = hypervolumes.findIndex((value, i) => i > 0 && value < Math.max(...hypervolumes.slice(0, i)));
    expect(worse).toBeGreaterThan(0);
    let evaluations = 0;
    const events: TrainingEvents = { evaluated: () => (evaluations += 1), shouldStop: () => evaluations > worse };
    await trainRun(plan, { out, events });
    const before = contentsOf(out);
    expect(before['last/model.safetensors']).not.toBe(before['model.safetensors']);
    await resumeRun(out, { events: { shouldStop: () => true }, workers: 0 });
    expect(contentsOf(out)).toEqual(before);
    await resumeRun(out, { workers: 0 });
    expect(contentsOf(out)).toEqual(contentsOf(whole));
  });
});
