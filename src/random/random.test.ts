import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random, type RandomState } from './index.js';

const draws = (random: Random, count: number) => Array.from({ length: count }, () => random.uint32());
const fromWords = (...words: [number, number, number, number]) =>
  Random.fromState({ algorithm: 'xoshiro128++', words });

// The literals of this block were printed by a C program written from the published definitions of xoshiro128++ 1.0 and
// SplitMix64; the first four outputs of state 1, 2, 3, 4 are also those in the tests of other implementations.
describe('xoshiro128++', () => {
  test('goes on from a state that it is given, and refuses one that is none', () => {
    const [first, second] = [new Random(3), new Random(4)];
    draws(first, 5);
    second.state = first.state;
    expect(draws(second, 8)).toEqual(draws(first, 8));
    const before = second.state;
    expect(() => (second.state = { algorithm: 'xoshiro128++', words: [0, 0, 0, 0] })).toThrow();
    expect(second.state).toEqual(before);
  });

  test('has the published outputs of state 1, 2, 3, 4', () => {
    expect(draws(fromWords(1, 2, 3, 4), 10)).toEqual([
      641, 1573767, 3222811527, 3517856514, 836907274, 4247214768, 3867114732, 1355841295, 495546011, 621204420,
    ]);
  });

  test.each([
    [0, [2065550767, 3793791033, 2713282036, 1853398634], [1179900579, 1938959192, 3089844957, 3657088315]],
    [1, [2298633409, 2433363436, 1703865447, 3203108257], [2146930148, 2585199205, 3670091704, 2556029204]],
    [42, [803958421, 3184996902, 2993090819, 686809907], [2643743425, 1762251840, 1632151183, 1417845339]],
    [2 ** 53 - 1, [4021704095, 616124332, 3074421144, 818148089], [752525743, 3616907186, 1770992596, 143591115]],
  ])('fills its state from the seed %d by SplitMix64', (seed, words, outputs) => {
    const random = new Random(seed);
    expect(random.state.words).toEqual(words);
    expect(draws(random, 4)).toEqual(outputs);
  });

  test('has the known millionth output of seed 42', () => {
    const random = new Random(42);
    for (let i = 0; i < 1_000_000; i++) random.uint32();
    expect(random.uint32()).toBe(60878546);
  });
});

/** The state update as a matrix over GF(2): column i is the state that follows from bit i alone. */
function updateMatrix(): bigint[] {
  return Array.from({ length: 128 }, (_, i) => {
    const words: [number, number, number, number] = [0, 0, 0, 0];
    words[i >> 5] = 2 ** (i & 31);
    const random = fromWords(...words);
    random.uint32();
    return asBits(random);
  });
}

const asBits = (random: Random) =>
  random.state.words.reduce((sum, word, i) => sum | (BigInt(word) << BigInt(32 * i)), 0n);

function times(matrix: readonly bigint[], vector: bigint): bigint {
  let sum = 0n;
  for (let i = 0; i < 128; i++) if ((vector >> BigInt(i)) & 1n) sum ^= matrix[i];
  return sum;
}

describe('jumps', () => {
  test('jump and longJump are 2^64 and 2^96 steps: the update matrix squared 64 and 96 times', () => {
    let power = updateMatrix();
    for (let squarings = 1; squarings <= 96; squarings++) {
      const matrix = power;
      power = matrix.map((column) => times(matrix, column));
      if (squarings === 64) expect(asBits(new Random(7).jump())).toBe(times(power, asBits(new Random(7))));
      if (squarings === 96) expect(asBits(new Random(7).longJump())).toBe(times(power, asBits(new Random(7))));
    }
  });

  test('from state 1, 2, 3, 4 end where a separate Python program ends', () => {
    expect(fromWords(1, 2, 3, 4).jump().state.words).toEqual([2843103750, 2038079848, 1533207345, 44816753]);
    expect(fromWords(1, 2, 3, 4).longJump().state.words).toEqual([1611968294, 2125834322, 966769569, 3193880526]);
  });

  test('streams are one, two, three long jumps ahead and leave the generator alone', () => {
    const random = new Random(5);
    const before = random.state;
    const ahead = random.clone();
    for (const stream of random.streams(3)) expect(stream.state).toEqual(ahead.longJump().state);
    expect(random.state).toEqual(before);
  });

  test('substreams are one, two, three jumps ahead', () => {
    const random = new Random(5);
    const ahead = random.clone();
    for (const stream of random.substreams(3)) expect(stream.state).toEqual(ahead.jump().state);
    expect(random.substreams(0)).toEqual([]);
  });

  test('streams and substreams share no four draws in a row', () => {
    const random = new Random(11);
    const seen = new Set<string>();
    const all = [random, ...random.streams(8).flatMap((stream) => [stream, ...stream.substreams(8)])];
    for (const one of all) {
      const values = draws(one, 500);
      for (let i = 0; i + 4 <= values.length; i++) seen.add(values.slice(i, i + 4).join());
    }
    expect(seen.size).toBe(all.length * 497);
  });
});

