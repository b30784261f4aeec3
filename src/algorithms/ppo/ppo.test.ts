import { afterEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../config/index.js';
import { cube, discrete } from '../../envs/index.js';
import { Random } from '../../random/index.js';
import { End } from '../../rollout/index.js';
import { openDevice } from '../../tensor/index.js';
import { replicaPart } from '../learner.js';
import type { OnPolicyLearner, Problem, Rollout } from '../learner.js';
import { REPLAY } from '../state-names.js';
import { familyPpoFields, ppo, ppoFields, type PpoConfig } from './ppo.js';

const problem: Problem = { observation: 3, actionSpace: cube(2, -0.5, 0.7), objectives: 2, discount: 0.9 };
const SIZES = { environments: 4, horizon: 8, batch: 16, groups: 4 };
const ROWS = SIZES.environments * SIZES.horizon;
const small = { hidden: [5], criticHidden: [4], hyperHidden: [3], hyperFeatures: 2, alpha: 0.3 };

const opened: OnPolicyLearner[] = [];
afterEach(async () => {
  for (const learner of opened.splice(0)) await learner.dispose();
});

interface Making {
  readonly replicas?: number;
  readonly seed?: number;
  readonly sizes?: Partial<typeof SIZES>;
  readonly device?: string;
}

async function learnerOf(settings: Record<string, unknown> = {}, making: Making = {}): Promise<OnPolicyLearner> {
  const { replicas = 1, seed = 1, sizes, device = 'reference' } = making;
  const isTask = settings.family === 'independent';
  const given: Record<string, unknown> = { ...small, ...settings };
  const own = Object.keys(ppoFields);
  const config = isTask
    ? {
        ...resolveConfig(ppoFields, Object.fromEntries(own.filter((n) => n in given).map((n) => [n, given[n]]))),
        family: 'independent',
      }
    : resolveConfig(familyPpoFields, given);
  const learner = await ppo(config as PpoConfig, {
    problem,
    device: await openDevice(device),
    replicas,
    ...SIZES,
    ...(isTask && { groups: 1 }),
    ...sizes,
  });
  opened.push(learner);
  for (let r = 0; r < replicas; r++) learner.initialise(new Random(seed + r), r);
  return learner;
}

const PREFERENCES = [
  [1, 0],
  [0.25, 0.75],
  [0.5, 0.5],
  [0, 1],
];

interface Played {
  readonly rollout: Rollout;
  /** What was observed, step by step. */
  readonly observations: Float32Array[];
}

/** A rollout with made-up observations, rewards and ends: the same for every replica, but for the actions. */
async function play(learner: OnPolicyLearner, { replicas = 1, seed = 5, preferences = PREFERENCES } = {}) {
  const { environments, horizon } = SIZES;
  const random = new Random(seed);
  const children = replicas * environments;
  const repeated = <A extends Float32Array | Float64Array>(own: A, all: A): A => {
    for (let r = 0; r < replicas; r++) all.set(own, r * own.length);
    return all;
  };
  const w = repeated(Float32Array.from(preferences.flat()), new Float32Array(children * 2));
  const rollout = {
    seen: new Float32Array(children * (horizon + 1) * 3),
    action: new Float32Array(children * horizon * 2),
    reward: new Float64Array(children * horizon * 2),
    end: new Uint8Array(children * horizon),
    cut: Array.from({ length: replicas }, (): { row: number; seen: Float32Array }[] => []),
    preferences: w,
  };
  const acting = Array.from({ length: replicas }, () => new Random(77));
  const observations: Float32Array[] = [];
  const look = (step: number) => {
    const own = Float32Array.from({ length: environments * 3 }, (_, i) => (i % 3) + (1 + (i % 3)) * random.normal());
    const all = repeated(own, new Float32Array(children * 3));
    observations.push(all);
    learner.observe(all);
    const seen = learner.see(all);
    for (let child = 0; child < children; child++) {
      rollout.seen.set(seen.subarray(child * 3, (child + 1) * 3), (child * (horizon + 1) + step) * 3);
    }
    return seen;
  };
  let seen = look(0);
  for (let step = 0; step < horizon; step++) {
    const actions = await learner.sample(seen, w, acting);
    for (let e = 0; e < environments; e++) {
      const reward = [3 * random.normal() + 1, random.uniform()];
      const chance = random.uniform();
      const end = chance < 0.1 ? End.terminated : chance < 0.25 ? End.truncated : End.running;
      const beyond = Float32Array.from({ length: 3 }, () => random.normal());
      for (let r = 0; r < replicas; r++) {
        const child = r * environments + e;
        const at = child * horizon + step;
        rollout.action.set(actions.subarray(child * 2, (child + 1) * 2), at * 2);
        rollout.reward.set(reward, at * 2);
        rollout.end[at] = end;
        if (end === End.truncated) rollout.cut[r].push({ row: e * horizon + step, seen: beyond });
      }
    }
    seen = look(step + 1);
  }
  return { rollout, observations } satisfies Played;
}

const learn = (learner: OnPolicyLearner, rollout: Rollout, progress = 0, replicas = 1) =>
  learner.learn(rollout, { progress, random: Array.from({ length: replicas }, () => new Random(9)) });

/** All that is learned: the state but for the rollout. */
async function everything(learner: OnPolicyLearner): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>();
  for (const name of learner.state.names.filter((entry) => entry !== REPLAY))
    all.set(name, Array.from(await learner.state.read(name)));
  return all;
}

