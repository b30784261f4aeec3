/**
 * Envelope Q-learning (Yang, Sun and Narasimhan, 2019): one network Q(s, a, w) whose target maximises w.Q over the
 * actions and over all preferences of the batch, and a loss that moves from the vector error to the scalarised one.
 */
import { choice, integers, number, orNone } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { adam, adamSpecs, clipped, mlp, repeatForRows, softUpdate } from '../nn/index.js';
import type { Parameters } from '../nn/index.js';
import { concat, constant, float32, grad, step } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';
import { describePolicy } from './description.js';
import { discreteActions, eachAction, epsilonFields, EpsilonGreedy, pick } from './discrete.js';
import { decayedRate } from './decay.js';
import type { LearnerOptions, OffPolicyLearner } from './learner.js';
import { WIDEST } from './limits.js';
import { compileUpdates, replayLearner } from './replay-learner.js';
import { transitionsFor } from './transitions.js';

export const envelopeFields = {
  hidden: integers({
    network: true,
    default: [128, 256, 512, 256],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of the Q-network.',
    source: 'published: 16, 32, 64 and 32 times the input size, here that of the fruit tree',
  }),
  learningRate: number({ default: 1e-3, above: 0, about: 'Step size of Adam.', source: 'published' }),
  finalLearningRate: number({
    default: 1,
    min: 0,
    max: 1,
    about: 'Share of the learning rate that is left at the end, after a linear decay.',
    source: 'published: 1, constant',
  }),
  tau: number({
    default: 0.01,
    above: 0,
    max: 1,
    about: 'Speed of the target network.',
    source: 'published: a copy every 100 updates, which moves as far',
  }),
  clip: orNone(
    number({
      default: 10,
      above: 0,
      about: 'Largest global norm of the gradient.',
      source: 'published: +-1 per entry',
    }),
  ),
  operator: choice(['envelope', 'own'], {
    default: 'envelope',
    about:
      'Target: the best over actions and preferences of the batch (the paper), or over actions alone (the published code).',
    source: 'Envelope Q-learning, eq. of the optimality filter',
  }),
  homotopy: number({
    default: 1,
    min: 0,
    max: 1,
    about: 'Weight of the scalarised error at the end of training; it grows as the published schedule does.',
    source: 'published: 1',
  }),
  ...epsilonFields({ start: 0.5, end: 0.05, decay: 1, source: 'Envelope Q-learning' }),
} as const;

export type EnvelopeConfig = ConfigOf<typeof envelopeFields>;

/** The update, and the choice of actions. */
function envelopeSteps(config: EnvelopeConfig, options: LearnerOptions) {
  const { problem, batch, groups } = options;
  const { observation, objectives, discount } = problem;
  const actions = discreteActions('envelope', problem);
  const network = mlp({ inputs: observation + objectives, hidden: config.hidden, outputs: actions * objectives });

  const valuesOf = (theta: Parameters<Tensor>, w: Tensor, rows: Tensor): Tensor =>
    network.apply(theta, concat([rows, w], 1)).reshape([rows.shape[0], actions, objectives]);

  /** The vector Q(s', a, w') that is best under each row's own preference. */
  const envelopeOf = (theta: Parameters<Tensor>, w: Tensor, s2: Tensor): Tensor => {
    // Every row meets every preference of the batch: [batch * groups].
    const states = s2.reshape([batch, 1, observation]).broadcastTo([batch, groups, observation]);
    const others = w.reshape([1, groups, objectives]).broadcastTo([batch, groups, objectives]);
    const all = valuesOf(
      theta,
      others.reshape([batch * groups, objectives]),
      states.reshape([batch * groups, observation]),
    ).reshape([batch, groups * actions, objectives]);
    return pick(all, all.mul(eachAction(w, batch)).sum(-1).argmax(1));
  };

  const transitions = transitionsFor(options);
  const update = step({
    state: { ...transitions.state, online: network.specs, target: network.specs, adam: adamSpecs(network.specs) },
    inputs: {
      ...transitions.inputs,
      w: float32(groups, objectives),
      beta: float32(),
      learningRate: float32(),
    },
    body: (state, { w, beta, learningRate, ...batchInputs }) => {
      const { s, a, r, s2, terminal } = transitions.of(state, batchInputs);
      const rowW = repeatForRows(w, batch);
      let future: Tensor;
      if (config.operator === 'envelope') {
        future = envelopeOf(state.target, w, s2);
      } else {
        const chosen = valuesOf(state.online, rowW, s2).mul(eachAction(w, batch)).sum(-1).argmax(1);
        future = pick(valuesOf(state.target, rowW, s2), chosen);
      }
      const y = r.add(future.mul(constant(1).sub(terminal)).mul(discount)).stopGradient();
      const q = pick(valuesOf(state.online, rowW, s), a);
      const error = q.sub(y);
      const vectorLoss = error.square().mean();
      const scalarLoss = error.mul(rowW).sum(1).square().mean();
      const loss = scalarLoss.mul(beta).add(vectorLoss.mul(constant(1).sub(beta)));
      const gradients = clipped(grad(loss, state.online), config.clip);
      const online = adam(state.online, gradients, state.adam, { learningRate });
      return {
        state: {
          online: online.parameters,
          adam: online.state,
          target: softUpdate(state.target, online.parameters, config.tau),
        },
        outputs: { loss, tdError: error.abs().mean(), meanQ: q.mean() },
      };
    },
  });

  const act = (rows: number) =>
    step({
      state: { online: network.specs },
      inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
      body: ({ online }, { s, w }) => ({
        outputs: { action: valuesOf(online, w, s).mul(eachAction(w, rows)).sum(-1).argmax(1) },
      }),
    });

  return { update, act, network, transitions, actions };
}

export async function envelope(config: EnvelopeConfig, options: LearnerOptions): Promise<OffPolicyLearner> {
  const { replicas } = options;
  const { update, act, network, transitions, actions } = envelopeSteps(config, options);
  const { state, programs } = await compileUpdates({ update }, options);
  const learningRate = new Float32Array(replicas);
  const beta = new Float32Array(replicas);

  const exploration = new EpsilonGreedy(config, actions);

  return replayLearner(options, {
    state,
    transitions,
    updates: [programs.update],
    policy: ['online'],
    describe: () =>
      describePolicy({
        network,
        parameters: { family: 'conditioned', base: { tensors: 'online', share: 1 } },
        output: 'values',
      }),
    initialise: (random, replica) => {
      const online = network.init(random);
      state.load({ online, target: online }, replica);
    },
    act,
    explore: (action, progress, random, _replica, environment) =>
      exploration.action(action[0], progress, random, environment),
    earn: (_, ends) => exploration.end(ends),
    learn: (run, w, { progress }) => {
      learningRate.fill(decayedRate(config, progress));
      // beta_n = lambda^n / 1000 with lambda = 1000^(1/N): the vector error rules until near the end.
      beta.fill((config.homotopy * 1000 ** progress) / 1000);
      return run(programs.update, { w, beta, learningRate });
    },
    host: { exploration: config.epsilonRepeat === null ? undefined : exploration },
  });
}
