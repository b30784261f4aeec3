import { describe, expect, it } from 'vitest';
import { axisNames } from './axis-names.js';

const across = (axes: number, width: number) =>
  Array.from({ length: axes }, (_, k) => 28 + ((width - 56) * k) / (axes - 1));
const of = (names: readonly string[], width: number) => axisNames(names, across(names.length, width), width);

describe('names of axes', () => {
  it('stand in one line above their axes where there is room', () => {
    const names = of(['Fish', 'Wood', 'Time'], 400);
    expect(names.map(({ text, x, line }) => [text, x, line])).toEqual([
      ['Fish', 28, 0],
      ['Wood', 200, 0],
      ['Time', 372, 0],
    ]);
    expect(names.every(({ anchor }) => anchor === 'middle')).toBe(true);
  });

  it('take turns in lines, and begin and end with the plot, so that none runs into another or out of it', () => {
    const rooms = [
      'Living room comfort (K h)',
      'Kitchen comfort (K h)',
      'Bedroom comfort (K h)',
      'Study comfort (K h)',
    ];
    for (const width of [280, 360, 440, 900]) {
      const names = of([...rooms, 'Energy saved (kWh)'], width);
      const spans = names.map(({ text, x, anchor, line }) => {
        const length = 6.7 * text.length;
        const from = { start: x, middle: x - length / 2, end: x - length }[anchor];
        return { from, to: from + length, line };
      });
      for (const [i, a] of spans.entries()) {
        expect(a.from).toBeGreaterThanOrEqual(0);
        expect(a.to).toBeLessThanOrEqual(width);
        for (const b of spans.slice(i + 1)) if (a.line === b.line) expect(a.to).toBeLessThanOrEqual(b.from);
      }
    }
  });

  it('are shortened where three lines are too few', () => {
    const names = of(
      Array.from({ length: 6 }, () => 'Living room comfort (K h)'),
      280,
    );
    expect(names.map(({ line }) => line)).toEqual([0, 1, 2, 0, 1, 2]);
    expect(names.map(({ text }) => text)).toEqual([
      'Living room…',
      'Living room comfo…',
      'Living room comfo…',
      'Living room comfo…',
      'Living room comfo…',
      'Living room…',
    ]);
  });
});
