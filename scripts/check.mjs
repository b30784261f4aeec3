// Checks types and lints, in one process: both need the types of every expression, which are worked out once. The same as
// `npm run typecheck` and `npm run lint`, in two thirds of their time.

import { ESLint } from 'eslint';
import ts from 'typescript';
import { root } from './steps.mjs';

/** @type {ts.FormatDiagnosticsHost} */
const shown = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };

const programs = ['tsconfig.json', 'src/explorer/page/tsconfig.json'].map((path) => {
  const parsed = ts.getParsedCommandLineOfConfigFile(path, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.formatDiagnostic(diagnostic, shown));
    },
  });
  if (parsed === undefined) throw new Error(`${path} cannot be read`);
  const { fileNames: rootNames, options, errors: configFileParsingDiagnostics } = parsed;
  // The linter walks from a node to its parents.
  const host = ts.createCompilerHost(options, true);
  return ts.createProgram({ rootNames, options, host, configFileParsingDiagnostics });
});
const diagnostics = ts.sortAndDeduplicateDiagnostics(programs.flatMap((program) => ts.getPreEmitDiagnostics(program)));

const eslint = new ESLint({
  cwd: root,
  overrideConfig: { languageOptions: { parserOptions: { project: null, programs } } },
});
const results = await eslint.lintFiles(['.']);
const formatter = await eslint.loadFormatter('stylish');

const found = ts.formatDiagnostics(diagnostics, shown) + (await formatter.format(results));
if (found !== '') {
  console.log(found);
  process.exitCode = 1;
}
