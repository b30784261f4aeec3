/**
 * TD3 with vector critics over a policy family: PSL-MORL (fused, generated, added) and PD-MORL (conditioned) for
 * continuous actions. Only the actor belongs to the family, pi(s, w; theta(w)); the twin critics Q(s, w, a) in R^m take the
 * preference as an input.
 */
import { choice, number } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { softUpdate } from '../nn/index.js';
import type { Family, FamilyParameters } from '../nn/index.js';
import { constant, float32, step } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';
import { ActionNoise } from './action-noise.js';
import { actorCritic, actorCriticFields, actorCriticLearner, usesAngle } from './actor-critic.js';
import { replicaPart } from './learner.js';
import type { LearnerOptions, OffPolicyLearner } from './learner.js';

export const td3Fields = {
  ...actorCriticFields,
  targetCritics: choice(['step', 'actor'], {
    default: 'actor',
    about: 'Move the target critics with every update, or only when the actor is updated.',
    source: 'PD-MORL: with the actor; the paper writes every step',
  }),
  target: choice(['base', 'full'], {
    network: true,
    default: 'base',
    about: 'Target actor: a slow copy of the base, with the current phi, or a slow copy of everything.',
    source: "paper: theta1' fused with the current phi",
  }),
  exploration: number({
    varies: true,
    default: 0.1,
    min: 0,
    unit: 'of the largest action',
    about: 'Deviation of the noise on actions while training.',
    source: 'paper, MO-MuJoCo table',
  }),
  explorationSpread: number({
    varies: true,
    default: 0,
    min: 0,
    max: 1,
    about: 'Draw the deviation of each episode from exploration x [1 - this, 1 + this]; 0: always the same.',
    source: 'published: none; FastTD3',
  }),
  explorationCorrelation: number({
    varies: true,
    default: 0,
    min: 0,
    max: 1,
    about: 'Correlation of that noise with the noise of the step before; 0: each step has its own.',
    source: 'published: none; 0.85 in DDPG',
  }),
  finalExploration: number({
    varies: true,
    default: 1,
    min: 0,
    max: 1,
    about: 'Share of that deviation that is left at the end; it falls linearly.',
    source: 'published: constant',
  }),
  targetNoise: number({
    varies: true,
    default: 0.2,
    min: 0,
    about: 'Deviation of the noise on the target action, not scaled by the largest action.',
    source: 'paper, MO-MuJoCo table',
  }),
  targetNoiseLimit: number({
    default: 0.5,
    min: 0,
    about: 'Largest size of that noise.',
    source: 'paper, MO-MuJoCo table',
  }),
  saturation: number({
    varies: true,
    default: 0,
    min: 0,
    about: 'Weight of the squared action before tanh in the loss of the actor, against actions stuck at their limits.',
    source: 'published: none',
  }),
  saturationFrom: number({
    varies: true,
    default: 0,
    min: 0,
    about: 'Size of an action before tanh from which on it counts as saturated; what is below costs nothing.',
    source: 'published: none',
  }),
} as const;

export type Td3Config = ConfigOf<typeof td3Fields>;

