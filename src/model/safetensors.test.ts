import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSafetensors, encodeSafetensors, halvesInPlanes, type NamedTensor } from './safetensors.js';

const tensors = new Map<string, NamedTensor>([
  ['weight', { shape: [2, 3], values: Float32Array.of(1, -2, 0.5, NaN, Infinity, -0) }],
  ['count', { shape: [], values: Int32Array.of(-7) }],
  ['nothing', { shape: [0, 4], values: new Float32Array(0) }],
]);

/** A file with this header and so many bytes of data. */
function file(header: unknown, data: number): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}
const entry = (shape: unknown, offsets: unknown, dtype: unknown = 'F32') => ({ dtype, shape, data_offsets: offsets });

describe('encodeSafetensors', () => {
  it('writes the length of the header, the header and the numbers, little-endian', () => {
    const bytes = encodeSafetensors(new Map([['a', { shape: [2], values: Float32Array.of(1, -2) }]]));
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect((8 + length) % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))).toEqual({
      a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
    });
    expect([...bytes.subarray(8 + length)]).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
  });
});

describe('halvesInPlanes', () => {
  const values = Float32Array.of(1, -2, 1638 / 2 ** 14);
  const stored = new Map<string, NamedTensor>([
    ['a', { shape: [3, 1], values, isHalf: true }],
    ['b', { shape: [2], values: Float32Array.of(7, 8) }],
  ]);
  const bytes = encodeSafetensors(stored, { about: 'a test' });

  it('stores the high bytes of a tensor before its low ones, and everything else as it was', () => {
    const planes = halvesInPlanes(bytes);
    const length = Number(new DataView(planes.buffer).getBigUint64(0, true));
    expect(JSON.parse(new TextDecoder().decode(planes.subarray(8, 8 + length)))).toEqual({
      __metadata__: { about: 'a test' },
      a: { dtype: 'U8', shape: [2, 3, 1], data_offsets: [0, 6] },
      b: { dtype: 'F32', shape: [2], data_offsets: [6, 14] },
    });
    expect([...planes.subarray(8 + length, 14 + length)]).toEqual([0x3c, 0xc0, 0x2e, 0x00, 0x00, 0x66]);
  });

  it('gives a file with the same tensors, and leaves the bytes that it was given', () => {
    const given = Buffer.from(bytes);
    expect(decodeSafetensors(halvesInPlanes(given))).toEqual(stored);
    expect(given.equals(bytes)).toBe(true);
    expect(halvesInPlanes(halvesInPlanes(given))).toEqual(halvesInPlanes(given));
  });
});

describe('decodeSafetensors', () => {
  it('reads numbers of half precision as the float32 that they are, and texts about the file not at all', () => {
    const values = Float32Array.of(1, -2, 0.1);
    const bytes = encodeSafetensors(new Map([['a', { shape: [3], values, isHalf: true }]]), { about: 'a test' });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))).toEqual({
      __metadata__: { about: 'a test' },
      a: { dtype: 'F16', shape: [3], data_offsets: [0, 6] },
    });
    expect([...bytes.subarray(8 + length)]).toEqual([0x00, 0x3c, 0x00, 0xc0, 0x66, 0x2e]);
    // 0.1 is stored as 1638 / 2^14.
    const read = { shape: [3], values: Float32Array.of(1, -2, 1638 / 2 ** 14), isHalf: true };
    expect(decodeSafetensors(bytes)).toEqual(new Map([['a', read]]));
  });

  it('reads what was written, bit for bit, wherever the bytes lie', () => {
    const bytes = encodeSafetensors(tensors);
    expect(decodeSafetensors(bytes)).toEqual(tensors);
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect(decodeSafetensors(moved.subarray(3))).toEqual(tensors);
    expect(decodeSafetensors(Buffer.from(bytes))).toEqual(tensors);
  });

  it('skips the metadata of other programs', () => {
    expect(decodeSafetensors(file({ __metadata__: { format: 'pt' } }, 0))).toEqual(new Map());
  });

  it('refuses a file that ends early, wherever it is cut', () => {
    const bytes = encodeSafetensors(tensors);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeSafetensors(bytes.subarray(0, length))).toThrow(/^is cut off/);
    }
  });

  it('refuses garbage with a RangeError and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        // An empty header of no tensors is a file too.
        if (/^\s*\{\s*\}\s*$/.test(new TextDecoder().decode(bytes.subarray(8)))) return;
        expect(() => decodeSafetensors(bytes)).toThrow(RangeError);
      }),
    );
  });

  it.each([
    ['no JSON', file('{"a":', 0), 'is no safetensors file: its header is no object in JSON'],
    ['a list', file([], 0), 'is no safetensors file: its header is no object in JSON'],
    ['a huge header', file('{}', 0).fill(0xff, 0, 8), 'is no safetensors file: its header would be too long'],
    [
      'another type',
      file({ a: entry([1], [0, 8], 'F64') }, 8),
      'has "a" of type F64, but F32, F16, I32 or U8 is expected',
    ],
    ['bytes that are no planes', file({ a: entry([3], [0, 3], 'U8') }, 3), 'has "a" without a valid shape'],
    ['no entry', file({ a: null }, 0), 'has "a" of type undefined, but F32, F16, I32 or U8 is expected'],
    ['a bad shape', file({ a: entry([-1], [0, 4]) }, 4), 'has "a" without a valid shape'],
    ['bad offsets', file({ a: entry([1], [0]) }, 4), 'has "a" without valid offsets'],
    ['a wrong size', file({ a: entry([2], [0, 4]) }, 4), 'has 4 bytes for "a", but its shape [2] takes 8'],
    ['overlaps', file({ a: entry([1], [0, 4]), b: entry([1], [0, 4]) }, 4), 'has overlapping data'],
    ['gaps', file({ a: entry([1], [4, 8]) }, 8), 'has a gap in its data'],
    ['too much data', file({ a: entry([1], [0, 4]) }, 6), 'has 2 bytes after its last tensor'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => decodeSafetensors(bytes)).toThrow(new RangeError(message));
  });
});
