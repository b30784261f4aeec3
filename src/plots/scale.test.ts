import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  drawable,
  extent,
  formatNumber,
  gradient,
  logTicks,
  ticks,
  ticksAcross,
  ticksApart,
  type Domain,
} from './scale.js';
import { textWidth } from './text-width.js';

const labels = (domain: Domain, count: number) => ticks(domain, count).map(({ label }) => label);

test('extent is undefined without values', () => {
  expect(extent([3, -1, 2])).toEqual([-1, 3]);
  expect(extent([])).toBeUndefined();
});

test('drawable makes room around equal values', () => {
  expect(drawable([1, 2])).toEqual([1, 2]);
  expect(drawable([0, 0])).toEqual([-1, 1]);
  expect(drawable([50, 50])).toEqual([45, 55]);
  expect(drawable([-50, -50])).toEqual([-55, -45]);
  expect(drawable([1, 1 + 1e-12])[0]).toBeCloseTo(0.9);
  expect(drawable([0, 5e-324])).toEqual([-1, 1]);
  expect(drawable(undefined)).toEqual([0, 1]);
});

describe('ticks', () => {
  test.each<[Domain, number, string[]]>([
    [[0, 1], 4, ['0', '0.2', '0.4', '0.6', '0.8', '1.0']],
    [[-25, 0], 5, ['−25', '−20', '−15', '−10', '−5', '0']],
    [[0, 9302], 5, ['0', '2,000', '4,000', '6,000', '8,000']],
    [[0, 1e6], 4, ['0', '0.2M', '0.4M', '0.6M', '0.8M', '1M']],
    [[0, 2e5], 4, ['0', '50k', '100k', '150k', '200k']],
    [[4.9e6, 5.1e6], 4, ['4.9M', '4.95M', '5M', '5.05M', '5.1M']],
    [[5e6, 5e6 + 100], 4, ['5,000,000', '5,000,020', '5,000,040', '5,000,060', '5,000,080', '5,000,100']],
    [[0, 2e-6], 4, ['0', '5e−7', '1e−6', '1.5e−6', '2e−6']],
    [[0, 3e15], 3, ['0', '1e15', '2e15', '3e15']],
  ])('of the domain %j are round and read easily', (domain, count, expected) => {
    expect(labels(domain, count)).toEqual(expected);
  });
});

test('ticks lie within any domain and are labelled differently', () => {
  const value = fc.double({ min: -1e300, max: 1e300, noNaN: true });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const domain = drawable([Math.min(a, b), Math.max(a, b)]);
      const found = ticks(domain, 5);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(12);
      expect(new Set(found.map(({ label }) => label)).size).toBe(found.length);
      for (const tick of found) {
        expect(tick.value).toBeGreaterThanOrEqual(domain[0]);
        expect(tick.value).toBeLessThanOrEqual(domain[1]);
      }
    }),
  );
});

test('ticksAcross gives long labels fewer ticks', () => {
  const domain = [5e6, 5e6 + 100] as const;
  const found = ticksAcross(domain, 200, 11);
  expect(found.length).toBe(2);
  expect(found.length * textWidth(found[0].label, 11)).toBeLessThan(200);
  expect(ticksAcross(domain, 600, 11).length).toBe(6);
});

test.each([
  [0, '0'],
  [9302.382, '9,302'],
  [-25, '−25'],
  [241.733, '241.7'],
  [0.042, '0.042'],
  [5.374e6, '5.374M'],
  [123456, '123.5k'],
  [-2e9, '−2G'],
  [2.5e-7, '2.5e−7'],
  [-1.23456e20, '−1.23e20'],
])('formatNumber writes %f as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('formatNumber shows differences of the given size', () => {
  expect(formatNumber(0.18571, 0.09)).toBe('0.19');
  expect(formatNumber(1234.567, 0.1)).toBe('1,234.6');
  expect(formatNumber(5_000_100, 10)).toBe('5.0001M');
  expect(formatNumber(5 + 1e-8, 1e-9)).toBe('5.00000001');
  expect(formatNumber(-0.001, 1)).toBe('0');
});

test('gradient runs through its colours and stays within them', () => {
  const colour = gradient(['#000000', '#ff0000', '#ffffff']);
  expect([-1, 0, 0.25, 0.5, 1, 2].map(colour)).toEqual(
    ['#000000', '#000000', '#800000', '#ff0000', '#ffffff', '#ffffff'].map((hex) => {
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
      return `rgb(${r}, ${g}, ${b})`;
    }),
  );
});

test('logTicks are powers of ten, not too many, and round values between them where there is only one', () => {
  const values = (domain: Domain) => logTicks(domain).map(({ value }) => value);
  expect(values([0.5, 2000])).toEqual([1, 10, 100, 1000]);
  expect(values([1e-9, 1e9]).length).toBeLessThanOrEqual(10);
  expect(values([120, 180]).length).toBeGreaterThan(1);
  expect(logTicks([0.5, 20_000]).map(({ label }) => label)).toEqual(['1', '10', '100', '1,000', '10,000']);
});

test('ticksApart leaves out what is nearer than a gap, and of two the one that is less round', () => {
  const all = [80, 90, 100, 200, 300, 500, 600].map((value) => ({ value, label: String(value) }));
  const values = (gap: number) => ticksApart(all, (value) => value, gap).map(({ value }) => value);
  expect(values(10)).toEqual([80, 90, 100, 200, 300, 500, 600]);
  expect(values(100)).toEqual([100, 200, 300, 500, 600]);
  expect(values(150)).toEqual([100, 300, 500]);
  expect(values(1000)).toEqual([100]);
});
