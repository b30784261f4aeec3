/** Reads fronts from files of other programs: JSON, or a table with one point on each line. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CsvError, parse } from 'csv-parse/sync';
import { readNumber, refusal } from '../config/index.js';
import { reasonOf } from '../files/index.js';
import { PREFERENCE_COLUMN, REFERENCE_COLUMN } from './front-csv.js';

/** The path of standard input. */
export const STANDARD_INPUT = '-';

/** What a file with a front holds. */
export interface FrontFile {
  readonly points: number[][];
  /** Of the objectives, where the file has them. */
  readonly names?: readonly string[];
  /** Of the hypervolume, in the units of the points, where the file has it. */
  readonly referencePoint?: readonly number[];
  /** The names of columns that are no objectives: row numbers and labels. */
  readonly leftOut?: readonly string[];
}

/**
 * Reads a file with a front, as `parseFront` does its text.
 * @param path `-` for standard input
 * @param argument what the path is called in an error, such as `--front`
 */
export async function readFront(path: string, argument = 'path'): Promise<FrontFile> {
  let bytes: Uint8Array;
  try {
    bytes = path === STANDARD_INPUT ? await buffer(process.stdin) : await readFile(path);
  } catch (error) {
    throw refused(argument, path, `a file that can be read (${reasonOf(error)})`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused(argument, path, 'a text file in UTF-8');
  }
  return parseFront(text, `${argument} ${path}`);
}

/**
 * The front in the text of a file. It is JSON, an array of points or an object with such an array as `points`, names as
 * `objectives` and a reference point in its `protocol`; or it has one point a line, with commas, semicolons or blanks between
 * the numbers, and may begin with a line of column names; with semicolons numbers may have decimal commas. Under such a line, columns that are named as preferences, without
 * a name or as an index, and those without a number are left out. Empty lines and those that begin with # are skipped.
 * There is at least one point, all have the same number of entries, at least two, and every entry is finite. Throws a
 * RangeError where that is not so.
 * @param name what the file is called in an error, such as `FILE front.csv`
 */
export function parseFront(text: string, name: string): FrontFile {
  const front = /^\s*[[{]/.test(text) ? parseJson(text, name) : parseTable(text, name);
  if (front.points.length === 0) throw refused(`the number of points in ${name}`, 0, 'at least 1');
  return front;
}

function refused(argument: string, value: unknown, allowed: string): RangeError {
  return new RangeError(refusal(argument, value, allowed));
}

function parseJson(text: string, name: string): FrontFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refused(`the text of ${name}`, text.trim(), 'valid JSON, since it begins with a bracket');
  }
  const {
    points: listed,
    objectives: names,
    protocol,
  } = (Array.isArray(parsed) ? { points: parsed as unknown[] } : parsed) as {
    points?: unknown;
    objectives?: unknown;
    protocol?: { referencePoint?: unknown } | null;
  };
  if (!Array.isArray(listed)) throw refused(`points in ${name}`, listed, 'an array of points');

  let objectives: number | undefined;
  const points = listed.map((point: unknown, i) => {
    if (!Array.isArray(point)) throw refused(`point ${i + 1} in ${name}`, point, 'an array of numbers');
    objectives ??= point.length;
    checkLength(`point ${i + 1} in ${name}`, point, point.length, objectives);
    return point.map((value: unknown, k) => {
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      throw refused(`number ${k + 1} of point ${i + 1} in ${name}`, value, 'a finite number');
    });
  });
  const isNamed = Array.isArray(names) && names.length === objectives && names.every((one) => typeof one === 'string');
  const reference = protocol?.referencePoint;
  const hasReference = Array.isArray(reference) && reference.length === objectives && reference.every(Number.isFinite);
  return { points, ...(isNamed && { names }), ...(hasReference && { referencePoint: reference as number[] }) };
}

/** A line of a table. */
interface Row {
  readonly label: string;
  readonly content: string;
  readonly cells: readonly Cell[];
}

interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

function parseTable(text: string, name: string): FrontFile {
  const { rows: all, hasDecimalCommas } = rowsOf(text, name);
  if (all.length === 0) return { points: [] };
  const [first, ...rest] = all;
  const isNamed = first.cells.every(({ text: cell }, i) => isColumnName(cell) || (i === 0 && cell === ''));
  const rows = isNamed ? rest : all;
  // R names no column of row names, which are quoted.
  const isRowName = ({ cells }: Row) => cells.length === first.cells.length + 1 && cells[0].isQuoted;
  const hasRowNames = isNamed && rows.length > 0 && rows.every(isRowName);
  const names = [...(hasRowNames ? [''] : []), ...first.cells.map((cell) => cell.text)];
  for (const { label, content, cells } of rows) checkLength(label, content, cells.length, names.length);

  const kinds = names.map((column, k) =>
    isNamed
      ? kindOf(
          column,
          rows.map(({ cells }) => cells[k].text),
        )
      : 'objective',
  );
  const columns = (kind: ColumnKind) => kinds.flatMap((one, k) => (one === kind ? [k] : []));
  const objectives = columns('objective');
  const numbersIn = ({ label, cells }: Row, wanted: readonly number[]) =>
    wanted.map((k) => {
      const { text: cell } = cells[k];
      const value = hasDecimalCommas ? readWithComma(cell) : readNumber(cell);
      if (value !== undefined && Number.isFinite(value)) return value;
      const allowed = `a finite number${hasDecimalCommas ? ', with a decimal comma like others' : ''}`;
      throw refused(`number ${k + 1} of ${label}`, cell, allowed);
    });
  const points = rows.map((row) => {
    checkLength(row.label, row.content, objectives.length, objectives.length);
    return numbersIn(row, objectives);
  });
  const reference = columns('reference');
  const leftOut = columns('other').map((k) => names[k]);
  return {
    points,
    ...(isNamed && { names: objectives.map((k) => names[k]) }),
    ...(rows.length > 0 && reference.length === objectives.length && { referencePoint: numbersIn(rows[0], reference) }),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

type ColumnKind = 'objective' | 'preference' | 'reference' | 'other';

function kindOf(column: string, cells: readonly string[]): ColumnKind {
  if (column.startsWith(PREFERENCE_COLUMN)) return 'preference';
  if (column.startsWith(REFERENCE_COLUMN)) return 'reference';
  // As pandas and R name the numbers of rows.
  if (/^(?:|unnamed: \d+|index|rownames)$/i.test(column)) return 'other';
  return cells.length > 0 && cells.every(isColumnName) ? 'other' : 'objective';
}

/** The number that a text with a decimal comma stands for. A point, which could separate thousands, is none of it. */
function readWithComma(text: string): number | undefined {
  return text.includes('.') ? undefined : readNumber(text.replace(',', '.'));
}

/** The lines of a table, and whether its numbers have decimal commas, which only semicolons leave free. */
function rowsOf(text: string, name: string): { readonly rows: Row[]; readonly hasDecimalCommas: boolean } {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .map((line) => (line.startsWith('#') ? '' : line));
  const separator = [';', ','].find((mark) => lines.some((line) => line.includes(mark)));
  const records = text.includes('"') ? quotedRecords(lines, separator, name) : plainRecords(lines, separator);
  const hasComma = (cell: Cell) => cell.text.includes(',') && readWithComma(cell.text) !== undefined;
  return {
    rows: records.map(({ line, cells }) => ({ label: `line ${line} in ${name}`, content: lines[line - 1], cells })),
    hasDecimalCommas: separator === ';' && records.some(({ cells }) => cells.some(hasComma)),
  };
}

/** What a line, counted from 1, has between its separators. */
interface TableRecord {
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** The cells of lines without quotes, for which a parser takes ten times as long. Without a separator it is blanks. */
function plainRecords(lines: readonly string[], separator: string | undefined): TableRecord[] {
  return lines.flatMap((content, i) => {
    if (content === '') return [];
    const cells = content.split(separator ?? /\s+/).map((cell) => ({ text: cell.trim(), isQuoted: false }));
    return [{ line: i + 1, cells }];
  });
}

function quotedRecords(lines: readonly string[], separator: string | undefined, name: string): TableRecord[] {
  // Any number of blanks is one separator.
  const table = (separator === undefined ? lines.map((line) => line.replace(/\s+/g, '\t')) : lines).join('\n');
  try {
    const records = parse(table, {
      delimiter: separator ?? '\t',
      record_delimiter: '\n',
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
      cast: (cell, { quoting }): Cell => ({ text: cell, isQuoted: quoting }),
    }) as unknown as { readonly record: readonly Cell[]; readonly info: { readonly lines: number } }[];
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines: line } = error as unknown as { readonly lines: number };
    throw refused(`line ${line} in ${name}`, lines.at(line - 1), 'a row whose quotes open and close around its cells');
  }
}

/**
 * Names hold letters. NaNs are a broken point, and what begins like a number is a misspelt one.
 */
function isColumnName(cell: string): boolean {
  return /\p{L}/u.test(cell) && !/^(?:[+-]?(?:nan|inf|infinity|null)$|[\d+.-])/i.test(cell);
}

function checkLength(label: string, value: unknown, length: number, objectives: number): void {
  if (objectives < 2) throw refused(label, value, 'at least 2 numbers, one per objective');
  if (length !== objectives) throw refused(label, value, `${objectives} numbers, like the first one`);
}
