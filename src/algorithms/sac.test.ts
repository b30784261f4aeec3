import { afterEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/index.js';
import { continuous, discrete } from '../envs/index.js';
import { Random } from '../random/index.js';
import { End } from '../rollout/index.js';
import { openDevice } from '../tensor/index.js';
import type { State } from '../tensor/index.js';
import type { Batch, LearnerOptions, OffPolicyLearner, Problem } from './learner.js';
import { sac, sacFields } from './sac.js';

// What the learner computes is computed again here in plain numbers, row by row. Critics, targets and families that it shares
// with TD3 are tested there.

const LIMITS = [2, 0.5];
const [OBSERVATION, ACTIONS, OBJECTIVES] = [3, LIMITS.length, 2];
const PROBLEM: Problem = {
  observation: OBSERVATION,
  actionSpace: continuous(
    LIMITS.map((limit) => -limit),
    LIMITS,
  ),
  objectives: OBJECTIVES,
  discount: 0.9,
};
const [BATCH, GROUPS] = [6, 3];
const SMALL = { hidden: [5], criticHidden: [6], hyperHidden: [4], hyperFeatures: 2, family: 'conditioned' };
/** The size of returns that rewards are divided by, where they are. */
const SCALE = [2, 0.5];

const opened: OffPolicyLearner[] = [];
afterEach(async () => {
  for (const learner of opened.splice(0)) await learner.dispose();
});

type Making = Partial<Pick<LearnerOptions, 'problem' | 'replicas' | 'variants'>> & { readonly device?: string };

async function learnerOf(settings: object = {}, making: Making = {}): Promise<OffPolicyLearner> {
  const { device = 'reference', replicas = 1, problem = PROBLEM, variants } = making;
  const learner = await sac(resolveConfig(sacFields, SMALL, settings), {
    problem,
    device: await openDevice(device),
    replicas,
    batch: BATCH,
    groups: GROUPS,
    ...(variants !== undefined && { variants }),
  });
  opened.push(learner);
  const { state } = learner;
  for (let replica = 0; replica < replicas; replica++) {
    learner.initialise(new Random(5 + replica), replica);
    if (state.names.includes('rewardScale')) state.load({ rewardScale: Float32Array.from(SCALE) }, replica);
  }
  // So that nothing is alike: targets differ from what they follow, and biases are not zero.
  const random = new Random(55);
  for (const name of state.names.filter((each) => /^(?:actor|critics|criticTargets)\./.test(each))) {
    const values = await state.read(name);
    state.write(
      name,
      Float32Array.from(values, (value) => value + 0.4 * random.normal()),
    );
  }
  return learner;
}

function batchOf(seed: number): Batch {
  const random = new Random(seed);
  const normals = (width: number, deviation: number) =>
    random.fillNormal(new Float32Array(BATCH * width), 0, deviation);
  return {
    observation: normals(OBSERVATION, 1),
    action: normals(ACTIONS, 0.5),
    reward: normals(OBJECTIVES, 2),
    next: normals(OBSERVATION, 1),
    terminal: Float32Array.from({ length: BATCH }, (_, row) => Number(row % 3 === 1)),
    preferences: Float32Array.of(0.2, 0.8, 0.7, 0.3, 1, 0),
  };
}

type Entries = ReadonlyMap<string, number[]>;

async function entriesOf(state: State): Promise<Entries> {
  const entries = new Map<string, number[]>();
  for (const name of state.names) entries.set(name, Array.from(await state.read(name)));
  return entries;
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
const rowOf = (values: ArrayLike<number>, row: number, width: number): number[] =>
  Array.from({ length: width }, (_, i) => values[row * width + i]);
const preferenceOf = (batch: Batch, row: number) =>
  rowOf(batch.preferences, Math.floor((row * GROUPS) / BATCH), OBJECTIVES);

/** A network of two layers on one row. */
function network(entries: Entries, name: string, x: readonly number[]): number[] {
  const layer = (i: number, signal: readonly number[]) => {
    const [weight, bias] = ['weight', 'bias'].map((part) => entries.get(`${name}.layer${i}.${part}`)!);
    return bias.map((b, j) => signal.reduce((sum, value, k) => sum + value * weight[k * bias.length + j], b));
  };
  return layer(
    1,
    layer(0, x).map((sum) => Math.max(0, sum)),
  );
}

/** An action that the actor draws with some noise, and its log probability in parts of the limits. */
function drawn(entries: Entries, s: readonly number[], w: readonly number[], noise: readonly number[]) {
  const given = network(entries, 'actor.base', [...s, ...w]);
  let logProbability = 0;
  const action = LIMITS.map((limit, i) => {
    const deviation = Math.exp(-1.5 + 3.5 * Math.tanh(given[ACTIONS + i]));
    const part = Math.tanh(given[i] + deviation * noise[i]);
    const density = Math.exp(-0.5 * noise[i] ** 2) / (deviation * Math.sqrt(2 * Math.PI));
    logProbability += Math.log(density / (1 - part ** 2));
    return limit * part;
  });
  return { action, logProbability };
}

/** What the twin of the lower utility says, compared in the environment's own units. */
function worse(entries: Entries, name: string, x: readonly number[], w: readonly number[], scale: readonly number[]) {
  const [one, two] = ['first', 'second'].map((twin) => network(entries, `${name}.${twin}`, x));
  const utility = (q: readonly number[]) => w.reduce((sum, weight, k) => sum + weight * scale[k] * q[k], 0);
  return utility(one) <= utility(two) ? one : two;
}

const scaleOf = ({ rewardScale = false }: { rewardScale?: boolean }) => (rewardScale ? SCALE : [1, 1]);

/** A batch's two sets of noise, for the critics and then for the actor. */
function noisesOf(random: Random): readonly [Float32Array, Float32Array] {
  const generator = random.clone();
  const draw = () => generator.fillNormal(new Float32Array(BATCH * ACTIONS));
  return [draw(), draw()];
}

const last = (learner: OffPolicyLearner, name: string): number => learner.diagnostics()[name][0];

/** Central differences of a loss in all entries under a name. */
function gradientOf(entries: Entries, under: string, loss: (entries: Entries) => number): Map<string, number[]> {
  const gradient = new Map<string, number[]>();
  for (const [name, values] of entries) {
    if (!name.startsWith(`${under}.`)) continue;
    const moved = (i: number, by: number) => loss(new Map(entries).set(name, values.with(i, values[i] + by)));
    gradient.set(
      name,
      values.map((_, i) => (moved(i, 1e-6) - moved(i, -1e-6)) / 2e-6),
    );
  }
  return gradient;
}

/** The first moments of Adam after one update are a tenth of the gradient. */
async function expectMoments(state: State, moments: string, gradient: ReadonlyMap<string, number[]>) {
  for (const [name, values] of gradient) {
    const found = await state.read(name.replace(/^\w+/, `${moments}.m`));
    values.forEach((g, i) => expect(found[i]).toBeCloseTo(0.1 * g, 3));
  }
}

const VARIANTS = [
  ['of rewards as they are', { rewardScale: false }],
  ['of scaled rewards', { rewardScale: true }],
] as const;

describe('an update of the critics', () => {
  it.each(VARIANTS)('aims at soft values %s', async (_, settings) => {
    const learner = await learnerOf({ ...settings, temperature: 0.3, policyDelay: 2, error: 'squared', clip: 1e6 });
    const entries = await entriesOf(learner.state);
    const [batch, random] = [batchOf(3), new Random(9)];
    const [noise] = noisesOf(random);
    await learner.learn(batch, { progress: 0, update: 1, random: [random] });

    const scale = scaleOf(settings);
    const targets = Array.from({ length: BATCH }, (_, row) => {
      const w = preferenceOf(batch, row);
      const s2 = rowOf(batch.next, row, OBSERVATION);
      const { action, logProbability } = drawn(entries, s2, w, rowOf(noise, row, ACTIONS));
      const next = worse(entries, 'criticTargets', [...s2, ...w, ...action], w, scale);
      return rowOf(batch.reward, row, OBJECTIVES).map(
        (r, k) => r / scale[k] + 0.9 * (1 - batch.terminal[row]) * (next[k] - 0.3 * logProbability),
      );
    });
    const loss = (changed: Entries) => {
      const errors: number[] = [];
      for (let row = 0; row < BATCH; row++) {
        const w = preferenceOf(batch, row);
        const x = [...rowOf(batch.observation, row, OBSERVATION), ...w, ...rowOf(batch.action, row, ACTIONS)];
        for (const twin of ['first', 'second']) {
          const q = network(changed, `critics.${twin}`, x);
          errors.push(...q.map((value, k) => (value - targets[row][k]) ** 2));
        }
      }
      // A mean for each critic; both are added.
      return 2 * mean(errors);
    };
    expect(last(learner, 'criticLoss') / loss(entries)).toBeCloseTo(1, 5);
    await expectMoments(learner.state, 'criticAdam', gradientOf(entries, 'critics', loss));
  });

  it('moves the target critics with every update, and no actor', async () => {
    const learner = await learnerOf({ policyDelay: 2, tau: 0.25 });
    const before = await entriesOf(learner.state);
    await learner.learn(batchOf(3), { progress: 0, update: 1, random: [new Random(9)] });
    const after = await entriesOf(learner.state);
    for (const [name, values] of before) {
      const source = after.get(name.replace('criticTargets', 'critics'))!;
      const found = after.get(name)!;
      if (name.startsWith('criticTargets.')) {
        found.forEach((x, i) => expect(x).toBeCloseTo(0.75 * values[i] + 0.25 * source[i], 5));
      }
      if (/^(?:actor|logTemperature)/.test(name)) expect(found).toEqual(values);
    }
  });
});

describe('an update of the actor', () => {
  it.each(VARIANTS)('goes up utility plus entropy, %s', async (_, settings) => {
    const learner = await learnerOf({ ...settings, temperature: 0.3, clip: 1e6, criticLearningRate: 1e-9 });
    const entries = await entriesOf(learner.state);
    const [batch, random] = [batchOf(3), new Random(9)];
    const [, noise] = noisesOf(random);
    await learner.learn(batch, { progress: 0, update: 1, random: [random] });

    const scale = scaleOf(settings);
    const rows = (changed: Entries) =>
      Array.from({ length: BATCH }, (_, row) => {
        const w = preferenceOf(batch, row);
        const s = rowOf(batch.observation, row, OBSERVATION);
        const { action, logProbability } = drawn(changed, s, w, rowOf(noise, row, ACTIONS));
        const q = worse(changed, 'critics', [...s, ...w, ...action], w, scale);
        const utility = w.reduce((sum, weight, k) => sum + weight * scale[k] * q[k], 0) / dot(w, scale);
        return { logProbability, loss: 0.3 * logProbability - utility };
      });
    const loss = (changed: Entries) => mean(rows(changed).map((row) => row.loss));
    expect(last(learner, 'actorLoss')).toBeCloseTo(loss(entries), 4);
    expect(last(learner, 'entropy')).toBeCloseTo(-mean(rows(entries).map((row) => row.logProbability)), 4);
    expect(last(learner, 'temperature')).toBeCloseTo(0.3, 6);
    const gradient = gradientOf(entries, 'actor', loss);
    expect(last(learner, 'actorGradient') / Math.hypot(...[...gradient.values()].flat())).toBeCloseTo(1, 3);
    await expectMoments(learner.state, 'actorAdam', gradient);
  });

  it.each([
    ['falls where there is more entropy than wanted', -50, -0.01],
    ['rises where there is less', 50, 0.01],
  ])('the temperature %s', async (_, targetEntropy, step) => {
    const learner = await learnerOf({ targetEntropy, temperatureLearningRate: 0.01, temperature: 0.5 });
    await learner.learn(batchOf(3), { progress: 0, update: 1, random: [new Random(9)] });
    expect((await learner.state.read('logTemperature'))[0]).toBeCloseTo(Math.log(0.5) + step, 5);
  });

  it('a temperature that is learned brings the entropy to what is wanted', async () => {
    const rates = { learningRate: 0.02, criticLearningRate: 1e-9, temperatureLearningRate: 0.05, tau: 1e-9 };
    const learner = await learnerOf({ ...rates, targetEntropy: -1, temperature: 0.05 });
    const random = [new Random(9)];
    const found: number[] = [];
    for (let update = 1; update <= 400; update++) {
      await learner.learn(batchOf(3), { progress: 0, update, random });
      if (update > 300) found.push(last(learner, 'entropy'));
    }
    expect(mean(found)).toBeCloseTo(-2, 0);
  });
});

describe('acting', () => {
  const s = new Random(21).fillNormal(new Float32Array(3 * OBSERVATION), 0, 1);
  const w = Float32Array.of(1, 0, 0.25, 0.75, 0.5, 0.5);

  it('takes the means where it is judged, and draws while it learns', async () => {
    const learner = await learnerOf();
    const entries = await entriesOf(learner.state);
    const best = Array.from(await learner.act(s, w));
    const moments = (await learner.behave!(s, w)).slice();
    const expected = Array.from(await learner.expected!(s, w));
    for (let row = 0; row < 3; row++) {
      const [own, at] = [rowOf(w, row, OBJECTIVES), rowOf(s, row, OBSERVATION)];
      const calm = drawn(entries, at, own, [0, 0]).action;
      calm.forEach((x, i) => expect(best[row * ACTIONS + i]).toBeCloseTo(x, 5));
      expect(expected[row]).toBeCloseTo(dot(own, network(entries, 'critics.first', [...at, ...own, ...calm])), 4);
      const noise = new Random(4);
      const wild = drawn(entries, at, own, [noise.normal(), noise.normal()]).action;
      const width = 2 * ACTIONS;
      const found = learner.explore(moments.subarray(row * width, (row + 1) * width), 0, new Random(4), 0, 0);
      wild.forEach((x, i) => expect((found as Float32Array)[i]).toBeCloseTo(x, 5));
    }
  });

  it('with an average of the actor is judged by that, and gathers experience with the actor itself', async () => {
    const learner = await learnerOf({ averaging: 0.25, learningRate: 0.05 });
    await learner.learn(batchOf(3), { progress: 0, update: 1, random: [new Random(9)] });
    expect(learner.policy.every((name) => name.startsWith('average.'))).toBe(true);
    const best = Array.from(await learner.act(s, w));
    const moments = Array.from(await learner.behave!(s, w));
    expect(best[0]).not.toBeCloseTo(LIMITS[0] * Math.tanh(moments[0]), 3);
  });
});

it('replicas that differ in settings learn as each would alone', async () => {
  const variants = [
    { temperature: 0.1, targetEntropy: -1, temperatureLearningRate: 0.1, alpha: 0.3 },
    { temperature: 0.5, targetEntropy: 3, temperatureLearningRate: 0.01, alpha: 0.1 },
  ];
  const family = { family: 'fused' };
  const both = await learnerOf(family, { replicas: 2, variants });
  const twice = (batch: Batch) =>
    Object.fromEntries(
      Object.entries(batch as unknown as Record<string, Float32Array>).map(([name, values]) => {
        return [name, Float32Array.from([...values, ...values])];
      }),
    ) as unknown as Batch;
  const alone = [];
  for (const [replica, settings] of variants.entries()) {
    const learner = await learnerOf({ ...family, ...settings });
    for (const name of learner.state.names) {
      const values = await both.state.read(name);
      learner.state.write(name, values.slice((replica * values.length) / 2, ((replica + 1) * values.length) / 2));
    }
    alone.push(learner);
  }
  const generators = [new Random(31), new Random(32)];
  for (const update of [1, 2, 3]) {
    await both.learn(twice(batchOf(update)), { progress: 0, update, random: generators });
  }
  for (const [replica, learner] of alone.entries()) {
    const random = [new Random(31 + replica)];
    for (const update of [1, 2, 3]) await learner.learn(batchOf(update), { progress: 0, update, random });
    for (const name of learner.state.names) {
      const values = await both.state.read(name);
      const own = values.slice((replica * values.length) / 2, ((replica + 1) * values.length) / 2);
      (await learner.state.read(name)).forEach((value, i) => expect(own[i]).toBeCloseTo(value, 4));
    }
    expect(both.describe(replica)).toEqual(learner.describe(0));
  }
});

it.each([
  ['critics as published', { temperature: 0.05 }],
  ['the critics of `best`', { temperature: 0.01, criticNorm: 'layer', rewardScale: true, atoms: 31 }],
])('with %s it learns the action that is best at each preference, where that is known', async (_, critics) => {
  const [rows, groups] = [128, 16];
  const settings = {
    hidden: [32],
    criticHidden: [32],
    learningRate: 3e-3,
    criticLearningRate: 3e-3,
    ...critics,
  };
  const learner = await sac(
    resolveConfig(sacFields, SMALL, settings, { family: 'fused', alpha: 0.3, averaging: 0.02 }),
    {
      problem: { observation: 1, actionSpace: continuous([-2], [2]), objectives: OBJECTIVES, discount: 0.9 },
      device: await openDevice('cpu:1'),
      replicas: 1,
      batch: rows,
      groups,
    },
  );
  opened.push(learner);
  learner.initialise(new Random(1), 0);
  const random = new Random(2);
  // Episodes of one step: the first objective wants the action 1, the second -1, and w . r the action w_1 - w_2.
  for (let update = 1; update <= 500; update++) {
    const action = Float32Array.from({ length: rows }, () => 4 * random.uniform() - 2);
    const weights = Float32Array.from({ length: groups }, () => random.uniform());
    const batch = {
      observation: new Float32Array(rows).fill(1),
      action,
      reward: Float32Array.from([...action].flatMap((a) => [-((a - 1) ** 2), -((a + 1) ** 2)])),
      next: new Float32Array(rows).fill(1),
      terminal: new Float32Array(rows).fill(1),
      preferences: Float32Array.from([...weights].flatMap((weight) => [weight, 1 - weight])),
    };
    learner.earn?.(Float64Array.from(batch.reward), new Uint8Array(rows).fill(End.terminated));
    await learner.learn(batch, { progress: 0, update, random: [random], report: false });
  }
  const asked = [0, 0.25, 0.5, 0.75, 1];
  const w = Float32Array.from(asked.flatMap((weight) => [weight, 1 - weight]));
  const actions = await learner.act(new Float32Array(asked.length).fill(1), w);
  // By the square of the distance a utility falls short of the best one; those of random actions go down to -9.
  asked.forEach((weight, i) => expect((actions[i] - (2 * weight - 1)) ** 2).toBeLessThan(0.1));
});

describe('sac refuses', () => {
  it('actions that are discrete, or whose bounds are not alike on both sides', async () => {
    const refusal = (actionSpace: Problem['actionSpace']) => learnerOf({}, { problem: { ...PROBLEM, actionSpace } });
    await expect(refusal(discrete(3))).rejects.toThrow('sac needs continuous actions.');
    await expect(refusal(continuous([-1, -2], [1, 3]))).rejects.toThrow(
      'sac needs actions between -x and x, but action 1 is between -2 and 3.',
    );
  });
});
