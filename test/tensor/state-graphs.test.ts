import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { compile, constant, float32, grad, step } from '../../src/tensor/index.js';
import type { Program, State, Tensor } from '../../src/tensor/index.js';
import { devices, expectClose, generator, randomInputs, randomValues, runsOn } from './support.js';

/** Entries of one shape, which updates can be fused over, among entries of others. */
const entries = {
  a: float32(2, 3),
  b: float32(2, 3),
  c: float32(2, 3),
  row: float32(1, 3),
  column: float32(2, 1),
  s: float32(),
};
type Entries = Record<keyof typeof entries, Tensor>;
const names = Object.keys(entries) as (keyof typeof entries)[];
const inputs = { x: float32(2, 3), rate: float32() };

/** New values for [2, 3]; all are bounded, so that many runs stay where float32 is well behaved. */
const rules: readonly ((old: Tensor, other: Tensor, e: Entries, x: Tensor, rate: Tensor) => Tensor)[] = [
  (_, other) => other,
  (_, __, ___, x) => x,
  () => constant([1, 2, 3, 4, 5, 6], [2, 3]),
  () => constant(0.5).broadcastTo([2, 3]),
  (old) => old.add(0).mul(1),
  (old, other) => old.add(other.sub(old).mul(0.1)),
  (old, other, _, x) => old.mul(0.9).add(x.sum().mul(other).mul(0.1)).clamp(-2, 2),
  (old, other, { s }) =>
    old
      .sub(other.div(other.abs().sqrt().add(0.5)).mul(s))
      .maximum(-2)
      .minimum(2),
  (old, other, { column }) => old.mul(column).add(other.neg()).relu().minimum(3),
  (old, _, { row }) => old.add(row).mul(0.5),
  (old, other, _, __, rate) => old.mul(rate).sub(other.mul(rate).square()).minimum(1).maximum(-1),
  (old, other) => old.tanh().add(other.mul(0.25)),
  (old, other) => old.mul(0.5).add(other.abs().mul(0.25)).neg(),
];

