import { describe, expect, it } from 'vitest';
import { answering, withAnswers, withoutAnswers } from './answers.js';
import { MODEL_FORMAT } from './description.js';
import { policyAsJson } from './json.js';
import { encodeWeights, readModel, type Model } from './model.js';
import { plainPolicy } from './plain-policy.js';
import { decodeSafetensors } from './safetensors.js';

/** Its action is tanh of the first weight that it sees. */
const model: Model = {
  description: {
    format: MODEL_FORMAT,
    env: 'mo-anything',
    envOptions: {},
    objectives: ['Speed', 'Efficiency'],
    actionSpace: { kind: 'continuous', shape: [1], low: [-1], high: [1] },
    policy: {
      inputs: ['observation', 'preference'],
      layers: [3, 1],
      activation: 'relu',
      output: 'tanh',
      parameters: { family: 'conditioned', base: { tensors: 'actor', share: 1 } },
    },
  },
  tensors: new Map([
    ['actor.layer0.weight', Float32Array.of(0, 1, 0)],
    ['actor.layer0.bias', Float32Array.of(0)],
  ]),
};
const asked = [
  [0, 1],
  [0.25, 0.75],
  [0.5, 0.5],
  [1, 0],
];
/** Half and half is answered by a quarter, and all for speed by half and half. */
const answers = withAnswers(model, asked, [asked[0], asked[1], asked[1], asked[2]]);

/** The first weight of the preference whose policy acts. */
function usedAt(of: Model, speed: number): number {
  const policy = plainPolicy(of);
  policy.prefer([speed, 1 - speed]);
  expect(policy.preference[0]).toBe(speed);
  const action = policy.act([9]) as Float32Array;
  expect(action[0]).toBeCloseTo(Math.tanh(policy.used[0]), 6);
  return policy.used[0];
}

describe('answers', () => {
  it('are those of the nearest preference of the table, whose own policy leaves every preference to itself', () => {
    const at = (speed: number) => usedAt(answers, speed);
    expect([0, 0.1, 0.25, 0.3].map(at)).toEqual([0, 0.1, 0.25, 0.3]);
    // From 0.375 on half and half is nearer; of two that are equally near the first counts, also where the middle was rounded.
    expect([0.375, 0.37500001, 0.376, 0.5, 0.75].map(at)).toEqual([0.375, 0.37500001, 0.25, 0.25, 0.25]);
    // What answers is a policy as it is, and is not answered by another one in its turn.
    expect([0.76, 1].map(at)).toEqual([0.5, 0.5]);
  });

  it('are in the files of a model, and exact where its networks are in half precision', () => {
    const json: unknown = JSON.parse(JSON.stringify(answers.description));
    expect(readModel(json, encodeWeights(answers))).toEqual(answers);
    const half = decodeSafetensors(encodeWeights(answers, 'float16'));
    const isHalf = ([name, tensor]: [string, { readonly isHalf?: boolean }]) => [name, tensor.isHalf === true];
    expect(Object.fromEntries([...half].map(isHalf))).toEqual({
      'actor.layer0.weight': true,
      'actor.layer0.bias': true,
      'answers.asked': false,
      'answers.used': false,
    });
  });

  it.each([
    [[0.5, 0.75], 'model.safetensors has a row of "answers.used" whose preference is [0.5, 0.75], which sums to 1.25'],
    [
      [-0.5, 1.5],
      'model.safetensors has a row of "answers.used" whose preference is [-0.5, 1.5], but its entries must not be',
    ],
  ])('are refused where %j is to answer', (wrong, sentence) => {
    const damaged = withAnswers(model, asked, [asked[0], wrong, asked[2], asked[3]]);
    expect(() => readModel({ ...damaged.description }, encodeWeights(damaged))).toThrow(sentence);
  });

  it('can be taken out again', () => {
    expect(withoutAnswers(answers)).toEqual(model);
    expect(withoutAnswers(model)).toBe(model);
    expect(usedAt(withoutAnswers(answers), 1)).toBe(1);
  });

  it('change nothing where all preferences answer themselves', () => {
    const own = withAnswers(model, asked, asked);
    const preference = [0.4, 0.6];
    expect([own, model].map((of) => answering(of))).toEqual([undefined, undefined]);
    expect(usedAt(own, preference[0])).toBe(0.4);
  });

  it('are told beside the network of a preference', () => {
    const policy = plainPolicy(answers);
    policy.prefer([0.5, 0.5]);
    expect(policyAsJson(policy)).toMatchObject({ preference: [0.25, 0.75], asked: [0.5, 0.5] });
  });

  it.each([
    ['no count', { asked: 'answers.asked', used: 'answers.used' }, 'model.json lacks a valid "policy.answers.count"'],
    ['no table', { count: 4, asked: 'answers.asked' }, 'model.json lacks a valid "policy.answers.used"'],
    [
      'a table of another size',
      { count: 3, asked: 'answers.asked', used: 'answers.used' },
      'has "answers.asked" as float32 [4, 2], but float32 [3, 2] is expected',
    ],
  ])('are refused in a sentence where they have %s', (_, wrong, sentence) => {
    const { description } = answers;
    const json = { ...description, policy: { ...description.policy, answers: wrong } };
    expect(() => readModel(json, encodeWeights(answers))).toThrow(sentence);
  });
});
