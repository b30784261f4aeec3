import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { divide, join, modulo, number, plus, split, textOf, times, variable } from './affine.js';
import type { Affine } from './affine.js';

/** The value of an index when its variables have these values. */
function evaluate({ terms, constant }: Affine, variables: Readonly<Record<string, number>>): number {
  return terms.reduce((sum, { atom, factor }) => {
    if (atom.part === undefined) return sum + factor * variables[atom.text];
    const { kind, of, by } = atom.part;
    const value = evaluate(of, variables);
    return sum + factor * (kind === '%' ? value % by : Math.floor(value / by));
  }, constant);
}

describe('index arithmetic', () => {
  const i = variable('i', 160000);

  it('an index that is split and joined again is the same expression', () => {
    expect(textOf(join(split(i, [2, 200, 400]), [2, 200, 400]))).toBe('i');
    expect(textOf(join(split(i, [400, 400]), [400, 400]))).toBe('i');
  });

  it('a reshape and its inverse cancel', () => {
    const [group, row, column] = [variable('g', 8), variable('r', 32), variable('c', 19)];
    const flat = join([group, row, column], [8, 32, 19]);
    expect(split(flat, [256, 19]).map(textOf)).toEqual(['(g * 32u + r)', 'c']);
    expect(split(join(split(flat, [256, 19]), [256, 19]), [8, 32, 19]).map(textOf)).toEqual(['g', 'r', 'c']);
  });

  it('terms that are always zero disappear', () => {
    expect(textOf(variable('x', 1))).toBe('0u');
    expect(textOf(modulo(times(i, 400), 400))).toBe('0u');
    expect(textOf(divide(plus(times(i, 400), number(399)), 400))).toBe('i');
  });

  it('a division stays where its remainder is not known', () => {
    expect(textOf(divide(i, 400))).toBe('(i / 400u)');
    expect(textOf(modulo(plus(i, number(1)), 400))).toBe('((i + 1u) % 400u)');
  });

  it('simplified quotients and remainders have the values of plain arithmetic', () => {
    const small = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(small, small, small, fc.nat(500), fc.nat(11), (a, b, c, atI, atJ) => {
        const j = variable('j', 12);
        const x = plus(plus(times(variable('i', 501), a), j), number(b));
        expect(evaluate(modulo(x, c), { i: atI, j: atJ })).toBe((atI * a + atJ + b) % c);
        expect(evaluate(divide(x, c), { i: atI, j: atJ })).toBe(Math.floor((atI * a + atJ + b) / c));
      }),
    );
  });
});
