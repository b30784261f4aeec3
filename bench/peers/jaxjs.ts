import { defaultDevice, init, jit, lax, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import { absNormal } from '../../src/preferences/index.js';
import type { Random } from '../../src/random/index.js';
import { size } from '../learners/td3.js';

/**
 * The critic step of PSL-TD3 in jax-js, under one jit: the peer that is nearest to this project's engine.
 * Its arrays are counted references: every use but the last takes `.ref`.
 */
type Array_ = np.Array;
type Parameters_ = Array_[];
interface Training {
  readonly critics: Parameters_[];
  readonly targets: Parameters_[];
  readonly m: Parameters_[];
  readonly v: Parameters_[];
}

const { observation, action, objectives, hidden, batch, groups, features, hyperHidden } = {
  ...size,
  features: 10,
  hyperHidden: 128,
};
const [alpha, gamma, tau, learningRate, clip] = [0.05, 0.995, 0.005, 3e-4, 100];

function parameters(random: Random, sizes: readonly number[]): Parameters_ {
  return sizes.slice(1).flatMap((fanOut, i) => {
    const values = random.fillNormal(new Float32Array(sizes[i] * fanOut), 0, Math.sqrt(2 / (sizes[i] + fanOut)));
    return [np.array(values).reshape([sizes[i], fanOut]), np.zeros([fanOut])];
  });
}

function mlp(p: Parameters_, x: Array_): Array_ {
  for (let i = 0; i < p.length - 2; i += 2) x = np.maximum(np.matmul(x, p[i].ref).add(p[i + 1].ref), 0);
  return np.matmul(x, p[p.length - 2].ref).add(p[p.length - 1].ref);
}

/** Mean angle in degrees to the wanted direction. */
function angle(direction: Array_, q: Array_): Array_ {
  const norm = np.maximum(np.sqrt(np.square(q.ref).sum(1)), 1e-8);
  return np
    .acos(np.clip(direction.mul(q).sum(1).div(norm), 0, 0.9999))
    .mean()
    .mul(180 / Math.PI);
}

function smoothL1(x: Array_): Array_ {
  const absolute = np.abs(x.ref);
  return np.where(absolute.ref.less(1), np.square(x).mul(0.5), absolute.sub(0.5)).mean();
}

type Batch = Readonly<Record<'s' | 'a' | 'r' | 's2' | 'done' | 'noise' | 'w' | 'direction', Array_>>;

function criticStep(base: Parameters_, hyper: Parameters_, training: Training, b: Batch): Training {
  const rows = batch / groups;
  const rowW = np.repeat(b.w.ref, rows, 0);
  // theta'(w): one row of features for each group, times each tensor's rows.
  const generated = mlp(hyper.slice(0, 6), b.w.ref).mul(alpha);
  const policy = base.map((p, i) => {
    const shape = p.shape;
    const tensor = np
      .matmul(generated.ref, hyper[6 + i].ref)
      .reshape([groups, ...(shape.length === 2 ? shape : [1, ...shape])]);
    return tensor.add(p.ref.mul(1 - alpha));
  });
  const next = np.concatenate([b.s2.ref, rowW.ref], 1);
  let signal = next.ref.reshape([groups, rows, observation + objectives]);
  for (let i = 0; i < 4; i += 2) signal = np.maximum(np.matmul(signal, policy[i]).add(policy[i + 1]), 0);
  const mean = np.tanh(np.matmul(signal, policy[4]).add(policy[5])).reshape([batch, action]);
  const a2 = np.clip(mean.add(np.clip(b.noise.ref, -0.5, 0.5)), -1, 1);
  const x2 = np.concatenate([next, a2], 1);
  const [q1, q2] = training.targets.map((p) => mlp(p, x2.ref));
  const first = q1.ref
    .mul(rowW.ref)
    .sum(1, { keepdims: true })
    .lessEqual(q2.ref.mul(rowW.ref).sum(1, { keepdims: true }));
  const y = lax.stopGradient(b.r.ref.add(np.where(first, q1, q2).mul(b.done.ref.mul(-gamma).add(gamma))));
  const x = np.concatenate([b.s.ref, rowW, b.a.ref], 1);

  const loss = (critics: Parameters_[]): Array_ =>
    critics
      .map((p) => {
        const q = mlp(p, x.ref);
        return smoothL1(q.ref.sub(y.ref)).add(angle(b.direction.ref, q));
      })
      .reduce((sum, part) => sum.add(part));
  const [, gradients] = valueAndGrad(loss)(tree.ref(training.critics));
  const squares = gradients.flat().map((g) => np.square(g.ref).sum());
  const norm = np.sqrt(squares.reduce((sum, s) => sum.add(s)));
  const scale = np.minimum(np.array(clip).div(norm.add(1e-6)), 1);
  // The bias corrections are left out: two scalars of the host, the same for every engine.
  const clipped = gradients.map((set) => set.map((g) => g.mul(scale.ref)));
  const m = training.m.map((set, c) => set.map((p, i) => p.ref.mul(0.9).add(clipped[c][i].ref.mul(0.1))));
  const v = training.v.map((set, c) => set.map((p, i) => p.ref.mul(0.999).add(np.square(clipped[c][i]).mul(0.001))));
  const critics = training.critics.map((set, c) =>
    set.map((p, i) => p.ref.sub(m[c][i].ref.mul(learningRate).div(np.sqrt(v[c][i].ref).add(1e-8)))),
  );
  const targets = training.targets.map((set, c) =>
    set.map((p, i) => p.ref.mul(1 - tau).add(critics[c][i].ref.mul(tau))),
  );
  return { critics, targets, m, v };
}

/** A function that takes one critic step and waits for it. */
export async function jaxjsCriticStep(random: Random): Promise<() => Promise<void>> {
  await init('wasm');
  defaultDevice('wasm');
  const base = parameters(random, [observation + objectives, hidden, hidden, action]);
  const hyper = [
    ...parameters(random, [objectives, hyperHidden, hyperHidden, features]),
    ...base.map((p) => {
      const count = p.shape.reduce((product, d) => product * d, 1);
      return np.array(random.fillNormal(new Float32Array(features * count), 0, 0.01)).reshape([features, count]);
    }),
  ];
  const critics = [0, 1].map(() => parameters(random, [observation + objectives + action, hidden, hidden, objectives]));
  const zeros = (): Parameters_[] => critics.map((set) => set.map((p) => np.zeros(p.shape)));
  let training: Training = { targets: tree.ref(critics), m: zeros(), v: zeros(), critics };
  const b = randomBatch(random);
  const compiled = jit(criticStep as never) as unknown as typeof criticStep;
  return async () => {
    training = compiled(tree.ref(base), tree.ref(hyper), training, tree.ref(b));
    await training.targets[0][0].ref.data();
  };
}

/** A batch of plausible numbers. */
function randomBatch(random: Random): Batch {
  const normal = (width: number, deviation = 1): Array_ =>
    np.array(random.fillNormal(new Float32Array(batch * width), 0, deviation)).reshape([batch, width]);
  const uniform = (width: number, low: number): Array_ =>
    np.array(random.fillUniform(new Float32Array(batch * width), low, 1)).reshape([batch, width]);
  const w = Array.from({ length: groups }, () => absNormal(random, new Float32Array(objectives)));
  const direction = Array.from({ length: batch }, (_, row) => {
    const preference = w[Math.floor((row * groups) / batch)];
    return preference.map((weight) => weight / Math.hypot(...preference));
  });
  const rows = (vectors: readonly Float32Array[]): Array_ =>
    np.array(Float32Array.from(vectors.flatMap((vector) => [...vector]))).reshape([vectors.length, objectives]);
  return {
    s: normal(observation),
    a: uniform(action, -1),
    r: uniform(objectives, 0),
    s2: normal(observation),
    done: np.zeros([batch, 1]),
    noise: normal(action, 0.2),
    w: rows(w),
    direction: rows(direction),
  };
}
