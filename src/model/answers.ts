/**
 * Which policy answers a preference, where that is not its own. Training leaves preferences whose own policies fail while a
 * neighbour's would serve them well; what an evaluation has found of that can be kept in the model, and every reader acts by it.
 * It is no learning: the policies stay what they are.
 */
import type { Model } from './model.js';

/** The names of the two tensors [count, objectives]. */
const ASKED = 'answers.asked';
const USED = 'answers.used';

/**
 * The model with answers.
 * @param model without answers, and no finite set of policies
 * @param used for each of the preferences that are asked for the one whose policy answers it, itself or another one
 */
export function withAnswers(
  { description, tensors }: Model,
  asked: readonly (readonly number[])[],
  used: readonly (readonly number[])[],
): Model {
  const { policy } = description;
  const answers = { count: asked.length, asked: ASKED, used: USED };
  const tables = [
    [ASKED, Float32Array.from(asked.flat())],
    [USED, Float32Array.from(used.flat())],
  ] as const;
  return {
    description: { ...description, policy: { ...policy, answers } },
    tensors: new Map([...tensors, ...tables]),
  };
}

/** The model as it was trained: every preference is answered with its own policy. */
export function withoutAnswers(model: Model): Model {
  const { answers, ...policy } = model.description.policy;
  if (answers === undefined) return model;
  const { asked, used } = answers;
  return {
    description: { ...model.description, policy },
    tensors: new Map([...model.tensors].filter(([name]) => name !== asked && name !== used)),
  };
}

/** For each preference of the table the one that it is answered by; undefined where that is itself, or where there is no table. */
export function otherAnswers({ description, tensors }: Model): readonly (Float32Array | undefined)[] {
  const { answers } = description.policy;
  if (answers === undefined) return [];
  const size = description.objectives.length;
  const [asked, used] = [answers.asked, answers.used].map((name) => tensors.get(name)!);
  return Array.from({ length: answers.count }, (_, row) => {
    const [own, other] = [asked, used].map((table) => table.subarray(row * size, (row + 1) * size));
    return own.every((weight, k) => weight === other[k]) ? undefined : other;
  });
}

/** The preference whose policy answers a preference: that which the nearest one of the table has, and itself where that has its own. */
export type Answering = <P extends ArrayLike<number>>(preference: P) => P | Float32Array;

export function answering(model: Model): Answering {
  const others = otherAnswers(model);
  if (others.every((other) => other === undefined)) return (preference) => preference;
  const asked = model.tensors.get(model.description.policy.answers!.asked)!;
  return (preference) => others[nearestRow(asked, preference)] ?? preference;
}

/** The row of a table that is nearest to a preference; the first of equally near ones. */
function nearestRow(table: Float32Array, preference: ArrayLike<number>): number {
  const size = preference.length;
  let nearest = 0;
  let least = Infinity;
  for (let row = 0; row * size < table.length; row++) {
    let distance = 0;
    for (let k = 0; k < size; k++) distance += (table[row * size + k] - preference[k]) ** 2;
    if (distance < least) {
      least = distance;
      nearest = row;
    }
  }
  return nearest;
}
