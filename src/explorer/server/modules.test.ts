import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { pageModule } from './modules.js';

const folder = mkdtempSync(join(tmpdir(), 'psl-modules-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}

describe('pageModule', () => {
  it('leads psl-morl to what the page has of it, in every form of import', () => {
    const url = write(
      'forms/env.js',
      `import { cube } from 'psl-morl';\nexport { box }from"psl-morl/envs";\nconst all = await import( 'psl-morl' );\nimport fs from 'node:fs';\nconst name = 'psl-morl';\n`,
    );
    expect(pageModule(url, 'envs/0')).toEqual({
      name: 'envs/0/env.js',
      files: new Map([
        [
          'envs/0/env.js',
          `import { cube } from '../../psl-morl.js';\nexport { box }from"../../psl-morl.js";\nconst all = await import( '../../psl-morl.js' );\nimport fs from 'node:fs';\nconst name = 'psl-morl';\n`,
        ],
      ]),
    });
  });

  it('takes along what a module imports from files beside it, wherever they are, and nothing else', () => {
    write('beside/shared/map.js', `export { size } from './size.mjs';\nimport '../envs/env.js';\n`);
    write('beside/shared/size.mjs', `import { cube } from 'psl-morl';\nexport const size = 3;\n`);
    write('beside/envs/secret.js', 'export const secret = 1;\n');
    write('beside/secret.json', '{}');
    const url = write(
      'beside/envs/env.js',
      `import { size } from '../shared/map.js';\nimport '../secret.json' with { type: 'json' };\nimport './absent.js';\n`,
    );
    const { name, files } = pageModule(url, 'envs/2')!;
    expect(name).toBe('envs/2/envs/env.js');
    expect([...files.keys()].sort()).toEqual(['envs/2/envs/env.js', 'envs/2/shared/map.js', 'envs/2/shared/size.mjs']);
    expect(files.get('envs/2/shared/size.mjs')).toContain(`from '../../../psl-morl.js'`);
  });

  it('takes the types off TypeScript, under names that web servers give out as scripts', () => {
    write('stripped/size.ts', 'export const size: number = 3;\n');
    const url = write('stripped/env.ts', `import { size } from './size.ts';\nexport default size as number;\n`);
    const strip = (text: string) => text.replaceAll(/: number| as number/g, '');
    expect(pageModule(url, 'envs/0', strip)).toEqual({
      name: 'envs/0/env.ts.js',
      files: new Map([
        ['envs/0/env.ts.js', `import { size } from './size.ts.js';\nexport default size;\n`],
        ['envs/0/size.ts.js', 'export const size = 3;\n'],
      ]),
    });
  });

  it('has nothing for a browser of what is not JavaScript in a file', () => {
    expect(pageModule(write('other/env.json', '1'), 'envs/0')).toBeUndefined();
    expect(pageModule('data:text/javascript,export default 1', 'envs/0')).toBeUndefined();
  });
});
