import { expect, it } from 'vitest';
import { acceptsGzip, shrinks } from './compressed.js';

it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.5, *;q=0.1', 'GZIP'])(
  'acceptsGzip takes "%s" for a browser that does',
  (header) => {
    expect(acceptsGzip(header)).toBe(true);
  },
);

it.each([undefined, '', 'br', 'gzip;q=0', 'identity, gzip;q=0.0', 'x-gzip-not'])(
  'acceptsGzip takes "%s" for a program that does not',
  (header) => {
    expect(acceptsGzip(header)).toBe(false);
  },
);

it('shrinks is true of text and WebAssembly, and not of what hardly becomes smaller', () => {
  expect(['a.js', 'a.css', 'a.wasm', 'a.json', 'a.jsonl', 'a.svg', 'a.html'].every(shrinks)).toBe(true);
  expect(['model.safetensors', 'font.woff2', 'front.png'].some(shrinks)).toBe(false);
});
