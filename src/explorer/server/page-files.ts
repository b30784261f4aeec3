/** The files of the page, as they are served and exported. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { withoutCustomSections } from './wasm.js';

/**
 * Paths of the files by their names below the page, with slashes. MuJoCo is not among those that were built: with its ten
 * million bytes it is taken from its own package, which is installed beside this one.
 * @param page folder of the built page
 */
export function pageFiles(page: string): Map<string, string> {
  const mujoco = mujocoFile();
  return new Map([...filesIn(page).map((name) => [name, join(page, name)] as const), [mujoco.name, mujoco.path]]);
}

/** A file of the page as it is given out: WebAssembly without what only a debugger reads. */
export function pageFile(path: string): Uint8Array {
  const content = readFileSync(path);
  return extname(path) === '.wasm' ? withoutCustomSections(content) : content;
}

/** The WebAssembly of MuJoCo, under a name that changes with it. */
export function mujocoFile(): { readonly name: string; readonly path: string } {
  const path = createRequire(import.meta.url).resolve('@mujoco/mujoco/mujoco.wasm');
  const { version } = JSON.parse(readFileSync(join(dirname(path), 'package.json'), 'utf8')) as { version: string };
  return { name: `assets/mujoco-${version}.wasm`, path };
}

function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? filesIn(folder, name) : [name];
  });
}
