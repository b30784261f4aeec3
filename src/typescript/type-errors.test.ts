import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { stripTypes } from './strip.js';
import { typeErrors } from './type-errors.js';

/** A project that has the compiler. */
const folder = mkdtempSync(join(tmpdir(), 'psl-type-errors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const packages = join(import.meta.dirname, '../../node_modules');
mkdirSync(join(folder, 'node_modules'));
symlinkSync(join(packages, 'typescript'), join(folder, 'node_modules', 'typescript'), 'dir');

const moduleOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return pathToFileURL(path);
};

it('typeErrors names the line and the innermost reason, and says nothing about types that are not installed', () => {
  const text = [
    "import 'not-installed';",
    "const day: string = 'Monday';",
    'const rules: { advance: () => boolean } = { advance: async () => false };',
    'export default [day, rules];',
  ];
  expect(typeErrors(moduleOf('wrong.ts', text.join('\n')))).toEqual([
    "line 3: Type 'Promise<boolean>' is not assignable to type 'boolean'",
  ]);
});

it('typeErrors has nothing to say about JavaScript', () => {
  expect(typeErrors(moduleOf('plain.js', 'export default 3 as string;'))).toEqual([]);
});

it('stripTypes refuses what is no TypeScript', () => {
  const text = 'export default {\n  id: 1\n  summary: 2,\n};';
  expect(() => stripTypes(text, pathToFileURL(join(folder, 'broken.ts')).href)).toThrow(SyntaxError);
});
