/**
 * What learners of continuous actions from replayed transitions have in common, TD3 and SAC: an actor of a policy family
 * pi(s, w; theta(w)) and twin vector critics, both of which see observations normalised, where they are, beside the preference.
 * A learner's own file has what it does with them.
 */
import { choice, flag, integer, integers, number, orNone } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import type { PolicyDescription } from '../model/index.js';
import { adam, adamSpecs, clipByGlobalNorm, mlp, repeatForRows, softUpdate } from '../nn/index.js';
import type { AdamState, FamilyParameters } from '../nn/index.js';
import type { Random } from '../random/index.js';
import { concat, float32, grad, step } from '../tensor/index.js';
import type { Spec, State, Step, Tensor, Tree, Values } from '../tensor/index.js';
import type { ActionNoise } from './action-noise.js';
import { describeFamily, describePolicy } from './description.js';
import { familyFields, makeFamily } from './family-fields.js';
import { keysAsHostState, KeySolutions } from './keys.js';
import { replicaPart } from './learner.js';
import type { LearnerOptions, OffPolicyLearner, Problem } from './learner.js';
import { WIDEST } from './limits.js';
import { Normaliser, normalised, normaliserSpecs } from './normaliser.js';
import { compileUpdates, replayLearner } from './replay-learner.js';
import type { LearnerParts } from './replay-learner.js';
import { RewardScale, returnsSpec } from './reward-scale.js';
import { transitionsFor } from './transitions.js';
import { criticFields, twinCritics } from './twin-critics.js';
import type { Scaled } from './twin-critics.js';
import { Variation } from './variation.js';

export const actorCriticFields = {
  ...familyFields,
  alpha: { ...familyFields.alpha, varies: true },
  hidden: integers({
    network: true,
    default: [400, 400],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of the actor.',
    source: 'paper: width 400, "1 hidden layer" after the input layer as in PD-MORL',
  }),
  learningRate: number({
    varies: true,
    default: 3e-4,
    above: 0,
    about: 'Step size of Adam for the actor and its hypernetwork.',
    source: 'paper, MO-MuJoCo table',
  }),
  finalLearningRate: number({
    varies: true,
    default: 1,
    above: 0,
    max: 1,
    about: 'Share of the step sizes that is left at the end; they fall linearly.',
    source: 'published: constant',
  }),
  tau: number({
    varies: true,
    default: 0.005,
    above: 0,
    max: 1,
    about: 'Speed of the target networks.',
    source: 'paper',
  }),
  policyDelay: integer({
    default: 10,
    min: 1,
    unit: 'updates of the critics',
    about: 'Updates of the critics for each one of the actor.',
    source: 'paper: 10, and 20 for the hopper',
  }),
  ...criticFields,
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
    network: true,
    default: false,
    about: 'Scale observations by their running mean and deviation.',
    source: 'published: no',
  }),
  averaging: number({
    network: true,
    varies: true,
    default: 0,
    min: 0,
    max: 1,
    about: 'Speed of the average of the actor that is evaluated and kept; 0: the actor itself.',
    source: 'published: none',
  }),
} as const;

export type ActorCriticConfig = ConfigOf<typeof actorCriticFields>;

/** Updates among which one of the actor is reported. */
const ACTOR_REPORTS = 10;

/** The actor that is trained, and its average over time. */
type ActorEntry = 'actor' | 'average';

/** What a step that acts or judges may have in its state besides the networks. */
type Common = Scaled & {
  readonly observations?: { readonly mean: Tensor; readonly scale: Tensor };
  readonly settings?: Tensor;
};

/**
 * The networks of a learner, and what its updates do with them.
 * @param name of the learner
 * @param outputs numbers that the actor gives for each number of an action
 */
