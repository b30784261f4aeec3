/**
 * TD3 with vector critics over a policy family: PSL-MORL (fused, generated, added) and PD-MORL (conditioned) for
 * continuous actions. Only the actor belongs to the family, pi(s, w; theta(w)); the twin critics Q(s, w, a) in R^m take the
 * preference as an input.
 */
import { choice, flag, integer, integers, number, orNone } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { adam, adamSpecs, clipByGlobalNorm, mlp, repeatForRows, softUpdate } from '../nn/index.js';
import type { Family, FamilyParameters, Parameters } from '../nn/index.js';
import { concat, constant, float32, grad, select, step } from '../tensor/index.js';
import type { Spec, Tensor } from '../tensor/index.js';
import { classificationHead, regressionHead } from './critic-head.js';
import type { CriticHead } from './critic-head.js';
import { describeFamily, describePolicy } from './description.js';
import { familyFields, makeFamily } from './family-fields.js';
import { KeySolutions } from './keys.js';
import { decayedRate, replicaPart } from './learner.js';
import type { LearnerOptions, OffPolicyLearner, Problem } from './learner.js';
import { above, degreesBetween } from './losses.js';
import { Normaliser, normalised, normaliserSpecs } from './normaliser.js';
import { compileUpdates, replayLearner, together } from './replay-learner.js';
import { RewardScale, rewardScaleSpec } from './reward-scale.js';
import { transitionsFor } from './transitions.js';
import { Variation } from './variation.js';

