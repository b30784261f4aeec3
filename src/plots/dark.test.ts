import { expect, test } from 'vitest';
import { darkRules } from './dark.js';
import { PALETTE } from './theme.js';

test('dark rules are for what a selector finds, for areas and lines alike', () => {
  const rules = darkRules('figure svg');
  expect(rules).toContain('figure svg [fill="#ffffff"]{fill:#16191d}');
  expect(rules).toContain('figure svg [stroke="#ffffff"]{stroke:#16191d}');
  expect(
    rules
      .split('}')
      .filter(Boolean)
      .every((rule) => rule.startsWith('figure svg [')),
  ).toBe(true);
});

test('no two colours of the palette become the same on a dark ground', () => {
  const rules = darkRules('svg');
  const dark = PALETTE.map((colour) => new RegExp(`fill="${colour}"\\]\\{fill:(#\\w+)`).exec(rules)?.[1] ?? colour);
  expect(new Set(dark.map((colour) => colour.toLowerCase())).size).toBe(PALETTE.length);
});
