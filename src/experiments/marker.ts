/** The file that says whose folder it is, so that no other is ever written to. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeJson } from '../files/index.js';

const MARKER = 'reproduction.json';
const FORMAT = 1;

/** What a folder is of. */
export interface Marker {
  readonly experiment: string;
  readonly budget: string;
}

export function hasMarker(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/** Makes the folder of an experiment, unless it is there. */
export function markFolder(folder: string, marker: Marker): void {
  makeFolder(folder);
  if (!hasMarker(folder)) writeJson(join(folder, MARKER), { format: FORMAT, ...marker });
}

/** What a folder says that it is of; undefined where this version cannot read it. */
export function readMarker(folder: string): Marker | undefined {
  const marker = readObject(join(folder, MARKER));
  return marker?.format === FORMAT
    ? { experiment: String(marker.experiment), budget: String(marker.budget) }
    : undefined;
}

/** Calls back with what is wrong with the marker of a folder, if that is not the one that is wanted. */
export function checkMarker(folder: string, wanted: Marker, refuse: (problem: string) => never): void {
  const marker = readMarker(folder);
  if (marker === undefined) return refuse(`its ${MARKER} is not one that this version reads`);
  if (marker.experiment === wanted.experiment && marker.budget === wanted.budget) return;
  refuse(`it holds ${marker.experiment} with the budget ${marker.budget}`);
}

/** Says why a folder cannot be that of a reproduction. */
export function refusalOf(name: string, folder: string): (problem: string) => never {
  return (problem) => {
    const allowed = 'a folder that is new, empty or holds the same reproduction';
    throw new RangeError(`${name} is "${folder}", but must be ${allowed}, and ${problem}.`);
  };
}

export function readObject(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
