/**
 * Reads and writes safetensors files (github.com/huggingface/safetensors), in which the weights of models and of
 * checkpoints are stored.
 */

/** A named array of a model file. */
export interface NamedTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Int32Array;
}

const HEADER_START = 8;
/** The limit of the reference implementation. */
const LONGEST_HEADER = 100_000_000;
const ALIGNMENT = 8;

/**
 * The bytes of a safetensors file: the length of the header as a 64-bit integer, a header in JSON, and the numbers of all
 * tensors one after the other, everything little-endian.
 */
export function encodeSafetensors(tensors: ReadonlyMap<string, NamedTensor>): Uint8Array {
  mustBeLittleEndian();
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, { shape, values }] of tensors) {
    const start = end;
    end += values.byteLength;
    header[name] = {
      dtype: values instanceof Int32Array ? 'I32' : 'F32',
      shape,
      data_offsets: [start, end],
    };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const dataStart = Math.ceil((HEADER_START + json.length) / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(dataStart + end).fill(0x20, HEADER_START, dataStart);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(dataStart - HEADER_START), true);
  bytes.set(json, HEADER_START);
  let offset = dataStart;
  for (const { values } of tensors.values()) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), offset);
    offset += values.byteLength;
  }
  return bytes;
}

/**
 * The tensors in the bytes of a safetensors file, of the two types that models here are made of. Throws a RangeError
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
    if (dtype !== 'F32' && dtype !== 'I32') {
      throw new RangeError(`has "${name}" of type ${String(dtype)}, but F32 or I32 is expected`);
    }
    if (!isSizes(shape)) throw new RangeError(`has "${name}" without a valid shape`);
    if (!isSizes(offsets) || offsets.length !== 2) throw new RangeError(`has "${name}" without valid offsets`);
    const [start, end] = offsets;
    const size = shape.reduce((product, extent) => product * extent, 1);
    if (end - start !== 4 * size) {
      throw new RangeError(
        `has ${end - start} bytes for "${name}", but its shape [${shape.join(', ')}] takes ${4 * size}`,
      );
    }
    if (end > data.length) {
      throw new RangeError(`is cut off: "${name}" ends at byte ${end} of the data, which has ${data.length}`);
    }
    ranges.push([start, end]);
    // A copy, because the bytes in the file need not lie where numbers may.
    const { buffer } = new Uint8Array(data.subarray(start, end));
    tensors.set(name, { shape, values: dtype === 'F32' ? new Float32Array(buffer) : new Int32Array(buffer) });
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
    throw new RangeError('is no safetensors file: its header is not JSON');
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new RangeError('is no safetensors file: its header is not an object');
  }
  return { header: header as Record<string, unknown>, data: bytes.subarray(start) };
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((entry) => Number.isSafeInteger(entry) && (entry as number) >= 0);
}

/** The numbers are copied as the machine holds them. */
function mustBeLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw new Error('model files need a little-endian machine.');
}
