/**
 * Writes an ONNX graph operator by operator, for graphs that have a size which is known only when they run. A traced graph
 * has none: all its shapes are numbers.
 */
import { encode, initializer, onnxType } from './model.js';
import type { OnnxInitializer, OnnxNode, OnnxType, OnnxValue } from './model.js';

export class GraphBuilder {
  private readonly nodes: OnnxNode[] = [];
  private readonly initializers: OnnxInitializer[] = [];
  private readonly inputs: OnnxValue[] = [];
  private readonly outputs: OnnxValue[] = [];

  /** @returns its name, as all that is added here does */
  input(name: string, shape: OnnxValue['shape']): string {
    this.inputs.push({ name, type: 'float32', shape });
    return name;
  }

  constant(values: ArrayLike<number>, shape: readonly number[], name = `c${this.initializers.length}`): string {
    this.initializers.push(initializer(name, 'float32', values, shape));
    return name;
  }

  /** What operators take as axes and shapes. */
  integers(...values: readonly number[]): string {
    const name = `i${values.join('_')}`;
    if (!this.initializers.some((known) => known.name === name)) {
      this.initializers.push(initializer(name, 'int64', values, [values.length]));
    }
    return name;
  }

  /** @param type of the standard's operators */
  apply(type: string, inputs: readonly string[], attributes: OnnxNode['attributes'] = {}): string {
    const output = `t${this.nodes.length}`;
    this.nodes.push({ type, inputs, output, attributes });
    return output;
  }

  cast(value: string, type: OnnxType): string {
    return this.apply('Cast', [value], { to: onnxType[type] });
  }

  output(name: string, value: string, type: OnnxType, shape: OnnxValue['shape']): void {
    this.nodes.push({ type: 'Identity', inputs: [value], output: name, attributes: {} });
    this.outputs.push({ name, type, shape });
  }

  /** The bytes of an .onnx file. */
  encode(name: string, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
    const { nodes, inputs, outputs } = this;
    // onnxruntime warns of what nothing reads.
    const read = new Set(nodes.flatMap((node) => node.inputs));
    const initializers = this.initializers.filter((initial) => read.has(initial.name));
    return encode({ name, nodes, initializers, inputs, outputs, metadata });
  }
}