export function actorCritic<C extends ActorCriticConfig>(
  config: C,
  options: LearnerOptions,
  { name, outputs }: { readonly name: string; readonly outputs: number },
) {
  const { problem, groups } = options;
  const { observation, objectives } = problem;
  const limits = actionLimits(name, problem);
  const actions = limits.length;
  const network = mlp({ inputs: observation + objectives, hidden: config.hidden, outputs: outputs * actions });
  const family = makeFamily(config, network, objectives);
  const critics = twinCritics(config, problem, actions);
  const transitions = transitionsFor(options);
  // Where only some replicas average their actor, the others have an average of speed 1, which is the actor itself.
  const variants = options.variants?.map((variant) =>
    variant.averaging === 0 ? { ...variant, averaging: 1 } : variant,
  );
  const variation = new Variation(config, variants);
  const isAveraged = variation.isUsed('averaging');
  /** The actor that is evaluated and kept. */
  const kept: ActorEntry = isAveraged ? 'average' : 'actor';
  /** What steps have in their state besides the networks. */
  const common = {
    ...(config.normalise && { observations: normaliserSpecs(observation) }),
    ...(config.rewardScale && { rewardScale: returnsSpec(objectives) }),
    ...(config.rewardCentre && { rewardCentre: returnsSpec(objectives) }),
    ...variation.specs,
  };
  const specsOfActor = (entry: ActorEntry): { readonly [name in ActorEntry]?: FamilyParameters<Spec> } => ({
    [entry]: family.specs,
  });
  /** Observations as the networks see them, each beside the preference of its group. */
  const seen = ({ observations }: Common, s: Tensor, w: Tensor): Tensor =>
    concat([observations === undefined ? s : normalised(s, observations), repeatForRows(w, s.shape[0])], 1);
  /** What an actor gives for rows as they are seen. */
  const actor = (state: Common, theta: FamilyParameters<Tensor>, w: Tensor, x: Tensor): Tensor =>
    makeFamily(config, network, objectives, variation.in(state, 'alpha')).apply(theta, w, x);

  return {
    /** The largest size of each action. */
    limits,
    network,
    family,
    critics,
    variation,
    transitions,
    kept,
    /** What every update of the critics has in its state. */
    criticState: {
      ...common,
      ...transitions.state,
      actor: family.specs,
      critics: critics.specs,
      criticTargets: critics.specs,
      criticAdam: adamSpecs(critics.specs),
    },
    /** The same of the actor. */
    actorState: {
      ...common,
      ...transitions.state,
      ...(isAveraged && { average: family.specs }),
      actor: family.specs,
      actorAdam: adamSpecs(family.specs),
      critics: critics.specs,
    },
    /** Inputs that every update has. */
    inputs: {
      ...transitions.inputs,
      w: float32(groups, objectives),
      /** I(w), the direction in which Q should point. */
      direction: float32(groups, objectives),
      learningRate: float32(),
    },
    seen,
    actor,
    /** The step of actions, for some rows, that are made of what one of the actors gives. */
    acting: (entry: ActorEntry, make: (given: Tensor) => Tensor) => (rows: number) =>
      step({
        state: { ...common, ...specsOfActor(entry) },
        inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
        body: (state, { s, w }) => ({
          outputs: { action: make(actor(state, state[entry]!, w, seen(state, s, w))) },
        }),
      }),
    /** The step of the utility that the first critic expects of such actions of the actor that is kept. */
    expecting: (make: (given: Tensor) => Tensor) => (rows: number) =>
      step({
        state: { ...common, ...specsOfActor(kept), critics: critics.specs },
        inputs: { s: float32(rows, observation), w: float32(rows, objectives) },
        body: (state, { s, w }) => {
          const x = seen(state, s, w);
          const q = critics.values(state.critics.first, x, make(actor(state, state[kept]!, w, x)));
          return { outputs: { utility: critics.utilityInUnits(state, q, w).reshape([rows]) } };
        },
      }),
    /** A step of the actor, and of its average, down a loss. */
    learnActor: (state: Common & ActorState, loss: Tensor, learningRate: Tensor) => {
      const { gradients, norm } = clipByGlobalNorm(grad(loss, state.actor), config.clip);
      const updated = adam(state.actor, gradients, state.actorAdam, { learningRate });
      const average = state.average && softUpdate(state.average, updated.parameters, variation.in(state, 'averaging'));
      return {
        learned: { actor: updated.parameters, actorAdam: updated.state, ...(average && { average }) },
        norm,
      };
    },
  };
}

type ActorState = {
  readonly actor: FamilyParameters<Tensor>;
  readonly actorAdam: AdamState<Tree<Tensor>, Tensor>;
  readonly average?: FamilyParameters<Tensor>;
};

type Networks = Pick<
  ReturnType<typeof actorCritic<ActorCriticConfig>>,
  'network' | 'family' | 'critics' | 'variation' | 'transitions' | 'kept'
>;

/** What a learner is made of. */
interface ActorCriticParts extends Pick<LearnerParts, 'explore' | 'act' | 'behave' | 'expect'> {
  readonly networks: Networks;
  readonly updates: { readonly critics: Step; readonly actor: Step };
  /** What the actor gives. */
  readonly output: PolicyDescription['output'];
  /** Begins what the learner has besides an actor and critics. */
  readonly initialise: (state: State, actor: FamilyParameters<Float32Array>, replica: number) => void;
  /** Noise on actions that differs between episodes, where there is. */
  readonly noise?: ActionNoise;
  /** Inputs of the updates besides transitions, preferences, directions and the step size of what is updated. */
  readonly criticInputs: (random: readonly Random[]) => Record<string, Values>;
  readonly actorInputs?: (random: readonly Random[], rates: Rates) => Record<string, Values>;
}

