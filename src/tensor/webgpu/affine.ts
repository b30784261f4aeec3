import type { Shape } from '../shape.js';

/**
 * A whole number that a shader works out, never negative: a constant plus multiples of atoms. Kept in this form so that
 * the detours of reshapes and slices cancel before they become code: (i / 400) * 400 + i % 400 is i.
 */
export interface Affine {
  readonly terms: readonly Term[];
  readonly constant: number;
}

interface Term {
  readonly atom: Atom;
  readonly factor: number;
}

/** A variable, or a quotient or remainder that could not be simplified. */
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
    const at = terms.findIndex(({ atom }) => atom.text === term.atom.text);
    if (at < 0) terms.push(term);
    else terms[at] = { atom: term.atom, factor: terms[at].factor + term.factor };
  }
  return rejoined({ terms, constant: a.constant + b.constant });
}

/** f c (x / c) + f (x % c) is f x. */
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

/** The part that is a multiple of a number, and the rest. Where a constant was taken away the two cannot be told apart. */
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

/** The same number as WGSL of type u32; in brackets where it is a sum. */
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

/** The index along each axis of the element at a place in row-major order. */
export function split(linear: Affine, shape: Shape): Affine[] {
  const index = new Array<Affine>(shape.length);
  let rest = linear;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = axis === 0 ? rest : modulo(rest, shape[axis]);
    rest = divide(rest, shape[axis]);
  }
  return index;
}

/** The place in row-major order of the element at an index. */
export function join(index: readonly Affine[], shape: Shape): Affine {
  let linear = number(0);
  for (let axis = 0; axis < shape.length; axis++) {
    linear = plus(times(linear, shape[axis]), shape[axis] === 1 ? number(0) : index[axis]);
  }
  return linear;
}
