import { expect, it } from 'vitest';
import { withoutCustomSections } from './wasm.js';

it('withoutCustomSections leaves the sections of a module that say what it does, and nothing else', () => {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  // A type () -> i32, a function of it, its export as f, its body: i32.const 7.
  const type = [1, 5, 1, 0x60, 0, 1, 0x7f];
  const rest = [3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0, 10, 6, 1, 4, 0, 0x41, 7, 0x0b];
  // 130 bytes, which takes two bytes to say: a name of four letters, and whatever a debugger wants to know.
  const custom = [0, 0x82, 1, 4, ...Buffer.from('note'), ...new Array<number>(125).fill(1)];
  const module = Uint8Array.from([...header, ...custom, ...type, ...custom, ...rest, ...custom]);
  expect(Array.from(withoutCustomSections(module))).toEqual([...header, ...type, ...rest]);
});
