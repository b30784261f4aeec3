/**
 * Reads and writes safetensors files (github.com/huggingface/safetensors), in which the weights of models and of
 * checkpoints are stored.
 */

import { fromHalf, toHalf } from './half.js';
import { isListOf, isRecord } from './read-description.js';

/** A named array of a model file. */
export interface NamedTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Int32Array;
  /** Whether its numbers have half precision in the file. */
  readonly isHalf?: true;
}

/** U8 are planes of numbers of half precision: the high bytes of all of them, and then the low ones. */
type StoredType = 'F32' | 'F16' | 'I32' | 'U8';
const BYTES: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, I32: 4, U8: 1 };
const PLANES = 2;

const HEADER_START = 8;
/** The limit of the reference implementation. */
const LONGEST_HEADER = 100_000_000;
const ALIGNMENT = 8;

/**
 * The bytes of a safetensors file: the length of the header as a 64-bit integer, a header in JSON, and the numbers of all
 * tensors one after the other, everything little-endian.
 * @param metadata texts by name, for whoever reads the file
 */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, NamedTensor>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array {
  mustBeLittleEndian();
  const header: Record<string, unknown> = metadata === undefined ? {} : { __metadata__: metadata };
  const stored: (Float32Array | Int32Array | Uint16Array)[] = [];
  let end = 0;
  for (const [name, { shape, values, isHalf }] of tensors) {
    const start = end;
    const numbers = isHalf && values instanceof Float32Array ? toHalf(values) : values;
    stored.push(numbers);
    end += numbers.byteLength;
    header[name] = { dtype: typeOf(numbers), shape, data_offsets: [start, end] };
  }
  return joined(
    header,
    stored.map((numbers) => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)),
  );
}

/**
 * The same file with its numbers of half precision in planes, which are easier to compress: what is alike about numbers, their signs
 * and sizes, lies together.
 */
export function halvesInPlanes(bytes: Uint8Array): Uint8Array {
  const { header, data } = split(bytes);
  // A slice of a Buffer would be no copy.
  const planes = new Uint8Array(data);
  const entries = Object.entries(header).map(([name, entry]) => {
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
    if (dtype !== 'F16' || !isSizes(shape) || !isSizes(offsets)) return [name, entry];
    const [start, end] = offsets;
    const middle = (start + end) / 2;
    for (let i = 0; start + 2 * i < end; i++) {
      planes[start + i] = data[start + 2 * i + 1];
      planes[middle + i] = data[start + 2 * i];
    }
    return [name, { dtype: 'U8', shape: [PLANES, ...shape], data_offsets: offsets }];
  });
  return joined(Object.fromEntries(entries) as Record<string, unknown>, [planes]);
}

function joined(header: Readonly<Record<string, unknown>>, data: readonly Uint8Array[]): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const dataStart = Math.ceil((HEADER_START + json.length) / ALIGNMENT) * ALIGNMENT;
  const end = data.reduce((sum, { length }) => sum + length, dataStart);
  const bytes = new Uint8Array(end).fill(0x20, HEADER_START, dataStart);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(dataStart - HEADER_START), true);
  bytes.set(json, HEADER_START);
  let offset = dataStart;
  for (const part of data) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function typeOf(numbers: Float32Array | Int32Array | Uint16Array): StoredType {
  if (numbers instanceof Int32Array) return 'I32';
  return numbers instanceof Float32Array ? 'F32' : 'F16';
}

/**
 * The tensors in the bytes of a safetensors file, of the types that models here are made of. Throws a RangeError
 * that says what is wrong, to complete "model.safetensors ...".
 */
export function decodeSafetensors(bytes: Uint8Array): Map<string, NamedTensor> {
  mustBeLittleEndian();
  const { header, data } = split(bytes);
  const tensors = new Map<string, NamedTensor>();
  const ranges: [start: number, end: number][] = [];
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
    if (!isStoredType(dtype)) {
      throw new RangeError(`has "${name}" of type ${String(dtype)}, but F32, F16, I32 or U8 is expected`);
    }
    if (!isSizes(shape) || (dtype === 'U8' && shape[0] !== PLANES))
      throw new RangeError(`has "${name}" without a valid shape`);
    if (!isSizes(offsets) || offsets.length !== 2) throw new RangeError(`has "${name}" without valid offsets`);
    const [start, end] = offsets;
    const size = shape.reduce((product, extent) => product * extent, 1);
    const length = BYTES[dtype] * size;
    if (end - start !== length) {
      throw new RangeError(
        `has ${end - start} bytes for "${name}", but its shape [${shape.join(', ')}] takes ${length}`,
      );
    }
    if (end > data.length) {
      throw new RangeError(`is cut off: "${name}" ends at byte ${end} of the data, which has ${data.length}`);
    }
    ranges.push([start, end]);
    // A copy, because the bytes in the file need not lie where numbers may.
    const { buffer } = new Uint8Array(data.subarray(start, end));
    tensors.set(name, { shape: dtype === 'U8' ? shape.slice(1) : shape, ...numbersIn(dtype, buffer) });
  }
  ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let covered = 0;
  for (const [start, end] of ranges) {
    if (start !== covered) throw new RangeError(`has ${start < covered ? 'overlapping data' : 'a gap in its data'}`);
    covered = end;
  }
  if (covered !== data.length) throw new RangeError(`has ${data.length - covered} bytes after its last tensor`);
  return tensors;
}

function isStoredType(dtype: unknown): dtype is StoredType {
  return typeof dtype === 'string' && Object.hasOwn(BYTES, dtype);
}

function numbersIn(dtype: StoredType, buffer: ArrayBuffer): Omit<NamedTensor, 'shape'> {
  if (dtype === 'F16') return { values: fromHalf(new Uint16Array(buffer)), isHalf: true };
  if (dtype === 'U8') return { values: fromHalf(fromPlanes(new Uint8Array(buffer))), isHalf: true };
  return { values: dtype === 'F32' ? new Float32Array(buffer) : new Int32Array(buffer) };
}

function fromPlanes(planes: Uint8Array): Uint16Array {
  const halves = new Uint16Array(planes.length / PLANES);
  for (let i = 0; i < halves.length; i++) halves[i] = (planes[i] << 8) | planes[halves.length + i];
  return halves;
}

function split(bytes: Uint8Array): { header: Readonly<Record<string, unknown>>; data: Uint8Array } {
  if (bytes.length < HEADER_START) throw new RangeError(`is cut off: it has ${bytes.length} bytes`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > LONGEST_HEADER) throw new RangeError('is no safetensors file: its header would be too long');
  const start = HEADER_START + length;
  if (start > bytes.length) {
    throw new RangeError(`is cut off: its header ends at byte ${start}, but it has ${bytes.length}`);
  }
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(HEADER_START, start)));
  } catch {
    // Nor is it an object then.
  }
  if (!isRecord(header)) throw new RangeError('is no safetensors file: its header is no object in JSON');
  return { header, data: bytes.subarray(start) };
}

function isSizes(value: unknown): value is readonly number[] {
  return isListOf(value, (entry): entry is number => Number.isSafeInteger(entry) && Number(entry) >= 0);
}

/** The numbers are copied as the machine holds them. */
function mustBeLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw new Error('model files need a little-endian machine.');
}
