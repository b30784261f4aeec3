/**
 * DDQN with vector values over a policy family: PSL-MORL (fused, generated, added) and PD-MORL (conditioned) for
 * discrete actions. The whole Q-network belongs to the family, Q(s, a, w; theta(w)) in R^m.
 */
import { choice, flag, integers, number, orNone } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { adam, adamSpecs, clipped, mlp, repeatForRows, softUpdate } from '../nn/index.js';
import type { Family, FamilyParameters } from '../nn/index.js';
import { concat, constant, float32, grad, step } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';
import { describeFamily, describePolicy } from './description.js';
import { discreteActions, eachAction, epsilonFields, EpsilonGreedy, pick } from './discrete.js';
import { familyFields, makeFamily } from './family-fields.js';
import { KeySolutions } from './keys.js';
import type { LearnerOptions, OffPolicyLearner, Problem } from './learner.js';
import { WIDEST } from './limits.js';
import { above, cosine, smoothL1 } from './losses.js';
import { Normaliser, normalised, normaliserSpecs } from './normaliser.js';
import { compileUpdates, replayLearner } from './replay-learner.js';
import { ReturnBounds } from './return-bounds.js';
import { transitionsFor } from './transitions.js';
import { Variation } from './variation.js';

export const ddqnFields = {
  ...familyFields,
  alpha: { ...familyFields.alpha, varies: true },
  hidden: integers({
    network: true,
    default: [512, 512, 512, 512],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of the Q-network.',
    source: 'paper: width 512, "3 hidden layers" after the input layer as in PD-MORL',
  }),
  learningRate: number({
    varies: true,
    default: 3e-4,
    above: 0,
    about: 'Step size of Adam.',
    source: 'paper, FTN table',
  }),
  finalLearningRate: number({
    varies: true,
    default: 1,
    min: 0,
    max: 1,
    about: 'Share of the learning rate that is left at the end, after a linear decay.',
    source: 'published: 1, constant',
  }),
  tau: number({
    varies: true,
    default: 0.005,
    above: 0,
    max: 1,
    about: 'Speed of the target network.',
    source: 'paper, FTN table',
  }),
  clip: orNone(
    number({ above: 0, about: 'Largest global norm of the gradient.', source: 'PD-MORL clips only in TD3' }),
  ),
  double: flag({
    default: false,
    about: 'Choose the next action with the online network, as double DQN does.',
    source: 'PD-MORL: with the target network',
  }),
  selection: choice(['angle', 'scalarised'], {
    default: 'angle',
    about: 'Next action by cos(I(w), Q) times w.Q, which needs the known front, or by w.Q alone.',
    source: 'paper, DDQN target',
  }),
  target: choice(['base', 'fused', 'full'], {
    network: true,
    default: 'base',
    about:
      'Target network: the base alone as the paper writes it, the base fused with the current phi, or a slow copy of everything.',
    source: 'paper, DDQN target',
  }),
  utilityError: number({
    varies: true,
    default: 0,
    min: 0,
    about: 'Weight of the error of w.Q, by which actions are chosen, beside that of Q.',
    source: 'published: 0; Envelope Q-learning has both',
  }),
  boundedTargets: flag({
    default: false,
    about: 'Keep targets within the returns that episodes have had so far, objective by objective.',
    source: 'published: no; hindsight experience replay clips to possible returns',
  }),
  normalise: flag({
    network: true,
    default: false,
    about: 'Scale observations by their running mean and deviation.',
    source: 'published: no',
  }),
  ...epsilonFields({ start: 0.8, end: 0.05, decay: 0.75, source: 'PD-MORL: 0.8 - t / steps, floored at 0.05' }),
} as const;

export type DdqnConfig = ConfigOf<typeof ddqnFields>;

/** What a step has in its state besides the networks. */
type Common = {
  readonly observations?: { readonly mean: Tensor; readonly scale: Tensor };
  readonly settings?: Tensor;
};

