/**
 * Environments of a user's own for the page: their module and what it imports from files beside it, as they are but for
 * types, except that `psl-morl` leads to what the page has of it. Whatever else it imports, a browser refuses, and the page says so.
 */
import { readFileSync } from 'node:fs';
import { dirname, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripTypes, TYPESCRIPT } from '../../typescript/index.js';
import { PACKAGE_FILE } from '../run-list.js';

/** What a browser is given of a module. */
export interface PageModule {
  /** Where it is to be found, below the page. */
  readonly name: string;
  /** Texts of it and of what it imports, by their names. */
  readonly files: ReadonlyMap<string, string>;
}

/** The package, or one of its subpaths that an environment can be written with. */
const PACKAGE = /^psl-morl(?:\/(?:envs|pareto|preferences))?$/;

/** Imports of every form; what only looks like one, such as in a comment, does no harm. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g;

/**
 * @param url of the module
 * @param folder where it is to be found, below the page
 * @returns undefined where it is not a file with JavaScript or TypeScript
 */
export function pageModule(url: string, folder: string, strip = stripTypes): PageModule | undefined {
  if (!url.startsWith('file:') || !/\.m?[jt]s$/.test(url)) return undefined;
  const entry = fileURLToPath(url);
  const texts = new Map<string, string>();
  read(entry, texts);
  const root = commonFolder([...texts.keys()].map(dirname));
  const nameOf = (path: string) => scriptName(posix.join(folder, relative(root, path).split(sep).join('/')));
  const files = [...texts].map(([path, text]) => {
    const home = posix.relative(posix.dirname(nameOf(path)), PACKAGE_FILE);
    return [
      nameOf(path),
      (TYPESCRIPT.test(path) ? strip(text, pathToFileURL(path).href) : text).replace(
        SPECIFIER,
        (whole, before: string, quote: string, name: string) => {
          if (PACKAGE.test(name)) return `${before}${quote}${home}${quote}`;
          return name.startsWith('.') ? `${before}${quote}${scriptName(name)}${quote}` : whole;
        },
      ),
    ] as const;
  });
  return { name: nameOf(entry), files: new Map(files) };
}

/** Web servers take what ends with .ts for a film. */
function scriptName(name: string): string {
  return TYPESCRIPT.test(name) ? `${name}.js` : name;
}

/** Reads a file and what it imports from files beside it, unless they have been read. */
function read(path: string, texts: Map<string, string>): void {
  if (texts.has(path)) return;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  texts.set(path, text);
  for (const [, , , name] of text.matchAll(SPECIFIER)) {
    if (/^\.\.?\/.*\.m?[jt]s$/.test(name)) read(resolve(dirname(path), name), texts);
  }
}

/** The deepest folder that all of these are in. */
function commonFolder(folders: readonly string[]): string {
  return folders.reduce((common, folder) => {
    let shared = common;
    while (folder !== shared && !folder.startsWith(shared.endsWith(sep) ? shared : shared + sep))
      shared = dirname(shared);
    return shared;
  });
}
