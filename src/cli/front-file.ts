import { readFile } from 'node:fs/promises';
import { readNumber } from '../config/index.js';
import { UsageError } from './errors.js';

/** How the names of columns with preferences begin. */
export const PREFERENCE_COLUMN = 'preference ';

/** The points in a file. `argument` is where its path was given, such as `--front`. */
export async function readFront(argument: string, path: string): Promise<number[][]> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    // Such as "ENOENT: no such file or directory, open 'front.csv'".
    const reason = /^[A-Z]+: ([^,]+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw new UsageError(argument, path, `a file that can be read${reason === undefined ? '' : ` (${reason})`}`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(argument, path, 'a text file in UTF-8');
  }
  return parseFront(text, `${argument} ${path}`);
}

/**
 * The points in the text of a file. It is JSON, an array of points or an object with such an array as `points`; or it
 * has one point a line, with commas, semicolons or blanks between the numbers, and may begin with a line of column
 * names; columns named as preferences are left out. Empty lines and those that begin with # are skipped. There is at least one point, all have the same number of
 * entries, at least two, and every entry is finite.
 * @param name what the file is called in an error, such as `FILE front.csv`
 */
export function parseFront(text: string, name: string): number[][] {
  const points = /^\s*[[{]/.test(text) ? parseJson(text, name) : parseLines(text, name);
  if (points.length === 0) throw new UsageError(`the number of points in ${name}`, 0, 'at least 1');
  return points;
}

function parseJson(text: string, name: string): number[][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsageError(`the text of ${name}`, text.trim(), 'valid JSON, since it begins with a bracket');
  }
  const points = Array.isArray(parsed) ? (parsed as unknown[]) : (parsed as { points?: unknown }).points;
  if (!Array.isArray(points)) throw new UsageError(`points in ${name}`, points, 'an array of points');

  let objectives: number | undefined;
  return points.map((point: unknown, i) => {
    if (!Array.isArray(point)) throw new UsageError(`point ${i + 1} in ${name}`, point, 'an array of numbers');
    objectives ??= point.length;
    checkLength(`point ${i + 1} in ${name}`, point, point.length, objectives);
    return point.map((value: unknown, k) => {
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      throw new UsageError(`number ${k + 1} of point ${i + 1} in ${name}`, value, 'a finite number');
    });
  });
}

function parseLines(text: string, name: string): number[][] {
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

  const names = rows.at(0)?.cells.every(isColumnName) === true ? rows[0].cells : undefined;
  const points = names === undefined ? rows : rows.slice(1);
  // The columns of `psl front` that say how a point was reached come after the objectives.
  const end = names?.findIndex((column) => column.startsWith(PREFERENCE_COLUMN)) ?? -1;
  return points.map(({ label, cells }) =>
    cells.slice(0, end < 2 ? undefined : end).map((cell, k) => {
      const value = readNumber(cell);
      if (value === undefined || !Number.isFinite(value)) {
        throw new UsageError(`number ${k + 1} of ${label}`, cell, 'a finite number');
      }
      return value;
    }),
  );
}

/**
 * Names hold letters. NaNs are a broken point, what begins like a number is a misspelt one ("1,5" with a decimal comma),
 * and an empty name stands over the row numbers of a table, which are no objective.
 */
function isColumnName(cell: string): boolean {
  return /\p{L}/u.test(cell) && !/^(?:[+-]?(?:nan|inf|infinity|null)$|["']?[\d+.-])/i.test(cell);
}

function checkLength(label: string, value: unknown, length: number, objectives: number): void {
  if (objectives < 2) throw new UsageError(label, value, 'at least 2 numbers, one per objective');
  if (length !== objectives) throw new UsageError(label, value, `${objectives} numbers, like the first one`);
}
