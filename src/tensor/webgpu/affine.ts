/**
 * Symbolic arithmetic on indices. Reshapes, slices and other views only change the index at which a tensor is read; the
 * code generator composes them here, and simplification removes their cost before WGSL is written.
 */
import type { Shape } from '../shape.js';

/**
 * A non-negative integer that a shader computes, as an affine expression: a constant plus multiples of atoms. In this form
 * the divisions of a reshape cancel with the multiplications of the next: (i / 400) * 400 + i % 400 is i.
 */
export interface Affine {
  readonly terms: readonly Term[];
  readonly constant: number;
}

interface Term {
  readonly atom: Atom;
  readonly factor: number;
}

/** A variable, or a quotient or remainder that cannot be simplified. */
interface Atom {
  readonly text: string;
  /** The largest value it takes. */
  readonly max: number;
  readonly part?: { readonly kind: '/' | '%'; readonly of: Affine; readonly by: number };
}

export function number(constant: number): Affine {
  return { terms: [], constant };
}

/** A variable or expression of the shader with values from 0 to size - 1. */
export function variable(text: string, size: number): Affine {
  return size === 1 ? number(0) : { terms: [{ atom: { text, max: size - 1 }, factor: 1 }], constant: 0 };
}

export function maximum({ terms, constant }: Affine): number {
  return terms.reduce((sum, { atom, factor }) => sum + factor * atom.max, constant);
}

export function plus(a: Affine, b: Affine): Affine {
  const terms = [...a.terms];
  for (const term of b.terms) {
    const same = terms.findIndex(({ atom }) => atom.text === term.atom.text);
    if (same < 0) terms.push(term);
    else terms[same] = { atom: term.atom, factor: terms[same].factor + term.factor };
  }
  return rejoined({ terms, constant: a.constant + b.constant });
}

/** Replaces f c (x / c) + f (x % c) by f x. */
function rejoined(x: Affine): Affine {
  for (const { atom, factor } of x.terms) {
    if (atom.part?.kind !== '%') continue;
    const { of, by } = atom.part;
    const quotient = textOf(divide(of, by));
    const partner = x.terms.find((term) => term.atom.text === quotient && term.factor === factor * by);
    if (partner === undefined) continue;
    const rest = x.terms.filter((term) => term.atom !== atom && term !== partner);
    return plus({ terms: rest, constant: x.constant }, times(of, factor));
  }
  return x;
}

export function times({ terms, constant }: Affine, by: number): Affine {
  return { terms: terms.map(({ atom, factor }) => ({ atom, factor: factor * by })), constant: constant * by };
}

/** Splits an expression into a multiple of a number and a rest; with a negative constant, all of it is the rest. */
function separate(x: Affine, by: number): { multiple: Affine; rest: Affine } {
  if (x.constant < 0) return { multiple: number(0), rest: x };
  const isMultiple = ({ factor }: Term): boolean => factor % by === 0;
  const whole = Math.floor(x.constant / by) * by;
  return {
    multiple: { terms: x.terms.filter(isMultiple), constant: whole },
    rest: { terms: x.terms.filter((term) => !isMultiple(term)), constant: x.constant - whole },
  };
}

export function divide(x: Affine, by: number): Affine {
  if (by === 1) return x;
  const { multiple, rest } = separate(x, by);
  const whole = {
    terms: multiple.terms.map(({ atom, factor }) => ({ atom, factor: factor / by })),
    constant: multiple.constant / by,
  };
  return maximum(rest) < by ? whole : plus(whole, opaque('/', rest, by));
}

export function modulo(x: Affine, by: number): Affine {
  const { rest } = separate(x, by);
  return maximum(rest) < by ? rest : opaque('%', rest, by);
}

function opaque(kind: '/' | '%', of: Affine, by: number): Affine {
  const max = kind === '%' ? by - 1 : Math.floor(maximum(of) / by);
  return {
    terms: [{ atom: { text: `(${textOf(of)} ${kind} ${by}u)`, max, part: { kind, of, by } }, factor: 1 }],
    constant: 0,
  };
}

/** The expression as WGSL of type u32, in brackets if it is a sum. */
export function textOf({ terms, constant }: Affine): string {
  const parts = terms
    .filter(({ factor }) => factor !== 0)
    .map(({ atom, factor }) => (factor === 1 ? atom.text : `${atom.text} * ${factor}u`))
    .sort();
  const sum = parts.join(' + ');
  if (parts.length === 0) return `${constant}u`;
  if (constant === 0) return parts.length === 1 && !sum.includes('*') ? sum : `(${sum})`;
  return `(${sum} ${constant < 0 ? '-' : '+'} ${Math.abs(constant)}u)`;
}

/** The index along each axis of the entry at a position in row-major order. */
export function split(position: Affine, shape: Shape): Affine[] {
  const index = new Array<Affine>(shape.length);
  let rest = position;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = axis === 0 ? rest : modulo(rest, shape[axis]);
    rest = divide(rest, shape[axis]);
  }
  return index;
}

/** The position in row-major order of the entry at an index. */
export function join(index: readonly Affine[], shape: Shape): Affine {
  let position = number(0);
  for (let axis = 0; axis < shape.length; axis++) {
    position = plus(times(position, shape[axis]), shape[axis] === 1 ? number(0) : index[axis]);
  }
  return position;
}
