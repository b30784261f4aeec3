/** Modules of users in TypeScript: their types are removed by Node, or by the compiler of their project where Node is too old. */
import nodeModule from 'node:module';
import { clauseOf, compilerOf } from './compiler.js';

/** Paths and addresses of modules in TypeScript. */
export const TYPESCRIPT = /\.m?ts$/;

/** What is used of Node from 22.13 on. */
type Native = { readonly stripTypeScriptTypes?: (text: string) => string };

/**
 * JavaScript for a TypeScript text. Throws a RangeError where nothing here can make it, and a SyntaxError where it is none.
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
  const { outputText, diagnostics = [] } = compiler.transpileModule(text, { compilerOptions, reportDiagnostics: true });
  if (diagnostics.length > 0) throw new SyntaxError(clauseOf(compiler, diagnostics[0]));
  return outputText;
}
