/**
 * A minimal assembler for WebAssembly: enough to write one function that loops over float arrays. `kernel.ts` writes fused
 * state updates with it.
 */

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
type WasmModule = object;

/** The part of the standard global that is used here; TypeScript declares it only with the DOM. */
export const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (options: { initial: number }) => WasmMemory;
    Module: new (bytes: Uint8Array) => WasmModule;
    Instance: new (
      module: WasmModule,
      imports: { host: { memory: WasmMemory } },
    ) => { exports: Record<string, (...values: number[]) => void> };
  };
};

/** Opcodes with their fixed operands; those for vectors begin with the SIMD prefix. */
export const code = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  branch: [0x0c],
  branchIf: [0x0d],
  get: [0x20],
  set: [0x21],
  constI32: [0x41],
  constF32: [0x43],
  addI32: [0x6a],
  subI32: [0x6b],
  shiftLeftI32: [0x74],
  greaterEqualI32: [0x4e],
  loadF32: [0x2a, 2, 0],
  storeF32: [0x38, 2, 0],
  loadV128: [0xfd, 0x00, 4, 0],
  storeV128: [0xfd, 0x0b, 4, 0],
  splatF32: [0xfd, 0x13],
} as const;

export const type = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;
export type ValueType = keyof typeof type;

/** Elementwise operations on one number and on vectors of four. */
export const arithmetic = {
  neg: { f32: [0x8c], v128: simd(0xe1) },
  abs: { f32: [0x8b], v128: simd(0xe0) },
  sqrt: { f32: [0x91], v128: simd(0xe3) },
  add: { f32: [0x92], v128: simd(0xe4) },
  sub: { f32: [0x93], v128: simd(0xe5) },
  mul: { f32: [0x94], v128: simd(0xe6) },
  div: { f32: [0x95], v128: simd(0xe7) },
  minimum: { f32: [0x96], v128: simd(0xe8) },
  maximum: { f32: [0x97], v128: simd(0xe9) },
} as const;

function simd(opcode: number): number[] {
  return [0xfd, ...unsigned(opcode)];
}

export function unsigned(value: number): number[] {
  const out: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    out.push(value === 0 ? low : low | 0x80);
  } while (value !== 0);
  return out;
}

export function signed(value: number): number[] {
  const out: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    const done = (value === 0 && (low & 0x40) === 0) || (value === -1 && (low & 0x40) !== 0);
    out.push(done ? low : low | 0x80);
    if (done) return out;
  }
}

export function floatBytes(value: number): number[] {
  return [...new Uint8Array(Float32Array.of(value).buffer)];
}

/** A module that imports the memory `host.memory` and exports one function, `run`, that returns nothing. */
export function moduleBytes(
  parameters: readonly ValueType[],
  locals: readonly ValueType[],
  body: readonly number[],
): Uint8Array<ArrayBuffer> {
  const name = (text: string): number[] => vector(Array.from(text, (c) => [c.charCodeAt(0)]));
  const section = (id: number, content: readonly number[]): number[] => [id, ...unsigned(content.length), ...content];
  const functionBody = [...vector(locals.map((t) => [1, type[t]])), ...body, ...code.end];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, ...vector(parameters.map((t) => [type[t]])), 0]])),
    // A memory of at least one page without an upper bound.
    ...section(2, vector([[...name('host'), ...name('memory'), 0x02, 0x00, 1]])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...name('run'), 0x00, 0]])),
    ...section(10, vector([[...unsigned(functionBody.length), ...functionBody]])),
  ]);
}

function vector(entries: readonly (readonly number[])[]): number[] {
  // Not with flat(), which takes several times as long.
  return unsigned(entries.length).concat(...entries);
}
