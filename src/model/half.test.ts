import { describe, expect, it } from 'vitest';
import { fromHalf, toHalf } from './half.js';

describe('toHalf', () => {
  // Bits from the examples of IEEE 754 binary16 and its rounding to the nearest, ties to even.
  it.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [0.1, 0x2e66],
    [1 / 3, 0x3555],
    [65504, 0x7bff],
    [65519, 0x7bff],
    [65520, 0x7c00],
    [1e30, 0x7c00],
    [-Infinity, 0xfc00],
    [2049, 0x6800],
    [2051, 0x6802],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [1.5 * 2 ** -24, 0x0002],
    [2 ** -14 - 2 ** -26, 0x0400],
    [1e-30, 0x0000],
  ])('gives %d the right bits', (value, bits) => {
    expect(toHalf(Float32Array.of(value))[0].toString(16)).toBe(bits.toString(16));
  });

  it('keeps every number that has half precision, and what is none', () => {
    const all = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits);
    const numbers = all.filter((bits) => (bits & 0x7c00) !== 0x7c00 || (bits & 0x3ff) === 0);
    expect(toHalf(fromHalf(numbers))).toEqual(numbers);
    expect(fromHalf(toHalf(Float32Array.of(NaN)))[0]).toBeNaN();
  });

  it('rounds to the nearest number that there is', () => {
    const sorted = fromHalf(Uint16Array.from({ length: 0x7c00 }, (_, bits) => bits));
    for (let bits = 0; bits + 1 < sorted.length; bits += 7) {
      const [low, high] = [sorted[bits], sorted[bits + 1]];
      const [near, far] = [low + 0.4 * (high - low), low + 0.6 * (high - low)];
      expect([...fromHalf(toHalf(Float32Array.of(near, far)))]).toEqual([low, high]);
    }
  });
});
