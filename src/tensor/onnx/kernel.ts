import type { Tensor } from '../tensor.js';
import { isNumber } from './fuse.js';
import type { UpdateGroup } from './fuse.js';
import { arithmetic, code, floatBytes, moduleBytes, signed, unsigned, WebAssembly } from './wasm.js';
import type { ValueType, WasmMemory } from './wasm.js';

/** Runs over `count` numbers: addresses of the arrays read, of those written, then the scalars. */
export type Kernel = (count: number, ...addressesAndScalars: number[]) => void;

/** The same loop serves many tensors: modules are compiled once per text. */
const modules = new Map<string, object>();

/** The loop of an update group, over a memory. Reads: state entries, then arrays; writes: updates; then scalars. */
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
  const at = local('i32');
  const end = local('i32');

  /** One turn of the loop for one number or for four: load everything, compute, store everything. */
  const turn = (lanes: 'f32' | 'v128'): { before: number[]; body: number[] } => {
    const wide = lanes === 'v128';
    const where = new Map<Tensor, number>();
    const before: number[] = [];
    const body: number[] = [];
    group.scalars.forEach((scalar, i) => {
      if (!wide) {
        where.set(scalar, firstScalar + i);
        return;
      }
      where.set(scalar, local('v128'));
      before.push(...get(firstScalar + i), ...code.splatF32, ...set(where.get(scalar)!));
    });
    const address = (parameter: number): number[] => [...get(parameter), ...get(at), ...code.addI32];
    reads.forEach((tensor, i) => {
      where.set(tensor, local(lanes));
      body.push(...address(1 + i), ...(wide ? code.loadV128 : code.loadF32), ...set(where.get(tensor)!));
    });
    const number = (value: number): number[] => [
      ...code.constF32,
      ...floatBytes(value),
      ...(wide ? code.splatF32 : []),
    ];
    const operand = (x: Tensor): number[] => {
      if (isNumber(x) && x.op.kind === 'constant') return number(x.op.values[0]);
      return get(where.get(x)!);
    };
    for (const node of group.body) {
      where.set(node, local(lanes));
      const { kind } = node.op;
      const operands = node.inputs.flatMap(operand);
      body.push(...(kind === 'relu' ? [...operands, ...number(0), ...arithmetic.maximum[lanes]] : operands));
      if (kind !== 'relu') body.push(...arithmetic[kind as keyof typeof arithmetic][lanes]);
      body.push(...set(where.get(node)!));
    }
    writes.forEach((tensor, i) => {
      body.push(...address(firstWrite + i), ...get(where.get(tensor)!), ...(wide ? code.storeV128 : code.storeF32));
    });
    return { before, body };
  };

  const loop = (bytes: number, { before, body }: { before: number[]; body: number[] }): number[] => [
    ...before,
    ...code.block,
    ...code.loop,
    // Leave when a whole turn no longer fits.
    ...[...get(at), ...integer(bytes), ...code.addI32, ...integer(1), ...code.subI32],
    ...[...get(end), ...code.greaterEqualI32, ...code.branchIf, 1],
    ...body,
    ...[...get(at), ...integer(bytes), ...code.addI32, ...set(at)],
    ...[...code.branch, 0, ...code.end, ...code.end],
  ];
  const text = [
    ...[...get(0), ...integer(2), ...code.shiftLeftI32, ...set(end)],
    ...loop(16, turn('v128')),
    ...loop(4, turn('f32')),
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
