/** WebAssembly without what only a debugger reads. */

/** The four bytes of its name, and its version. */
const HEADER_BYTES = 8;
/** Sections that say nothing about what the module does: names of its functions, debugging information. */
const CUSTOM = 0;

/** A module without its custom sections, which are more than half of MuJoCo. */
export function withoutCustomSections(module: Uint8Array): Uint8Array {
  const kept = [module.subarray(0, HEADER_BYTES)];
  for (let at = HEADER_BYTES; at < module.length;) {
    const [size, content] = unsigned(module, at + 1);
    const end = content + size;
    if (module[at] !== CUSTOM) kept.push(module.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** A number in LEB128, and where it ends. */
function unsigned(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, unit = 1; ; at++, unit *= 128) {
    value += (bytes[at] & 127) * unit;
    // Also where the file ends, which is then not whole.
    if (!(bytes[at] >= 128)) return [value, at + 1];
  }
}
