import { expect, test } from 'vitest';
import { Random } from './random.js';
import { normalFrom, tailFrom } from './ziggurat.js';

// Literals from a computation with 30 digits.

test('the tail has the mean and the decay of a normal one, not of the exponential that it is drawn from', () => {
  const random = new Random(1);
  const draws = Float64Array.from({ length: 200_000 }, () => tailFrom(random));
  expect(draws.reduce((sum, x) => sum + x, 0) / draws.length).toBeCloseTo(3.897039, 2);
  expect(draws.filter((x) => x > 4).length / draws.length).toBeCloseTo(0.245483, 2);
});

// The lowest wedge, where accepting everything would make half as many again.
test('a band just before the tail gets its share: 203 in a million', () => {
  const random = new Random(2);
  let count = 0;
  for (let i = 0; i < 1_000_000; i++) {
    const x = Math.abs(normalFrom(random));
    if (x > 3.5 && x < 3.65) count++;
  }
  expect(Math.abs(count - 203)).toBeLessThan(45);
});
