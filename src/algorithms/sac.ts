/**
 * SAC with vector critics over a policy family (Haarnoja et al. 2018, "Soft actor-critic algorithms and applications"):
 * PSL-MORL (fused, generated, added) and its conditioned rival. The actor pi(s, w; theta(w)) is a squashed normal distribution
 * and maximises utility plus temperature times entropy; twin critics Q(s, w, a) in R^m are as TD3's.
 *
 * The entropy is one number and Q is a vector. It is added to every objective, so that w . Q, with weights that sum to one, has
 * it exactly once. Where rewards are scaled, the actor's utility is (w . Q) / (w . scale) in the environment's own units: again
 * a mean of what the critics say, with weights w_k scale_k / (w . scale), so that the same sum is added there. A utility has
 * size one at every preference then, and one temperature serves all of them.
 */
import { integer, number } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { adam, adamSpecs, softUpdate } from '../nn/index.js';
import type { Random } from '../random/index.js';
import { constant, float32, grad, step } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';
import { actorCritic, actorCriticFields, actorCriticLearner, usesAngle } from './actor-critic.js';
import { replicaPart } from './learner.js';
import type { LearnerOptions, OffPolicyLearner } from './learner.js';
import { squashedNormal } from './squashed-normal.js';

export const sacFields = {
  ...actorCriticFields,
  policyDelay: integer({
    default: 1,
    min: 1,
    unit: 'updates of the critics',
    about: 'Updates of the critics for each one of the actor and the temperature.',
    source: 'SAC',
  }),
  criticAngle: { ...actorCriticFields.criticAngle, default: 0, source: 'SAC: none; here Q has the entropy in it' },
  actorAngle: { ...actorCriticFields.actorAngle, default: 0, source: 'SAC: none; here Q has the entropy in it' },
  temperature: number({
    varies: true,
    default: 1,
    above: 0,
    about: 'Weight of the entropy beside the utility at the start; one for all preferences, and learned from there.',
    source: 'SAC: 1; 0.01 for scaled rewards in SimbaV2',
  }),
  temperatureLearningRate: number({
    varies: true,
    default: 3e-4,
    min: 0,
    about: 'Step size of Adam for the logarithm of the temperature; 0: it stays as it is.',
    source: 'SAC',
  }),
  targetEntropy: number({
    varies: true,
    default: -1,
    unit: 'for each number of an action',
    about: 'Entropy that the temperature is to keep the policy at, of actions between -1 and 1.',
    source: 'SAC: -1 for each number of an action',
  }),
} as const;

export type SacConfig = ConfigOf<typeof sacFields>;

export async function sac(config: SacConfig, options: LearnerOptions): Promise<OffPolicyLearner> {
  const { replicas, batch } = options;
  const networks = actorCritic(config, options, { name: 'sac', outputs: 2 });
  const { limits, critics, transitions, variation, kept, seen, actor } = networks;
  const actions = limits.length;
  const distribution = squashedNormal(limits);
  const logTemperature = float32();

  const updateCritics = step({
    state: { ...networks.criticState, logTemperature },
    inputs: { ...networks.inputs, noise: float32(batch, actions) },
    body: (state, { noise, w, direction, learningRate, ...batchInputs }) => {
      const { criticTargets } = state;
      const { s, a, r, s2, terminal } = transitions.of(state, batchInputs);
      const x2 = seen(state, s2, w);
      // By the current actor: SAC has no target actor.
      const { action: a2, logProbability } = distribution.sample(actor(state, state.actor, w, x2), noise);
      const bonus = state.logTemperature.exp().mul(logProbability).neg();
      const next = critics.worse(state, criticTargets, x2, a2, w).add(bonus);
      const y = critics.target(state, r, terminal, next);
      const x = seen(state, s, w);
      const { learned, outputs } = critics.learn(state, { x, a, y, w, direction, learningRate });
      return {
        state: { ...learned, criticTargets: softUpdate(criticTargets, learned.critics, variation.in(state, 'tau')) },
        outputs,
      };
    },
  });

  const updateActor = step({
    state: { ...networks.actorState, logTemperature, temperatureAdam: adamSpecs({ logTemperature }) },
    inputs: { ...networks.inputs, noise: float32(batch, actions), temperatureRate: float32() },
    body: (state, { noise, w, direction, learningRate, temperatureRate, ...batchInputs }) => {
      const { s } = transitions.of(state, batchInputs);
      const x = seen(state, s, w);
      const { action, logProbability } = distribution.sample(actor(state, state.actor, w, x), noise);
      const q = critics.worse(state, state.critics, x, action, w);
      const temperature = state.logTemperature.exp();
      let loss = temperature
        .mul(logProbability)
        .sub(critics.relativeUtility(state, q, w))
        .mean();
      if (config.actorAngle > 0) loss = loss.add(critics.angle(state, direction, q).mul(config.actorAngle));
      const { learned, norm } = networks.learnActor(state, loss, learningRate);

      // It falls while there is more entropy than it is to keep.
      const entropy = logProbability.mean().neg();
      const wanted = constant(actions).mul(variation.in(state, 'targetEntropy'));
      const { logTemperature: log } = state;
      const temperatureLoss = log.mul(entropy.sub(wanted).stopGradient());
      const moved = adam(
        { logTemperature: log },
        grad(temperatureLoss, { logTemperature: log }),
        state.temperatureAdam,
        { learningRate: temperatureRate },
      );
      const outputs: Record<string, Tensor> = { actorLoss: loss, actorGradient: norm, temperature, entropy };
      if (usesAngle(config)) outputs.angle = critics.angle(state, direction, q);
      return { state: { ...learned, ...moved.parameters, temperatureAdam: moved.state }, outputs };
    },
  });

  const noise = new Float32Array(replicas * batch * actions);
  const drawNoise: (random: readonly Random[]) => Float32Array = (random) => {
    random.forEach((generator, replica) => generator.fillNormal(replicaPart(noise, replica, replicas)));
    return noise;
  };
  return actorCriticLearner(config, options, {
    networks,
    updates: { critics: updateCritics, actor: updateActor },
    output: 'tanh-normal',
    initialise: (state, _, replica) => {
      state.load({ logTemperature: Float32Array.of(Math.log(variation.of(replica, 'temperature'))) }, replica);
    },
    act: networks.acting(kept, distribution.best),
    // Experience is gathered by the actor that is trained, with actions that are drawn.
    behave: networks.acting('actor', distribution.moments),
    expect: networks.expecting(distribution.best),
    explore: (moments, _progress, random) => distribution.drawn(moments, () => random.normal()),
    criticInputs: (random) => ({ noise: drawNoise(random) }),
    actorInputs: (random, rates) => ({ noise: drawNoise(random), temperatureRate: rates('temperatureLearningRate') }),
  });
}