/** A network of one hidden layer, in plain numbers. */
function forward(theta: ReadonlyMap<string, number[]>, prefix: string, input: readonly number[]): number[] {
  let signal = input;
  for (let l = 0; theta.has(`${prefix}.layer${l}.weight`); l++) {
    const [weight, bias] = ['weight', 'bias'].map((part) => theta.get(`${prefix}.layer${l}.${part}`)!);
    const before = signal;
    signal = bias.map((b, j) => before.reduce((sum, x, i) => sum + x * weight[i * bias.length + j], b));
    if (theta.has(`${prefix}.layer${l + 1}.weight`)) signal = signal.map(Math.tanh);
  }
  return [...signal];
}

/** What PPO's loss is made of, for a task or a conditioned actor, written down from the formulas. */
function lossOf(
  theta: ReadonlyMap<string, number[]>,
  before: ReadonlyMap<string, number[]>,
  { rollout }: Played,
  { isTask = false, beyond = false, lambda = 0.95, clip = 0.2 } = {},
) {
  const { environments, horizon } = SIZES;
  const inputOf = (child: number, step: number) => {
    const at = (child * (horizon + 1) + step) * 3;
    const seen = [...rollout.seen.subarray(at, at + 3)];
    return isTask ? seen : [...seen, ...rollout.preferences.subarray(child * 2, child * 2 + 2)];
  };
  const logProbability = (parameters: typeof theta, child: number, step: number) => {
    const mean = forward(parameters, 'actor.base', inputOf(child, step));
    return mean.reduce((sum, mu, i) => {
      const sigma = Math.exp(parameters.get('spread.logDeviation')![i]);
      const z = (rollout.action[(child * horizon + step) * 2 + i] - mu) / sigma;
      return sum - (z * z) / 2 - Math.log(sigma) - Math.log(2 * Math.PI) / 2;
    }, 0);
  };
  const valueOf = (parameters: typeof theta, child: number, step: number) =>
    forward(parameters, 'critic', inputOf(child, step));

  // Objectives are divided by the running deviation of their discounted return, step by step.
  const count = [1e-4, 1e-4];
  const mean = [0, 0];
  const variance = [1, 1];
  const earned = Array.from({ length: environments }, () => [0, 0]);
  const rewards = Array.from({ length: environments }, () => [] as number[][]);
  for (let step = 0; step < horizon; step++) {
    for (let e = 0; e < environments; e++) {
      for (const k of [0, 1]) earned[e][k] = 0.9 * earned[e][k] + rollout.reward[(e * horizon + step) * 2 + k];
    }
    for (const k of [0, 1]) {
      const rows = earned.map((own) => own[k]);
      const own = rows.reduce((sum, x) => sum + x) / environments;
      const total = count[k] + environments;
      const squares = rows.reduce((sum, x) => sum + (x - own) ** 2, 0);
      variance[k] =
        (variance[k] * count[k] + squares + ((own - mean[k]) ** 2 * count[k] * environments) / total) / total;
      mean[k] += ((own - mean[k]) * environments) / total;
      count[k] = total;
    }
    for (let e = 0; e < environments; e++) {
      rewards[e].push(
        [0, 1].map((k) => {
          const scaled = rollout.reward[(e * horizon + step) * 2 + k] / Math.sqrt(variance[k] + 1e-8);
          return Math.max(-10, Math.min(10, scaled));
        }),
      );
      if (rollout.end[e * horizon + step] !== End.running) earned[e] = [0, 0];
    }
  }

  const rows = Array.from({ length: ROWS }, (_, row) => {
    const [child, step] = [Math.floor(row / horizon), row % horizon];
    const old = valueOf(before, child, step);
    const gains = [0, 1].map((k) => {
      let [gain, weight] = [0, 1];
      for (let t = step; t < horizon; t++) {
        const end = rollout.end[child * horizon + t];
        const value = valueOf(before, child, t)[k];
        if (end === End.truncated && !beyond) break;
        let next = end === End.terminated ? 0 : valueOf(before, child, t + 1)[k];
        if (end === End.truncated) {
          const { seen } = rollout.cut[0].find((cut) => cut.row === child * horizon + t)!;
          next = forward(before, 'critic', isTask ? [...seen] : [...seen, ...PREFERENCES[child]])[k];
        }
        gain += weight * (rewards[child][t][k] + 0.9 * next - value);
        weight *= 0.9 * lambda;
        if (end !== End.running) break;
      }
      return gain;
    });
    const w = rollout.preferences.subarray(child * 2, child * 2 + 2);
    const advantage = gains.reduce((sum, gain, k) => sum + w[k] * Math.sqrt(variance[k] + 1e-8) * gain, 0);
    const returns = gains.map((gain, k) => gain + old[k]);
    return { child, step, old, returns, advantage, oldLog: logProbability(before, child, step) };
  });
  const average = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const centre = average(rows.map(({ advantage }) => advantage));
  const spread = Math.sqrt(rows.reduce((sum, { advantage }) => sum + (advantage - centre) ** 2, 0) / (ROWS - 1));
  const advantages = rows.map(({ advantage }) => (advantage - centre) / (spread + 1e-5));

  const ratios = rows.map(({ child, step, oldLog }) => Math.exp(logProbability(theta, child, step) - oldLog));
  const policyLoss = -average(
    advantages.map((advantage, i) => {
      const near = Math.max(1 - clip, Math.min(1 + clip, ratios[i]));
      return Math.min(ratios[i] * advantage, near * advantage);
    }),
  );
  const valueLoss =
    0.5 *
    average(
      rows.flatMap(({ child, step, old, returns }) =>
        valueOf(theta, child, step).map((value, k) => {
          const near = old[k] + Math.max(-clip, Math.min(clip, value - old[k]));
          return Math.max((value - returns[k]) ** 2, (near - returns[k]) ** 2);
        }),
      ),
    );
  return {
    policyLoss,
    valueLoss,
    clipped: average(ratios.map((ratio) => +(Math.abs(ratio - 1) > clip))),
    divergence: average(ratios.map((ratio) => ratio - 1 - Math.log(ratio))),
  };
}

