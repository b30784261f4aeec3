/**
 * Twin vector critics Q(s, w, a) in R^m, which take the preference as an input: what TD3 and SAC learn actions from, two that
 * are trained alike from different starts. What they say is divided by a scale, where there is one, and measured from a centre,
 * where there is one; preferences keep their meaning: utilities are formed in the environment's own units, up to a factor and
 * to what is the same for all actions.
 */
import { choice, flag, integer, integers, number } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { adam, clipByGlobalNorm, mlp, repeatForRows, residual } from '../nn/index.js';
import type { AdamState, Network, Parameters } from '../nn/index.js';
import type { Random } from '../random/index.js';
import { concat, constant, grad, select } from '../tensor/index.js';
import type { Spec, Tensor, Tree } from '../tensor/index.js';
import { classificationHead, regressionHead } from './critic-head.js';
import type { CriticHead } from './critic-head.js';
import type { Problem } from './learner.js';
import { MOST_FEATURES, WIDEST } from './limits.js';
import { above, degreesBetween } from './losses.js';

export const criticFields = {
  criticHidden: integers({
    network: true,
    default: [400, 400],
    min: 1,
    max: WIDEST,
    unit: 'units',
    about: 'Hidden layers of each critic.',
    source: 'paper, MO-MuJoCo table',
  }),
  criticLearningRate: number({
    varies: true,
    default: 3e-4,
    above: 0,
    about: 'Step size of Adam for the critics.',
    source: 'paper, MO-MuJoCo table',
  }),
  clip: number({ default: 100, above: 0, about: 'Largest global norm of a gradient.', source: 'PD-MORL' }),
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
  criticNorm: choice(['none', 'layer', 'residual'], {
    network: true,
    default: 'none',
    about:
      'Layer normalisation in the critics, which keeps values from diverging: none, after the linear part of each hidden layer, or a first layer and residual blocks that begin with it, one for each further hidden layer.',
    source: 'published: none; layer as CrossQ and others, residual as SimBa',
    formerly: { false: 'none', true: 'layer' },
  }),
  rewardScale: flag({
    network: true,
    default: false,
    about:
      "Divide rewards by a running size of each objective's return, so that Q has size one; utilities keep their units.",
    source: 'published: no; SimbaV2, FlashSAC',
  }),
  rewardCentre: flag({
    network: true,
    default: false,
    about:
      'Have critics say how much better than earning the mean reward for ever it gets, in place of how much there is to get in all.',
    source: 'published: no; reward centering, Naik et al. 2024',
  }),
  atoms: integer({
    network: true,
    default: 0,
    min: 0,
    max: MOST_FEATURES,
    about:
      'Values that a critic chooses between for each objective (classification, HL-Gauss); 0: it gives the value itself.',
    source: 'published: none; 101 in SimbaV2 and FlashSAC',
  }),
} as const;

type CriticConfig = ConfigOf<typeof criticFields>;

type Twins<T> = { readonly first: Parameters<T>; readonly second: Parameters<T> };

/** What a step that reads critics may have in its state: Q is what they say times the scale, plus the centre. */
export type Scaled = { readonly rewardScale?: Tensor; readonly rewardCentre?: Tensor };

/** What the critics learn from: rows x of what networks see, actions, and what the critics should say of them. */
export interface CriticBatch {
  readonly x: Tensor;
  readonly a: Tensor;
  readonly y: Tensor;
  readonly w: Tensor;
  /** I(w), the direction in which Q should point. */
  readonly direction: Tensor;
  readonly learningRate: Tensor;
}

