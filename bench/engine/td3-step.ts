import {
  adam,
  adamSpecs,
  applyGrouped,
  clipByGlobalNorm,
  fused,
  mlp,
  repeatForRows,
  softUpdate,
} from '../../src/nn/index.js';
import type { Parameters } from '../../src/nn/index.js';
import { Random } from '../../src/random/index.js';
import { concat, constant, float32, grad, mapSpecs, select, step } from '../../src/tensor/index.js';
import type { Spec, State, Tensor } from '../../src/tensor/index.js';

/** The problem of the benchmark: PSL-TD3 on a HalfCheetah-sized task, with the published network sizes. */
export const size = { observation: 17, action: 6, objectives: 2, hidden: 400, batch: 256, groups: 8, delay: 10 };
const { observation, action, objectives, hidden, batch, groups } = size;
const settings = { alpha: 0.05, gamma: 0.995, tau: 0.005, learningRate: 3e-4, clip: 100, angle: 10 };

const actorNetwork = mlp({
  inputs: observation + objectives,
  hidden: [hidden, hidden],
  outputs: action,
  outputActivation: 'tanh',
});
const criticNetwork = mlp({ inputs: observation + objectives + action, hidden: [hidden, hidden], outputs: objectives });
const family = fused(actorNetwork, settings.alpha, { objectives });
const policySpecs = mapSpecs(actorNetwork.specs, ({ shape }) => float32(groups, ...shape)) as Parameters<Spec>;

const specs = {
  actor: { base: actorNetwork.specs, hyper: family.specs.hyper! },
  actorTarget: actorNetwork.specs,
  critics: { first: criticNetwork.specs, second: criticNetwork.specs },
  criticTargets: { first: criticNetwork.specs, second: criticNetwork.specs },
};

const batchSpecs = {
  s: float32(batch, observation),
  a: float32(batch, action),
  r: float32(batch, objectives),
  s2: float32(batch, observation),
  done: float32(batch, 1),
  noise: float32(batch, action),
  w: float32(groups, objectives),
  /** The interpolator's unit direction for each row. */
  direction: float32(batch, objectives),
};

/** theta'(w) for the block's preferences: needed again only when the actor or the preferences change. */
export const generateStep = step({
  state: { actor: specs.actor, actorTarget: specs.actorTarget, policy: policySpecs },
  inputs: { w: batchSpecs.w },
  body: ({ actor, actorTarget }, { w }) => ({
    state: { policy: family.at({ base: actorTarget, hyper: actor.hyper }, w) },
  }),
});

const criticState = {
  critics: specs.critics,
  criticTargets: specs.criticTargets,
  criticAdam: adamSpecs(specs.critics),
};

/** The critic step with the target policy held over a block of steps. */
export const heldCriticStep = step({
  state: { ...criticState, policy: policySpecs },
  inputs: batchSpecs,
  body: ({ policy, ...state }, inputs) => criticUpdate(state, policy, inputs),
});

/** The critic step that generates its target policy anew, for new preferences each time. */
export const freshCriticStep = step({
  state: { ...criticState, actor: specs.actor, actorTarget: specs.actorTarget },
  inputs: batchSpecs,
  body: ({ actor, actorTarget, ...state }, inputs) =>
    criticUpdate(state, family.at({ base: actorTarget, hyper: actor.hyper }, inputs.w), inputs),
});

type Tensors<T> = { readonly [K in keyof T]: Tensor };
type Twin = { readonly first: Parameters<Tensor>; readonly second: Parameters<Tensor> };
interface CriticState {
  readonly critics: Twin;
  readonly criticTargets: Twin;
  readonly criticAdam: {
    readonly m: Twin;
    readonly v: Twin;
    readonly correction1: Tensor;
    readonly correction2: Tensor;
  };
}

