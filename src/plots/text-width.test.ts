import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth, truncate, wrap } from './text-width.js';

test('textWidth grows with the font and with wide letters', () => {
  expect(textWidth('', 12)).toBe(0);
  expect(textWidth('ill', 12)).toBeLessThan(textWidth('mmm', 12) / 3);
  expect(textWidth('abc', 24)).toBeCloseTo(2 * textWidth('abc', 12));
});

test('wrap breaks between words', () => {
  expect(wrap('one two three', 10, 45)).toEqual(['one two', 'three']);
  expect(wrap('  one\n two ', 10, 1000)).toEqual(['one two']);
  expect(wrap('', 10, 100)).toEqual([]);
});

test('wrap breaks a word that fits no line', () => {
  expect(wrap('a bbbbbbbb c', 10, 26)).toEqual(['a', 'bbbb', 'bbbb', 'c']);
});

test('wrap loses nothing and fits', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 20, max: 300 }), (text, width) => {
      const lines = wrap(text, 12, width);
      expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(width);
    }),
  );
});

test('truncate cuts only what does not fit', () => {
  expect(truncate('objective', 10, 100)).toBe('objective');
  expect(truncate('a long objective', 10, 46)).toBe('a long…');
});
