/**
 * Shapes, element types and broadcasting. Every dimension is known while a step is traced, so that mistakes are found before
 * anything runs and devices generate code for fixed sizes.
 */

export type Shape = readonly number[];

/** Inputs, outputs and state are float32 or int32; bool exists only inside a program, as the result of comparisons. */
export type DType = 'float32' | 'int32' | 'bool';

/** Shape and element type of an input, output or state entry. */
export interface Spec {
  readonly shape: Shape;
  readonly dtype: 'float32' | 'int32';
}

export type Values = Float32Array | Int32Array;

export function float32(...shape: number[]): Spec {
  return spec(shape, 'float32');
}

export function int32(...shape: number[]): Spec {
  return spec(shape, 'int32');
}

function spec(shape: Shape, dtype: Spec['dtype']): Spec {
  checkShape(dtype, shape);
  return { shape, dtype };
}

/** Thrown while a step is traced. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

export function checkShape(what: string, shape: Shape): void {
  if (!shape.every((d) => Number.isInteger(d) && d > 0)) {
    throw new ShapeError(`${what}: dimensions must be positive whole numbers, got ${format(shape)}`);
  }
}

export function format(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

/** How many numbers a tensor of a shape has. */
export function sizeOf(shape: Shape): number {
  let size = 1;
  for (const d of shape) size *= d;
  return size;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((d, i) => d === b[i]);
}

/** Row-major strides. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/** The shape that shapes broadcast to, aligned at the last axis, or undefined if they do not fit. */
export function broadcastShapes(...shapes: Shape[]): Shape | undefined {
  const rank = Math.max(...shapes.map((s) => s.length));
  const out = new Array<number>(rank).fill(1);
  for (const shape of shapes) {
    for (let i = 0; i < shape.length; i++) {
      const axis = rank - shape.length + i;
      if (out[axis] === 1) out[axis] = shape[i];
      else if (shape[i] !== 1 && shape[i] !== out[axis]) return undefined;
    }
  }
  return out;
}

/** The shape with leading ones, so that it has the given rank. */
export function padRank(shape: Shape, rank: number): Shape {
  return [...new Array<number>(rank - shape.length).fill(1), ...shape];
}

/** An axis given from the front or, negative, from the back, as an index from the front. */
export function normaliseAxis(what: string, axis: number, shape: Shape): number {
  const fromFront = axis < 0 ? axis + shape.length : axis;
  if (!Number.isInteger(axis) || fromFront < 0 || fromFront >= shape.length) {
    throw new ShapeError(`${what}: axis ${axis} is not an axis of ${format(shape)}`);
  }
  return fromFront;
}