describe('the policy', () => {
  it('is a normal distribution around what it does when it is not training, which is kept within bounds', async () => {
    const learner = await learnerOf({ family: 'conditioned' });
    learner.state.write('spread.logDeviation', Float32Array.of(Math.log(0.5), Math.log(2)));
    const raw = Float32Array.of(1, 2, 3, -4, 5, -6);
    const w = Float32Array.of(1, 0, 0.3, 0.7);
    learner.observe(raw);
    const seen = learner.see(raw);
    const theta = await everything(learner);
    const means = [0, 1].flatMap((row) =>
      forward(theta, 'actor.base', [...seen.subarray(row * 3, row * 3 + 3), ...w.subarray(row * 2, row * 2 + 2)]),
    );
    const normals = new Random(3).fillNormal(new Float32Array(4));
    const sampled = await learner.sample(seen, w, [new Random(3)]);
    means.forEach((mean, i) => expect(sampled[i]).toBeCloseTo(mean + [0.5, 2][i % 2] * normals[i], 5));
    const acted = await learner.act(raw, w);
    means.forEach((mean, i) => expect(acted[i]).toBeCloseTo(Math.max(-0.5, Math.min(0.7, mean)), 5));
    expect(means.some((mean) => mean < -0.5 || mean > 0.7)).toBe(true);
  });

  it('starts with orthogonal weights, zero biases and deviation 1', async () => {
    const learner = await learnerOf({ family: 'independent', hidden: [64, 64] });
    const theta = await everything(learner);
    const column = (name: string, width: number, j: number) => theta.get(name)!.filter((_, i) => i % width === j);
    const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    const hidden = 'actor.base.layer1.weight';
    expect(dot(column(hidden, 64, 3), column(hidden, 64, 3))).toBeCloseTo(2, 5);
    expect(dot(column(hidden, 64, 3), column(hidden, 64, 9))).toBeCloseTo(0, 5);
    const head = 'actor.base.layer2.weight';
    expect(dot(column(head, 2, 1), column(head, 2, 1))).toBeCloseTo(1, 5);
    expect(theta.get('spread.logDeviation')).toEqual([0, 0]);
    expect(theta.get('critic.layer1.bias')!.every((b) => b === 0)).toBe(true);
    // A task's networks see no preference.
    expect(theta.get('actor.base.layer0.weight')).toHaveLength(3 * 64);
  });

  it('normalises observations by all that it has observed, and cuts them off', async () => {
    const learner = await learnerOf();
    learner.observe(Float32Array.of(0, 10, 1, 2, 10, 1));
    learner.observe(Float32Array.of(4, 10, 1, 6, 10, 1));
    // 0, 2, 4, 6: mean 3, variance 5; the others never change.
    const [first, , third] = learner.see(Float32Array.of(5, 10, 2));
    expect(first).toBeCloseTo(2 / Math.sqrt(5), 3);
    expect(third).toBe(10);
    expect(learner.policy.filter((name) => name.startsWith('observations'))).toHaveLength(2);
  });
});

