/** Static shapes: every dimension is known while a step is traced. */
export type Shape = readonly number[];

/** float32 and int32 cross the boundary of a program; bool exists only between a comparison and its use. */
export type DType = 'float32' | 'int32' | 'bool';

/** Shape and element type of something a program takes, gives or keeps. */
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

/** Raised while tracing, so that a mistake is found before anything runs. */
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

/** The shape that shapes broadcast to, aligned at the last axis, or undefined where they do not fit. */
export function broadcastShapes(...shapes: Shape[]): Shape | undefined {
  const rank = Math.max(...shapes.map((s) => s.length));
  const out = new Array<number>(rank).fill(1);
  for (const shape of shapes) {
    for (let i = 0; i < shape.length; i++) {
      const at = rank - shape.length + i;
      if (out[at] === 1) out[at] = shape[i];
      else if (shape[i] !== 1 && shape[i] !== out[at]) return undefined;
    }
  }
  return out;
}

/** The shape with ones in front, so that it has the given rank. */
export function padRank(shape: Shape, rank: number): Shape {
  return [...new Array<number>(rank - shape.length).fill(1), ...shape];
}

/** An axis given from the front or, negative, from the back, as an index from the front. */
export function normaliseAxis(what: string, axis: number, shape: Shape): number {
  const at = axis < 0 ? axis + shape.length : axis;
  if (!Number.isInteger(axis) || at < 0 || at >= shape.length) {
    throw new ShapeError(`${what}: axis ${axis} is not an axis of ${format(shape)}`);
  }
  return at;
}
