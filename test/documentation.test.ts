/** What the documentation shows works: programs compile and run, commands are understood, links lead somewhere. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { algorithm, registerAlgorithm, type AlgorithmDefinition } from '../src/algorithms/index.js';
import { takeImports } from '../src/cli/arguments.js';
import { commands } from '../src/cli/commands.js';
import type { Fields } from '../src/config/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const root = resolve(import.meta.dirname, '..');
const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Programs for a web page find the examples on their server. */
const WEB = `
  import { readFileSync } from 'node:fs';
  globalThis.fetch = (path) => Promise.resolve(new Response(readFileSync('examples/' + path)));
`;

/** Fenced blocks of code, each with what stands behind its fence and the line that it begins at. */
const blocks = pages.flatMap(({ path, text }) =>
  Array.from(text.matchAll(/^```(\w*)\n(.*?)^```$/gms), ({ 1: language, 2: code, index }) => ({
    language,
    code,
    at: `${path}:${text.slice(0, index).split('\n').length + 1}`,
  })),
);

describe('programs in the documentation', () => {
  const folder = temporaryFolder('documentation');
  const programs = blocks
    .filter(({ language }) => language === 'ts')
    .map(({ code, at }) => ({ at, code, file: join(folder, `${at.replaceAll(/\W/g, '-')}.ts`) }));

  it('compile, with all checks of the compiler', () => {
    expect(programs.length).toBeGreaterThan(4);
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'psl-morl'), 'dir');
    for (const name of ['onnxruntime-node', 'onnxruntime-common']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
    }
    symlinkSync(join(root, 'examples'), join(folder, 'examples'), 'dir');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'web.js'), WEB);
    for (const { file, code } of programs) writeFileSync(file, code);
    const compilerOptions = {
      strict: true,
      target: 'ES2022',
      module: 'NodeNext',
      typeRoots: [join(root, 'node_modules', '@types')],
      types: ['node'],
      skipLibCheck: true,
    };
    const files = programs.map(({ file }) => file);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });

  it.each(programs)('run: $at', ({ file }) => {
    const args = ['--import', join(folder, 'web.js'), file.replace(/\.ts$/, '.js')];
    const output = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(output).not.toMatch(/undefined|NaN/);
  });
});

describe('commands in the documentation', () => {
  // Modules that pages speak of are not imported here: this is what the example of a learner would add.
  registerAlgorithm({ ...(algorithm('psl-ddqn') as AlgorithmDefinition<Fields>), name: 'soft-q' });
  const lines = blocks
    .filter(({ language }) => language === 'sh' || language === '')
    .flatMap(({ code, at }) =>
      code
        .replaceAll('\\\n', ' ')
        .split(/\n| \| /)
        .map((line) => ({ at, line: line.replace(/ #.*$/, '').trim() }))
        .filter(({ line }) => /^(?:npx )?psl /.test(line)),
    );

  it('are many', () => expect(lines.length).toBeGreaterThan(40));

  it.each(lines)('are understood: $line', async ({ line }) => {
    const [name, ...args] = line.replace(/^(?:npx )?psl /, '').match(/\S+/g)!;
    const entry = commands.get(name);
    expect(entry, name).toBeDefined();
    const command = await entry!.load();
    expect(() => command.check(takeImports(args).rest)).not.toThrow();
  });
});

describe('links in the documentation', () => {
  it.each(pages)('of $path lead somewhere', ({ path, text }) => {
    const links = Array.from(text.matchAll(/\]\(([^()\s]+)\)/g), ([, link]) => link).filter(
      (link) => !/^[a-z]+:/.test(link),
    );
    const broken = links.filter((link) => {
      const [file, anchor = ''] = link.split('#');
      const target = file === '' ? join(root, path) : resolve(root, dirname(path), file);
      return !existsSync(target) || (anchor !== '' && !anchorsOf(target).has(anchor));
    });
    expect(broken).toEqual([]);
  });
});

/** The addresses of the headings of a page. */
function anchorsOf(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}
