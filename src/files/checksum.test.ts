import { expect, it } from 'vitest';
import { checksum } from './checksum.js';
import { checksum as inBrowser } from './checksum-in-browser.js';

it('the checksum for browsers is SHA-256, of every length and of text', () => {
  expect(inBrowser('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const bytes = Uint8Array.from({ length: 200 }, (_, i) => (i * 37) % 256);
  for (let length = 0; length <= 200; length++) {
    expect(inBrowser(bytes.subarray(0, length))).toBe(checksum(bytes.subarray(0, length)));
  }
  expect(inBrowser('w₁ + w₂ = 1')).toBe(checksum('w₁ + w₂ = 1'));
});
