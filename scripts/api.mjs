// The public API as one text for review, from the declarations that were built: docs/api.txt, which `npm run docs` writes
// and `npm run docs:check` compares, so that every change of it shows.

import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { root } from './steps.mjs';

/** @typedef {{ text: string, problems: string[] }} Api */

const BELOW = join(root, 'dist', 'src');

/** The text, and a sentence for each type that a public declaration speaks of and no entry gives. @returns {Api} */
export function publicApi() {
  const entries = entryFiles();
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  /** @param {ts.Symbol} symbol */
  const original = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

  /** Where each declaration is found first, as `entry name`. @type {Map<ts.Symbol, string>} */
  const places = new Map();
  const sections = entries.map(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is not built`);
    const lines = checker
      .getExportsOfModule(module)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((exported) => {
        const symbol = original(exported);
        const place = places.get(symbol);
        if (place !== undefined) return `${exported.name}: as in ${place}`;
        places.set(symbol, entry);
        return (symbol.declarations ?? []).map(withoutComments).join('\n');
      });
    return [`== ${entry} ==`, '', lines.join(entry === 'psl-morl' ? '\n\n' : '\n')].join('\n');
  });

  /** @type {Set<string>} */
  const problems = new Set();
  for (const symbol of places.keys()) {
    for (const declaration of symbol.declarations ?? []) {
      for (const used of typesIn(declaration, checker)) {
        const file = used.declarations?.[0].getSourceFile().fileName ?? '';
        if (isBelow(file) && !places.has(used)) {
          problems.add(`${symbol.name} speaks of ${used.name} (${shown(file)}), which is not exported.`);
        }
      }
    }
  }
  return { text: `${sections.join('\n\n')}\n`, problems: [...problems].sort() };
}

/** The entries of the package and the files with their declarations. @returns {[entry: string, file: string][]} */
function entryFiles() {
  /** @type {unknown} */
  const parsed = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { exports } = /** @type {{ exports: Record<string, string | { types: string }> }} */ (parsed);
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[`psl-morl${path.slice(1)}`, join(root, target.types)]],
  );
}

/** Unions of texts. Where they are inferred, the compiler writes them in an order that depends on all else that it has read. */
const LITERALS = /["'][^"'\n]*["'](?: \| ["'][^"'\n]*["'])+/g;

/** @param {ts.Declaration} declaration */
function withoutComments(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const printer = ts.createPrinter({ removeComments: true });
  return printer
    .printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile())
    .replace(/^export (?:declare )?|^declare /, '')
    .replace(LITERALS, (union) => union.split(' | ').sort().join(' | '));
}

/**
 * The symbols of all types that a declaration names, except in what is private.
 * @param {ts.Node} node
 * @param {ts.TypeChecker} checker
 * @returns {ts.Symbol[]}
 */
function typesIn(node, checker) {
  if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword))
    return [];
  /** @type {ts.Symbol[]} */
  const found = [];
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined;
  const symbol = name && checker.getSymbolAtLocation(name);
  if (symbol !== undefined) {
    found.push(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  }
  ts.forEachChild(node, (child) => void found.push(...typesIn(child, checker)));
  return found.filter(({ flags }) => !(flags & ts.SymbolFlags.TypeParameter));
}

/** @param {string} file */
function isBelow(file) {
  return file
    .split('/')
    .join(sep)
    .startsWith(BELOW + sep);
}

/** @param {string} file */
function shown(file) {
  return relative(BELOW, file)
    .split(sep)
    .join('/')
    .replace(/\.d\.ts$/, '.ts');
}
