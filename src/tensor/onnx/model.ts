/**
 * The part of the ONNX format that lowering needs, and its encoding as protocol buffers. Field numbers are those of
 * onnx.proto (IR version 8, opset 18).
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface OnnxModel {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** What a program that loads the file can ask it about. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface OnnxNode {
  readonly type: string;
  readonly domain?: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, number | string | readonly number[]>>;
}

export type OnnxType = 'float32' | 'int32' | 'int64' | 'bool';

export interface OnnxValue {
  readonly name: string;
  readonly type: OnnxType;
  /** Sizes, and names of those that are known only when the graph runs. */
  readonly shape: readonly (number | string)[];
}

export interface OnnxInitializer extends OnnxValue {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export function initializer(
  name: string,
  type: OnnxType,
  values: ArrayLike<number>,
  shape: readonly number[],
): OnnxInitializer {
  return { name, type, shape, bytes: bytesOf(type, values) };
}

function bytesOf(type: OnnxType, values: ArrayLike<number>): Uint8Array {
  const array = {
    float32: () => Float32Array.from(values),
    int32: () => Int32Array.from(values),
    int64: () => BigInt64Array.from(Array.from(values, BigInt)),
    bool: () => Uint8Array.from(values),
  }[type]();
  return new Uint8Array(array.buffer);
}

/** Element types as TensorProto.DataType numbers them. */
export const onnxType: Readonly<Record<OnnxType, number>> = { float32: 1, int32: 6, int64: 7, bool: 9 };

const IR_VERSION = 8;
const OPSET = 18;

/** The domain of onnxruntime's own operators, which every build of it has. */
export const MICROSOFT = 'com.microsoft';

export function encode(model: OnnxModel): Uint8Array {
  const w = new BinaryWriter();
  integer(w, 1, IR_VERSION);
  text(w, 2, 'psl-morl');
  message(w, 7, () => {
    for (const node of model.nodes) message(w, 1, () => encodeNode(w, node));
    text(w, 2, model.name);
    for (const init of model.initializers) message(w, 5, () => encodeTensor(w, init));
    for (const value of model.inputs) message(w, 11, () => encodeValue(w, value));
    for (const value of model.outputs) message(w, 12, () => encodeValue(w, value));
  });
  message(w, 8, () => integer(w, 2, OPSET));
  if (model.nodes.some((node) => node.domain === MICROSOFT)) {
    message(w, 8, () => {
      text(w, 1, MICROSOFT);
      integer(w, 2, 1);
    });
  }
  for (const [key, value] of Object.entries(model.metadata ?? {})) {
    message(w, 14, () => {
      text(w, 1, key);
      text(w, 2, value);
    });
  }
  return w.finish();
}

function encodeNode(w: BinaryWriter, node: OnnxNode): void {
  for (const input of node.inputs) text(w, 1, input);
  text(w, 2, node.output);
  text(w, 4, node.type);
  for (const [name, value] of Object.entries(node.attributes)) {
    message(w, 5, () => {
      text(w, 1, name);
      // The last field is AttributeProto.type: INT 2, STRING 3, INTS 7.
      if (typeof value === 'number') {
        integer(w, 3, value);
        integer(w, 20, 2);
      } else if (typeof value === 'string') {
        text(w, 4, value);
        integer(w, 20, 3);
      } else {
        for (const entry of value) integer(w, 8, entry);
        integer(w, 20, 7);
      }
    });
  }
  if (node.domain !== undefined) text(w, 7, node.domain);
}

function encodeTensor(w: BinaryWriter, init: OnnxInitializer): void {
  for (const d of init.shape) integer(w, 1, d);
  integer(w, 2, onnxType[init.type]);
  text(w, 8, init.name);
  w.tag(9, WireType.LengthDelimited).bytes(init.bytes);
}

function encodeValue(w: BinaryWriter, value: OnnxValue): void {
  text(w, 1, value.name);
  message(w, 2, () => {
    message(w, 1, () => {
      integer(w, 1, onnxType[value.type]);
      message(w, 2, () => {
        for (const d of value.shape) {
          message(w, 1, () => (typeof d === 'number' ? integer(w, 1, d) : text(w, 2, d)));
        }
      });
    });
  });
}

function message(w: BinaryWriter, field: number, fill: () => void): void {
  w.tag(field, WireType.LengthDelimited).fork();
  fill();
  w.join();
}

function integer(w: BinaryWriter, field: number, value: number): void {
  w.tag(field, WireType.Varint).int64(value);
}

function text(w: BinaryWriter, field: number, value: string): void {
  w.tag(field, WireType.LengthDelimited).string(value);
}
