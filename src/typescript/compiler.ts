/** The package typescript of the project that a module belongs to, as far as it is used here. */
import { createRequire } from 'node:module';

export interface SourceFile {
  readonly getLineAndCharacterOfPosition: (position: number) => { readonly line: number };
}

export interface Diagnostic {
  readonly code: number;
  readonly messageText: unknown;
  readonly file?: SourceFile;
  readonly start?: number;
}

export interface Compiler {
  readonly transpileModule?: (
    text: string,
    options: object,
  ) => { readonly outputText: string; readonly diagnostics?: readonly Diagnostic[] };
  readonly flattenDiagnosticMessageText: (message: unknown, lineEnd: string) => string;
  readonly createProgram: (
    files: readonly string[],
    options: object,
  ) => {
    readonly getSourceFile: (file: string) => SourceFile | undefined;
    readonly getSemanticDiagnostics: (file: SourceFile) => readonly Diagnostic[];
  };
  readonly ScriptTarget: Readonly<Record<'ES2022', number>>;
  readonly ModuleKind: Readonly<Record<'NodeNext', number>>;
}

/** Undefined where the project has none. */
export function compilerOf(url: string | URL): Compiler | undefined {
  try {
    return createRequire(url)('typescript') as Compiler;
  } catch {
    return undefined;
  }
}

/** What the compiler has to say, in a clause with the line. */
export function clauseOf(compiler: Compiler, { messageText, file, start = 0 }: Diagnostic): string {
  // The last of several lines is the innermost reason, and the others repeat whole types.
  const lines = compiler.flattenDiagnosticMessageText(messageText, '\n').split('\n');
  const message = lines[lines.length - 1].trim().replace(/\.$/, '');
  return file === undefined ? message : `line ${file.getLineAndCharacterOfPosition(start).line + 1}: ${message}`;
}
