/**
 * META (Chen et al., "Meta-learning for multi-objective reinforcement learning", IROS 2019): first a meta-policy is
 * trained from which policies for any weight can be had with little training, then it is adapted to many weights.
 *
 * Meta-training is of first order (Reptile; Nichol et al., "On first-order meta-learning algorithms", 2018): in every
 * generation all tasks begin from the meta-policy, each for a random weight, and then the meta-policy moves towards the
 * mean of what they became. docs/fidelity.md says why.
 */
import type { StateValue } from '../../envs/index.js';
import { simplexGrid, uniformSimplex } from '../../preferences/index.js';
import type { Values } from '../../tensor/index.js';
import type { SavedReplica } from '../learner.js';
import type { Schedule, SelectionRule, Situation } from './selection.js';

export interface MetaConfig {
  /** Of all iterations, for meta-training; the others adapt. */
  readonly metaShare: number;
  /** How far the meta-policy moves towards the mean of the adapted ones in the first generation; falls to 0. */
  readonly metaRate: number;
}

export function meta({ metaShare, metaRate }: MetaConfig): SelectionRule {
  /** Iterations of meta-training: whole generations, and at least one of them if there is to be any adaptation. */
  const metaIterations = ({ iterations, generation }: Schedule) =>
    Math.min(iterations, generation * Math.max(1, Math.round((metaShare * iterations) / generation)));
  const drawn = ({ weights, random }: Pick<Situation, 'weights' | 'random'>) =>
    weights.map(({ length }) => uniformSimplex(random, new Array<number>(length).fill(0)));

  return {
    length: (_, { generation }) => generation,
    // Over the meta-training, and again over each adaptation, which are trainings of their own.
    progress(done, schedule) {
      const metaLength = metaIterations(schedule);
      if (done < metaLength) return done / metaLength;
      return ((done - metaLength) % schedule.generation) / schedule.generation;
    },
    next(situation) {
      const { schedule, done, weights } = situation;
      const metaLength = metaIterations(schedule);
      if (done < metaLength) return drawn(situation).map((weight) => ({ from: 'meta', weight }));
      const generations = Math.ceil((schedule.iterations - metaLength) / schedule.generation);
      const from = Math.floor((done - metaLength) / schedule.generation) * weights.length;
      const all = spreadWeights(generations * weights.length, situation);
      return all.slice(from, from + weights.length).map((weight) => ({ from: 'meta', weight }));
    },
    meta: {
      first: drawn,
      update(before, trained, done, schedule) {
        const metaLength = metaIterations(schedule);
        if (done > metaLength) return undefined;
        // The last of n generations moves by 1/n of what the first does.
        const way = 1 - (done - schedule.generation) / metaLength;
        return movedTowards(before, trained, metaRate * Math.min(1, Math.max(0, way)));
      },
    },
  };
}

/** So many weights that cover the simplex: evenly with two objectives, the corners and random ones with more. */
function spreadWeights(count: number, { weights, random }: Situation): number[][] {
  const objectives = weights[0].length;
  if (objectives === 2 && count > 1) return simplexGrid(2, count - 1);
  const corners = simplexGrid(objectives, 1).slice(0, count);
  const others = Array.from({ length: count - corners.length }, () =>
    uniformSimplex(random, new Array<number>(objectives).fill(0)),
  );
  return [...corners, ...others];
}

/** A learner that lies between one and the mean of others, in everything that is a number. */
export function movedTowards(from: SavedReplica, others: readonly SavedReplica[], rate: number): SavedReplica {
  const blend = (values: readonly number[]) => {
    const [first, ...rest] = values;
    // What all have in common stays exactly as it is.
    if (rest.every((value) => value === first)) return first;
    return first + rate * (rest.reduce((sum, value) => sum + value, 0) / rest.length - first);
  };
  const all = [from, ...others];
  const tensors = new Map<string, Values>();
  for (const [name, values] of from.tensors) {
    const every = all.map((one) => one.tensors.get(name)!);
    // Counters are integers, and are the same in all that were trained equally long.
    tensors.set(name, values instanceof Int32Array ? every[1].slice() : blendArrays(values, every, blend));
  }
  return {
    tensors,
    rest: blendValues(
      all.map(({ rest }) => rest),
      blend,
    ),
  };
}

type Blend = (values: readonly number[]) => number;

function blendArrays<A extends Float32Array | Float64Array>(
  like: A,
  arrays: readonly ArrayLike<number>[],
  blend: Blend,
): A {
  const out = like.slice() as A;
  for (let i = 0; i < out.length; i++) out[i] = blend(arrays.map((array) => array[i]));
  return out;
}

function blendValues(values: readonly StateValue[], blend: Blend): StateValue {
  const [first] = values;
  if (typeof first === 'number') return blend(values as readonly number[]);
  if (first instanceof Float64Array) return blendArrays(first, values as readonly Float64Array[], blend);
  if (Array.isArray(first)) {
    const lists = values as readonly (readonly StateValue[])[];
    return lists[0].map((_, i) =>
      blendValues(
        lists.map((list) => list[i]),
        blend,
      ),
    );
  }
  if (typeof first !== 'object' || first === null) return first;
  const records = values as readonly Readonly<Record<string, StateValue>>[];
  return Object.fromEntries(
    Object.keys(first).map((key) => [
      key,
      blendValues(
        records.map((record) => record[key]),
        blend,
      ),
    ]),
  );
}
