/** Whoever only uses a model acts as the learner that trained it did: plain policies, compiled ones, and what is read from files. */
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterEach, describe, expect, it } from 'vitest';
import { algorithm, algorithmNames, randomAction, type Learner } from '../src/algorithms/index.js';
import { makeEnv, prepareEnv } from '../src/envs/index.js';
import { encodeWeights, modelAsOnnx, plainPolicy, policyAsOnnx, readModel, withAnswers } from '../src/model/index.js';
import type { Model, Policy } from '../src/model/index.js';
import { uniformSimplex } from '../src/preferences/index.js';
import { Random } from '../src/random/index.js';
import { compiledPolicy, isPolicySet } from '../src/rollout/index.js';
import { evaluateRun, exportRun, loadModel, loadPolicy, openRun, readReturns } from '../src/runs/index.js';
import { createLearner, planTraining, type Plan } from '../src/training/index.js';
import { modelOf, modelOfMembers } from '../src/training/model.js';

const SMALL = {
  hidden: [24, 24],
  criticHidden: [16],
  hyperHidden: [16],
  hyperFeatures: 4,
  alpha: 0.3,
  // Key solutions are not known everywhere.
  criticAngle: 0,
  actorAngle: 0,
  selection: 'scalarised',
  normalise: true,
};
const ROLLOUT = { children: 4, horizon: 32, groups: 4 };
const ENVS = { discrete: 'fruit-tree-d6', continuous: 'mo-hopper-v3' };

/** Every algorithm that learns one network for all preferences, with every family, for every kind of action. */
const cases = algorithmNames()
  .map((name) => algorithm(name))
  .filter(({ kind }) => kind !== 'population')
  .flatMap(({ name, kind, fields, actions, settings: fixed }) => {
    const families = 'family' in fields && !('family' in fixed) ? ['fused', 'generated', 'added', 'conditioned'] : [''];
    const small = Object.fromEntries(Object.entries(SMALL).filter(([setting]) => setting in fields));
    const settings = { ...small, batch: 32, ...(kind === 'on-policy' && ROLLOUT) };
    return families.flatMap((family) =>
      actions.map((action) => {
        return {
          env: ENVS[action],
          algorithm: name,
          family,
          settings: family === '' ? settings : { ...settings, family },
        };
      }),
    );
  });

const opened: Policy[] = [];
afterEach(() => Promise.all(opened.splice(0).map((policy) => policy.dispose())));

function opening<P extends Policy>(policy: P): P {
  opened.push(policy);
  return policy;
}

/** A learner whose policies have nothing learned, but no zeros either, which would hide mistakes with them. */
async function learnerOf(plan: Plan, random: Random) {
  const learner = opening(await createLearner(plan));
  for (let replica = 0; replica < plan.replicas; replica++) learner.initialise(random, replica);
  for (const name of learner.policy.filter((entry) => !entry.startsWith('observations'))) {
    const values = (await learner.state.read(name)) as Float32Array;
    learner.state.write(
      name,
      values.map((value) => value + 0.1 * random.normal()),
    );
  }
  return learner;
}

/** Whether it is of an algorithm that is younger than the first format, or of an average, which is too. */
function isYounger({ description, tensors }: Model): boolean {
  return description.algorithm === 'psl-sac' || [...tensors.keys()].some((name) => name.startsWith('average.'));
}

/** As it is after it was written and read, which descriptions of the first format lead to as well. */
function stored(made: Model): Model {
  const { description, tensors } = made;
  const weights = encodeWeights({ description, tensors });
  const model = readModel(JSON.parse(JSON.stringify(description)), weights);
  if (!isYounger(made)) {
    expect(readModel({ ...description, format: 1, policy: undefined }, weights)).toEqual(model);
  }
  return model;
}

interface Rows {
  readonly s: Float32Array;
  readonly w: Float32Array;
  /** Of an observation. */
  readonly size: number;
  readonly objectives: number;
}