/** The update, and the choice of actions. */
function ddqnSteps(config: DdqnConfig, options: LearnerOptions) {
  const { problem, batch, groups } = options;
  const { observation, objectives, discount } = problem;
  const actions = discreteActions('ddqn', problem);
  const network = mlp({ inputs: observation + objectives, hidden: config.hidden, outputs: actions * objectives });
  const family = makeFamily(config, network, objectives);
  const target = targetOf(config, family);
  const transitions = transitionsFor(options);
  const variation = new Variation(config, options.variants);
  const common = { ...(config.normalise && { observations: normaliserSpecs(observation) }), ...variation.specs };
  const seen = ({ observations }: Common, s: Tensor): Tensor =>
    observations === undefined ? s : normalised(s, observations);

  /** Q of every action, with the parameters of the rows' preferences: [rows, actions, objectives]. */
  const valuesOf = (state: Common, theta: FamilyParameters<Tensor>, w: Tensor, rows: Tensor): Tensor => {
    const [count] = rows.shape;
    return makeFamily(config, network, objectives, variation.in(state, 'alpha'))
      .apply(theta, w, concat([rows, repeatForRows(w, count)], 1))
      .reshape([count, actions, objectives]);
  };

  const update = step({
    state: {
      ...transitions.state,
      ...common,
      online: family.specs,
      target: target.specs,
      adam: adamSpecs(family.specs),
    },
    inputs: {
      ...transitions.inputs,
      w: float32(groups, objectives),
      /** I(w), the direction in which Q should point. */
      direction: float32(groups, objectives),
      learningRate: float32(),
      ...(config.boundedTargets && { low: float32(objectives), high: float32(objectives) }),
    },
    body: (state, { w, direction, learningRate, low, high, ...batchInputs }) => {
      const { a, r, terminal, ...rows } = transitions.of(state, batchInputs);
      const [s, s2] = [seen(state, rows.s), seen(state, rows.s2)];
      const next = target.isBase
        ? network
            .apply(state.target.base!, concat([s2, repeatForRows(w, batch)], 1))
            .reshape([batch, actions, objectives])
        : valuesOf(state, { hyper: state.online.hyper, ...state.target }, w, s2);
      const judged = config.double ? valuesOf(state, state.online, w, s2) : next;
      const utility = judged.mul(eachAction(w, batch)).sum(-1);
      const score =
        config.selection === 'angle'
          ? utility.mul(cosine(eachAction(direction, batch), above(judged, problem.origin)))
          : utility;
      const future = pick(next, score.argmax(1)).mul(constant(1).sub(terminal));
      const expected = r.add(future.mul(discount));
      const y = (low && high ? expected.maximum(low).minimum(high) : expected).stopGradient();

      const q = pick(valuesOf(state, state.online, w, s), a);
      const error = q.sub(y);
      const vectorLoss = smoothL1(error).mean();
      const utilityLoss = smoothL1(error.mul(repeatForRows(w, batch)).sum(1)).mean();
      const loss = variation.isUsed('utilityError')
        ? vectorLoss.add(utilityLoss.mul(variation.in(state, 'utilityError')))
        : vectorLoss;
      const gradients = clipped(grad(loss, state.online), config.clip);
      const online = adam(state.online, gradients, state.adam, { learningRate });
      return {
        state: {
          online: online.parameters,
          adam: online.state,
          target: softUpdate(state.target, online.parameters, variation.in(state, 'tau')),
        },
        outputs: { loss, tdError: error.abs().mean(), meanQ: q.mean() },
      };
    },
  });

  const act = (rows: number) =>
    step({
      state: { ...common, online: family.specs },
      inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
      body: (state, { s, w }) => ({
        outputs: {
          action: valuesOf(state, state.online, w, seen(state, s)).mul(eachAction(w, rows)).sum(-1).argmax(1),
        },
      }),
    });

  return { update, act, network, family, target, transitions, variation, actions };
}

export async function ddqn(config: DdqnConfig, options: LearnerOptions): Promise<OffPolicyLearner> {
  const { problem, replicas, groups } = options;
  const { observation, objectives, discount } = problem;
  const { update, act, network, family, target, transitions, variation, actions } = ddqnSteps(config, options);
  const { state, programs } = await compileUpdates({ update }, options);
  const keys = config.selection === 'angle' ? keysOf(problem) : undefined;
  const direction = new Float32Array(replicas * groups * objectives);
  const exploration = new EpsilonGreedy(config, actions);
  const normaliser = config.normalise ? new Normaliser(state, 'observations', observation, replicas) : undefined;
  const bounds = config.boundedTargets ? new ReturnBounds(objectives, discount, replicas) : undefined;

  return replayLearner(options, {
    state,
    transitions,
    updates: [programs.update],
    policy: ['online', 'observations'],
    describe: (replica) =>
      describePolicy({
        network,
        parameters: describeFamily(family, 'online', variation.of(replica, 'alpha')),
        output: 'values',
        isNormalised: config.normalise,
      }),
    initialise: (random, replica) => {
      const online = family.init(random);
      state.load({ online, target: target.from(online) }, replica);
      variation.initialise(state, replica);
      normaliser?.initialise(replica);
    },
    act,
    explore: (action, progress, random, _replica, environment) =>
      exploration.action(action[0], progress, random, environment),
    ...(normaliser !== undefined && { observe: (rows) => normaliser.observe(rows) }),
    earn: (rewards, ends) => {
      exploration.end(ends);
      bounds?.observe(rewards, ends);
    },
    learn: (run, w, { progress }) => {
      keys?.directions(w, direction);
      const learningRate = variation.rates('learningRate', replicas, progress);
      return run(programs.update, { w, direction, learningRate, ...bounds?.inputs });
    },
    host: { normaliser, bounds, exploration: config.epsilonRepeat === null ? undefined : exploration },
  });
}

/** The network that the target is computed with. */
function targetOf(config: DdqnConfig, family: Family) {
  const { base, hyper } = family.specs;
  // Where there is no base, or nothing but a base, a slow copy of everything is the only one.
  const kind = base === undefined || hyper === undefined ? 'full' : config.target;
  return {
    isBase: kind === 'base',
    specs: kind === 'full' ? family.specs : { base },
    from: <T>(parameters: FamilyParameters<T>): FamilyParameters<T> =>
      kind === 'full' ? parameters : { base: parameters.base },
  };
}

function keysOf({ objectives, keys, origin }: Problem): KeySolutions {
  if (keys !== undefined) return new KeySolutions(objectives, keys, origin);
  throw new RangeError('selection is "angle", which needs known key solutions; use selection=scalarised here.');
}
