import { adam, adamSpecs, generated, mlp, softUpdate } from '../../src/nn/index.js';
import { Random } from '../../src/random/index.js';
import { concat, constant, float32, grad, int32, step } from '../../src/tensor/index.js';
import type { State, Tensor } from '../../src/tensor/index.js';
import { actorStep, freshCriticStep, initialise as initialiseTd3, randomBatch, size } from '../engine/td3-step.js';

const { observation, action, objectives, batch } = size;

/** Transitions that stay on the GPU; a step is told only which of them to take. */
const capacity = 100_000;
const replay = {
  s: float32(capacity, observation),
  a: float32(capacity, action),
  r: float32(capacity, objectives),
  s2: float32(capacity, observation),
  done: float32(capacity, 1),
};
const rows = int32(batch);
const { w, direction, noise } = freshCriticStep.inputs;

/** The critic step of the engine's benchmark on a batch that is gathered on the GPU. */
export const criticStep = step({
  state: { ...freshCriticStep.state, replay },
  inputs: { rows, w, direction, noise },
  body: ({ replay: columns, ...state }, { rows: chosen, ...inputs }) => {
    const column = (name: keyof typeof replay): Tensor => columns[name].gather(chosen);
    const transitions = { s: column('s'), a: column('a'), r: column('r'), s2: column('s2'), done: column('done') };
    return freshCriticStep.body(state, { ...inputs, ...transitions });
  },
});

/** The actor step, likewise. */
export const gatheredActorStep = step({
  state: { ...actorStep.state, replay: { s: replay.s } },
  inputs: { rows, w, direction },
  body: ({ replay: columns, ...state }, { rows: chosen, ...inputs }) =>
    actorStep.body(state, { ...inputs, s: columns.s.gather(chosen) }),
});

/** Parameters and a replay of plausible numbers for every replica, from seeds of their own. */
export function initialiseReplicas(state: State, replicas: number): void {
  for (let replica = 0; replica < replicas; replica++) {
    const random = new Random(replica + 1);
    initialiseTd3(state, random, replica);
    const normal = (width: number): Float32Array => random.fillNormal(new Float32Array(capacity * width), 0, 1);
    const uniform = (width: number, low: number): Float32Array =>
      random.fillUniform(new Float32Array(capacity * width), low, 1);
    const columns = {
      s: normal(observation),
      a: uniform(action, -1),
      r: uniform(objectives, 0),
      s2: normal(observation),
      done: new Float32Array(capacity),
    };
    state.load({ replay: columns }, replica);
  }
}

/** Inputs of one step for all replicas. */
export function randomInputs(replicas: number, random: Random) {
  const each = Array.from({ length: replicas }, () => randomBatch(random));
  const together = (name: 'w' | 'direction' | 'noise'): Float32Array => {
    const parts = each.map((one) => one[name]);
    const all = new Float32Array(replicas * parts[0].length);
    parts.forEach((part, i) => all.set(part, i * part.length));
    return all;
  };
  return {
    rows: Int32Array.from({ length: replicas * batch }, () => random.integer(capacity)),
    w: together('w'),
    direction: together('direction'),
    noise: together('noise'),
  };
}

/** DDQN with the discrete settings of the paper: fruit tree, everything generated, a preference for each row. */
export const discrete = { observation: 2, objectives: 6, actions: 2, hidden: [512, 512, 512, 512], batch: 32 };

const network = mlp({
  inputs: discrete.observation + discrete.objectives,
  hidden: discrete.hidden,
  outputs: discrete.actions * discrete.objectives,
});
export const discreteFamily = generated(network, { objectives: discrete.objectives });

export const ddqnStep = step({
  state: { online: discreteFamily.specs, target: discreteFamily.specs, adam: adamSpecs(discreteFamily.specs) },
  inputs: {
    s: float32(discrete.batch, discrete.observation),
    a: int32(discrete.batch),
    r: float32(discrete.batch, discrete.objectives),
    s2: float32(discrete.batch, discrete.observation),
    terminal: float32(discrete.batch, 1),
    w: float32(discrete.batch, discrete.objectives),
  },
  body: ({ online, target, adam: moments }, { s, a, r, s2, terminal, w: preferences }) => {
    const shape = [discrete.batch, discrete.actions, discrete.objectives];
    const values = (theta: typeof online, rows_: Tensor): Tensor =>
      discreteFamily.apply(theta, preferences, concat([rows_, preferences], 1)).reshape(shape);
    const pick = (q: Tensor, chosen: Tensor): Tensor =>
      q.mul(chosen.oneHot(discrete.actions).reshape([discrete.batch, discrete.actions, 1])).sum(1);
    const next = values(target, s2);
    const best = next
      .mul(preferences.reshape([discrete.batch, 1, discrete.objectives]))
      .sum(-1)
      .argmax(1);
    const y = r.add(pick(next, best).mul(constant(1).sub(terminal)).mul(0.99)).stopGradient();
    const loss = pick(values(online, s), a).sub(y).square().mean();
    const updated = adam(online, grad(loss, online), moments, { learningRate: 3e-4 });
    return {
      state: {
        online: updated.parameters,
        adam: updated.state,
        target: softUpdate(target, updated.parameters, 0.005),
      },
      outputs: { loss },
    };
  },
});

export function initialiseDdqn(state: State, random: Random): void {
  const online = discreteFamily.init(random);
  state.load({ online, target: online });
}

export function randomDiscreteInputs(random: Random) {
  const normal = (width: number): Float32Array => random.fillNormal(new Float32Array(discrete.batch * width), 0, 1);
  const w_ = random.fillUniform(new Float32Array(discrete.batch * discrete.objectives), 0, 1);
  for (let row = 0; row < discrete.batch; row++) {
    const part = w_.subarray(row * discrete.objectives, (row + 1) * discrete.objectives);
    const total = part.reduce((sum, value) => sum + value, 0);
    part.forEach((value, i) => (part[i] = value / total));
  }
  return {
    s: normal(discrete.observation),
    a: Int32Array.from({ length: discrete.batch }, () => random.integer(discrete.actions)),
    r: normal(discrete.objectives),
    s2: normal(discrete.observation),
    terminal: new Float32Array(discrete.batch),
    w: w_,
  };
}