/** Observations of an episode with random actions, and a random preference for each. */
function recorded({ env: id, envOptions }: Plan, steps: number, random: Random): Rows {
  const env = makeEnv(id, envOptions);
  const objectives = env.objectives.length;
  const size = env.observationSpace.low.length;
  const rows = { s: new Float32Array(steps * size), w: new Float32Array(steps * objectives), size, objectives };
  let { observation } = env.reset({ seed: 5 });
  for (let step = 0; step < steps; step++) {
    rows.s.set(observation, step * size);
    uniformSimplex(random, rows.w.subarray(step * objectives, (step + 1) * objectives));
    const next = env.step(randomAction(env.actionSpace, random));
    observation = next.terminated || next.truncated ? env.reset().observation : next.observation;
  }
  env.close();
  return rows;
}

/** The largest distance of what a plain policy does at some rows from actions that are known. */
function distance(model: Model, { s, w, size, objectives }: Rows, known: ArrayLike<number>): number {
  const policy = plainPolicy(model);
  const actions = Array.from({ length: s.length / size }, (_, row) => {
    policy.prefer(w.subarray(row * objectives, (row + 1) * objectives));
    const action = policy.act(s.subarray(row * size, (row + 1) * size));
    return typeof action === 'number' ? [action] : Array.from(action);
  }).flat();
  expect(actions).toHaveLength(known.length);
  return Math.max(...actions.map((action, i) => Math.abs(action - known[i])));
}

/** What a graph makes of rows, by the names of its outputs. */
async function runGraph(onnx: Uint8Array, feeds: Readonly<Record<string, Float32Array>>, rows: number) {
  const session = await InferenceSession.create(onnx);
  expect(session.inputNames).toEqual(Object.keys(feeds));
  const outputs = await session.run(
    Object.fromEntries(
      Object.entries(feeds).map(([name, values]) => [
        name,
        new Tensor('float32', values, [rows, values.length / rows]),
      ]),
    ),
  );
  await session.release();
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { data, dims }]) => {
      expect(dims[0]).toBe(rows);
      return [name, Array.from(data as Float32Array)];
    }),
  );
}

/** Has both exported graphs act: the whole model on all rows at once, and the network of each of some preferences. */
async function expectExported(model: Model, { s, w, size, objectives }: Rows, known: readonly number[]): Promise<void> {
  const count = s.length / size;
  const isDiscrete = model.description.actionSpace.kind === 'discrete';
  const second = { values: ['utilities'], categorical: ['scores'] }[model.description.policy.output as string] ?? [];
  const whole = await runGraph(modelAsOnnx(model), { observation: s, preference: w }, count);
  expect(Object.keys(whole)).toEqual(['action', ...second]);
  const closeTo = (actions: readonly number[], expected: readonly number[]): void => {
    expect(actions).toHaveLength(expected.length);
    actions.forEach((action, i) => expect(Math.abs(action - expected[i])).toBeLessThan(1e-5));
  };
  closeTo(whole.action, known);
  if (isDiscrete) {
    const scores = whole[second[0]];
    const actions = scores.length / count;
    whole.action.forEach((action, row) => {
      expect(scores[row * actions + action]).toBe(Math.max(...scores.slice(row * actions, (row + 1) * actions)));
    });
  }

  const policy = plainPolicy(model);
  policy.prefer(w.subarray(0, objectives));
  const alone = await runGraph(policyAsOnnx(policy), { observation: s }, count);
  const own = Array.from({ length: count }, (_, row) => {
    const action = policy.act(s.subarray(row * size, (row + 1) * size));
    return typeof action === 'number' ? [action] : Array.from(action);
  });
  closeTo(alone.action, own.flat());
}