export const td3Fields = {
  ...familyFields,
  alpha: { ...familyFields.alpha, varies: true },
  hidden: integers({
    default: [400, 400],
    min: 1,
    unit: 'units',
    about: 'Hidden layers of the actor.',
    source: 'paper: width 400, "1 hidden layer" after the input layer as in PD-MORL',
  }),
  criticHidden: integers({
    default: [400, 400],
    min: 1,
    unit: 'units',
    about: 'Hidden layers of each critic.',
    source: 'paper, MO-MuJoCo table',
  }),
  learningRate: number({
    varies: true,
    default: 3e-4,
    above: 0,
    about: 'Step size of Adam for the actor and its hypernetwork.',
    source: 'paper, MO-MuJoCo table',
  }),
  criticLearningRate: number({
    varies: true,
    default: 3e-4,
    above: 0,
    about: 'Step size of Adam for the critics.',
    source: 'paper, MO-MuJoCo table',
  }),
  tau: number({
    varies: true,
    default: 0.005,
    above: 0,
    max: 1,
    about: 'Speed of the target networks.',
    source: 'paper',
  }),
  clip: number({ default: 100, above: 0, about: 'Largest global norm of a gradient.', source: 'PD-MORL' }),
  policyDelay: integer({
    default: 10,
    min: 1,
    unit: 'updates of the critics',
    about: 'Updates of the critics for each one of the actor.',
    source: 'paper: 10, and 20 for the hopper',
  }),
  targetCritics: choice(['step', 'actor'], {
    default: 'actor',
    about: 'Move the target critics with every update, or only when the actor is updated.',
    source: 'PD-MORL: with the actor; the paper writes every step',
  }),
  target: choice(['base', 'full'], {
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
  error: choice(['smooth-l1', 'squared'], {
    default: 'smooth-l1',
    about: 'Size of an error of the critics.',
    source: 'PD-MORL: smooth L1; the paper writes a square, which learned much less',
  }),
  criticAngle: number({
    default: 1,
    min: 0,
    about: 'Weight of the angle between Q and I(w), in degrees, in the loss of the critics; 0 turns it off.',
    source: 'PD-MORL',
  }),
  actorAngle: number({
    default: 10,
    min: 0,
    about: 'Weight of the same angle in the loss of the actor; 0 turns it off.',
    source: 'paper: loss coefficient 10',
  }),
  keys: choice(['known', 'trained'], {
    default: 'known',
    about: 'Key solutions that the angle starts from: the published ones, or ones that this run trains first.',
    source: 'PD-MORL ships its own; their training is not in its budget',
  }),
  keySteps: integer({
    default: 2_000_000,
    min: 1,
    unit: 'environment steps',
    about: 'Steps for each key solution that is trained. They are counted in the run.',
    source: 'PD-MORL: 2e6, and 1e6 for the swimmer',
  }),
  keyUpdates: orNone(
    integer({
      default: 1,
      min: 1,
      unit: 'episodes of each child',
      about: 'Play the key preferences this often and keep what is better, for the angle; none: never.',
      source: 'PD-MORL: whenever every child has finished another episode',
    }),
  ),
  normalise: flag({
    default: false,
    about: 'Scale observations by their running mean and deviation.',
    source: 'published: no',
  }),
  criticNorm: flag({
    default: false,
    about:
      'Layer normalisation after the linear part of each hidden layer of the critics, which keeps values from diverging.',
    source: 'published: no; CrossQ, SimBa and others normalise',
  }),
  rewardScale: flag({
    default: false,
    about:
      "Divide rewards by a running size of each objective's return, so that Q has size one; utilities keep their units.",
    source: 'published: no; SimbaV2, FlashSAC',
  }),
  atoms: integer({
    default: 0,
    min: 0,
    about:
      'Values that a critic chooses between for each objective (classification, HL-Gauss); 0: it gives the value itself.',
    source: 'published: none; 101 in SimbaV2 and FlashSAC',
  }),
  averaging: number({
    varies: true,
    default: 0,
    min: 0,
    max: 1,
    about: 'Speed of the average of the actor that is evaluated and kept; 0: the actor itself.',
    source: 'published: none',
  }),
  finalLearningRate: number({
    varies: true,
    default: 1,
    above: 0,
    max: 1,
    about: 'Share of the step sizes that is left at the end; they fall linearly.',
    source: 'published: constant',
  }),
  saturation: number({
    varies: true,
    default: 0,
    min: 0,
    about: 'Weight of the squared action before tanh in the loss of the actor, against actions stuck at their limits.',
    source: 'published: none',
  }),
} as const;

export type Td3Config = ConfigOf<typeof td3Fields>;

/** Updates among which one of the actor is reported. */
const ACTOR_REPORTS = 10;

/** The actor that is trained, and its average over time. */
type ActorEntry = 'actor' | 'average';

/** Two critics that are trained alike from different starts. */
type Twins<T> = { readonly first: Parameters<T>; readonly second: Parameters<T> };

/** The updates, and how actions are chosen and judged. */
function td3Steps(config: Td3Config, options: LearnerOptions) {
  const { problem, batch, groups } = options;
  const { observation, objectives, discount } = problem;
  const limits = actionLimits(problem);
  const actions = limits.length;
  const network = mlp({ inputs: observation + objectives, hidden: config.hidden, outputs: actions });
  const head = headOf(config, objectives);
  const critic = mlp({
    inputs: observation + objectives + actions,
    hidden: config.criticHidden,
    outputs: head.outputs,
    normalise: config.criticNorm,
  });
  const family = makeFamily(config, network, objectives);
  // Where others have an average, an actor without one is its own: an average that follows at once.
  const variants = options.variants?.map((own) => (own.averaging === 0 ? { ...own, averaging: 1 } : own));
  const variation = new Variation(config, variants);
  const target = targetOf(config, family);
  const transitions = transitionsFor(options);
  const twins = { first: critic.specs, second: critic.specs };
  const isAveraged = variation.isUsed('averaging');
  /** The actor that is evaluated and kept. */
  const kept: ActorEntry = isAveraged ? 'average' : 'actor';
  const entry = (name: ActorEntry): { readonly [name in ActorEntry]?: FamilyParameters<Spec> } => ({
    [name]: family.specs,
  });
  const observationSpecs = config.normalise ? { observations: normaliserSpecs(observation) } : {};
  type Observations = { readonly observations?: { readonly mean: Tensor; readonly scale: Tensor } };
  type Settings = { readonly settings?: Tensor };
  const rewardSpecs = config.rewardScale ? { rewardScale: rewardScaleSpec(objectives) } : {};
  type Rewards = { readonly rewardScale?: Tensor };

  const maximum = constant(limits, [actions]);
  /** Observations as the networks see them, each beside the preference of its group. */
  const seen = ({ observations }: Observations, s: Tensor, w: Tensor): Tensor =>
    concat([observations === undefined ? s : normalised(s, observations), repeatForRows(w, s.shape[0])], 1);
  /** The action before tanh. */
  const rawAction = (state: Settings, theta: FamilyParameters<Tensor>, w: Tensor, x: Tensor): Tensor =>
    makeFamily(config, network, objectives, variation.in(state, 'alpha')).apply(theta, w, x);
  const bounded = (raw: Tensor): Tensor => raw.tanh().mul(maximum);
  const criticOf = (theta: Parameters<Tensor>, x: Tensor, a: Tensor): Tensor => critic.apply(theta, concat([x, a], 1));
  const valueOf = (theta: Parameters<Tensor>, x: Tensor, a: Tensor): Tensor => head.values(criticOf(theta, x, a));
  /** Values in the environment's own units, up to a factor that is the same for all objectives. */
  const inProportion = ({ rewardScale }: Rewards, q: Tensor): Tensor =>
    rewardScale === undefined ? q : q.mul(rewardScale.div(rewardScale.max()));
  const inUnits = ({ rewardScale }: Rewards, q: Tensor): Tensor => (rewardScale === undefined ? q : q.mul(rewardScale));
  const dot = (q: Tensor, w: Tensor): Tensor => q.mul(repeatForRows(w, q.shape[0])).sum(1, true);
  const utility = (state: Rewards, q: Tensor, w: Tensor): Tensor => dot(inProportion(state, q), w);
  const angle = (state: Rewards, direction: Tensor, q: Tensor): Tensor =>
    degreesBetween(repeatForRows(direction, q.shape[0]), above(inUnits(state, q), problem.origin)).mean();

  const updateCritics = step({
    state: {
      ...observationSpecs,
      ...rewardSpecs,
      ...variation.specs,
      ...transitions.state,
      actor: family.specs,
      actorTarget: target.specs,
      critics: twins,
      criticTargets: twins,
      criticAdam: adamSpecs(twins),
    },
    inputs: {
      ...transitions.inputs,
      noise: float32(batch, actions),
      w: float32(groups, objectives),
      /** I(w), the direction in which Q should point. */
      direction: float32(groups, objectives),
      learningRate: float32(),
    },
    body: (state, { noise, w, direction, learningRate, ...batchInputs }) => {
      const { critics, criticTargets } = state;
      const { s, a, r, s2, terminal } = transitions.of(state, batchInputs);
      const x2 = seen(state, s2, w);
      const chosen = bounded(rawAction(state, target.parameters(state.actor, state.actorTarget), w, x2));
      const shift = noise.clamp(-config.targetNoiseLimit, config.targetNoiseLimit);
      const a2 = chosen.add(shift).minimum(maximum).maximum(maximum.neg());
      const [next1, next2] = [criticTargets.first, criticTargets.second].map((theta) => valueOf(theta, x2, a2));
      const next = select(utility(state, next1, w).lessEqual(utility(state, next2, w)), next1, next2);
      const reward = state.rewardScale === undefined ? r : r.div(state.rewardScale);
      const y = reward.add(constant(1).sub(terminal).mul(discount).mul(next)).stopGradient();

      const x = seen(state, s, w);
      const raw = [critics.first, critics.second].map((theta) => criticOf(theta, x, a));
      const [q1, q2] = raw.map((outputs) => head.values(outputs));
      const errors = raw.map((outputs) => head.loss(outputs, y)).reduce((sum, part) => sum.add(part));
      const angles = [q1, q2].map((q) => angle(state, direction, q)).reduce((sum, part) => sum.add(part));
      const loss = config.criticAngle > 0 ? errors.add(angles.mul(config.criticAngle)) : errors;
      const { gradients, norm } = clipByGlobalNorm(grad(loss, critics), config.clip);
      const updated = adam(critics, gradients, state.criticAdam, { learningRate });
      return {
        state: {
          critics: updated.parameters,
          criticAdam: updated.state,
          ...(config.targetCritics === 'step' && {
            criticTargets: softUpdate(criticTargets, updated.parameters, variation.in(state, 'tau')),
          }),
        },
        outputs: {
          criticLoss: loss,
          criticGradient: norm,
          tdError: inUnits(state, q1.sub(y)).abs().mean(),
          twinGap: dot(inUnits(state, q1.sub(q2)), w)
            .abs()
            .mean(),
          meanQ: dot(inUnits(state, q1), w).mean(),
        },
      };
    },
  });

  const updateActor = step({
    state: {
      ...observationSpecs,
      ...rewardSpecs,
      ...variation.specs,
      ...(isAveraged && { average: family.specs }),
      ...transitions.state,
      actor: family.specs,
      actorTarget: target.specs,
      actorAdam: adamSpecs(family.specs),
      critics: twins,
      criticTargets: twins,
    },
    inputs: {
      ...transitions.inputs,
      w: float32(groups, objectives),
      direction: float32(groups, objectives),
      learningRate: float32(),
    },
    body: (state, { w, direction, learningRate, ...batchInputs }) => {
      const { s } = transitions.of(state, batchInputs);
      const x = seen(state, s, w);
      const raw = rawAction(state, state.actor, w, x);
      const q = valueOf(state.critics.first, x, bounded(raw));
      let loss = utility(state, q, w).mean().neg();
      if (config.actorAngle > 0) loss = loss.add(angle(state, direction, q).mul(config.actorAngle));
      if (variation.isUsed('saturation')) {
        loss = loss.add(raw.square().sum(1).mean().mul(variation.in(state, 'saturation')));
      }
      const { gradients, norm } = clipByGlobalNorm(grad(loss, state.actor), config.clip);
      const outputs: Record<string, Tensor> = {
        actorLoss: loss,
        actorGradient: norm,
        saturated: constant(0.97).less(raw.tanh().abs()).toFloat().mean(),
      };
      if (usesAngle(config)) outputs.angle = angle(state, direction, q);
      const updated = adam(state.actor, gradients, state.actorAdam, { learningRate });
      return {
        state: {
          actor: updated.parameters,
          actorAdam: updated.state,
          actorTarget: softUpdate(state.actorTarget, target.of(updated.parameters), variation.in(state, 'tau')),
          ...(state.average !== undefined && {
            average: softUpdate(state.average, updated.parameters, variation.in(state, 'averaging')),
          }),
          ...(config.targetCritics === 'actor' && {
            criticTargets: softUpdate(state.criticTargets, state.critics, variation.in(state, 'tau')),
          }),
        },
        outputs,
      };
    },
  });

  /** Deterministic actions of one of the actors. */
  const act = (actor: ActorEntry) => (rows: number) =>
    step({
      state: { ...observationSpecs, ...variation.specs, ...entry(actor) },
      inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
      body: (state, { s, w }) => ({
        outputs: { action: bounded(rawAction(state, state[actor]!, w, seen(state, s, w))) },
      }),
    });

  const expect = (rows: number) =>
    step({
      state: { ...observationSpecs, ...rewardSpecs, ...variation.specs, ...entry(kept), critics: twins },
      inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
      body: (state, { s, w }) => {
        const x = seen(state, s, w);
        const q = valueOf(state.critics.first, x, bounded(rawAction(state, state[kept]!, w, x)));
        return { outputs: { utility: dot(inUnits(state, q), w).reshape([rows]) } };
      },
    });

  const parts = { network, critic, family, target, transitions, variation, limits };
  return { updateCritics, updateActor, act, expect, kept, ...parts };
}

export async function td3(config: Td3Config, options: LearnerOptions): Promise<OffPolicyLearner> {
  const { problem, replicas, batch, groups } = options;
  const { observation, objectives, discount } = problem;
  const steps = td3Steps(config, options);
  const { network, critic, family, target, transitions, variation, limits, kept } = steps;
  const updates = { critics: steps.updateCritics, actor: steps.updateActor };
  const { state, programs } = await compileUpdates(updates, options);
  const normaliser = config.normalise ? new Normaliser(state, 'observations', observation, replicas) : undefined;
  const scale = config.rewardScale ? new RewardScale(state, 'rewardScale', objectives, discount, replicas) : undefined;
  const keys = usesAngle(config) ? keysOf(problem, replicas) : undefined;
  const direction = new Float32Array(replicas * groups * objectives);
  const noise = new Float32Array(replicas * batch * limits.length);
  /** The step sizes of all replicas after a part of the training. */
  const rates = (name: 'learningRate' | 'criticLearningRate', progress: number) =>
    Float32Array.from({ length: replicas }, (_, replica) => {
      const [learningRate, finalLearningRate] = [name, 'finalLearningRate' as const].map((setting) =>
        variation.of(replica, setting),
      );
      return decayedRate({ learningRate, finalLearningRate }, progress);
    });

  return replayLearner(options, {
    state,
    transitions,
    updates: [programs.critics, programs.actor],
    policy: [kept, 'observations'],
    describe: (replica) =>
      describePolicy({
        network,
        parameters: describeFamily(family, kept, variation.of(replica, 'alpha')),
        output: 'tanh',
        isNormalised: config.normalise,
      }),
    initialise: (random, replica) => {
      const start = family.init(random);
      const own: Twins<Float32Array> = { first: critic.init(random), second: critic.init(random) };
      state.load({ actor: start, actorTarget: target.of(start), critics: own, criticTargets: own }, replica);
      if (kept === 'average') state.load({ average: start }, replica);
      variation.initialise(state, replica);
      normaliser?.initialise(replica);
      scale?.initialise(replica);
    },
    act: steps.act(kept),
    // Experience is gathered by the actor that is trained.
    ...(kept !== 'actor' && { behave: steps.act('actor') }),
    expect: steps.expect,
    explore: (action, _progress, random, replica) =>
      Float32Array.from(limits, (limit, i) => {
        const noisy = action[i] + variation.of(replica, 'exploration') * limit * random.normal();
        return Math.min(limit, Math.max(-limit, noisy));
      }),
    learn: async (run, w, { progress, update, random, report = true }) => {
      random.forEach((generator, replica) => {
        generator.fillNormal(replicaPart(noise, replica, replicas), 0, variation.of(replica, 'targetNoise'));
      });
      keys?.forEach((own, replica) => {
        own.directions(replicaPart(w, replica, replicas), replicaPart(direction, replica, replicas));
      });
      await run(programs.critics, { noise, w, direction, learningRate: rates('criticLearningRate', progress) });
      if (update % config.policyDelay !== 0) return;
      // The updates that are reported may all fall between those of the actor, so one in about ten of these is too.
      const isTold = update % Math.max(ACTOR_REPORTS, config.policyDelay) < config.policyDelay;
      await run(programs.actor, { w, direction, learningRate: rates('learningRate', progress) }, isTold || report);
    },
    ...(normaliser !== undefined && { observe: (rows) => normaliser.observe(rows) }),
    ...(scale !== undefined && { earn: (rewards, ends) => scale.observe(rewards, ends) }),
    ...(keys !== undefined && { keys }),
    host: { normaliser, rewardScale: scale, keys: keys && together(keys) },
  });
}

function usesAngle({ criticAngle, actorAngle }: Td3Config): boolean {
  return criticAngle > 0 || actorAngle > 0;
}

function headOf({ atoms, error, rewardScale }: Td3Config, objectives: number): CriticHead {
  if (atoms === 0) return regressionHead(objectives, error);
  if (atoms < 2) throw new RangeError(`atoms is ${atoms}, but must be 0 or at least 2.`);
  if (!rewardScale) throw new RangeError('atoms needs rewardScale=true: they cover returns of size one.');
  return classificationHead(objectives, atoms);
}

/** The largest size of each action; robots have bounds that are alike on both sides. */
function actionLimits({ actionSpace }: Problem): readonly number[] {
  if (actionSpace.kind !== 'continuous') throw new RangeError('td3 needs continuous actions.');
  const { low, high } = actionSpace;
  const uneven = high.findIndex((limit, i) => limit !== -low[i] || !Number.isFinite(limit));
  if (uneven < 0) return high;
  throw new RangeError(
    `td3 needs actions between -x and x, but action ${uneven} is between ${low[uneven]} and ${high[uneven]}.`,
  );
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

function keysOf({ objectives, keys, origin }: Problem, replicas: number): KeySolutions[] {
  if (keys !== undefined) return Array.from({ length: replicas }, () => new KeySolutions(objectives, keys, origin));
  throw new RangeError(
    'criticAngle and actorAngle need key solutions, and none are known here; use keys=trained, or criticAngle=0 and actorAngle=0.',
  );
}
