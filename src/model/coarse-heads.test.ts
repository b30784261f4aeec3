import { expect, it } from 'vitest';
import { toSignificant, withCoarseHeads } from './coarse-heads.js';
import type { Model } from './model.js';

it.each([
  [0, 0],
  [1, 1],
  [-1.5, -1.5],
  [257, 256],
  [259, 260],
  [258, 258],
  [511, 512],
  [-259, -260],
  [2 ** -20 * 1.0001, 2 ** -20],
])('toSignificant rounds %d to eight significant bits: %d', (value, rounded) => {
  expect(toSignificant(Float32Array.of(value), 8)).toEqual(Float32Array.of(rounded));
});

function model(parameters: object): Model {
  const tensors = ['base.layer0.bias', 'hyper.trunk.layer0.bias', 'hyper.heads.layer0.bias'];
  return {
    description: { policy: { parameters } } as Model['description'],
    tensors: new Map(tensors.map((name) => [name, Float32Array.of(257)])),
  };
}

it('withCoarseHeads rounds the heads of the hypernetwork and nothing else', () => {
  const { tensors } = withCoarseHeads(model({ generated: { tensors: 'hyper' } }), 8);
  expect(Array.from(tensors, ([name, [value]]) => [name, value])).toEqual([
    ['base.layer0.bias', 257],
    ['hyper.trunk.layer0.bias', 257],
    ['hyper.heads.layer0.bias', 256],
  ]);
});

it('withCoarseHeads refuses a model without a hypernetwork', () => {
  expect(() => withCoarseHeads(model({}), 8)).toThrow(
    'the model has no hypernetwork whose heads could have fewer bits.',
  );
});