describe('a model', () => {
  it.each(cases)('acts as the learner $algorithm $family does on $env', async ({ family: _, ...request }) => {
    const plan = planTraining({ ...request, device: 'cpu' });
    const random = new Random(3);
    const learner = await learnerOf(plan, random);
    const rows = recorded(plan, 20, random);
    learner.observe?.(rows.s);
    const known = Array.from(await learner.act(rows.s, rows.w));

    const model = stored(await modelOf(plan, learner, 0));
    expect(distance(model, rows, known)).toBeLessThan(1e-5);
    const compiled = opening(await compiledPolicy(model, 'cpu'));
    expect(Array.from(await compiled.act(rows.s, rows.w))).toEqual(known);
    await expectExported(model, rows, known);
  });

  it.each(cases.filter(({ algorithm }) => ['psl-ddqn', 'psl-td3'].includes(algorithm)))(
    'answers preferences by the policies of others in every form, with $algorithm $family on $env',
    async ({ family: _, ...request }) => {
      const plan = planTraining({ ...request, device: 'cpu' });
      const random = new Random(3);
      const learner = await learnerOf(plan, random);
      const rows = recorded(plan, 20, random);
      learner.observe?.(rows.s);
      const { size, objectives } = rows;
      const corners = Array.from({ length: objectives }, (_, k) =>
        Array.from({ length: objectives }, (_, i) => +(i === k)),
      );
      // The nearest corner is that of the largest weight; the first two answer each other, and the others themselves.
      const answers = withAnswers(await modelOf(plan, learner, 0), corners, [
        corners[1],
        corners[0],
        ...corners.slice(2),
      ]);
      const used = rows.w.slice();
      for (let start = 0; start < used.length; start += objectives) {
        const preference = rows.w.subarray(start, start + objectives);
        const nearest = preference.indexOf(Math.max(...preference));
        if (nearest < 2) used.set(corners[1 - nearest], start);
      }
      expect(used).not.toEqual(rows.w);
      const known = Array.from(await learner.act(rows.s, used));
      const own = Array.from(await learner.act(rows.s, rows.w));
      expect(known).not.toEqual(own);

      const { description, tensors } = answers;
      const model = readModel(JSON.parse(JSON.stringify(description)), encodeWeights({ description, tensors }));
      expect(distance(model, rows, known)).toBeLessThan(1e-5);
      const compiled = opening(await compiledPolicy(model, 'cpu'));
      expect(Array.from(await compiled.act(rows.s, rows.w))).toEqual(known);
      // Other preferences for the same rows, and fewer of them.
      expect(
        Array.from(
          await compiled.act(
            rows.s,
            used.map((_, i) => rows.w[i]),
          ),
        ),
      ).toEqual(known);
      const few = await compiled.act(rows.s.subarray(0, size), rows.w.subarray(0, objectives));
      expect(few[0]).toBeCloseTo(known[0], 5);
      await expectExported(model, rows, known);
    },
  );

  it('answers the middle between two preferences as the first of them, in every form', async () => {
    const trained: Model = {
      description: {
        format: 2,
        env: 'none',
        envOptions: {},
        objectives: ['A', 'B'],
        actionSpace: { kind: 'continuous', shape: [1], low: [-1], high: [1] },
        policy: {
          inputs: ['observation', 'preference'],
          layers: [3, 1],
          activation: 'relu',
          output: 'tanh',
          parameters: { family: 'conditioned', base: { tensors: 'actor', share: 1 } },
        },
      },
      tensors: new Map([
        ['actor.layer0.weight', Float32Array.of(0, 1, 0)],
        ['actor.layer0.bias', Float32Array.of(0)],
      ]),
    };
    // Every other preference of a fine grid, whose middles are no numbers of single precision, is answered by the corner.
    const grid = Array.from({ length: 101 }, (_, i) => [i / 100, 1 - i / 100]);
    const model = withAnswers(
      trained,
      grid,
      grid.map((preference, i) => (i % 2 === 0 ? [1, 0] : preference)),
    );
    const middles = Array.from({ length: 100 }, (_, i) => [(i + 0.5) / 100, 1 - (i + 0.5) / 100]);
    const known = middles.map(([weight], i) => Math.tanh(i % 2 === 0 ? 1 : weight));
    const rows = { s: new Float32Array(100), w: Float32Array.from(middles.flat()), size: 1, objectives: 2 };
    expect(distance(model, rows, known)).toBeLessThan(1e-6);
    const policy = plainPolicy(model);
    middles.forEach((preference, i) => {
      policy.prefer(preference);
      expect((policy.act([0]) as Float32Array)[0]).toBeCloseTo(known[i], 6);
    });
    const compiled = opening(await compiledPolicy(model, 'cpu'));
    (await compiled.act(rows.s, rows.w)).forEach((action, i) => expect(action).toBeCloseTo(known[i], 6));
    await expectExported(model, rows, known);
  });

  it('whose output has deviations behind its means acts by the means alone', async () => {
    const model: Model = {
      description: {
        format: 2,
        env: 'none',
        envOptions: {},
        objectives: ['A', 'B'],
        actionSpace: { kind: 'continuous', shape: [2], low: [-2, -3], high: [2, 3] },
        policy: {
          inputs: ['observation', 'preference'],
          layers: [3, 4],
          activation: 'relu',
          output: 'tanh-normal',
          parameters: { family: 'conditioned', base: { tensors: 'actor', share: 1 } },
        },
      },
      tensors: new Map([
        ['actor.layer0.weight', Float32Array.of(1, 2, 9, 9, 0.5, 0, 9, 9, 0, 0.5, 9, 9)],
        ['actor.layer0.bias', Float32Array.of(0, 0.25, 9, 9)],
      ]),
    };
    const rows = { s: Float32Array.of(0.5), w: Float32Array.of(0.25, 0.75), size: 1, objectives: 2 };
    // 0.5 + 0.25 * 0.5, and 2 * 0.5 + 0.75 * 0.5 + 0.25
    const known = [2 * Math.tanh(0.625), 3 * Math.tanh(1.625)];
    expect(distance(model, rows, known)).toBeLessThan(1e-6);
    const compiled = opening(await compiledPolicy(model, 'reference'));
    (await compiled.act(rows.s, rows.w)).forEach((action, i) => expect(action).toBeCloseTo(known[i], 6));
    // As a server is asked: for other numbers of rows while it still answers.
    const server = opening(await compiledPolicy(model, 'cpu'));
    const asked = [1, 2, 1, 3].map(async (count) => {
      const of = (values: Float32Array) =>
        Float32Array.from(
          Array(count)
            .fill([...values])
            .flat(),
        );
      return Array.from(await server.act(of(rows.s), of(rows.w)));
    });
    for (const answer of await Promise.all(asked)) {
      answer.forEach((action, i) => expect(action).toBeCloseTo(known[i % 2], 5));
    }
    await expectExported(model, rows, known);
  });

  it.each(['mo-hopper-v2', 'deep-sea-treasure'])('of a set of policies acts as the best of them on %s', async (env) => {
    const points = [
      [3, 0.6],
      [2, 2],
      [0, 3],
    ];
    const settings = { hidden: [24, 24], children: 4, horizon: 32 };
    const alone = planTraining({ env, algorithm: 'pg-morl', device: 'cpu', settings });
    const plan = { ...alone, replicas: points.length };
    const random = new Random(3);
    const learner = await learnerOf(plan, random);
    const rows = recorded(plan, 12, random);
    learner.observe?.(rows.s);
    const members = await Promise.all(
      points.map(async (returns, replica) => {
        return { returns, policy: (await modelOf(plan, learner, replica)).tensors };
      }),
    );
    const model = stored(modelOfMembers(plan, learner, members));
    const set = opening(await compiledPolicy(model, 'cpu'));
    if (!isPolicySet(set)) throw new Error('not a policy set');

    // (0, 3) is the best up to a weight of 1/3 on the first objective, (3, 0.6) from 7/12 on.
    const best = [0.2, 0.4, 0.6].flatMap((weight, i) => new Array<number>(4).fill(2 - i).map(() => [weight, 2 - i]));
    rows.w.set(best.flatMap(([weight]) => [weight, 1 - weight]));
    const chosen = Int32Array.from(best.map(([, member]) => member));
    // Each replica of the learner is asked for everything, and only the chosen one's answer counts.
    const all = await learner.act(
      Float32Array.from(points.flatMap(() => Array.from(rows.s))),
      Float32Array.from(points.flatMap(() => Array.from(rows.w))),
    );
    const size = all.length / (3 * 12);
    const known = Array.from(chosen).flatMap((member, row) =>
      Array.from(all.subarray((member * 12 + row) * size, (member * 12 + row + 1) * size)),
    );
    expect(distance(model, rows, known)).toBeLessThan(1e-5);
    await expectExported(model, rows, known);
    for (const act of [() => set.act(rows.s, rows.w), () => set.actAs(rows.s, chosen)]) {
      (await act()).forEach((action, i) => expect(Math.abs(action - known[i])).toBeLessThan(1e-5));
    }
  });

  it.each(['half-cheetah', 'fruit-tree'])(
    'of the example %s acts as its learner does, also without a GPU',
    async (name) => {
      const run = openRun(fileURLToPath(new URL(`../examples/runs/${name}/`, import.meta.url)));
      await prepareEnv(run.plan.env);
      const model = loadModel(run);
      const learner: Learner = opening(await createLearner({ ...run.plan, device: 'cpu' }));
      for (const [entry, values] of model.tensors) learner.state.write(entry, values);
      const rows = recorded(run.plan, 60, new Random(7));
      const known = Array.from(await learner.act(rows.s, rows.w));
      expect(distance(model, rows, known)).toBeLessThan(1e-5);
      const loaded = opening(await loadPolicy(run));
      (await loaded.act(rows.s, rows.w)).forEach((action, i) => expect(Math.abs(action - known[i])).toBeLessThan(1e-4));
    },
  );
});