export async function td3(config: Td3Config, options: LearnerOptions): Promise<OffPolicyLearner> {
  const { replicas, batch } = options;
  const networks = actorCritic(config, options, { name: 'td3', outputs: 1 });
  const { limits, family, critics, transitions, variation, kept, seen } = networks;
  const actions = limits.length;
  const target = targetOf(config, family);
  const maximum = constant(limits, [actions]);
  /** The action before tanh. */
  const rawAction = networks.actor;
  const bounded = (raw: Tensor): Tensor => raw.tanh().mul(maximum);

  const updateCritics = step({
    state: { ...networks.criticState, actorTarget: target.specs },
    inputs: { ...networks.inputs, noise: float32(batch, actions) },
    body: (state, { noise, w, direction, learningRate, ...batchInputs }) => {
      const { criticTargets } = state;
      const { s, a, r, s2, terminal } = transitions.of(state, batchInputs);
      const x2 = seen(state, s2, w);
      const chosen = bounded(rawAction(state, target.parameters(state.actor, state.actorTarget), w, x2));
      const shift = noise.clamp(-config.targetNoiseLimit, config.targetNoiseLimit);
      const a2 = chosen.add(shift).minimum(maximum).maximum(maximum.neg());
      const next = critics.worse(state, criticTargets, x2, a2, w);
      const y = critics.target(state, r, terminal, next);
      const x = seen(state, s, w);
      const { learned, outputs } = critics.learn(state, { x, a, y, w, direction, learningRate });
      return {
        state: {
          ...learned,
          ...(config.targetCritics === 'step' && {
            criticTargets: softUpdate(criticTargets, learned.critics, variation.in(state, 'tau')),
          }),
        },
        outputs,
      };
    },
  });

  const updateActor = step({
    state: { ...networks.actorState, actorTarget: target.specs, criticTargets: critics.specs },
    inputs: networks.inputs,
    body: (state, { w, direction, learningRate, ...batchInputs }) => {
      const { s } = transitions.of(state, batchInputs);
      const x = seen(state, s, w);
      const raw = rawAction(state, state.actor, w, x);
      const q = critics.values(state.critics.first, x, bounded(raw));
      let loss = critics.utility(state, q, w).mean().neg();
      if (config.actorAngle > 0) loss = loss.add(critics.angle(state, direction, q).mul(config.actorAngle));
      if (variation.isUsed('saturation')) {
        const excess = variation.isUsed('saturationFrom')
          ? raw.abs().sub(variation.in(state, 'saturationFrom')).relu()
          : raw;
        loss = loss.add(excess.square().sum(1).mean().mul(variation.in(state, 'saturation')));
      }
      const { learned, norm } = networks.learnActor(state, loss, learningRate);
      const outputs: Record<string, Tensor> = {
        actorLoss: loss,
        actorGradient: norm,
        saturated: constant(0.97).less(raw.tanh().abs()).toFloat().mean(),
      };
      if (usesAngle(config)) outputs.angle = critics.angle(state, direction, q);
      return {
        state: {
          ...learned,
          actorTarget: softUpdate(state.actorTarget, target.of(learned.actor), variation.in(state, 'tau')),
          ...(config.targetCritics === 'actor' && {
            criticTargets: softUpdate(state.criticTargets, state.critics, variation.in(state, 'tau')),
          }),
        },
        outputs,
      };
    },
  });

  const noise = new Float32Array(replicas * batch * actions);
  const actionNoise = new ActionNoise(limits, (replica) => ({
    exploration: variation.of(replica, 'exploration'),
    explorationSpread: variation.of(replica, 'explorationSpread'),
    explorationCorrelation: variation.of(replica, 'explorationCorrelation'),
    finalExploration: variation.of(replica, 'finalExploration'),
  }));
  return actorCriticLearner(config, options, {
    networks,
    updates: { critics: updateCritics, actor: updateActor },
    output: 'tanh',
    initialise: (state, actor, replica) => state.load({ actorTarget: target.of(actor) }, replica),
    act: networks.acting(kept, bounded),
    // Experience is gathered by the actor that is trained.
    ...(kept !== 'actor' && { behave: networks.acting('actor', bounded) }),
    expect: networks.expecting(bounded),
    explore: (...step) => actionNoise.action(...step),
    ...((variation.isUsed('explorationSpread') || variation.isUsed('explorationCorrelation')) && {
      noise: actionNoise,
    }),
    criticInputs: (random) => {
      random.forEach((generator, replica) => {
        generator.fillNormal(replicaPart(noise, replica, replicas), 0, variation.of(replica, 'targetNoise'));
      });
      return { noise };
    },
  });
}

/** The actor that the target action comes from. */
function targetOf(config: Td3Config, family: Family) {
  const { base, hyper } = family.specs;
  // Without a base, "the base with the current phi" is the current phi: nothing is copied.
  const isFull = hyper === undefined || config.target === 'full';
  return {
    specs: isFull ? family.specs : { base },
    /** The part of the parameters that the target follows. */
    of: <T>(parameters: FamilyParameters<T>): FamilyParameters<T> => (isFull ? parameters : { base: parameters.base }),
    /** What the family is evaluated with. */
    parameters: <T>(online: FamilyParameters<T>, slow: FamilyParameters<T>): FamilyParameters<T> =>
      isFull ? slow : { hyper: online.hyper, base: slow.base },
  };
}