export function twinCritics(config: CriticConfig, problem: Problem, actions: number) {
  const { observation, objectives, discount } = problem;
  checkCentre(config, discount);
  const head = headOf(config, objectives);
  const critic = networkOf(config, observation + objectives + actions, head.outputs);
  const specs: Twins<Spec> = { first: critic.specs, second: critic.specs };

  const outputsOf = (theta: Parameters<Tensor>, x: Tensor, a: Tensor): Tensor => critic.apply(theta, concat([x, a], 1));
  const values = (theta: Parameters<Tensor>, x: Tensor, a: Tensor): Tensor => head.values(outputsOf(theta, x, a));
  /** Values in the environment's own units, up to a factor that is the same for all objectives. */
  const inProportion = ({ rewardScale }: Scaled, q: Tensor): Tensor =>
    rewardScale === undefined ? q : q.mul(rewardScale.div(rewardScale.max()));
  const apartInUnits = ({ rewardScale }: Scaled, difference: Tensor): Tensor =>
    rewardScale === undefined ? difference : difference.mul(rewardScale);
  const inUnits = (state: Scaled, q: Tensor): Tensor => {
    const scaled = apartInUnits(state, q);
    return state.rewardCentre === undefined ? scaled : scaled.add(state.rewardCentre);
  };
  const dot = (q: Tensor, w: Tensor): Tensor => q.mul(repeatForRows(w, q.shape[0])).sum(1, true);
  const utility = (state: Scaled, q: Tensor, w: Tensor): Tensor => dot(inProportion(state, q), w);
  const angle = (state: Scaled, direction: Tensor, q: Tensor): Tensor =>
    degreesBetween(repeatForRows(direction, q.shape[0]), above(inUnits(state, q), problem.origin)).mean();

  return {
    specs,
    init: (random: Random): Twins<Float32Array> => ({ first: critic.init(random), second: critic.init(random) }),
    /** What one critic says [rows, objectives]. */
    values,
    /** Of what it says, [rows, 1]: to compare actions and critics by. */
    utility,
    /** The same in units of its own size, which each preference then has alike: (w . Q) / (w . scale). */
    relativeUtility: (state: Scaled, q: Tensor, w: Tensor): Tensor => {
      if (state.rewardScale === undefined) return dot(q, w);
      const size = w.mul(state.rewardScale).sum(1, true);
      return dot(inUnits(state, q), w).div(repeatForRows(size, q.shape[0]));
    },
    /** The same in the environment's own units. */
    utilityInUnits: (state: Scaled, q: Tensor, w: Tensor): Tensor => dot(inUnits(state, q), w),
    /** Between what it says and the direction I(w), in degrees: the mean over all rows. */
    angle,
    /** What the critic says that has the lower utility. */
    worse: (state: Scaled, twins: Twins<Tensor>, x: Tensor, a: Tensor, w: Tensor): Tensor => {
      const [q1, q2] = [twins.first, twins.second].map((theta) => values(theta, x, a));
      return select(utility(state, q1, w).lessEqual(utility(state, q2, w)), q1, q2);
    },
    /** r + discount * next, and nothing after the end. */
    target: ({ rewardScale, rewardCentre }: Scaled, r: Tensor, terminal: Tensor, next: Tensor): Tensor => {
      const share = constant(1).sub(terminal).mul(discount);
      // Both sides of it measured from the centre.
      const centred = rewardCentre === undefined ? r : r.sub(constant(1).sub(share).mul(rewardCentre));
      const reward = rewardScale === undefined ? centred : centred.div(rewardScale);
      return reward.add(share.mul(next)).stopGradient();
    },
    /** One step of both. */
    learn: (
      state: Scaled & { readonly critics: Twins<Tensor>; readonly criticAdam: AdamState<Tree<Tensor>, Tensor> },
      { x, a, y, w, direction, learningRate }: CriticBatch,
    ) => {
      const { critics } = state;
      const raw = [critics.first, critics.second].map((theta) => outputsOf(theta, x, a));
      const [q1, q2] = raw.map((outputs) => head.values(outputs));
      const errors = raw.map((outputs) => head.loss(outputs, y)).reduce((sum, part) => sum.add(part));
      const angles = [q1, q2].map((q) => angle(state, direction, q)).reduce((sum, part) => sum.add(part));
      const loss = config.criticAngle > 0 ? errors.add(angles.mul(config.criticAngle)) : errors;
      const { gradients, norm } = clipByGlobalNorm(grad(loss, critics), config.clip);
      const updated = adam(critics, gradients, state.criticAdam, { learningRate });
      return {
        learned: { critics: updated.parameters, criticAdam: updated.state },
        outputs: {
          criticLoss: loss,
          criticGradient: norm,
          tdError: apartInUnits(state, q1.sub(y)).abs().mean(),
          twinGap: dot(apartInUnits(state, q1.sub(q2)), w)
            .abs()
            .mean(),
          meanQ: dot(inUnits(state, q1), w).mean(),
        },
      };
    },
  };
}

function networkOf({ criticNorm, criticHidden }: CriticConfig, inputs: number, outputs: number): Network {
  if (criticNorm !== 'residual') {
    return mlp({ inputs, hidden: criticHidden, outputs, normalise: criticNorm === 'layer' });
  }
  const [width, ...others] = criticHidden;
  if (criticHidden.length === 0 || others.some((other) => other !== width)) {
    const allowed = 'have at least one layer, and layers that are alike, with criticNorm=residual';
    throw new RangeError(`criticHidden is "${criticHidden.join()}", but must ${allowed}.`);
  }
  return residual({ inputs, width, blocks: others.length, outputs });
}

function checkCentre({ rewardScale, rewardCentre }: CriticConfig, discount: number): void {
  if (!rewardCentre) return;
  if (!rewardScale) throw new RangeError('rewardCentre needs rewardScale=true.');
  if (discount === 1) throw new RangeError('rewardCentre needs a discount below 1.');
}

function headOf({ atoms, error, rewardScale }: CriticConfig, objectives: number): CriticHead {
  if (atoms === 0) return regressionHead(objectives, error);
  if (atoms < 2) throw new RangeError(`atoms is ${atoms}, but must be 0 or at least 2.`);
  if (!rewardScale) throw new RangeError('atoms needs rewardScale=true: they cover returns of size one.');
  return classificationHead(objectives, atoms);
}
