import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { mustBeNew } from './new-file.js';

const self = fileURLToPath(import.meta.url);

it('mustBeNew allows a file that is there only with its flag, and a folder never', () => {
  mustBeNew('--out', join(tmpdir(), 'no-such-file'), false);
  mustBeNew('--out', self, true);
  expect(() => mustBeNew('--out', self, false, '--force')).toThrow(
    'but must be a file that is not there yet, unless --force is given.',
  );
  for (const replace of [false, true]) {
    expect(() => mustBeNew('--out', tmpdir(), replace)).toThrow(
      `--out is "${tmpdir()}", but must be the path of a file, and it is a folder.`,
    );
  }
});
