/**
 * Puts the kernels of one dispatch into a WGSL shader. Each kernel gets a range of the workgroups, and kernels whose code
 * differs only in numbers share a function that takes the numbers as arguments.
 */
import { functionsFor } from './expression.js';
import { fragmentDeclarations } from './fragment-product.js';
import type { KernelCode } from './kernel-code.js';

export interface Binding {
  readonly name: string;
  readonly isReadOnly: boolean;
}

/** One dispatch: a shader and how many workgroups run it. */
export interface Dispatch {
  readonly code: string;
  readonly groups: readonly [number, number];
}

/** Workgroups along one axis that every GPU allows. */
const MOST_GROUPS = 65535;

/** Makes one dispatch of kernels that do not depend on each other. */
export function assemble(kernels: readonly KernelCode[], bindings: readonly Binding[], threads: number): Dispatch {
  const byCode = new Map<string, KernelCode[]>();
  for (const kernel of kernels) {
    const key = kernel.body.replace(/#\d+#/g, '#');
    byCode.set(key, [...(byCode.get(key) ?? []), kernel]);
  }
  // The longest first, so that short ones fill the GPU while the last of them finish.
  const functions = [...byCode.values()].sort(
    (a, b) => sizeOfTiles(b[0]) - sizeOfTiles(a[0]) || b[0].memory - a[0].memory,
  );
  const total = kernels.reduce((sum, { groups }) => sum + groups, 0);
  const width = Math.min(total, MOST_GROUPS);
  const memory = Math.max(0, ...kernels.map((kernel) => kernel.memory));
  const tiles = Math.max(0, ...kernels.map((kernel) => kernel.tiles ?? 0));
  const tensorCores = tensorCoresFor(kernels);
  let start = 0;
  const definitions: string[] = [];
  const calls: string[] = [];
  functions.forEach((variants, i) => {
    const { definition, call } = functionCode(`kernel${i}`, variants, start);
    start += variants.reduce((sum, { groups }) => sum + groups, 0);
    definitions.push(definition);
    calls.push(i === functions.length - 1 ? `{\n${call}\n}` : `if (g < ${start}u) {\n${call}\n}`);
  });
  const code = [
    ...(tensorCores?.enable ?? []),
    ...bindings.map(({ name, isReadOnly }, i) => {
      const access = isReadOnly ? 'read' : 'read_write';
      return `@group(0) @binding(${i}) var<storage, ${access}> ${name}: array<u32>;`;
    }),
    ...(memory > 0 ? [`var<workgroup> shared_: array<f32, ${memory}>;`] : []),
    ...(tiles > 0 ? [`var<workgroup> tile_: array<vec4f, ${tiles}>;`] : []),
    ...(tensorCores?.memory ?? []),
    ...functionsFor(definitions),
    ...definitions,
    `@compute @workgroup_size(${threads})`,
    'fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {',
    `let g = group.x + group.y * ${width}u;`,
    `if (g < ${total}u) {`,
    calls.join(' else '),
    '}\n}',
  ].join('\n');
  return { code, groups: [width, Math.ceil(total / width)] };
}

/** How much work a workgroup has, as far as its memory tells. */
function sizeOfTiles({ tiles = 0, fragments }: KernelCode): number {
  return fragments?.halves ?? tiles;
}

/** What a shader enables and declares for tensor cores, if it uses them. */
function tensorCoresFor(kernels: readonly KernelCode[]): ReturnType<typeof fragmentDeclarations> | undefined {
  const all = kernels.flatMap(({ fragments }) => fragments ?? []);
  if (all.length === 0) return undefined;
  const [{ run }] = all;
  if (all.some((other) => other.run !== run)) throw new Error('the products of a dispatch share one array');
  const [halves, cells] = [all.map((one) => one.halves), all.map((one) => one.cells)];
  return fragmentDeclarations(Math.max(...halves), run, Math.max(...cells));
}

/** A function for kernels that differ only in numbers, and the code that calls it for each of them from workgroup `start` on. */
function functionCode(
  name: string,
  variants: readonly KernelCode[],
  start: number,
): { definition: string; call: string } {
  const numbers = variants.map(({ body }) => Array.from(body.matchAll(/#(\d+)#/g), ([, digits]) => digits));
  // A number that is the same in all variants is a literal; the others are parameters, one for equal columns of numbers.
  const columns = new Map<string, number>();
  const replacements = numbers[0].map((digits, i) => {
    const column = numbers.map((row) => row[i]);
    if (column.every((other) => other === digits)) return `${digits}u`;
    const key = column.join();
    const index = columns.get(key) ?? columns.size;
    columns.set(key, index);
    return `p${index}`;
  });
  let next = 0;
  const body = variants[0].body.replace(/#\d+#/g, () => replacements[next++]);
  const parameters = [...columns.values()].map((i) => `p${i}`);
  const definition = [
    `fn ${name}(${['g: u32', 't: u32', ...parameters.map((p) => `${p}: u32`)].join(', ')}) {`,
    body,
    '}',
  ].join('\n');
  const lines = [`var kernelGroup = g - ${start}u;`, ...parameters.map((p) => `var ${p}: u32;`)];
  let from = 0;
  variants.forEach(({ groups }, i) => {
    const values = [...columns.keys()].map((key, p) => `p${p} = ${key.split(',')[i]}u;`);
    const isLast = i === variants.length - 1;
    const condition = isLast ? '' : `if (kernelGroup < ${from + groups}u) `;
    if (variants.length > 1) {
      lines.push(
        `${i === 0 ? '' : 'else '}${condition}{ ${values.join(' ')} ${from > 0 ? `kernelGroup -= ${from}u;` : ''} }`,
      );
    }
    from += groups;
  });
  lines.push(`${name}(${['kernelGroup', 't', ...parameters].join(', ')});`);
  return { definition, call: lines.join('\n') };
}
