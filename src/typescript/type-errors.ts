/** What the compiler of a user's project finds wrong with the types of a module, which nothing that runs it looks at. */
import { fileURLToPath } from 'node:url';
import { clauseOf, compilerOf } from './compiler.js';
import { TYPESCRIPT } from './strip.js';

/** Types of packages that are not installed: the module runs without them. */
const MISSING_TYPES = new Set([2307, 2580, 2591, 2882, 7016]);

/** A clause for each, with its line. None where the module is not TypeScript or its project has no compiler. */
export function typeErrors(url: URL): string[] {
  const compiler = TYPESCRIPT.test(url.pathname) ? compilerOf(url) : undefined;
  if (compiler === undefined) return [];
  const path = fileURLToPath(url);
  const program = compiler.createProgram([path], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: compiler.ScriptTarget.ES2022,
    module: compiler.ModuleKind.NodeNext,
  });
  const file = program.getSourceFile(path);
  if (file === undefined) return [];
  return program
    .getSemanticDiagnostics(file)
    .filter(({ code }) => !MISSING_TYPES.has(code))
    .map((diagnostic) => clauseOf(compiler, diagnostic));
}
