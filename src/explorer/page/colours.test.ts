import { describe, expect, it } from 'vitest';
import { contrast, inkOf, objectiveColour, preferenceColour, seriesColour } from './colours.js';

describe('preferenceColour', () => {
  it('gives all weight on one of two objectives the colour of that objective', () => {
    expect(preferenceColour([1, 0])).toBe(objectiveColour(0, 2));
    expect(preferenceColour([0, 1])).toBe(objectiveColour(1, 2));
  });

  it('passes through the colours between two objectives in even steps', () => {
    expect([0, 0.25, 0.5, 0.75, 1].map((w) => preferenceColour([w, 1 - w]))).toEqual([
      '#f59a3a',
      '#ea6f74',
      '#c95fb0',
      '#8f6be8',
      '#3f8cff',
    ]);
  });

  it('keeps to the ends where rounding leads a little beyond them', () => {
    expect(preferenceColour([1 + 1e-12, -1e-12])).toBe('#3f8cff');
    expect(preferenceColour([-1e-12, 1 + 1e-12])).toBe('#f59a3a');
  });

  it('gives all weight on one of many objectives the colour of that objective', () => {
    for (const count of [3, 6]) {
      for (let k = 0; k < count; k++) {
        const preference = Array.from({ length: count }, (_, i) => (i === k ? 1 : 0));
        expect(preferenceColour(preference)).toBe(objectiveColour(k, count));
      }
    }
  });

  it('mixes the colours of many objectives by the squares of their weights, in linear light', () => {
    // Half of 0x56b4e9 and half of 0xe69f00: each channel is the 2.2th root of the mean of 2.2th powers.
    const mixed = (a: number, b: number) => Math.round((a ** 2.2 / 2 + b ** 2.2 / 2) ** (1 / 2.2));
    const channels = [mixed(0x56, 0xe6), mixed(0xb4, 0x9f), mixed(0xe9, 0x00)];
    const expected = `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    expect(preferenceColour([0.5, 0.5, 0])).toBe(expected);
  });
});

describe('inkOf', () => {
  it.each(['light', 'dark'] as const)('makes every colour of an objective readable on a %s ground', (theme) => {
    const grounds = { light: ['#ffffff', '#f3f5f8', '#eef1f5'], dark: ['#0b0e14', '#131822', '#1b2230'] };
    const colours = [2, 3, 6].flatMap((count) => Array.from({ length: count }, (_, k) => objectiveColour(k, count)));
    for (const colour of colours) {
      for (const ground of grounds[theme]) expect(contrast(inkOf(colour, theme), ground)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('leaves a colour that can be read as it is', () => {
    expect(inkOf('#f59a3a', 'dark')).toBe('#f59a3a');
  });

  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 10);
    // The textbook grey: 4.54 on white.
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });
});

describe('seriesColour', () => {
  it('begins again after the last colour', () => {
    const first = Array.from({ length: 6 }, (_, i) => seriesColour(i));
    expect(new Set(first).size).toBe(6);
    expect(seriesColour(6)).toBe(first[0]);
  });
});
