import { describe, expect, it } from 'vitest';
import { MODEL_FORMAT, tensorShapes, type PolicyDescription } from './description.js';
import { encodeWeights, readModel, type Model } from './model.js';
import { plainPolicy } from './plain-policy.js';
import { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';

const identity = {
  inputs: ['observation', 'preference'],
  layers: [3, 1],
  activation: 'relu',
  output: 'tanh',
  parameters: { family: 'conditioned', base: { tensors: 'actor', share: 1 } },
} as const satisfies PolicyDescription;

const description = {
  format: MODEL_FORMAT,
  env: 'mo-anything',
  envOptions: {},
  objectives: ['Speed', 'Efficiency'],
  actionSpace: { kind: 'continuous', shape: [1], low: [-2], high: [2] },
  policy: identity,
} as const satisfies Model['description'];

type Values = Readonly<Record<string, readonly number[] | undefined>>;

/** A model whose tensors are those that are given, and zeros otherwise. */
function modelWith(policy: PolicyDescription, values: Values, rest = {}): Model {
  const shapes = tensorShapes(policy, description.objectives.length);
  const tensors = shapes.map(([name, shape]) => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    return [name, Float32Array.from({ length: size }, (_, i) => values[name]?.[i] ?? 0)] as const;
  });
  return { description: { ...description, ...rest, policy }, tensors: new Map(tensors) };
}

/** As it is after it was written and read. */
function stored(model: Model): Model {
  return readModel(JSON.parse(JSON.stringify(model.description)), encodeWeights(model));
}

const discrete = { actionSpace: { kind: 'discrete', n: 2 } };
const weights = { 'actor.layer0.weight': [1, 2, -2], 'actor.layer0.bias': [0.25] };

describe('a model', () => {
  it('is the same after it was written and read', () => {
    const model = modelWith(identity, weights);
    expect(stored(model)).toEqual(model);
  });

  it('is read with bounds that are infinite, for which JSON has no number', () => {
    const actionSpace = { kind: 'continuous', shape: [1], low: [-Infinity], high: [Infinity] };
    const model = modelWith({ ...identity, output: 'normal' }, weights, { actionSpace });
    expect(stored(model).description.actionSpace).toEqual(actionSpace);
    expect(plainPolicy(stored(model)).act([1000])).toEqual(Float32Array.of(1000.25));
  });

  const changed = (part: object) => ({ ...description, policy: { ...identity, ...part } });
  it.each([
    ['no object', [], 'model.json is not an object'],
    ['no format', {}, 'model.json has format none, and this version reads 1 to 2'],
    ['a format of the future', { format: 3 }, 'model.json has format 3, and this version reads 1 to 2'],
    [
      'one objective',
      { ...description, objectives: ['Speed'] },
      'model.json has 1 objectives, but must have at least 2',
    ],
    ['no policy', { ...description, policy: undefined }, 'model.json lacks a valid "policy"'],
    ['an unknown output', changed({ output: 'softmax' }), 'model.json has "softmax" as "policy.output"'],
    [
      'an output of other actions',
      changed({ output: 'values' }),
      'has an output of the kind "values", which is none for',
    ],
    ['too few outputs', changed({ output: 'tanh-normal' }), 'a network of 1 outputs, but its actions need 2'],
    ['no observation', changed({ layers: [2, 1] }), 'model.json has a network that sees no observation'],
    ['a layer too many', changed({ layers: [3, 1, 1] }), 'model.safetensors lacks "actor.layer1.weight"'],
    ['other sizes', changed({ layers: [4, 1] }), 'has "actor.layer0.weight" as float32 [3, 1], but float32 [4, 1] is'],
  ])('is refused in a sentence where it has %s', (_, json, sentence) => {
    expect(() => readModel(json, encodeWeights(modelWith(identity, weights)))).toThrow(sentence);
  });

  it.each([
    ['an unknown tensor', { other: Float32Array.of(1) }, 'has "other", which model.json does not speak of'],
    [
      'integers',
      { 'actor.layer0.bias': Int32Array.of(1) },
      'has "actor.layer0.bias" as int32 [1], but float32 [1] is expected',
    ],
    ['a number that is none', { 'actor.layer0.bias': Float32Array.of(NaN) }, 'has NaN in "actor.layer0.bias"'],
  ])('is refused in a sentence where its weights have %s', (_, part, sentence) => {
    const tensors = decodeSafetensors(encodeWeights(modelWith(identity, weights)));
    for (const [name, values] of Object.entries<NamedTensor['values']>(part)) tensors.set(name, { shape: [1], values });
    expect(() => readModel(description, encodeSafetensors(tensors))).toThrow(`model.safetensors ${sentence}`);
  });

  it('is refused where its inputs are no list of names', () => {
    const bytes = encodeWeights(modelWith(identity, weights));
    for (const inputs of ['observation', [1], ['preference'], ['observation', 'preference', 'preference']]) {
      const other = { ...description, policy: { ...identity, inputs } };
      expect(() => readModel(other, bytes)).toThrow('model.json lacks a valid "policy.inputs"');
    }
  });

  it('of the first format is refused in a sentence where nobody knows its family', () => {
    const old = { ...description, format: 1, policy: undefined, settings: { family: 'independent' } };
    const bytes = encodeWeights(modelWith(identity, weights));
    expect(() => readModel(old, bytes)).toThrow('model.json has the family "independent", which no version knows');
    const none = { ...old, settings: { family: null } };
    expect(() => readModel(none, bytes)).toThrow('model.json has the family null, which no version knows');
    const known = { ...old, settings: { family: 'fused', alpha: 0.05 } };
    expect(() => readModel(known, bytes)).toThrow('model.safetensors lacks "actor.hyper.trunk.layer0.weight"');
    expect(() => readModel(known, bytes.subarray(0, 4))).toThrow('model.safetensors is cut off: it has 4 bytes');
  });
});

