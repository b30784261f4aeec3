/**
 * Finds the fronts to compare, in run folders, folders that hold runs, and files, and checks that they can be compared.
 */
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../files/index.js';
import { type Contender, methodKeyOf, type Origin, readFront } from '../fronts/index.js';
import { heldRuns, importRunModules, openRun, originOf, readReturns, RunError, type Run } from '../runs/index.js';
import { returnDiscountOf } from '../training/index.js';
import { checkInput, UsageError } from './errors.js';
import { readingRun } from './result.js';

export const FRONT_SOURCES = 'a finished run, a folder that holds some, or a file with a front';

/** A front as it was found. */
export interface FoundFront extends Contender {
  readonly path: string;
  readonly run?: Run;
  /** Names of the objectives in a file that has them. */
  readonly objectives?: readonly string[];
}

export interface FoundFronts {
  readonly fronts: readonly FoundFront[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

type Unnamed = Omit<FoundFront, 'name'>;

/** The fronts that paths lead to, each once, named by what tells their paths apart. */
export async function findFronts(paths: readonly string[]): Promise<FoundFronts> {
  const byPath = new Map<string, Unnamed>();
  const notes: string[] = [];
  for (const path of paths) {
    const source = await frontsAt(path);
    for (const front of source.fronts) {
      const real = realpathSync(front.path);
      if (!byPath.has(real)) byPath.set(real, front);
    }
    notes.push(...source.notes);
  }
  const fronts = [...byPath.values()];
  const names = namesOf(fronts.map(({ path }) => path));
  return { fronts: fronts.map((front, i) => ({ ...front, name: names[i] })), notes };
}

async function frontsAt(path: string): Promise<{ readonly fronts: readonly Unnamed[]; readonly notes: string[] }> {
  if (isFile(path)) {
    const { points, names } = await checkInput(() => readFront(path, 'RUN'));
    return { fronts: [{ path, returns: points, ...(names !== undefined && { objectives: names }) }], notes: [] };
  }
  const held = heldRuns(path);
  if (held.length > 0) return frontsHeld(path, held);
  return { fronts: [await readingRun(() => frontOfRun(path), FRONT_SOURCES)], notes: [] };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    throw new UsageError('RUN', path, `${FRONT_SOURCES} (${reasonOf(error)})`);
  }
}

async function frontOfRun(folder: string) {
  await importRunModules(folder);
  const run = openRun(folder);
  const { preferences, ...played } = readReturns(run);
  const isSet = run.protocol.preferences.kind === 'members';
  return { path: folder, ...played, ...(!isSet && { preferences }), run, origin: originOf(run) };
}

/** The fronts of the runs in a folder; runs that are not finished are left out. */
async function frontsHeld(folder: string, held: readonly string[]) {
  const notes: string[] = [];
  const runs: Awaited<ReturnType<typeof frontOfRun>>[] = [];
  for (const name of held) {
    const path = join(folder, name);
    try {
      runs.push(await frontOfRun(path));
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      notes.push(`${path} is left out: ${error.problem}`);
    }
  }
  if (runs.length === 0) throw new UsageError('RUN', folder, `${FRONT_SOURCES} (${notes[0]})`);
  const fronts = runs.filter(({ path, origin }) => {
    const successor = origin.stopped ? runs.find((other) => isSameButFinished(other.origin, origin)) : undefined;
    if (successor !== undefined) notes.push(`${path} is left out: it was stopped, and ${successor.path} is its like`);
    return successor === undefined;
  });
  return { fronts, notes };
}

/** A training that was cut short is done again beside it when a table is reproduced. */
function isSameButFinished(other: Origin, stopped: Origin): boolean {
  return !other.stopped && other.seed === stopped.seed && methodKeyOf(other) === methodKeyOf(stopped);
}

/** Paths without the folders that all of them have in common. */
function namesOf(paths: readonly string[]): string[] {
  const parts = paths.map((path) => path.split(/[\\/]/).filter((part) => part !== ''));
  const shortest = Math.min(...parts.map(({ length }) => length));
  let common = 0;
  while (common < shortest - 1 && parts.every((path) => path[common] === parts[0][common])) common++;
  return parts.map((path) => path.slice(common).join('/'));
}

/** The fronts of one environment, if one is asked for; those of files are of any. */
export function ofEnvironment(fronts: readonly FoundFront[], env: string | undefined): readonly FoundFront[] {
  if (env === undefined) return fronts;
  const known = [...new Set(fronts.flatMap(({ run }) => run?.plan.env ?? []))];
  if (!known.includes(env)) throw new UsageError('--env', env, known.length === 0 ? 'left out without a run' : known);
  return fronts.filter(({ run }) => run === undefined || run.plan.env === env);
}

/** Throws a UsageError unless fronts can be compared: the same environment, objectives and discount. */
export function checkComparable(fronts: readonly FoundFront[]): void {
  const first = fronts.find(({ run }) => run !== undefined) ?? fronts[0];
  const objectives = first.returns[0].length;
  for (const { path, run, returns } of fronts) {
    if (run !== undefined && first.run !== undefined) {
      const [wanted, given] = [first.run.plan, run.plan];
      if (given.env !== wanted.env) {
        const allowed = `on ${wanted.env} like ${first.path}, not on ${given.env}; --env NAME leaves other ones out`;
        throw new UsageError('RUN', path, allowed);
      }
      const [discount, otherDiscount] = [wanted, given].map(returnDiscountOf);
      if (otherDiscount !== discount) {
        const allowed = `a run whose returns are discounted by ${discount} like those of ${first.path}, not by ${otherDiscount}`;
        throw new UsageError('RUN', path, allowed);
      }
    }
    if (returns[0].length !== objectives) {
      const allowed = `a front of ${objectives} objectives like ${first.path}, not of ${returns[0].length}`;
      throw new UsageError('RUN', path, allowed);
    }
  }
}
