/** Modules of users in TypeScript: their types are removed by Node, or by the compiler of their project where Node is too old. */
import nodeModule, { createRequire } from 'node:module';

/** Paths and addresses of modules in TypeScript. */
export const TYPESCRIPT = /\.m?ts$/;

/** What is used of Node from 22.13 on, and of the package typescript. */
type Native = { readonly stripTypeScriptTypes?: (text: string) => string };
type Compiler = {
  readonly transpileModule?: (text: string, options: object) => { readonly outputText: string };
};

/**
 * JavaScript for a TypeScript text. Throws a RangeError where nothing here can make it.
 * @param url of the module that has the text
 */
export function stripTypes(text: string, url: string): string {
  const native = (nodeModule as Native).stripTypeScriptTypes;
  if (native !== undefined) return native(text);
  const compiler = compilerOf(url);
  if (compiler?.transpileModule === undefined) {
    const reason = 'which this version of Node does not run: use Node 22.18 or newer, or npm install typescript@6';
    throw new RangeError(`${url} is TypeScript, ${reason}.`);
  }
  // One file at a time, as Node does it: imports of types alone have to say so.
  const compilerOptions = { target: 'ESNext', module: 'ESNext', verbatimModuleSyntax: true };
  return compiler.transpileModule(text, { compilerOptions }).outputText;
}

/** The package typescript of the project that a module belongs to. */
function compilerOf(url: string): Compiler | undefined {
  try {
    return createRequire(url)('typescript') as Compiler;
  } catch {
    return undefined;
  }
}