describe('a policy', () => {
  const run = openRun(fileURLToPath(new URL('../examples/runs/half-cheetah/', import.meta.url)));
  const s = new Float32Array(17);

  it('refuses a preference in the sentence that commands have', async () => {
    const policy = opening(await loadPolicy(run, 'cpu'));
    const act = (...w: number[]) => policy.act(s, Float32Array.from(w));
    await expect(act(0.5, 0.75)).rejects.toThrow('preference is [0.5, 0.75], which sums to 1.25, but must sum to 1.');
    await expect(act(1.5, -0.5)).rejects.toThrow('preference is [1.5, -0.5], but its entries must not be negative.');
    await expect(act(1)).rejects.toThrow('preference is [1], but must have 2 entries, one per objective.');
    await expect(act(NaN, 1)).rejects.toThrow('preference is [NaN, 1], but its entries must be numbers.');
    await expect(policy.act(new Float32Array(16), Float32Array.of(0, 1))).rejects.toThrow(
      'observations has 16 numbers, but must have 17 for each row.',
    );
    await expect(policy.act(new Float32Array(34), Float32Array.of(0, 1, 0))).rejects.toThrow(
      'preferences has 3 numbers for 2 observations, but must have 2 for each.',
    );
    const plain = [0.5, 0.5] as unknown as Float32Array;
    await expect(policy.act(s, plain)).rejects.toThrow('preferences is of the kind Array, but must be a Float32Array.');
    expect(await act(0.5, 0.5)).toHaveLength(6);
  });

  it('is of a run or of the path of one, and of nothing else', async () => {
    const policy = opening(await loadPolicy(run.folder, 'cpu'));
    expect(await policy.act(s, Float32Array.of(0.5, 0.5))).toHaveLength(6);
    expect(loadModel(run.folder).description).toEqual(loadModel(run).description);
    expect(readReturns(run.folder)).toEqual(readReturns(run));
    await expect(loadPolicy('nowhere')).rejects.toThrow('run is "nowhere", but must be a folder that psl train has');
    const rest = 'but must be what openRun returns, or the path of its folder.';
    const refused = (value: unknown) => loadPolicy(value as string);
    await expect(refused(undefined)).rejects.toThrow(`run is missing, ${rest}`);
    await expect(refused({ folder: run.folder })).rejects.toThrow(`run is an object, ${rest}`);
    const [wrong, half] = [{} as typeof run, fileURLToPath(new URL('half', import.meta.url))];
    await expect(evaluateRun(wrong)).rejects.toThrow(`run is an object, ${rest}`);
    await expect(exportRun(wrong, half)).rejects.toThrow(`run is an object, ${rest}`);
  });

  it('says that it cannot act any more where it has been disposed of', async () => {
    const policy = await loadPolicy(run, 'cpu');
    await policy.dispose();
    await expect(policy.act(s, Float32Array.of(0.5, 0.5))).rejects.toThrow(
      'this policy has been disposed of, so it cannot be used any more.',
    );
  });

  it('refuses the same where it is a learner', async () => {
    const learner = await createLearner(planTraining({ env: 'deep-sea-treasure', device: 'cpu' }));
    const observation = new Float32Array(121);
    await expect(learner.act(observation, Float32Array.of(0.5, 0.75))).rejects.toThrow(
      'sums to 1.25, but must sum to 1.',
    );
    await learner.dispose();
    await expect(learner.act(observation, Float32Array.of(0.5, 0.5))).rejects.toThrow('has been disposed of');
  });
});