describe('plainPolicy', () => {
  const policy = (output: PolicyDescription['output'], layers: readonly number[], values: Values, rest = {}) =>
    plainPolicy(stored(modelWith({ ...identity, output, layers }, values, rest)));

  it('gives tanh of the output times the bounds', () => {
    const own = policy('tanh', [3, 1], weights);
    own.prefer([0.75, 0.25]);
    // 1 * 0.5 + 2 * 0.75 - 2 * 0.25 + 0.25
    expect(own.act([0.5])).toEqual(Float32Array.of(2 * Math.tanh(1.75)));
  });

  it('gives tanh of the means where there are deviations behind them', () => {
    const own = policy('tanh-normal', [3, 2], { 'actor.layer0.bias': [0.5, 9] });
    expect(own.act([0])).toEqual(Float32Array.of(2 * Math.tanh(0.5)));
  });

  it('cuts means off at the bounds', () => {
    const own = policy('normal', [3, 1], { 'actor.layer0.weight': [1] });
    expect([-5, 1.5, 5].map((x) => [...(own.act([x]) as Float32Array)])).toEqual([[-2], [1.5], [2]]);
  });

  it('takes the action with the largest score', () => {
    const own = policy('categorical', [3, 2], { 'actor.layer0.weight': [1, -1] }, discrete);
    expect([own.act([1]), own.act([-1])]).toEqual([0, 1]);
  });

  it('takes the action with the largest utility', () => {
    const own = policy('values', [3, 4], { 'actor.layer0.bias': [10, 0, 0, 4] }, discrete);
    own.prefer([0.25, 0.75]);
    expect(own.act([0])).toBe(1);
    own.prefer([0.3, 0.7]);
    expect(own.act([0])).toBe(0);
  });

  it('normalises observations up to the limit that the model names', () => {
    const normalisation = { mean: 'm', scale: 's', limit: 3 };
    const values = { 'actor.layer0.weight': [1], m: [10], s: [2] };
    const own = plainPolicy(modelWith({ ...identity, output: 'normal', normalisation }, values));
    expect([...(own.act([10.5]) as Float32Array), ...(own.act([9.25]) as Float32Array)]).toEqual([1, -1.5]);
    const wide = { actionSpace: { kind: 'continuous', shape: [1], low: [-9], high: [9] } };
    expect(plainPolicy(modelWith({ ...identity, output: 'normal', normalisation }, values, wide)).act([99])).toEqual(
      Float32Array.of(3),
    );
  });

  it('adds what the hypernetwork generates to the base, each times its share', () => {
    const parameters = {
      family: 'fused',
      base: { tensors: 'actor', share: 0.75 },
      generated: { tensors: 'hyper', share: 0.25, layers: [2, 1] },
    };
    const values = {
      'actor.layer0.bias': [1],
      // One feature, the first weight, and for it and for the offset a row of the head.
      'hyper.trunk.layer0.weight': [1, 0],
      'hyper.heads.layer0.bias': [4, 2],
    };
    const own = plainPolicy(stored(modelWith({ ...identity, output: 'normal', parameters }, values)));
    own.prefer([0.5, 0.5]);
    // 0.75 * 1 + 0.25 * (0.5 * 4 + 2)
    expect(own.act([0])).toEqual(Float32Array.of(1.75));
  });

  it('answers a preference with the member of the largest utility', () => {
    const members = { count: 2, returns: 'returns' };
    const parameters = { family: 'members', base: { tensors: 'actor', share: 1 }, members };
    const values = { returns: [3, 0, 0, 1], 'actor.layer0.bias': [1, -1] };
    const own = plainPolicy(
      stored(modelWith({ ...identity, inputs: ['observation'], layers: [1, 1], output: 'normal', parameters }, values)),
    );
    own.prefer([0.2, 0.8]);
    expect(own.act([0])).toEqual(Float32Array.of(-1));
    own.prefer([0.3, 0.7]);
    expect(own.act([0])).toEqual(Float32Array.of(1));
  });

  it('refuses a wrong preference or observation in a sentence', () => {
    const own = policy('tanh', [3, 1], weights);
    expect(() => own.prefer([0.5, 0.6])).toThrow('preference is [0.5, 0.6], which sums to 1.1, but must sum to 1.');
    expect(() => own.prefer([1])).toThrow('preference is [1], but must have 2 entries, one per objective.');
    expect(() => own.act([1, 2])).toThrow('observation has length 2, but must have 1.');
  });
});
