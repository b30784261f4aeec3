import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksummed, checksummedAgain, isChecksumIntact } from './checksummed.js';

const file = checksummed('{\n  "seed": 7,\n  "list": [1, 2]\n}\n');

describe('a checksummed file', () => {
  it('is JSON with a checksum of what comes before it', () => {
    expect(file).toMatch(/^\{\n {2}"seed": 7,\n {2}"list": \[1, 2\],\n {2}"sha256": "[0-9a-f]{64}"\n\}\n$/);
    expect(JSON.parse(file)).toMatchObject({ seed: 7, list: [1, 2] });
    expect(isChecksumIntact(file)).toBe(true);
  });

  it('is not intact any more, whichever character is another', () => {
    const change = fc.tuple(
      fc.nat(file.length - 1),
      fc.constantFrom(' ', '0', '9', 'a', 'f', 'z', '{', '}', ',', ':', '"', '\n'),
    );
    fc.assert(
      fc.property(change, ([at, character]) => {
        fc.pre(file[at] !== character);
        expect(isChecksumIntact(file.slice(0, at) + character + file.slice(at + 1))).not.toBe(true);
      }),
    );
  });

  it('is intact again with another checksum', () => {
    const changed = file.replace('7', '8');
    expect(checksummedAgain(changed)).toBe(checksummed('{\n  "seed": 8,\n  "list": [1, 2]\n}\n'));
    expect(checksummedAgain(file)).toBe(file);
  });

  it('has none where it was written without', () => {
    expect(checksummedAgain('{"seed": 7}\n')).toBe('{"seed": 7}\n');
    expect(isChecksumIntact('{"seed": 7}\n')).toBeUndefined();
  });
});