describe('learning', () => {
  it('descends the loss as it is written down, from the first update on', async () => {
    const settings = { family: 'conditioned', epochs: 1, clip: 1e9, learningRate: 0.01 };
    const learner = await learnerOf(settings, { sizes: { batch: ROWS, groups: ROWS } });
    const played = await play(learner);
    const before = await everything(learner);
    expect(await learn(learner, played.rollout)).toBe(1);
    const after = await everything(learner);

    const { policyLoss, valueLoss } = lossOf(before, before, played);
    expect(policyLoss).toBeCloseTo(0, 5);
    expect(learner.diagnostics().policyLoss[0]).toBeCloseTo(policyLoss, 5);
    expect(learner.diagnostics().valueLoss[0]).toBeCloseTo(valueLoss, 5);

    // Adam's first moment is a tenth of the gradient, which differences of the loss must agree with.
    for (const name of [...before.keys()].filter((key) => /^(?:actor|critic|spread)/.test(key))) {
      const gradient = after.get(`adam.m.${name}`)!.map((m) => 10 * m);
      for (const i of [0, gradient.length - 1]) {
        const at = (shift: number) => {
          const moved = new Map(before).set(
            name,
            before.get(name)!.map((x, j) => (j === i ? x + shift : x)),
          );
          const loss = lossOf(moved, before, played);
          return loss.policyLoss + 0.5 * loss.valueLoss;
        };
        expect([name, i, gradient[i]]).toEqual([name, i, expect.closeTo((at(1e-4) - at(-1e-4)) / 2e-4, 4)]);
      }
    }
  });

  it.each([
    ['a conditioned actor', {}],
    ['a task', { family: 'independent' }],
    ['groups of rows that share a preference', {}, SIZES.environments],
    ['looks beyond the step limit', { stepLimit: 'bootstrapped' }],
  ])('keeps probabilities and values near those of the rollout: %s', async (_, own, groups = ROWS) => {
    const settings = { family: 'conditioned', learningRate: 0.1, ...own };
    const isTask = 'family' in own;
    const sizes = { batch: ROWS, groups: isTask ? 1 : groups };
    const options = { isTask, beyond: 'stepLimit' in own };
    // The same learner after one update, and while it makes the second.
    const [once, twice] = await Promise.all([1, 2].map((epochs) => learnerOf({ ...settings, epochs }, { sizes })));
    const preferences = isTask ? PREFERENCES.map(() => [0.25, 0.75]) : PREFERENCES;
    const played = await play(once, { preferences });
    const before = await everything(once);
    await play(twice, { preferences });
    await learn(once, played.rollout);
    await learn(twice, played.rollout);
    const found = twice.diagnostics();
    const wanted = lossOf(await everything(once), before, played, options);
    expect(wanted.clipped).toBeGreaterThan(0.1);
    for (const [name, value] of Object.entries(wanted)) expect(found[name][0]).toBeCloseTo(value, 4);
  });

  it('bounds the norm of all gradients together', async () => {
    const learner = await learnerOf({ epochs: 1, clip: 0.01 }, { sizes: { batch: ROWS, groups: ROWS } });
    await learn(learner, (await play(learner)).rollout);
    let squares = 0;
    for (const [name, values] of await everything(learner)) {
      if (name.startsWith('adam.m.')) squares += values.reduce((sum, m) => sum + (10 * m) ** 2, 0);
    }
    expect(learner.diagnostics().gradient[0]).toBeGreaterThan(0.02);
    expect(Math.sqrt(squares)).toBeCloseTo(0.01, 5);
  });

  it('makes all its updates, with a step size that falls to nothing', async () => {
    const learner = await learnerOf({ epochs: 3 });
    const { rollout } = await play(learner);
    const start = await everything(learner);
    // Two batches of 16 in 32 rows, three times.
    expect(await learn(learner, rollout, 1)).toBe(6);
    const end = await everything(learner);
    for (const name of learner.policy) expect(end.get(name)).toEqual(start.get(name));
    expect(end.get('adam.correction1')![0]).toBeCloseTo(1 - 0.9 ** 6, 5);
    await learn(learner, rollout, 0.5);
    expect((await everything(learner)).get('critic.layer0.weight')).not.toEqual(start.get('critic.layer0.weight'));
  });

  it.each(['fused', 'generated', 'added', 'conditioned', 'independent'])(
    'moves every parameter: %s',
    async (family) => {
      const learner = await learnerOf({ family });
      const start = await everything(learner);
      await learn(learner, (await play(learner)).rollout);
      for (const [name, values] of await everything(learner)) {
        expect([name, values.every(Number.isFinite)]).toEqual([name, true]);
        if (/^(?:actor|critic|spread)/.test(name)) expect([name, values]).not.toEqual([name, start.get(name)]);
      }
    },
  );

  it('makes actions of higher utility more likely', async () => {
    // The first objective pays for the opposite of the first action; the second one is noise.
    const learner = await learnerOf({ family: 'independent', learningRate: 0.01 });
    const meanOf = async () => (await learner.act(Float32Array.of(0, 1, 2), Float32Array.of(1, 0)))[0];
    const start = await meanOf();
    for (let i = 0; i < 20; i++) {
      const { rollout } = await play(learner, { seed: i, preferences: PREFERENCES.map(() => [1, 0]) });
      for (let row = 0; row < ROWS; row++) rollout.reward[row * 2] = -rollout.action[row * 2];
      await learn(learner, rollout);
    }
    expect(await meanOf()).toBeLessThan(start - 0.3);
  });
});

