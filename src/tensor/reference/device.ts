/**
 * The device `reference`: runs graphs with the float64 interpreter of `evaluate.ts`. It is slow and exact, and other devices
 * are tested against it.
 */
import type { Device, Executable, Memory, Storage } from '../device.js';
import type { Graph } from '../graph.js';
import { specOf } from '../sets.js';
import { sizeOf } from '../shape.js';
import type { Spec, Values } from '../shape.js';
import { evaluate } from './evaluate.js';

/** A state entry in float64, so that rounding errors do not accumulate over steps. */
class ReferenceStorage implements Storage {
  values: Float64Array;

  constructor(private readonly spec: Spec) {
    this.values = new Float64Array(sizeOf(spec.shape));
  }

  read(): Promise<Values> {
    return Promise.resolve(rounded(this.spec, this.values));
  }

  /** The float64 values, each as two 32-bit halves. */
  save(): Promise<Values> {
    return Promise.resolve(new Int32Array(this.values.slice().buffer));
  }

  restore(saved: Values): void {
    if (!(saved instanceof Int32Array) || saved.length !== 2 * this.values.length) {
      throw new RangeError(`${this.values.length} float64 take ${2 * this.values.length} halves; got ${saved.length}`);
    }
    this.values = new Float64Array(saved.slice().buffer);
  }

  write(values: Values, offset: number): void {
    // On a copy, because the array may be an input or constant of the graph that was evaluated last.
    this.values = this.values.slice();
    this.values.set(values, offset);
  }
}

function rounded(spec: Spec, values: Float64Array): Values {
  return spec.dtype === 'int32' ? Int32Array.from(values) : Float32Array.from(values);
}

export class ReferenceDevice implements Device {
  readonly name = 'reference';
  readonly description = 'plain float64 interpreter, slow and exact: for tests and small checks';

  createMemory(): Memory {
    return { allocate: (spec) => new ReferenceStorage(spec) };
  }

  compile(graph: Graph, _memory: Memory, state: ReadonlyMap<string, Storage>): Promise<Executable> {
    const storage = state as ReadonlyMap<string, ReferenceStorage>;
    const roots = [...graph.outputs.values(), ...graph.updates.values()];
    const run = (inputs: ReadonlyMap<string, Values>, read: readonly string[]): Map<string, Values> => {
      const results = evaluate(roots, (leaf) => {
        const [kind, name] = [leaf.slice(0, leaf.indexOf(':')), leaf.slice(leaf.indexOf(':') + 1)];
        return kind === 'state' ? storage.get(name)!.values : inputs.get(name)!;
      });
      for (const [name, update] of graph.updates) storage.get(name)!.values = results.get(update)!;
      return new Map(
        read.map((name) => {
          const output = graph.outputs.get(name)!;
          return [name, rounded(specOf(output), results.get(output)!)];
        }),
      );
    };
    return Promise.resolve({
      run: (inputs, read) =>
        new Promise((resolve) => {
          resolve(run(inputs, read));
        }),
      dispose: () => Promise.resolve(),
    });
  }
}
