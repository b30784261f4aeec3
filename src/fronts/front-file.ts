/** Reads fronts from files of other programs: JSON, or a table with one point on each line. */
import { readFile } from 'node:fs/promises';
import { readNumber, refusal } from '../config/index.js';
import { reasonOf } from '../files/index.js';

/** How the names of columns with preferences begin. */
export const PREFERENCE_COLUMN = 'preference ';

/** What a file with a front holds. */
export interface FrontFile {
  readonly points: number[][];
  /** Of the objectives, where the file has them. */
  readonly names?: readonly string[];
}

/**
 * Reads a file with a front, as `parseFront` does its text.
 * @param argument what the path is called in an error, such as `--front`
 */
export async function readFront(path: string, argument = 'path'): Promise<FrontFile> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
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
 * The front in the text of a file. It is JSON, an array of points or an object with such an array as `points` and names
 * as `objectives`; or it has one point a line, with commas, semicolons or blanks between the numbers, and may begin with
 * a line of column names; columns named as preferences are left out. Empty lines and those that begin with # are skipped.
 * There is at least one point, all have the same number of entries, at least two, and every entry is finite. Throws a
 * RangeError where that is not so.
 * @param name what the file is called in an error, such as `FILE front.csv`
 */
export function parseFront(text: string, name: string): FrontFile {
  const front = /^\s*[[{]/.test(text) ? parseJson(text, name) : parseLines(text, name);
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
  const { points: listed, objectives: names } = (Array.isArray(parsed) ? { points: parsed as unknown[] } : parsed) as {
    points?: unknown;
    objectives?: unknown;
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
  return { points, ...(isNamed && { names }) };
}

function parseLines(text: string, name: string): FrontFile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((content, i) => ({ content: content.trim(), label: `line ${i + 1} in ${name}` }))
    .filter(({ content }) => content !== '' && !content.startsWith('#'));
  const separator = [';', ','].find((mark) => lines.some(({ content }) => content.includes(mark))) ?? /\s+/;
  const rows = lines.map(({ content, label }) => ({
    label,
    content,
    cells: content.split(separator).map((cell) => cell.trim()),
  }));
  const objectives = rows.at(0)?.cells.length ?? 0;
  for (const { label, content, cells } of rows) checkLength(label, content, cells.length, objectives);

  const columns = rows.at(0)?.cells.every(isColumnName) === true ? rows[0].cells : undefined;
  // The columns of `psl front` that say how a point was reached come after the objectives.
  const firstPreference = columns?.findIndex((column) => column.startsWith(PREFERENCE_COLUMN)) ?? -1;
  const end = firstPreference < 2 ? undefined : firstPreference;
  const points = (columns === undefined ? rows : rows.slice(1)).map(({ label, cells }) =>
    cells.slice(0, end).map((cell, k) => {
      const value = readNumber(cell);
      if (value === undefined || !Number.isFinite(value)) {
        throw refused(`number ${k + 1} of ${label}`, cell, 'a finite number');
      }
      return value;
    }),
  );
  return { points, ...(columns !== undefined && { names: columns.slice(0, end).map(unquoted) }) };
}

/**
 * Names hold letters. NaNs are a broken point, what begins like a number is a misspelt one ("1,5" with a decimal comma),
 * and an empty name stands over the row numbers of a table, which are no objective.
 */
function isColumnName(cell: string): boolean {
  return /\p{L}/u.test(cell) && !/^(?:[+-]?(?:nan|inf|infinity|null)$|["']?[\d+.-])/i.test(cell);
}

function unquoted(cell: string): string {
  return cell.replace(/^(["'])(.*)\1$/, '$2');
}

function checkLength(label: string, value: unknown, length: number, objectives: number): void {
  if (objectives < 2) throw refused(label, value, 'at least 2 numbers, one per objective');
  if (length !== objectives) throw refused(label, value, `${objectives} numbers, like the first one`);
}