describe('what the critic expects', () => {
  it('is in units of the objectives, times the preference', async () => {
    const learner = await learnerOf({ family: 'conditioned' });
    const played = await play(learner);
    await learn(learner, played.rollout);
    const theta = await everything(learner);
    const { returns } = (learner.save() as { statistics: { returns: { variance: Float64Array } }[] }).statistics[0];
    const raw = Float32Array.of(1, -2, 0.5);
    const w = Float32Array.of(0.25, 0.75);
    const values = forward(theta, 'critic', [...learner.see(raw), ...w]);
    const wanted = values.reduce((sum, v, k) => sum + w[k] * Math.sqrt(returns.variance[k] + 1e-8) * v, 0);
    expect((await learner.expected!(raw, w))[0]).toBeCloseTo(wanted, 4);
  });
});

describe('replicas', () => {
  it('learn as they would alone', async () => {
    const [both, first, second] = [
      await learnerOf({}, { replicas: 2, device: 'cpu:1' }),
      await learnerOf({}, { seed: 1, device: 'cpu:1' }),
      await learnerOf({}, { seed: 2, device: 'cpu:1' }),
    ];
    await learn(both, (await play(both, { replicas: 2 })).rollout, 0, 2);
    for (const [replica, alone] of [first, second].entries()) {
      await learn(alone, (await play(alone)).rollout);
      for (const name of alone.state.names) {
        const own = replicaPart(await both.state.read(name), replica, 2);
        const wanted = await alone.state.read(name);
        own.forEach((x, i) => expect(Math.abs(x - wanted[i])).toBeLessThan(1e-4));
      }
    }
  });

  it('can be copied whole, with all they know', async () => {
    const learner = await learnerOf({}, { replicas: 2 });
    await learn(learner, (await play(learner, { replicas: 2 })).rollout, 0, 2);
    learner.loadReplica(1, await learner.saveReplica(0));
    const same = async () => {
      for (const [name, values] of await everything(learner)) {
        const half = values.length / 2;
        expect([name, values.slice(half)]).toEqual([name, values.slice(0, half)]);
      }
    };
    await same();
    // Environments begin anew with it, in both.
    learner.loadReplica(0, await learner.saveReplica(0));
    await learn(learner, (await play(learner, { replicas: 2, seed: 6 })).rollout, 0, 2);
    await same();
    const { statistics } = learner.save() as { statistics: unknown[] };
    expect(statistics[1]).toEqual(statistics[0]);
  });
});