/** The step sizes of all replicas at this point of the training. */
type Rates = (name: string) => Float32Array;

/** The learner around its updates. */
export async function actorCriticLearner(
  config: ActorCriticConfig,
  options: LearnerOptions,
  { networks, updates, output, initialise, noise, criticInputs, actorInputs, ...answers }: ActorCriticParts,
): Promise<OffPolicyLearner> {
  const { problem, replicas, groups } = options;
  const { observation, objectives, discount } = problem;
  const { network, family, critics, variation, transitions, kept } = networks;
  const { state, programs } = await compileUpdates(updates, options);
  const normaliser = config.normalise ? new Normaliser(state, 'observations', observation, replicas) : undefined;
  const scale = config.rewardScale
    ? new RewardScale(
        state,
        { scale: 'rewardScale', ...(config.rewardCentre && { centre: 'rewardCentre' }) },
        { objectives, discount, replicas },
      )
    : undefined;
  const keys = usesAngle(config) ? keysOf(problem, replicas) : undefined;
  const direction = new Float32Array(replicas * groups * objectives);

  return replayLearner(options, {
    ...answers,
    state,
    transitions,
    updates: [programs.critics, programs.actor],
    policy: [kept, 'observations'],
    describe: (replica) =>
      describePolicy({
        network,
        parameters: describeFamily(family, kept, variation.of(replica, 'alpha')),
        output,
        isNormalised: config.normalise,
      }),
    initialise: (random, replica) => {
      const actor = family.init(random);
      const twins = critics.init(random);
      state.load({ actor, critics: twins, criticTargets: twins }, replica);
      if (kept === 'average') state.load({ average: actor }, replica);
      initialise(state, actor, replica);
      variation.initialise(state, replica);
      normaliser?.initialise(replica);
      scale?.initialise(replica);
    },
    learn: async (run, w, { progress, update, random, report = true }) => {
      const rates: Rates = (name) => variation.rates(name as keyof ActorCriticConfig, replicas, progress);
      keys?.forEach((solutions, replica) => {
        solutions.directions(replicaPart(w, replica, replicas), replicaPart(direction, replica, replicas));
      });
      const common = { w, direction };
      await run(programs.critics, {
        ...common,
        ...criticInputs(random),
        learningRate: rates('criticLearningRate'),
      });
      if (update % config.policyDelay !== 0) return;
      // The updates that are reported may all fall between those of the actor, so one in about ten of these is too.
      const isReported = update % Math.max(ACTOR_REPORTS, config.policyDelay) < config.policyDelay;
      await run(
        programs.actor,
        { ...common, ...actorInputs?.(random, rates), learningRate: rates('learningRate') },
        isReported || report,
      );
    },
    ...(normaliser !== undefined && { observe: (rows) => normaliser.observe(rows) }),
    earn: (rewards, ends) => {
      scale?.observe(rewards, ends);
      noise?.end(ends);
    },
    ...(keys !== undefined && { keys }),
    host: { normaliser, rewardScale: scale, keys: keys && keysAsHostState(keys), noise },
  });
}

export function usesAngle({ criticAngle, actorAngle }: ActorCriticConfig): boolean {
  return criticAngle > 0 || actorAngle > 0;
}

/** Robots have bounds that are alike on both sides. */
function actionLimits(name: string, { actionSpace }: Problem): readonly number[] {
  if (actionSpace.kind !== 'continuous') throw new RangeError(`${name} needs continuous actions.`);
  const { low, high } = actionSpace;
  const uneven = high.findIndex((limit, i) => limit !== -low[i] || !Number.isFinite(limit));
  if (uneven < 0) return high;
  throw new RangeError(
    `${name} needs actions between -x and x, but action ${uneven} is between ${low[uneven]} and ${high[uneven]}.`,
  );
}

function keysOf({ objectives, keys, origin }: Problem, replicas: number): KeySolutions[] {
  if (keys !== undefined) return Array.from({ length: replicas }, () => new KeySolutions(objectives, keys, origin));
  throw new RangeError(
    'criticAngle and actorAngle need key solutions, and none are known here; use keys=trained, or criticAngle=0 and actorAngle=0.',
  );
}
