/**
 * Which policy answers a preference, where that is not its own. Training leaves preferences whose own policies fail while a
 * neighbour's would serve them well; what an evaluation has found of that can be kept in the model, and every reader acts by it.
 * It is no learning: the policies stay what they are.
 */
import type { Model } from './model.js';
import { rowsOf } from './rows.js';

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
export function otherAnswers(model: Model): readonly (Float32Array | undefined)[] {
  const [asked, used] = tablesOf(model);
  return asked.map((own, row) => (own.every((weight, k) => weight === used[row][k]) ? undefined : used[row]));
}

/** The rows of both tables. */
function tablesOf({ description: { policy, objectives }, tensors }: Model): Float32Array[][] {
  const { answers } = policy;
  return answers ? [answers.asked, answers.used].map((name) => rowsOf(tensors.get(name)!, objectives.length)) : [[]];
}

/** Gives the preference whose policy answers a preference: another one, or itself. */
export type Answering = <P extends ArrayLike<number>>(preference: P) => P | Float32Array;

/** Undefined where every preference answers itself. */
export function answering(model: Model): Answering | undefined {
  const others = otherAnswers(model);
  if (!others.some(Boolean)) return undefined;
  const [asked] = tablesOf(model);
  return (preference) => others[nearestRow(asked, preference)] ?? preference;
}

/**
 * Rows whose squared distance is at most so many times the smallest count as equally near, and the first of them is taken: the
 * middle between two rows is not the middle any more when it is rounded to single precision.
 */
export const AS_NEAR = 1.001;

function nearestRow(rows: readonly Float32Array[], preference: ArrayLike<number>): number {
  const distances = rows.map((row) => row.reduce((sum, weight, k) => sum + (weight - preference[k]) ** 2, 0));
  const limit = AS_NEAR * distances.reduce((a, b) => Math.min(a, b));
  return distances.findIndex((distance) => distance <= limit);
}