describe('a saved learner', () => {
  it('goes on exactly where it was', async () => {
    const device = 'cpu:1';
    const [one, other] = [await learnerOf({}, { device }), await learnerOf({}, { seed: 8, device })];
    await learn(one, (await play(one)).rollout);
    const saved = structuredClone(one.save());
    for (const [name, values] of await everything(one)) other.state.write(name, Float32Array.from(values));
    other.load(saved);
    for (const learner of [one, other]) await learn(learner, (await play(learner, { seed: 6 })).rollout, 0.3);
    expect(await everything(other)).toEqual(await everything(one));
    expect(other.save()).toEqual(one.save());
  });
});

describe('discrete actions', () => {
  /** Action 0 pays the first objective, action 2 the second one, action 1 nobody. */
  const PAID = [
    [1, 0],
    [0, 0],
    [0, 1],
  ];

  it.each(['fused', 'independent'])('are learned by what they pay: %s', async (family) => {
    const discreteProblem = { ...problem, actionSpace: discrete(3) };
    const isTask = family === 'independent';
    const settings = isTask ? {} : { family, hyperHidden: [8], hyperFeatures: 2 };
    const fields = isTask ? ppoFields : familyPpoFields;
    const config = { ...resolveConfig(fields, { ...settings, hidden: [8], criticHidden: [8], learningRate: 0.02 }) };
    const learner = await ppo({ ...config, family } as PpoConfig, {
      problem: discreteProblem,
      device: await openDevice('cpu:1'),
      replicas: 1,
      ...SIZES,
      ...(isTask && { groups: 1 }),
    });
    opened.push(learner);
    learner.initialise(new Random(4), 0);
    const wanted = isTask
      ? PREFERENCES.map(() => [0.1, 0.9])
      : PREFERENCES.map((_, e) => (e % 2 ? [0.1, 0.9] : [0.9, 0.1]));
    const { environments, horizon } = SIZES;
    const preferences = Float32Array.from(wanted.flat());
    const [acting, learning] = [new Random(5), new Random(6)];
    const observations = new Float32Array(environments * 3).fill(1);
    const seenRows = () => {
      learner.observe(observations);
      return learner.see(observations);
    };
    for (let i = 0; i < 30; i++) {
      const rollout = {
        seen: new Float32Array(environments * (horizon + 1) * 3),
        action: new Float32Array(ROWS),
        reward: new Float64Array(ROWS * 2),
        end: new Uint8Array(ROWS).fill(End.terminated),
        cut: [[]],
        preferences,
      };
      for (let t = 0; t < horizon; t++) {
        const actions = await learner.sample(seenRows(), preferences, [acting]);
        expect(actions).toHaveLength(environments);
        actions.forEach((action, e) => {
          expect([0, 1, 2]).toContain(action);
          rollout.action[e * horizon + t] = action;
          rollout.reward.set(PAID[action], (e * horizon + t) * 2);
        });
      }
      await learner.learn(rollout, { progress: 0, random: [learning] });
    }
    const best = await learner.act(observations, preferences);
    expect(Array.from(best)).toEqual(wanted.map(([first]) => (first > 0.5 ? 0 : 2)));
    expect(Object.keys(learner.diagnostics())).toContain('entropy');
  });
});
