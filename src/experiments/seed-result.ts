/** Checks what a file says of one seed, of which nothing is known before. */
import { isObject } from '../files/index.js';
import { isMachine } from '../runs/index.js';
import type { SeedResult } from './experiment.js';

export type Unchecked = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = Number.isFinite;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const objectOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

const RESULT: Readonly<Record<Exclude<keyof SeedResult, 'run'>, Check>> = {
  seed: isCount,
  hypervolume: isNumber,
  chosenBy: isNumber,
  last: orNull(isNumber),
  sparsity: objectOf({ distinct: orNull(isNumber), published: isNumber }),
  expectedUtility: isNumber,
  regret: orNull(objectOf({ mean: isNumber, worst: isNumber, below80: isNumber })),
  points: isCount,
  coverageF1: orNull(isNumber),
  envSteps: isCount,
  gradientSteps: isCount,
  evaluationSteps: orNull(isCount),
  seconds: isNumber,
  machine: orNull(isMachine),
  device: isText,
  lockstep: isCount,
  versions: (value) => isObject(value) && Object.values(value).every(isText),
  front: listOf(listOf(isNumber)),
  curve: listOf(objectOf({ envSteps: isCount, seconds: orNull(isNumber), hypervolume: isNumber })),
};

/** The result of a seed without its run. Calls back with the name of the first part that is missing, or not valid. */
export function resultIn(given: Unchecked, refuse: (name: string) => never): SeedResult {
  for (const [name, check] of Object.entries(RESULT)) if (!check(given[name])) refuse(name);
  const values = Object.keys(RESULT).map((name) => [name, given[name]]);
  return { run: null, ...Object.fromEntries(values) } as SeedResult;
}
