import fc from 'fast-check';
import { describe, it } from 'vitest';

import { compile, concat, constant, float32, grad, select, step } from '../../src/tensor/index.js';
import type { Tensor } from '../../src/tensor/index.js';
import { evaluate } from '../../src/tensor/reference/evaluate.js';
import { leaf } from '../../src/tensor/tensor.js';
import { devices, expectClose, randomInputs, runsOn } from './support.js';

const inputs = { a: float32(2, 3), b: float32(2, 3), c: float32(3), d: float32(3, 3) };

/** Operations that keep [2, 3] and stay where float32 is well behaved, so that any sequence of them makes sense. */
const operations: readonly ((x: Tensor, y: Tensor, c: Tensor, d: Tensor) => Tensor)[] = [
  (x, y) => x.add(y),
  (x, y) => x.sub(y.mul(0.5)),
  (x, y) => x.mul(y.tanh()),
  (x, y) => x.div(y.square().add(1)),
  (x) => x.neg(),
  (x) => x.tanh().exp(),
  (x) => x.square().add(1).log(),
  (x) => x.abs().add(0.5).sqrt(),
  (x) => x.relu(),
  (x) => x.tanh().mul(0.9).acos(),
  (x, y) => x.minimum(y),
  (x, y) => x.maximum(y),
  (x, y) => select(x.less(y), x, y.mul(2)),
  (x) => x.clamp(-1.5, 1.5),
  (x, _, c) => x.add(c),
  (x, _, c) => c.mul(x.tanh()),
  (x, _, __, d) => x.tanh().matmul(d),
  (x, _, __, d) =>
    x
      .tanh()
      .matmul(d, { transB: true })
      .add(constant([1, 2, 3])),
  (x, y) => x.tanh().matmul(y.tanh(), { transA: true }).slice(0, 0, 2),
  (x) => x.sub(x.mean()),
  (x) => x.sum(0).add(x),
  (x) => x.max(1, true).add(x),
  (x, y) => concat([x.slice(1, 1, 2), y.slice(1, 0, 1)], 1),
  (x) => x.reshape([3, 2]).transpose(),
  (x, y) => x.stopGradient().add(y),
  (x) => x.mul(2).mul(3).mul(x.mean()).mul(0.1).tanh(),
  (x) => x.gather(x.argmax(0)).slice(0, 0, 2),
];

interface Instruction {
  readonly operation: number;
  readonly x: number;
  readonly y: number;
}

const programs = fc.array(
  fc.record({
    operation: fc.nat(operations.length - 1),
    x: fc.nat(7),
    y: fc.nat(7),
  }),
  { minLength: 1, maxLength: 12 },
);

function build(instructions: readonly Instruction[], { a, b, c, d }: Record<keyof typeof inputs, Tensor>): Tensor[] {
  const values = [a, b];
  for (const { operation, x, y } of instructions) {
    const at = (i: number): Tensor => values[values.length - 1 - (i % values.length)];
    values.push(operations[operation](at(x), at(y), c, d));
  }
  return values;
}

function lossOf(instructions: readonly Instruction[], variables: Record<keyof typeof inputs, Tensor>): Tensor {
  const values = build(instructions, variables);
  return values[values.length - 1]
    .add(values[values.length - 2])
    .square()
    .mean();
}

describe.each(devices)('random graphs on %s', (device) => {
  it('have the values and gradients of the reference, which does not simplify them', async () => {
    await fc.assert(
      fc.asyncProperty(programs, fc.nat(1000), async (instructions, seed) => {
        const program = await compile(
          step({
            state: {},
            inputs,
            body: (_, variables) => {
              const loss = lossOf(instructions, variables);
              return { outputs: { loss, ...grad(loss, variables) } };
            },
          }),
          { device },
        );
        const values = randomInputs(inputs, seed);
        const actual = await program.run(values as never);
        const names = Object.keys(inputs) as (keyof typeof inputs)[];
        const leaves = Object.fromEntries(names.map((name) => [name, leaf(name, inputs[name].shape)])) as Record<
          keyof typeof inputs,
          Tensor
        >;
        const loss = lossOf(instructions, leaves);
        const gradients = grad(loss, leaves);
        const expected = evaluate([loss, ...Object.values(gradients)], (name) => values[name]);
        expectClose(actual.loss, expected.get(loss)!, 1e-4, 'loss');
        for (const name of names) {
          expectClose((actual as Record<string, Float32Array>)[name], expected.get(gradients[name])!, 1e-3, name);
        }
        await program.dispose();
      }),
      // The seed is fixed so that a run of the suite is one run; ties of a select or max that float32 decides
      // differently from float64 would otherwise fail now and then.
      { numRuns: runsOn(device, 150), seed: 20240501 },
    );
  });
});
