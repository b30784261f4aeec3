import { describe, expect, it } from 'vitest';
import { plainPolicy, tensorShapes, withAnswers, type Model, type ModelDescription } from '../../model/index.js';
import { simplexGrid } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import { parameterPath, type ParameterPath } from './parameter-path.js';

/** A policy of one weight and one bias, for two objectives. */
function modelOf(parameters: object, tensors: Record<string, number[]>): Model {
  const policy = { inputs: ['observation'], layers: [1, 1], activation: 'relu', output: 'tanh', parameters };
  const values = Object.entries(tensors).map(([name, numbers]) => [name, Float32Array.from(numbers)] as const);
  return { description: { objectives: ['A', 'B'], policy }, tensors: new Map(values) } as unknown as Model;
}

const GRID = simplexGrid(2, 10);
/** φ(w) = (3 w1 + 1, 4 w1). */
const HYPERNETWORK = {
  'phi.trunk.layer0.weight': [1, 0],
  'phi.trunk.layer0.bias': [0],
  'phi.heads.layer0.weight': [3, 1],
  'phi.heads.layer0.bias': [4, 0],
};
const BASE = { 'theta.layer0.weight': [2], 'theta.layer0.bias': [0] };

function whole(path: ParameterPath | undefined): ParameterPath {
  if (path === undefined) throw new Error('there is no path');
  return path;
}

describe('parameterPath', () => {
  it('is a straight line where the parameters are generated from one feature, as far as they go', () => {
    const generated = { tensors: 'phi', share: 1, layers: [2, 1] };
    const path = whole(parameterPath(modelOf({ family: 'generated', generated }, HYPERNETWORK), GRID));
    // Around the mean, (2.5, 2).
    const length = Math.hypot(2.5, 2);
    expect(path).toMatchObject({ parameters: 2, stored: 7, features: 1, reference: 'mean', layers: [[1, 1]] });
    expect(path.explained[0]).toBeCloseTo(1, 9);
    expect(path.explained[1]).toBeCloseTo(0, 9);
    expect(path.distance([1, 0], [0, 1])).toBeCloseTo(5 / length, 9);
    expect(path.at([1, 0]).place[0]).toBeCloseTo(2.5 / length, 9);
    expect(path.at([0, 1]).place[0]).toBeCloseTo(-2.5 / length, 9);
    expect(path.at([0.5, 0.5]).moved[0]).toBeCloseTo(0, 6);
    expect(path.at([0.5, 0.5]).generated).toBe(1);
  });

  it('measures from the base where there is one, and how much beside it is generated', () => {
    const parameters = {
      family: 'fused',
      base: { tensors: 'theta', share: 0.5 },
      generated: { tensors: 'phi', share: 0.5, layers: [2, 1] },
    };
    const path = whole(parameterPath(modelOf(parameters, { ...HYPERNETWORK, ...BASE }), GRID));
    expect(path).toMatchObject({ alpha: 0.5, reference: 'base' });
    // At (1, 0) half of (4, 4) and half of (2, 0).
    const { moved, generated } = path.at([1, 0]);
    expect(moved[0]).toBeCloseTo(Math.hypot(1, 2) / 2, 9);
    expect(generated).toBeCloseTo(Math.hypot(2, 2) / (Math.hypot(2, 2) + 1), 9);
  });

  it('leaps where a preference is answered by the policy of another one', () => {
    const generated = { tensors: 'phi', share: 1, layers: [2, 1] };
    const own = modelOf({ family: 'generated', generated }, HYPERNETWORK);
    const used = GRID.map((preference) => (preference[0] > 0.75 ? [0.5, 0.5] : preference));
    const [path, trained] = [withAnswers(own, GRID, used), own].map((model) => whole(parameterPath(model, GRID)));
    expect(path.distance([0.9, 0.1], [0.5, 0.5])).toBe(0);
    expect(path.distance([0.7, 0.3], [0.5, 0.5])).toBeGreaterThan(0);
    expect(trained.distance([0.9, 0.1], [0.5, 0.5])).toBeGreaterThan(0);
  });

  it('leaps between the members of a finite set', () => {
    const parameters = {
      family: 'independent',
      base: { tensors: 'theta', share: 1 },
      members: { count: 2, returns: 'returns' },
    };
    const tensors = { 'theta.layer0.weight': [1, 3], 'theta.layer0.bias': [0, 0], returns: [1, 0, 0, 1] };
    const path = whole(parameterPath(modelOf(parameters, tensors), simplexGrid(2, 3)));
    expect(path.features).toBeUndefined();
    expect(path.distance([1, 0], [0.7, 0.3])).toBe(0);
    // From 1 to 3, around their mean.
    expect(path.distance([1, 0], [0, 1])).toBeCloseTo(1, 9);
  });

  it('is none where the preference is an input and the parameters stay', () => {
    const parameters = { family: 'conditioned', base: { tensors: 'theta', share: 1 } };
    expect(parameterPath(modelOf(parameters, BASE), GRID)).toBeUndefined();
  });

  it('has the distances of the parameters that a policy acts with', () => {
    const policy: ModelDescription['policy'] = {
      ...{ inputs: ['observation'], layers: [3, 8, 2], activation: 'relu', output: 'tanh' },
      parameters: {
        family: 'fused',
        base: { tensors: 'theta', share: 0.7 },
        generated: { tensors: 'phi', share: 0.3, layers: [2, 6, 4] },
      },
    };
    const actionSpace = { kind: 'continuous', low: [-1, -1], high: [1, 1] } as const;
    const random = new Random(1);
    const tensors = tensorShapes(policy, 2).map(([name, shape]) => {
      const size = shape.reduce((product, length) => product * length, 1);
      return [name, Float32Array.from({ length: size }, () => random.normal())] as const;
    });
    const description = { objectives: ['A', 'B'], policy, actionSpace } as unknown as ModelDescription;
    const model = { description, tensors: new Map(tensors) };
    const path = whole(parameterPath(model, GRID));
    const acting = plainPolicy(model);
    const layersAt = (preference: readonly number[]) => {
      acting.prefer(preference);
      return acting.layers.map(({ weight, bias }) => [...weight, ...bias]);
    };
    const base = acting.layers.map((_, i) =>
      ['weight', 'bias'].flatMap((part) => [...model.tensors.get(`theta.layer${i}.${part}`)!]),
    );
    const apart = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((value, k) => value - b[k]));
    const [one, other] = [layersAt([0.9, 0.1]), layersAt([0.2, 0.8])];
    path.at([0.9, 0.1]).moved.forEach((moved, i) => {
      expect(moved).toBeCloseTo(apart(one[i], base[i]) / Math.hypot(...base[i]), 5);
    });
    const distance = path.distance([0.9, 0.1], [0.2, 0.8]);
    expect(distance).toBeCloseTo(apart(one.flat(), other.flat()) / Math.hypot(...base.flat()), 5);
    // Two axes never show more than there is, and here nearly all of it.
    const [[x1, y1], [x2, y2]] = [path.at([0.9, 0.1]).place, path.at([0.2, 0.8]).place];
    expect(Math.hypot(x1 - x2, y1 - y2)).toBeLessThanOrEqual(distance + 1e-9);
    expect(path.explained[0] + path.explained[1]).toBeGreaterThan(0.9);
    expect(path.explained[0] + path.explained[1]).toBeLessThanOrEqual(1 + 1e-9);
  });
});