const programs = fc.array(
  fc.record({
    entry: fc.constantFrom<'a' | 'b' | 'c'>('a', 'b', 'c'),
    rule: fc.nat(rules.length - 1),
    other: fc.nat(5),
    small: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);
type Instructions = typeof programs extends fc.Arbitrary<infer T> ? T : never;

/** Updates that may read entries before their update and, `other` > 2, what earlier instructions made of them. */
function stepOf(instructions: Instructions) {
  return step({
    state: entries,
    inputs,
    body: (state, { x, rate }) => {
      const pool = [state.a, state.b, state.c];
      const next: Partial<Record<keyof typeof entries, Tensor>> = {};
      for (const { entry, rule, other, small } of instructions) {
        const made = rules[rule](state[entry], pool[other % pool.length], state, x, rate);
        pool.push(made);
        next[entry] = made;
        if (small) {
          next.s = state.s.mul(0.5).add(made.mean().mul(0.1));
          next.row = state.row.mul(0.5).add(made.max(0, true).mul(0.1));
          next.column = state.column.mul(0.5).add(made.tanh().sum(1, true).mul(0.1));
        }
      }
      return { state: next, outputs: { last: pool[pool.length - 1], before: state.a } };
    },
  });
}

describe.each(devices)('random state updates on %s', (device) => {
  it('of programs that share state are those of the reference', async () => {
    await fc.assert(
      fc.asyncProperty(
        programs,
        programs,
        fc.constantFrom(undefined, 1, 2, 5),
        fc.nat(1000),
        async (first, second, replicas, seed) => {
          const steps = [stepOf(first), stepOf(second)];
          const open = async (on: string): Promise<{ state: State; all: Program<(typeof steps)[0]>[] }> => {
            const one = await compile(steps[0], { device: on, replicas });
            const uniform = generator(seed);
            for (const name of names) one.state.write(name, randomValues(one.state.spec(name), uniform, [-1, 1]));
            // After the first write: an entry that moves when a second program wants it keeps its values.
            return { state: one.state, all: [one, await compile(steps[1], { state: one.state, replicas })] };
          };
          const [actual, expected] = [await open(device), await open('reference')];
          for (let run = 0; run < 5; run++) {
            const copies = Array.from({ length: replicas ?? 1 }, (_, r) =>
              randomInputs(inputs, seed + 10 * run + r, [-1, 1]),
            );
            const values = Object.fromEntries(
              Object.keys(inputs).map((name) => [name, Float32Array.from(copies.flatMap((c) => [...c[name]]))]),
            ) as never;
            const [is, should] = [await actual.all[run % 2].run(values), await expected.all[run % 2].run(values)];
            for (const name of ['last', 'before'] as const) expectClose(is[name], should[name], 1e-4, name);
            for (const name of names) {
              expectClose(await actual.state.read(name), await expected.state.read(name), 1e-4, `${name}, run ${run}`);
            }
          }
          await Promise.all(actual.all.map((program) => program.dispose()));
        },
      ),
      { numRuns: runsOn(device, 50), seed: 20240502 },
    );
  });

  it('a state entry that moves when a later program fuses its update keeps its values', async () => {
    const plain = step({ state: { p: float32(3) }, inputs: {}, body: ({ p }) => ({ outputs: { p } }) });
    const reader = await compile(plain, { device });
    reader.state.load({ p: Float32Array.of(1, 2, 3) });
    const fused = step({ state: { p: float32(3) }, inputs: {}, body: ({ p }) => ({ state: { p: p.mul(2).add(1) } }) });
    const writer = await compile(fused, { state: reader.state });
    expect([...(await reader.run({})).p]).toEqual([1, 2, 3]);
    await writer.run({});
    expect([...(await reader.run({})).p]).toEqual([3, 5, 7]);
  });

  it('a factor of lower rank in an update is broadcast', async () => {
    const body = step({
      state: { p: float32(2, 2, 2), q: float32(2, 1), s: float32() },
      inputs: {},
      body: ({ p, q, s }) => ({ state: { p: p.mul(q).add(s), s: s.add(1) } }),
    });
    const program = await compile(body, { device });
    program.state.load({ p: new Float32Array(8).fill(1), q: Float32Array.of(10, 20) });
    await program.run({});
    await program.run({});
    expect([...(await program.state.read('p'))]).toEqual([101, 101, 401, 401, 101, 101, 401, 401]);
  });

  it('updates in place and through onnxruntime take turns on one entry', async () => {
    const fused = step({ state: { p: float32(3) }, inputs: {}, body: ({ p }) => ({ state: { p: p.mul(2).add(1) } }) });
    const whole = step({
      state: { p: float32(3) },
      inputs: {},
      body: ({ p }) => ({
        state: {
          p: p
            .reshape([3, 1])
            .matmul(constant([1], [1, 1]))
            .reshape([3])
            .add(p.sum()),
        },
      }),
    });
    const one = await compile(fused, { device });
    const two = await compile(whole, { state: one.state });
    await one.run({}); // 1 1 1
    await two.run({}); // 4 4 4
    await one.run({}); // 9 9 9
    await one.run({}); // 19 19 19
    await two.run({}); // 76 76 76
    expect([...(await one.state.read('p'))]).toEqual([76, 76, 76]);
  });
});

describe.each(['reference', ...devices])('gradients of gradients on %s', (device) => {
  it('are the second derivatives', async () => {
    const body = step({
      state: {},
      inputs: { x: float32(2) },
      body: (_, { x }) => {
        // x0^3 x1 + tanh(x1): Hessian [6 x0 x1, 3 x0^2; 3 x0^2, tanh'' (x1)].
        const [x0, x1] = x.split(0, [1, 1]);
        const loss = x0.mul(x0).mul(x0).mul(x1).add(x1.tanh()).sum();
        const g = grad(loss, x);
        return { outputs: { first: grad(g.slice(0, 0, 1).sum(), x), second: grad(g.slice(0, 1, 1).sum(), x) } };
      },
    });
    const program = await compile(body, { device });
    const { first, second } = await program.run({ x: Float32Array.of(0.5, -0.75) });
    const t = Math.tanh(-0.75);
    expectClose(first, [6 * 0.5 * -0.75, 0.75]);
    expectClose(second, [0.75, -2 * t * (1 - t * t)]);
  });

  it('the gradient of a maximum is shared among equals, and that of a tie of two operands goes to the first', async () => {
    const body = step({
      state: {},
      inputs: { x: float32(3), y: float32(3) },
      body: (_, { x, y }) => ({
        outputs: {
          max: grad(x.max(), x),
          ...renamed('least', grad(x.minimum(y).sum(), { x, y })),
          ...renamed('most', grad(x.maximum(y).sum(), { x, y })),
          clamped: grad(x.clamp(1, 2).sum(), x),
        },
      }),
    });
    const program = await compile(body, { device });
    const result = (await program.run({ x: Float32Array.of(1, 1, 0), y: Float32Array.of(1, 2, -1) })) as Record<
      string,
      Float32Array
    >;
    const lists = Object.fromEntries(Object.entries(result).map(([name, v]) => [name, [...v]]));
    expect(lists).toEqual({
      max: [0.5, 0.5, 0],
      leastX: [1, 1, 0],
      leastY: [0, 0, 1],
      mostX: [1, 0, 1],
      mostY: [0, 1, 0],
      clamped: [1, 1, 0],
    });
  });
});

function renamed(name: string, { x, y }: { x: Tensor; y: Tensor }): Record<string, Tensor> {
  return { [`${name}X`]: x, [`${name}Y`]: y };
}
