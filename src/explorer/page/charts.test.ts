import { describe, expect, it } from 'vitest';
import { domainOf, logDomainOf, MARGIN, nearestPoint, pathOf, scalesOf } from './charts.js';

describe('domainOf', () => {
  it('holds all values with a twentieth of room on either side', () => {
    const [low, high] = domainOf([2, 12, 7]);
    expect(low).toBeCloseTo(1.5, 12);
    expect(high).toBeCloseTo(12.5, 12);
  });

  it('has some width also where all values are the same, or there is none', () => {
    for (const values of [[3, 3], []]) {
      const [low, high] = domainOf(values);
      expect(high).toBeGreaterThan(low);
    }
  });
});

describe('scalesOf', () => {
  it('leads from values to pixels within the margins, upwards for y', () => {
    const { x, y } = scalesOf([0, 10], [0, 1], 400, 300);
    expect([x(0), x(10)]).toEqual([MARGIN.left, 400 - MARGIN.right]);
    expect([y(0), y(1)]).toEqual([300 - MARGIN.bottom, MARGIN.top]);
  });
});

describe('logDomainOf', () => {
  it('holds all positive values, with room on either side that is a ratio', () => {
    const [low, high] = logDomainOf([-3, 0, 1, 100]);
    expect(low).toBeCloseTo(10 ** -0.1, 12);
    expect(high).toBeCloseTo(10 ** 2.1, 9);
  });

  it('is the domain of a scale on which equal ratios are equally far apart', () => {
    const { y } = scalesOf([0, 1], [1, 100], 400, 300, { isLogY: true });
    expect(y(1) - y(10)).toBeCloseTo(y(10) - y(100), 9);
  });
});

describe('pathOf', () => {
  it('draws a line through all points', () => {
    expect(
      pathOf([
        [0, 1.25],
        [2, 3],
        [4, 5],
      ]),
    ).toBe('M0.0 1.3L2.0 3.0L4.0 5.0');
    expect(pathOf([])).toBe('');
  });
});

describe('nearestPoint', () => {
  const points = [
    [0, 0],
    [30, 0],
    [33, 4],
  ] as const;

  it('finds the nearest of several within reach', () => {
    expect(nearestPoint(points, 31, 1)).toBe(1);
    expect(nearestPoint(points, 34, 4)).toBe(2);
  });

  it('finds nothing farther away than the reach', () => {
    expect(nearestPoint(points, 0, 100)).toBeUndefined();
    expect(nearestPoint(points, 0, 20, 16)).toBeUndefined();
    expect(nearestPoint(points, 0, 20, 21)).toBe(0);
  });
});
