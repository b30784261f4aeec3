/** What the device `cpu` needs of onnxruntime, which is another package in a browser than in Node. */
import type { Shape, Values } from '../shape.js';

export interface OnnxRuntime {
  /** Its name and version, for people. */
  readonly name: string;
  /** A tensor around an array, which is not copied. */
  tensor(values: Values, shape: Shape): OnnxTensor;
  /** Makes a model ready to run. */
  open(model: Uint8Array, threads: number): Promise<OnnxSession>;
}

export interface OnnxTensor {
  readonly data: Values;
}

export interface OnnxSession {
  /** Computes those results that `into` names, into the arrays of its tensors. */
  run(inputs: OnnxTensors, into: OnnxTensors): Promise<unknown>;
  release(): Promise<void>;
}

export type OnnxTensors = Readonly<Record<string, OnnxTensor>>;
