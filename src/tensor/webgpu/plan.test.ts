import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { float32, step } from '../index.js';
import type { Tensor } from '../index.js';
import { simplify } from '../simplify.js';
import { trace } from '../step.js';
import { storedBy } from './kernel.js';
import type { Kernel } from './kernel.js';
import { plan } from './plan.js';
import type { Plan } from './plan.js';
import { prepare } from './prepare.js';

const [SIZE, TERMS] = [24, 3];
const specs = {
  state: { s: float32(SIZE, SIZE), weight: float32(SIZE, SIZE), weights: float32(TERMS, SIZE, SIZE) },
  inputs: { x: float32(SIZE, SIZE), f: float32(TERMS, SIZE, 1) },
};

interface Leaves {
  readonly f: Tensor;
  readonly weight: Tensor;
  readonly weights: Tensor;
}

const spread = (x: Tensor): Tensor => (x.rank === 3 ? x : x.reshape([1, SIZE, SIZE]));
const single = (x: Tensor): Tensor => (x.rank === 2 ? x : x.sum(0));

/** Operations on matrices and on batches of them, so that any sequence of them makes sense. */
const operations: readonly ((x: Tensor, y: Tensor, leaves: Leaves) => Tensor)[] = [
  (x, _, { weights }) => single(x).reshape([1, SIZE, SIZE]).matmul(weights),
  (x, _, { weights, f }) => single(x).reshape([1, SIZE, SIZE]).matmul(weights).mul(f).sum(0),
  (x, _, { weights, f }) => spread(x).mul(f).matmul(weights, { transB: true }),
  (x, _, { weight }) => single(x).matmul(weight),
  (x, _, { f }) => spread(x).mul(f).sum(0),
  (x, y) => spread(x).mul(spread(y).max(2, true)),
  (x, y) => x.add(y),
  (x, y) => single(x).add(spread(y).max(0)),
  (x) => x.relu(),
  (x) => x.tanh().mul(x.abs().add(1).log()).add(x.square().neg().exp()).sub(x.mul(0.5).acos()),
  (x) => single(x).sum(1, true).mul(x),
  (x) => {
    const deviation = x.sub(x.mean(-1, true));
    return deviation.div(deviation.square().mean(-1, true).add(1).sqrt());
  },
];

const programs = fc.array(fc.record({ operation: fc.nat(operations.length - 1), x: fc.nat(5), y: fc.nat(5) }), {
  minLength: 2,
  maxLength: 14,
});

/** What a kernel reads: state, and what other kernels have stored. */
function readsOf(kernel: Kernel, { producers, isRead }: Plan): Set<Tensor> {
  const reads = new Set<Tensor>();
  const seen = new Set<Tensor>();
  const visit = (node: Tensor): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.op.kind === 'leaf' || (producers.has(node) && isRead(node, kernel))) reads.add(node);
    else node.inputs.forEach(visit);
  };
  storedBy(kernel).forEach(visit);
  return reads;
}

describe('a plan', () => {
  it('no kernel of a plan reads a tensor before it is stored, or state after it is overwritten', () => {
    let [sums, storedTerms, rows] = [0, 0, 0];
    const property = fc.property(programs, (instructions) => {
      const body = step({
        ...specs,
        body: ({ s, weight, weights }, { x, f }) => {
          const values = [x, s];
          for (const { operation, x: i, y: j } of instructions) {
            const at = (back: number): Tensor => values[values.length - 1 - (back % values.length)];
            values.push(operations[operation](at(i), at(j), { f, weight, weights }));
          }
          const [last, before] = values.toReversed();
          return { state: { s: single(last) }, outputs: { a: single(before), b: last.mul(2) } };
        },
      });
      const graph = prepare(simplify(trace(body)));
      const planned = plan(graph);
      for (const kernel of planned.kernels) {
        if (kernel.epilogueSum !== undefined) sums++;
        storedTerms += kernel.epilogueSum?.storedTerms.length ?? 0;
        rows += kernel.rows?.earlier.length ?? 0;
        for (const tensor of readsOf(kernel, planned)) {
          const producer = planned.producers.get(tensor);
          if (producer !== undefined) expect(producer.level).toBeLessThan(kernel.level);
          for (const [result, names] of planned.updates) {
            const update = planned.producers.get(result)!;
            const isOverwritten = names.some((name) => graph.state.get(name) === tensor);
            if (isOverwritten && update !== kernel) expect(kernel.level).toBeLessThan(update.level);
          }
        }
      }
    });
    fc.assert(property, { numRuns: 400, seed: 20240502 });
    // The random programs cover all of these.
    expect(sums).toBeGreaterThan(100);
    expect(storedTerms).toBeGreaterThan(20);
    expect(rows).toBeGreaterThan(100);
  });
});
