/**
 * Tensor cores on a GPU that has none, one in software too: shaders are rewritten so that every thread computes its own eight of
 * the 256 sums of a fragment, from operands that are rounded to 16 bits as on a real one. That way the code that is generated for
 * tensor cores runs, and computes what it should, on any machine that tests WebGPU at all.
 */
import { openDawn, whyNoAdapter } from '../../src/tensor/webgpu/dawn.js';
import type { WebGpu } from '../../src/tensor/webgpu/device.js';

const FEATURES = ['shader-f16', 'subgroups', 'chromium-experimental-subgroup-matrix'];

export async function findEmulated(): Promise<WebGpu> {
  const gpu = await openDawn(false);
  const requestAdapter: GPU['requestAdapter'] = async (options) => {
    const adapter = await gpu.requestAdapter(options);
    return adapter && emulating(adapter);
  };
  return { gpu: { requestAdapter }, whyNoAdapter };
}

function emulating(adapter: GPUAdapter): GPUAdapter {
  const { architecture, description, device, vendor, isFallbackAdapter } = adapter.info;
  const requestDevice: GPUAdapter['requestDevice'] = async (descriptor) => {
    const opened = await adapter.requestDevice({ requiredLimits: descriptor?.requiredLimits });
    const create = opened.createShaderModule.bind(opened);
    opened.createShaderModule = (module) => create({ ...module, code: emulated(module.code) });
    return opened;
  };
  return {
    features: new Set(FEATURES),
    limits: adapter.limits,
    info: { architecture, description, device, vendor, isFallbackAdapter },
    requestDevice,
  } as unknown as GPUAdapter;
}

/** How entries of the operands are kept, by how many are one entry of the array. */
const kept = [
  { run: 1, type: 'f16', as: 'f32', rounded: 'quantizeToF16($1)', at: 'half_[i]' },
  { run: 2, type: 'vec2<f16>', as: 'u32', rounded: 'pack2x16float($1)', at: 'unpack2x16float(half_[i / 2u])[i % 2u]' },
  {
    run: 4,
    type: 'vec4<f16>',
    as: 'vec2u',
    rounded: 'vec2u(pack2x16float($1.xy), pack2x16float($1.zw))',
    at: 'unpack2x16float(half_[i / 4u][i / 2u % 2u])[i % 2u]',
  },
];

/** A shader without tensor cores; one that uses none stays as it is. */
export function emulated(code: string): string {
  const array = /var<workgroup> half_: array<(.*), (\d+)>;/.exec(code);
  if (array === null) return code;
  const { run, type, as, rounded, at } = kept.find((one) => one.type === array[1])!;
  const helpers = `
var<private> lane_: u32;
fn halfAt(i: u32) -> f32 { return ${at}; }
fn multiplyAccumulate(a: vec3u, b: vec3u, sums: array<f32, 8>) -> array<f32, 8> {
  var next = sums;
  for (var i = 0u; i < 8u; i++) {
    let row = (lane_ * 8u + i) / 16u;
    let column = (lane_ * 8u + i) % 16u;
    for (var k = 0u; k < 16u; k++) {
      next[i] += halfAt(a.x + row * a.y + k * a.z) * halfAt(b.x + k * b.y + column * b.z);
    }
  }
  return next;
}
fn storeFragment(offset: u32, sums: array<f32, 8>, stride: u32) {
  for (var i = 0u; i < 8u; i++) {
    let entry = lane_ * 8u + i;
    cells_[offset + entry / 16u * stride + entry % 16u] = sums[i];
  }
}`;
  const escaped = type.replace(/[<>]/g, '\\$&');
  return code
    .replace(/^(enable|diagnostic).*\n/gm, '')
    .replace(array[0], `var<workgroup> half_: array<${as}, ${array[2]}>;`)
    .replace(/^var<workgroup> cells_.*$/m, `$&${helpers}`)
    .replace(new RegExp(`= ${escaped}\\((\\w+)\\);`, 'g'), `= ${rounded};`)
    .replace(/subgroup_matrix_result<f32, 16, 16>/g, 'array<f32, 8>')
    .replace(
      /subgroupMatrixLoad<subgroup_matrix_(?:left|right)<f16, 16, 16>, (row|col)_major>\(&half_, (.*), (\d+)u\);/g,
      (_, order: string, offset: string, stride: string) => {
        const strides = [Number(stride) * run, 1];
        return `vec3u(${offset} * ${run}u, ${(order === 'row' ? strides : strides.reverse()).join(', ')});`;
      },
    )
    .replaceAll('subgroupMatrixMultiplyAccumulate', 'multiplyAccumulate')
    .replaceAll('subgroupMatrixStore<row_major>(&cells_, ', 'storeFragment(')
    .replace(/fn main\(.*\{/, '$&\nlane_ = t % 32u;');
}