function criticUpdate(state: CriticState, policy: Parameters<Tensor>, inputs: Tensors<typeof batchSpecs>) {
  const { critics, criticTargets, criticAdam } = state;
  const { s, a, r, s2, done, noise, w, direction } = inputs;
  const rowW = repeatForRows(w, batch);
  const next = concat([s2, rowW], 1);
  const a2 = applyGrouped(actorNetwork, policy, next).add(noise.clamp(-0.5, 0.5)).clamp(-1, 1);
  const x2 = concat([next, a2], 1);
  const [q1, q2] = [criticTargets.first, criticTargets.second].map((theta) => criticNetwork.apply(theta, x2));
  const scalar = (q: Tensor): Tensor => q.mul(rowW).sum(1, true);
  const smaller = select(scalar(q1).lessEqual(scalar(q2)), q1, q2);
  const y = r.add(constant(1).sub(done).mul(settings.gamma).mul(smaller)).stopGradient();

  const x = concat([s, rowW, a], 1);
  const loss = [critics.first, critics.second]
    .map((theta) => criticNetwork.apply(theta, x))
    .map((q) => smoothL1(q.sub(y)).mean().add(angle(direction, q)))
    .reduce((sum, part) => sum.add(part));
  const { gradients, norm } = clipByGlobalNorm(grad(loss, critics), settings.clip);
  const updated = adam(critics, gradients, criticAdam, settings);
  return {
    state: {
      critics: updated.parameters,
      criticAdam: updated.state,
      criticTargets: softUpdate(criticTargets, updated.parameters, settings.tau),
    },
    outputs: { loss, norm },
  };
}

/** The actor step: through critic 1 into base policy and hypernetwork. */
export const actorStep = step({
  state: {
    actor: specs.actor,
    actorTarget: specs.actorTarget,
    actorAdam: adamSpecs(specs.actor),
    critics: { first: specs.critics.first },
  },
  inputs: { s: batchSpecs.s, w: batchSpecs.w, direction: batchSpecs.direction },
  body: ({ actor, actorTarget, actorAdam, critics }, { s, w, direction }) => {
    const rowW = repeatForRows(w, batch);
    const x = concat([s, rowW], 1);
    const a = applyGrouped(actorNetwork, family.at(actor, w), x);
    const q = criticNetwork.apply(critics.first, concat([x, a], 1));
    const loss = angle(direction, q).mul(settings.angle).sub(q.mul(rowW).sum(1).mean());
    const { gradients, norm } = clipByGlobalNorm(grad(loss, actor), settings.clip);
    const updated = adam(actor, gradients, actorAdam, settings);
    return {
      state: {
        actor: updated.parameters,
        actorAdam: updated.state,
        actorTarget: softUpdate(actorTarget, updated.parameters.base, settings.tau),
      },
      outputs: { loss, norm },
    };
  },
});

/** Mean angle in degrees between Q and the direction that its preference asks for. */
function angle(direction: Tensor, q: Tensor): Tensor {
  const cosine = direction.mul(q).sum(1).div(q.square().sum(1).maximum(1e-16).sqrt());
  return cosine
    .clamp(0, 0.9999)
    .acos()
    .mean()
    .mul(180 / Math.PI);
}

function smoothL1(x: Tensor): Tensor {
  const size = x.abs();
  return select(size.less(1), x.square().mul(0.5), size.sub(0.5));
}

export function initialise(state: State, random: Random, replica?: number): void {
  const actor = family.init(random);
  const critics = { first: criticNetwork.init(random), second: criticNetwork.init(random) };
  state.load({ actor, actorTarget: actor.base!, critics, criticTargets: critics }, replica);
}

/** A batch of plausible numbers. */
export function randomBatch(random: Random) {
  const normal = (length: number, deviation = 1): Float32Array =>
    random.fillNormal(new Float32Array(length), 0, deviation);
  const w = new Float32Array(groups * objectives);
  const direction = new Float32Array(batch * objectives);
  for (let g = 0; g < groups; g++) {
    const first = random.uniform();
    w.set([first, 1 - first], g * objectives);
    const norm = Math.hypot(first, 1 - first);
    for (let i = 0; i < batch / groups; i++) {
      direction.set([first / norm, (1 - first) / norm], (g * (batch / groups) + i) * objectives);
    }
  }
  return {
    s: normal(batch * observation),
    s2: normal(batch * observation),
    a: random.fillUniform(new Float32Array(batch * action), -1, 1),
    r: random.fillUniform(new Float32Array(batch * objectives), 0, 1),
    done: new Float32Array(batch),
    noise: normal(batch * action, 0.2),
    w,
    direction,
  };
}
