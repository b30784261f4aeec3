import { functionsFor } from './expression.js';
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

/** Workgroups that every GPU allows along one axis. */
const MOST_GROUPS = 65535;

/**
 * Kernels that do not depend on each other as one dispatch: a range of workgroups for each. Those whose code differs
 * in marked numbers only share it and take the numbers as arguments.
 */
export function assemble(kernels: readonly KernelCode[], bindings: readonly Binding[], threads: number): Dispatch {
  const alike = new Map<string, KernelCode[]>();
  for (const kernel of kernels) {
    const key = kernel.body.replace(/#\d+#/g, '#');
    alike.set(key, [...(alike.get(key) ?? []), kernel]);
  }
  // The longest first, so that the short ones fill the gaps at the end.
  const families = [...alike.values()].sort(
    (a, b) => (b[0].tiles ?? 0) - (a[0].tiles ?? 0) || b[0].memory - a[0].memory,
  );
  const total = kernels.reduce((sum, { groups }) => sum + groups, 0);
  const width = Math.min(total, MOST_GROUPS);
  const memory = Math.max(0, ...kernels.map((kernel) => kernel.memory));
  const tiles = Math.max(0, ...kernels.map((kernel) => kernel.tiles ?? 0));
  let start = 0;
  const definitions: string[] = [];
  const calls: string[] = [];
  families.forEach((family, i) => {
    const { definition, call } = familyCode(`kernel${i}`, family, start);
    start += family.reduce((sum, { groups }) => sum + groups, 0);
    definitions.push(definition);
    calls.push(i === families.length - 1 ? `{\n${call}\n}` : `if (g < ${start}u) {\n${call}\n}`);
  });
  const code = [
    ...bindings.map(({ name, isReadOnly }, i) => {
      const access = isReadOnly ? 'read' : 'read_write';
      return `@group(0) @binding(${i}) var<storage, ${access}> ${name}: array<u32>;`;
    }),
    ...(memory > 0 ? [`var<workgroup> shared_: array<f32, ${memory}>;`] : []),
    ...(tiles > 0 ? [`var<workgroup> tile_: array<vec4f, ${tiles}>;`] : []),
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

function familyCode(name: string, family: readonly KernelCode[], start: number): { definition: string; call: string } {
  const numbers = family.map(({ body }) => Array.from(body.matchAll(/#(\d+)#/g), ([, digits]) => digits));
  const [first] = numbers;
  // Columns of numbers that differ, each once: equal columns are one parameter.
  const columns = new Map<string, number>();
  const replacements = first.map((digits, at) => {
    const column = numbers.map((row) => row[at]);
    if (column.every((other) => other === digits)) return `${digits}u`;
    const key = column.join();
    const index = columns.get(key) ?? columns.size;
    columns.set(key, index);
    return `p${index}`;
  });
  let at = 0;
  const body = family[0].body.replace(/#\d+#/g, () => replacements[at++]);
  const parameters = [...columns.values()].map((i) => `p${i}`);
  const definition = [
    `fn ${name}(${['g: u32', 't: u32', ...parameters.map((p) => `${p}: u32`)].join(', ')}) {`,
    body,
    '}',
  ].join('\n');
  const lines = [`var at = g - ${start}u;`, ...parameters.map((p) => `var ${p}: u32;`)];
  let from = 0;
  family.forEach(({ groups }, i) => {
    const values = [...columns.keys()].map((key, p) => `p${p} = ${key.split(',')[i]}u;`);
    const isLast = i === family.length - 1;
    const condition = isLast ? '' : `if (at < ${from + groups}u) `;
    if (family.length > 1) {
      lines.push(`${i === 0 ? '' : 'else '}${condition}{ ${values.join(' ')} ${from > 0 ? `at -= ${from}u;` : ''} }`);
    }
    from += groups;
  });
  lines.push(`${name}(${['at', 't', ...parameters].join(', ')});`);
  return { definition, call: lines.join('\n') };
}
