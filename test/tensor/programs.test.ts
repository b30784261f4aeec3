import { describe, expect, it } from 'vitest';

import {
  compile,
  constant,
  deviceNames,
  float32,
  grad,
  int32,
  openDevice,
  resolveDevice,
  ShapeError,
  step,
} from '../../src/tensor/index.js';
import { concat, leaf, select } from '../../src/tensor/tensor.js';
import { devices, expectClose } from './support.js';

const counter = step({
  state: { count: float32(2), untouched: float32(3) },
  inputs: { by: float32(2) },
  body: ({ count, untouched }, { by }) => ({
    state: { count: count.add(by) },
    outputs: { before: count, doubled: count.add(by).mul(2), other: untouched },
  }),
});

/** A linear fit with a hand-checkable gradient step. */
const fit = step({
  state: { w: float32(2, 1) },
  inputs: { x: float32(3, 2), y: float32(3, 1) },
  body: ({ w }, { x, y }) => {
    const loss = x.matmul(w).sub(y).square().mean();
    return { state: { w: w.sub(grad(loss, w).mul(0.1)) }, outputs: { loss } };
  },
});

describe.each(['reference', ...devices])('programs on %s', (device) => {
  it('a program keeps state between runs, which can be read and written', async () => {
    const program = await compile(counter, { device });
    const run = (by: number[]) => program.run({ by: Float32Array.from(by) });
    expect([...(await run([1, 2])).before]).toEqual([0, 0]);
    const { before, doubled } = await run([10, 20]);
    expect([...before]).toEqual([1, 2]);
    expect([...doubled]).toEqual([22, 44]);
    expect([...(await program.state.read('count'))]).toEqual([11, 22]);
    program.state.write('count', Float32Array.of(5), 1);
    expect([...(await program.state.read('count'))]).toEqual([11, 5]);
    expect([...(await run([0, 0])).before]).toEqual([11, 5]);
  });

  it('share state', async () => {
    const first = await compile(counter, { device });
    const second = await compile(
      step({
        state: { count: float32(2), more: float32() },
        inputs: {},
        body: ({ count, more }) => ({ state: { count: count.mul(2), more: more.add(1) } }),
      }),
      { state: first.state },
    );
    await first.run({ by: Float32Array.of(1, 3) });
    await second.run({});
    await second.run({});
    const { before } = await first.run({ by: Float32Array.of(0, 0) });
    expect([...before]).toEqual([4, 12]);
    expect(first.state.names).toEqual(['count', 'untouched', 'more']);
    expect([...(await first.state.read('more'))]).toEqual([2]);
  });

  it('a step of gradient descent has the values that were computed by hand', async () => {
    const program = await compile(fit, { device });
    program.state.load({ w: Float32Array.of(1, -1) });
    const { loss } = await program.run({ x: Float32Array.of(1, 0, 0, 1, 1, 1), y: Float32Array.of(2, 0, 1) });
    // Residuals -1, -1, -1: loss 1; gradient 2/3 [-2, -2]; w - 0.1 g = [1 + 4/30, -1 + 4/30].
    expectClose(loss, [1]);
    expectClose(await program.state.read('w'), [1 + 4 / 30, -1 + 4 / 30]);
  });

  it('each replica has its own state and inputs', async () => {
    const together = await compile(fit, { device, replicas: 3 });
    const alone = await compile(fit, { device });
    const x = [1, 0, 0, 1, 1, 1];
    const ys = [
      [2, 0, 1],
      [0, 0, 0],
      [1, -1, 3],
    ];
    const start = [
      [1, -1],
      [0.5, 2],
      [0, 0],
    ];
    start.forEach((w, replica) => together.state.load({ w: Float32Array.from(w) }, replica));
    const inputs = { x: Float32Array.from([...x, ...x, ...x]), y: Float32Array.from(ys.flat()) };
    const losses: number[][] = [];
    for (let i = 0; i < 5; i++) losses.push([...(await together.run(inputs)).loss]);
    const final = await together.state.read('w');
    for (let replica = 0; replica < 3; replica++) {
      alone.state.load({ w: Float32Array.from(start[replica]) });
      for (let i = 0; i < 5; i++) {
        const { loss } = await alone.run({ x: Float32Array.from(x), y: Float32Array.from(ys[replica]) });
        expectClose(loss, [losses[i][replica]]);
      }
      expectClose(await alone.state.read('w'), final.slice(2 * replica, 2 * replica + 2));
    }
  });

  it('every output has the replica axis, even a constant', async () => {
    const body = step({ state: {}, inputs: {}, body: () => ({ outputs: { two: constant([1, 2]) } }) });
    const { two } = await (await compile(body, { device, replicas: 3 })).run({});
    expect([...two]).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it('one tensor can be two outputs, and an input can be an output', async () => {
    const body = step({
      state: { s: float32(2) },
      inputs: { x: float32(2) },
      body: ({ s }, { x }) => {
        const sum = s.add(x);
        return { state: { s: sum }, outputs: { sum, again: sum, x, s } };
      },
    });
    const program = await compile(body, { device });
    await program.run({ x: Float32Array.of(1, 2) });
    const { sum, again, x, s } = await program.run({ x: Float32Array.of(3, 4) });
    expect([[...sum], [...again], [...x], [...s]]).toEqual([
      [4, 6],
      [4, 6],
      [3, 4],
      [1, 2],
    ]);
    expect([...(await program.state.read('s'))]).toEqual([4, 6]);
  });

  it('updates read the state as it was before the run', async () => {
    const swap = step({
      state: { a: float32(2000), b: float32(2000) },
      inputs: {},
      body: ({ a, b }) => ({ state: { a: b.mul(2), b: a.add(b) } }),
    });
    const program = await compile(swap, { device });
    program.state.load({ a: new Float32Array(2000).fill(1), b: new Float32Array(2000).fill(10) });
    await program.run({});
    await program.run({});
    expect((await program.state.read('a'))[1999]).toBe(22);
    expect((await program.state.read('b'))[7]).toBe(31);
  });

  it('state and indices can be integers', async () => {
    const body = step({
      state: { table: int32(4) },
      inputs: { i: int32(2) },
      body: ({ table }, { i }) => ({ state: { table: table.add(1) }, outputs: { picked: table.gather(i) } }),
    });
    const program = await compile(body, { device });
    program.state.write('table', Int32Array.of(5, 6, 7, 8));
    await program.run({ i: Int32Array.of(0, 0) });
    const { picked } = await program.run({ i: Int32Array.of(3, 1) });
    expect(picked).toBeInstanceOf(Int32Array);
    expect([...picked]).toEqual([9, 7]);
  });

  it('a run returns only the outputs that are asked for', async () => {
    const program = await compile(counter, { device });
    const result = await program.run({ by: Float32Array.of(1, 1) }, { read: ['doubled'] });
    expect(Object.keys(result)).toEqual(['doubled']);
    const unknown = program.run({ by: Float32Array.of(1, 1) }, { read: ['nothing' as never] });
    await expect(unknown).rejects.toThrow("output 'nothing' does not exist; there are: before, doubled, other");
  });

  it('a program refuses inputs that do not fit, by name', async () => {
    const program = await compile(counter, { device });
    await expect(program.run({} as never)).rejects.toThrow("input 'by' is missing; it is float32 [2]");
    await expect(program.run({ by: Float32Array.of(1) })).rejects.toThrow("input 'by' is [2], 2 numbers; got 1");
    await expect(program.run({ by: Int32Array.of(1, 2) })).rejects.toThrow("input 'by' takes a Float32Array");
    expect(() => program.state.write('count', new Float32Array(3))).toThrow("state 'count' has 2 numbers");
    await expect(program.state.read('nothing')).rejects.toThrow("state 'nothing' does not exist");
  });
});

describe.each(['reference', ...devices])('mistakes on %s', (device) => {
  it.skipIf(device.startsWith('gpu'))('state refuses a second run, a write or a compilation during a run', async () => {
    const program = await compile(counter, { device });
    const first = program.run({ by: Float32Array.of(1, 1) });
    const others = [program.run({ by: Float32Array.of(10, 10) }), compile(counter, { state: program.state })];
    const message = 'a program is still running on this state; await its run first';
    expect(() => program.state.write('count', Float32Array.of(5))).toThrow(message);
    for (const other of others) await expect(other).rejects.toThrow(message);
    await first;
    await program.run({ by: Float32Array.of(10, 10) });
    expect([...(await program.state.read('count'))]).toEqual([11, 11]);
  });

  it('a program refuses an index outside its table, with replicas too, and works afterwards', async () => {
    const body = step({
      state: { table: float32(3), sum: float32(1) },
      inputs: { i: int32(1) },
      body: ({ table, sum }, { i }) => ({ state: { sum: sum.add(table.gather(i)) } }),
    });
    for (const replicas of [undefined, 2]) {
      const program = await compile(body, { device, replicas });
      const fill = (n: number): Int32Array => new Int32Array(replicas ?? 1).fill(n);
      for (const wrong of [3, -1]) {
        const message = `input 'i' is ${wrong} at 0; it picks from 3 rows`;
        await expect(program.run({ i: fill(wrong) })).rejects.toThrow(message);
      }
      await program.run({ i: fill(2) });
    }
  });

  it('state refuses values of another size or for a replica that does not exist', async () => {
    const program = await compile(counter, { device, replicas: 2 });
    expect(() => program.state.load({ count: Float32Array.of(1) }, 1)).toThrow(
      "state 'count' has 2 numbers for each learner; got 1",
    );
    for (const replica of [undefined, 2, -1, 0.5]) {
      expect(() => program.state.load({ count: Float32Array.of(1, 2) }, replica)).toThrow(`replica is ${replica}`);
    }
  });

  it('a program refuses shared memory', async () => {
    const program = await compile(counter, { device });
    const shared = new Float32Array(new SharedArrayBuffer(8));
    await expect(program.run({ by: shared })).rejects.toThrow("input 'by' is in shared memory");
  });

  it('a program can be disposed of twice, and then refuses to run and leaves its state as it is', async () => {
    const program = await compile(counter, { device });
    const by = Float32Array.of(1, 2);
    await program.run({ by });
    const before = Array.from(await program.state.read('count'));
    await program.dispose();
    await program.dispose();
    await expect(program.run({ by })).rejects.toThrow('this program has been disposed of');
    expect(Array.from(await program.state.read('count'))).toEqual(before);
  });

  it('a program that is disposed of while it runs ends that run first', async () => {
    const program = await compile(counter, { device });
    const running = program.run({ by: Float32Array.of(1, 2) });
    const disposed = program.dispose();
    await running;
    await disposed;
    expect(Array.from(await program.state.read('count'))).toEqual([1, 2]);
  });
});

describe('tracing', () => {
  const x = leaf('x', [2, 3]);

  it('a shape error names the operation and the shapes', () => {
    expect(() => x.matmul(leaf('y', [2, 3]))).toThrow('matmul: [2, 3] and [2, 3]: inner dimensions 3 and 2 differ');
    expect(() => x.add(leaf('y', [2]))).toThrow('add: shapes [2, 3] and [2] do not broadcast');
    expect(() => x.reshape([4])).toThrow('reshape: [2, 3] has 6 entries, [4] has 4');
    expect(() => x.slice(1, 2, 2)).toThrow('slice: [2, 4) is not within axis 1 of [2, 3]');
    expect(() => x.sum(2)).toThrow('sum: axis 2 is not an axis of [2, 3]');
    expect(() => x.mean(-3)).toThrow('mean: axis -3 is not an axis of [2, 3]');
    expect(() => x.min([0, 0])).toThrow('min: axes [0, 0] name one axis twice');
    expect(() => x.greater(leaf('y', [2]))).toThrow('greater: shapes [2, 3] and [2] do not broadcast');
    expect(() => x.reshape([4, -1])).toThrow('reshape of [2, 3] to [4, -1]: dimensions must be positive whole numbers');
    expect(() => concat([x, leaf('y', [3, 2])], 0)).toThrow('concat: [2, 3], [3, 2] differ in more than axis 0');
    expect(() => x.gather(leaf('i', [2]))).toThrow('gather: expects int32, got float32 [2]');
    expect(() => select(x, 1, 2)).toThrow('select: expects bool, got float32 [2, 3]');
    expect(() => x.takeAlong(leaf('i', [3], 'int32'), 1)).toThrow('takeAlong: [2, 3] along axis 1 needs indices [2]');
    expect(() => x.transpose([0, 0])).toThrow('transpose: [0, 0] is not an order of the axes of [2, 3]');
    expect(() => grad(x, x)).toThrow('grad: the loss must be a single number, got [2, 3]');
    expect(() => float32(0)).toThrow(ShapeError);
  });

  it('refuses state updates that do not fit', async () => {
    const wrong = step({ state: { s: float32(2) }, inputs: {}, body: ({ s }) => ({ state: { s: s.sum() } }) });
    await expect(compile(wrong, { device: 'reference' })).rejects.toThrow(
      "state 's' is declared float32 [2] and updated with float32 []",
    );
  });

  it('refuses a leaf of another step', async () => {
    const foreign = step({
      state: {},
      inputs: { x: float32(2, 3) },
      body: (_, inputs) => ({ outputs: { y: inputs.x.add(leaf('input:x', [2, 3])) } }),
    });
    await expect(compile(foreign)).rejects.toThrow("leaf 'input:x' is neither state nor input of this step");
  });

  it('fractions are no integers, and bools no numbers', () => {
    expect(() => leaf('i', [2], 'int32').mul(0.5)).toThrow('constant: 0.5 is not a whole number, as int32 needs');
    expect(() => select(x.less(0), x.less(1), x.less(2))).toThrow('select: chooses between numbers, got bool');
  });

  it('an unknown device gives an error that lists the devices', async () => {
    await expect(compile(counter, { device: 'abacus' })).rejects.toThrow(
      `device is "abacus", but must be one of: ${deviceNames().join(', ')}, or cpu:THREADS.`,
    );
  });

  it('auto is the GPU if there is one that is no software', async () => {
    const isReal = devices.includes('gpu') && (await openDevice('gpu')).isSoftware !== true;
    const name = isReal ? 'gpu' : 'cpu';
    expect(await resolveDevice('auto')).toBe(name);
    expect(await openDevice('auto')).toBe(await openDevice(name));
    expect(await resolveDevice('cpu:2')).toBe('cpu:2');
  });

  it('the cpu takes a number of threads', async () => {
    expect((await openDevice('cpu:1')).description).toContain('1 CPU thread');
    expect(await openDevice('cpu:1')).toBe(await openDevice('cpu:1'));
    for (const name of ['cpu:0', 'cpu:', 'cpu:two', 'reference:2', '']) {
      await expect(openDevice(name)).rejects.toThrow(`device is "${name}"`);
    }
  });

  it('compile refuses state of another device or another number of replicas', async () => {
    const program = await compile(counter, { device: 'reference' });
    await expect(compile(counter, { device: 'cpu', state: program.state })).rejects.toThrow("is on 'reference'");
    await expect(compile(counter, { state: program.state, replicas: 2 })).rejects.toThrow('with replicas none');
    await expect(compile(counter, { device: 'reference', replicas: 0 })).rejects.toThrow(
      'positive whole number, got 0',
    );
  });
});