/** Pearson's statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

function moments(values: ArrayLike<number>): { mean: number; variance: number; skewness: number; kurtosis: number } {
  const numbers = Array.from(values);
  const average = (f: (x: number) => number) => numbers.reduce((sum, x) => sum + f(x), 0) / numbers.length;
  const mean = average((x) => x);
  const variance = average((x) => (x - mean) ** 2);
  return {
    mean,
    variance,
    skewness: average((x) => (x - mean) ** 3) / variance ** 1.5,
    kurtosis: average((x) => (x - mean) ** 4) / variance ** 2,
  };
}

describe('uniform', () => {
  test('is the top 53 bits of two outputs', () => {
    const [a, b] = draws(new Random(3), 2);
    const bits = ((BigInt(a) >> 5n) << 26n) | (BigInt(b) >> 6n);
    expect(new Random(3).uniform()).toBe(Number(bits) / 2 ** 53);
  });

  test('stays in [0, 1) and has mean 1/2 and variance 1/12', () => {
    const values = new Random(1).fillUniform(new Float64Array(200_000));
    expect(values.every((x) => x >= 0 && x < 1)).toBe(true);
    const { mean, variance } = moments(values);
    expect(mean).toBeCloseTo(1 / 2, 2);
    expect(variance).toBeCloseTo(1 / 12, 3);
  });

  test('fills 256 cells of the unit square evenly (chi-square, 255 degrees of freedom, 1 in 1000)', () => {
    const random = new Random(2);
    const counts = new Array<number>(256).fill(0);
    for (let i = 0; i < 256_000; i++)
      counts[16 * Math.floor(16 * random.uniform()) + Math.floor(16 * random.uniform())]++;
    expect(chiSquare(counts)).toBeLessThan(330.5);
  });

  test('fillUniform scales its draws to bounds', () => {
    const values = new Random(1).fillUniform(new Float32Array(10_000), -3, 5);
    expect(values.every((x) => x >= -3 && x < 5)).toBe(true);
    expect(moments(values).mean).toBeCloseTo(1, 1);
    expect(new Random(1).fillUniform(new Float64Array(3), 2, 2)).toEqual(new Float64Array([2, 2, 2]));
  });

  test('a Float32Array never reaches 1: 24 bits are exact in it', () => {
    const highest = fromWords(0, 1, 1, 0xffffffff);
    expect(highest.clone().uint32()).toBe(0xffffffff);
    expect(highest.fillUniform(new Float32Array(1))[0]).toBe(1 - 2 ** -24);
  });
});

describe('integer', () => {
  test('stays in 0..n-1 for every n', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (seed, n) => {
        const value = new Random(seed).integer(n);
        return Number.isInteger(value) && value >= 0 && value < n;
      }),
    );
  });

  // 3 * 2^51 does not divide 2^53: without rejection the first third of the values would be drawn twice as often.
  test.each([10, 3 * 2 ** 19, 3 * 2 ** 51])('of %d is even over tenths of the range', (n) => {
    const random = new Random(9);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 50_000; i++) counts[Math.floor((random.integer(n) / n) * 10)]++;
    expect(chiSquare(counts)).toBeLessThan(27.9);
  });

  // For n = 3 * 2^19 the output 2^13 is among those to reject, and the state 0, 1, 1, 64 gives it first.
  test('draws again where the outputs do not divide evenly', () => {
    const n = 3 * 2 ** 19;
    const random = fromWords(0, 1, 1, 64);
    const [first, second] = draws(random.clone(), 2);
    expect(first).toBe(2 ** 13);
    expect(random.integer(n)).toBe(Math.floor((second * n) / 2 ** 32));
  });

  test('of 1 is 0', () => {
    expect(new Random(0).integer(1)).toBe(0);
  });

  test.each([0, -1, 1.5, NaN, 2 ** 53])('refuses n = %d', (n) => {
    expect(() => new Random(0).integer(n)).toThrow(
      new RangeError(`n is ${n}, but must be an integer from 1 to 9007199254740991.`),
    );
  });
});

describe('normal', () => {
  test('has the moments 0, 1, 0, 3', () => {
    const { mean, variance, skewness, kurtosis } = moments(new Random(4).fillNormal(new Float64Array(400_000)));
    expect(Math.abs(mean)).toBeLessThan(0.005);
    expect(Math.abs(variance - 1)).toBeLessThan(0.008);
    expect(Math.abs(skewness)).toBeLessThan(0.012);
    expect(Math.abs(kurtosis - 3)).toBeLessThan(0.025);
  });

  // Quantiles of the standard normal at k/20, and at 1e-4 for the tail (the ziggurat's own tail starts at 2.6e-4).
  test('falls evenly between the twentieths of the distribution (chi-square, 19 degrees, 1 in 1000)', () => {
    const edges = [0.1256613469, 0.2533471031, 0.3853204664, 0.5244005127, 0.6744897502, 0.8416212336, 1.0364333895];
    const upper = [0, ...edges, 1.2815515655, 1.644853627];
    const all = [...upper.slice(1).map((x) => -x), ...upper].sort((a, b) => a - b);
    const random = new Random(6);
    const counts = new Array<number>(20).fill(0);
    for (let i = 0; i < 200_000; i++) {
      const x = random.normal();
      counts[all.filter((edge) => edge <= x).length]++;
    }
    expect(chiSquare(counts)).toBeLessThan(43.8);
  });

  test('has both tails: beyond 3.719 lies one in ten thousand on each side', () => {
    const values = new Random(8).fillNormal(new Float64Array(1_000_000));
    const above = values.filter((x) => x > 3.719016).length;
    const below = values.filter((x) => x < -3.719016).length;
    expect(Math.abs(above - 100)).toBeLessThan(35);
    expect(Math.abs(below - 100)).toBeLessThan(35);
  });

  test('has no correlation between neighbours', () => {
    const values = new Random(10).fillNormal(new Float64Array(200_000));
    let sum = 0;
    for (let i = 1; i < values.length; i++) sum += values[i] * values[i - 1];
    expect(Math.abs(sum / values.length)).toBeLessThan(0.008);
  });

  test('fillNormal draws what normal draws, one by one', () => {
    const [filling, drawing] = [new Random(12), new Random(12)];
    const values = filling.fillNormal(new Float64Array(20_000));
    expect([...values]).toEqual(Array.from(values, () => drawing.normal()));
    expect(filling.state).toEqual(drawing.state);
  });

  test('fillNormal with a mean and a deviation scales the same draws', () => {
    const standard = new Random(3).fillNormal(new Float64Array(100));
    expect(new Random(3).fillNormal(new Float64Array(100), 5, 2)).toEqual(standard.map((x) => 5 + 2 * x));
    expect(new Random(3).fillNormal(new Float32Array(100))).toEqual(new Float32Array(standard));
  });
});

describe('shuffle', () => {
  test('keeps the elements and works in place', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.integer()), (seed, array) => {
        const shuffled = [...array];
        expect(new Random(seed).shuffle(shuffled)).toBe(shuffled);
        expect([...shuffled].sort()).toEqual([...array].sort());
      }),
    );
  });

  test('orders a typed array as it orders an array', () => {
    const array = Array.from({ length: 50 }, (_, i) => i);
    expect([...new Random(2).shuffle(Int32Array.from(array))]).toEqual(new Random(2).shuffle(array));
  });

  test('reaches each of the 24 orders of four equally often (chi-square, 23 degrees, 1 in 1000)', () => {
    const random = new Random(1);
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = random.shuffle([0, 1, 2, 3]).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expect(chiSquare([...counts.values()])).toBeLessThan(49.7);
  });
});

describe('state', () => {
  const use = (random: Random) => [
    random.uint32(),
    random.uniform(),
    random.normal(),
    random.integer(1000),
    ...random.fillNormal(new Float32Array(3)),
    ...random.shuffle([1, 2, 3, 4, 5]),
  ];

  test('saved as JSON and restored midway, the draws go on as if nothing had happened', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 20 }), (seed, before) => {
        const random = new Random(seed);
        for (let i = 0; i < before; i++) random.normal();
        const restored = Random.fromState(JSON.parse(JSON.stringify(random.state)) as RandomState);
        expect(use(restored)).toEqual(use(random));
      }),
    );
  });

  test('a clone goes its own way', () => {
    const random = new Random(1);
    const clone = random.clone();
    const first = use(random);
    expect(use(clone)).toEqual(first);
  });

  test.each<[unknown, string]>([
    [null, 'state is null, but must be an object with the fields algorithm and words.'],
    [{ words: [1, 2, 3, 4] }, 'state.algorithm is undefined, but must be "xoshiro128++".'],
    [{ algorithm: 'mt19937', words: [1, 2, 3, 4] }, 'state.algorithm is "mt19937", but must be "xoshiro128++".'],
    ...[[0, 0, 0, 0], [1, 2, 3], [1, 2, 3, -4], [1, 2, 3, 2 ** 32], [1, 2, 3, 0.5], '1234'].map(
      (words): [unknown, string] => [
        { algorithm: 'xoshiro128++', words },
        `state.words is ${JSON.stringify(words)}, but must be four integers from 0 to 4294967295 that are not all zero.`,
      ],
    ),
  ])('refuses %j', (state, message) => {
    expect(() => Random.fromState(state as RandomState)).toThrow(new RangeError(message));
  });
});

test.each([-1, 0.5, NaN, Infinity, 2 ** 53])('a generator refuses the seed %d', (seed) => {
  expect(() => new Random(seed)).toThrow(
    new RangeError(`seed is ${seed}, but must be an integer from 0 to 9007199254740991.`),
  );
});

test('a generator refuses impossible ranges, deviations and counts', () => {
  const random = new Random(0);
  expect(() => random.fillUniform(new Float32Array(1), 1, 0)).toThrow(
    'high is 0, but must be at least low, which is 1.',
  );
  expect(() => random.fillUniform(new Float32Array(1), NaN)).toThrow('low is NaN, but must be a finite number.');
  expect(() => random.fillNormal(new Float32Array(1), 0, -1)).toThrow('std is -1, but must be at least 0.');
  expect(() => random.streams(-1)).toThrow('count is -1, but must be an integer of at least 0.');
});
