/**
 * Compiles fused state updates to WebAssembly: one loop that reads, computes and writes four numbers at a time, and a second one
 * for the rest. `device.ts` runs it behind the ONNX model.
 */
import type { Tensor } from '../tensor.js';
import { isNumber } from './fuse.js';
import type { UpdateGroup } from './fuse.js';
import { arithmetic, code, floatBytes, moduleBytes, signed, unsigned, WebAssembly } from './wasm.js';
import type { ValueType, WasmMemory } from './wasm.js';

/** Updates `count` numbers. Arguments: addresses of the arrays it reads, of those it writes, then the scalars. */
export type Kernel = (count: number, ...addressesAndScalars: number[]) => void;

/** Compiled modules by their bytes, since many tensors are updated by the same loop. */
const modules = new Map<string, object>();

/** Compiles the loop of a group. It reads the group's state entries and arrays, in this order, and writes its updates. */
export function compileKernel(group: UpdateGroup, memory: WasmMemory): Kernel {
  const bytes = kernelBytes(group);
  const key = bytes.join();
  let module = modules.get(key);
  if (module === undefined) {
    module = new WebAssembly.Module(bytes);
    modules.set(key, module);
  }
  return new WebAssembly.Instance(module, { host: { memory } }).exports.run;
}

function kernelBytes(group: UpdateGroup): Uint8Array<ArrayBuffer> {
  const reads = [...group.state.keys(), ...group.arrays];
  const writes = [...group.updates.values()];
  const parameters: ValueType[] = [
    'i32',
    ...[...reads, ...writes].map(() => 'i32' as const),
    ...group.scalars.map(() => 'f32' as const),
  ];
  const locals: ValueType[] = [];
  const local = (type: ValueType): number => {
    locals.push(type);
    return parameters.length + locals.length - 1;
  };
  const firstWrite = 1 + reads.length;
  const firstScalar = firstWrite + writes.length;
  const offset = local('i32');
  const end = local('i32');

  /** One iteration for one number or a vector of four: load everything, compute, store everything. */
  const iteration = (lanes: 'f32' | 'v128'): { before: number[]; body: number[] } => {
    const wide = lanes === 'v128';
    const localOf = new Map<Tensor, number>();
    const before: number[] = [];
    const body: number[] = [];
    group.scalars.forEach((scalar, i) => {
      if (!wide) {
        localOf.set(scalar, firstScalar + i);
        return;
      }
      localOf.set(scalar, local('v128'));
      before.push(...get(firstScalar + i), ...code.splatF32, ...set(localOf.get(scalar)!));
    });
    const address = (parameter: number): number[] => [...get(parameter), ...get(offset), ...code.addI32];
    reads.forEach((tensor, i) => {
      localOf.set(tensor, local(lanes));
      body.push(...address(1 + i), ...(wide ? code.loadV128 : code.loadF32), ...set(localOf.get(tensor)!));
    });
    const number = (value: number): number[] => [
      ...code.constF32,
      ...floatBytes(value),
      ...(wide ? code.splatF32 : []),
    ];
    const operand = (x: Tensor): number[] => {
      if (isNumber(x) && x.op.kind === 'constant') return number(x.op.values[0]);
      return get(localOf.get(x)!);
    };
    for (const node of group.body) {
      localOf.set(node, local(lanes));
      const { kind } = node.op;
      const operands = node.inputs.flatMap(operand);
      body.push(...(kind === 'relu' ? [...operands, ...number(0), ...arithmetic.maximum[lanes]] : operands));
      if (kind !== 'relu') body.push(...arithmetic[kind as keyof typeof arithmetic][lanes]);
      body.push(...set(localOf.get(node)!));
    }
    writes.forEach((tensor, i) => {
      body.push(...address(firstWrite + i), ...get(localOf.get(tensor)!), ...(wide ? code.storeV128 : code.storeF32));
    });
    return { before, body };
  };

  const loop = (bytes: number, { before, body }: { before: number[]; body: number[] }): number[] => [
    ...before,
    ...code.block,
    ...code.loop,
    // Leave when less than a whole iteration is left.
    ...[...get(offset), ...integer(bytes), ...code.addI32, ...integer(1), ...code.subI32],
    ...[...get(end), ...code.greaterEqualI32, ...code.branchIf, 1],
    ...body,
    ...[...get(offset), ...integer(bytes), ...code.addI32, ...set(offset)],
    ...[...code.branch, 0, ...code.end, ...code.end],
  ];
  const text = [
    ...[...get(0), ...integer(2), ...code.shiftLeftI32, ...set(end)],
    ...loop(16, iteration('v128')),
    ...loop(4, iteration('f32')),
  ];
  return moduleBytes(parameters, locals, text);
}

function get(index: number): number[] {
  return [...code.get, ...unsigned(index)];
}

function set(index: number): number[] {
  return [...code.set, ...unsigned(index)];
}

function integer(value: number): number[] {
  return [...code.constI32, ...signed(value)];
}
