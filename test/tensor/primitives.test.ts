import { describe, expect, it } from 'vitest';

import { compile, constant, float32, grad, step } from '../../src/tensor/index.js';
import type { Spec, Tensor, Values } from '../../src/tensor/index.js';
import { leaf } from '../../src/tensor/tensor.js';
import { cases } from './cases.js';
import type { Case } from './cases.js';
import { devices, expectClose, generator, randomInputs, referenceValue, stackValues } from './support.js';

const all = Object.entries(cases).flatMap(([kind, list]) => list.map((c, i) => ({ name: `${kind} ${i}`, c })));
const smooth = all.filter(({ c }) => !c.flat);

const floats = (inputs: Readonly<Record<string, Spec>>): [string, Spec][] =>
  Object.entries(inputs).filter(([, spec]) => spec.dtype === 'float32');

function leavesOf(c: Case): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(c.inputs).map(([name, s]) => [name, leaf(name, s.shape, s.dtype)]));
}

/** A scalar that depends on every entry of a result, each in its own way. */
function weighted(result: Tensor): Tensor {
  const uniform = generator(result.size);
  const weights = Float64Array.from({ length: result.size }, () => 0.5 + uniform());
  return result.toFloat().mul(constant(weights, result.shape)).sum();
}

function gradientStep(c: Case) {
  return step({
    state: {},
    inputs: c.inputs,
    body: (_, inputs) => {
      const variables = Object.fromEntries(floats(c.inputs).map(([name]) => [name, inputs[name]]));
      const result = c.build(inputs);
      return { outputs: { result, ...grad(weighted(result), variables) } };
    },
  });
}

describe('the gradient in float64', () => {
  it.each(smooth)('of $name is that of finite differences', ({ c }) => {
    const values = randomInputs(c.inputs, 7, c.range, c.rows);
    const leaves = leavesOf(c);
    const loss = weighted(c.build(leaves));
    for (const [name] of floats(c.inputs)) {
      const exact = referenceValue(grad(loss, leaves[name]), values);
      const numeric = Float64Array.from(values[name], (x, i) => {
        const at = (h: number): number => {
          const moved = Float64Array.from(values[name]);
          moved[i] = x + h;
          return referenceValue(loss, { ...values, [name]: moved })[0];
        };
        const h = 1e-5;
        return (at(h) - at(-h)) / (2 * h);
      });
      expectClose(exact, numeric, 1e-7, `d/d${name}`);
    }
  });
});

describe.each(devices)('on %s', (device) => {
  describe('the value', () => {
    it.each(all)('of $name is that of the reference', async ({ c }) => {
      const values = randomInputs(c.inputs, 3, c.range, c.rows);
      const program = await compile(
        step({ state: {}, inputs: c.inputs, body: (_, inputs) => ({ outputs: { result: c.build(inputs) } }) }),
        { device },
      );
      const { result } = await program.run(values);
      expectClose(result, referenceValue(c.build(leavesOf(c)), values));
      await program.dispose();
    });
  });

  describe('the gradient', () => {
    it.each(smooth)('of $name is that of the reference', async ({ c }) => {
      const values = randomInputs(c.inputs, 5, c.range, c.rows);
      const [program, truth] = await Promise.all([
        compile(gradientStep(c), { device }),
        compile(gradientStep(c), { device: 'reference' }),
      ]);
      const [actual, expected] = [await program.run(values), await truth.run(values)] as Record<string, Values>[];
      expect(Object.keys(actual)).toEqual(Object.keys(expected));
      for (const name of Object.keys(expected)) expectClose(actual[name], expected[name], 4e-6, name);
      await program.dispose();
    });
  });

  describe('a program with three replicas', () => {
    it.each(all)('of $name gives what three programs give', async ({ c }) => {
      const body = c.flat
        ? step({ state: {}, inputs: c.inputs, body: (_, inputs) => ({ outputs: { result: c.build(inputs) } }) })
        : gradientStep(c);
      const [one, three] = await Promise.all([compile(body, { device }), compile(body, { device, replicas: 3 })]);
      const each = [1, 2, 3].map((seed) => randomInputs(c.inputs, seed, c.range, c.rows));
      const together = Object.fromEntries(
        Object.keys(c.inputs).map((name) => [name, stackValues(each.map((values) => values[name]))]),
      );
      const joint = (await three.run(together)) as Record<string, Values>;
      const apart: Record<string, Values>[] = [];
      for (const values of each) {
        const result = (await one.run(values)) as Record<string, Values>;
        apart.push(Object.fromEntries(Object.entries(result).map(([name, v]) => [name, v.slice()])));
      }
      for (const name of Object.keys(joint)) {
        expectClose(joint[name], stackValues(apart.map((result) => result[name])), 2e-6, name);
      }
      await Promise.all([one.dispose(), three.dispose()]);
    });
  });

  it('gradients of overlapping, disjoint and partial slices are added up', async () => {
    const body = step({
      state: {},
      inputs: { x: float32(6) },
      body: (_, { x }) => {
        const loss = x
          .slice(0, 0, 3)
          .square()
          .sum()
          .add(x.slice(0, 2, 2).sum())
          .add(x.slice(0, 5, 1).sum().mul(7));
        return { outputs: { g: grad(loss, x) } };
      },
    });
    const program = await compile(body, { device });
    const { g } = await program.run({ x: Float32Array.of(1, 2, 3, 4, 5, 6) });
    expect([...g]).toEqual([2, 4, 7, 1, 0, 7]);
  });
});
