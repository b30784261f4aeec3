/** The runs that the page shows: where they are, and what the page is told about them. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { envIds, envInfo, envModule } from '../../envs/index.js';
import { heldRuns, isBeingTrained, snapshotsOf } from '../../runs/index.js';
import { RUN_FILE, type ListedRun } from '../run-list.js';
import { pageModule, type PageModule } from './modules.js';

/** A run that the page may see. */
export interface ServedRun extends ListedRun {
  readonly folder: string;
}

/** What a folder holds instead of runs that lie in it, such as the trainings of a sweep, wherever their files are by now. */
export interface Held {
  /** By which it is known again when its files have moved. */
  readonly key: string;
  readonly name: string;
  readonly folder: string;
  readonly isTraining?: boolean;
  readonly progress?: string;
}

/**
 * The runs in the given folders: each folder itself, or the runs that it holds, such as replicas. Throws a RangeError
 * unless each is a folder; what is wrong inside a run is shown by the page.
 */
export function findRuns(folders: readonly string[]): ServedRun[] {
  return runLister(folders)([]);
}

/**
 * As findRuns, again and again: a run keeps its name, whatever others come and go.
 * @param heldBy says what a folder holds; undefined, or nothing, where its runs simply lie in it
 */
export function runFinder(
  folders: readonly string[],
  heldBy: (folder: string) => Promise<readonly Held[] | undefined> = () => Promise.resolve(undefined),
): () => Promise<ServedRun[]> {
  const list = runLister(folders);
  return async () => list(await Promise.all(folders.map((folder) => heldBy(resolve(folder)))));
}

/** Lists the runs in some folders, given what each of them holds. */
function runLister(folders: readonly string[]): (held: readonly (readonly Held[] | undefined)[]) => ServedRun[] {
  folders.forEach(checkFolder);
  const taken = { ids: new Set<string>(), names: new Set<string>() };
  const known = new Map<string, Pick<ListedRun, 'id' | 'name'>>();
  const called = (name: string) => {
    const plain =
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'run';
    return {
      id: untaken(taken.ids, plain, (count) => `${plain}.${count}`),
      name: untaken(taken.names, name, (count) => `${name} (${count})`),
    };
  };
  return (held) =>
    folders.flatMap((given, i) =>
      runsIn(resolve(given), held.at(i)).map(({ key: run, ...served }) => {
        // A folder that is given twice is listed twice.
        const key = `${i} ${run}`;
        const own = known.get(key) ?? called(served.name);
        known.set(key, own);
        return { ...served, ...own };
      }),
    );
}

/** Takes a name, or where it is taken the first one with a number that is not. */
function untaken(taken: Set<string>, plain: string, numbered: (count: number) => string): string {
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = numbered(count);
  taken.add(name);
  return name;
}

function runsIn(path: string, held: readonly Held[] = []): Held[] {
  const places = held.length > 0 ? held : [{ key: path, name: basename(path), folder: path }];
  return places.flatMap((place) => {
    const replicas = heldRuns(place.folder);
    if (replicas.length === 0) return [place];
    const { key, name, folder } = place;
    return replicas.map((run) => ({
      ...place,
      ...{ key: join(key, run), name: `${name} ${run}`, folder: join(folder, run) },
    }));
  });
}

/**
 * What the page is told of runs before it reads them, and what their environments are imported from.
 * @param known modules by address, from one call to the next, which adds to it: each is made ready once
 */
export function listRuns(
  runs: readonly ServedRun[],
  known = new Map<string, PageModule | undefined>(),
): {
  readonly runs: readonly ListedRun[];
  /** Texts of modules by name, below the page. */
  readonly modules: ReadonlyMap<string, string>;
} {
  const listed = runs.map((run): ListedRun => {
    const { id, name, progress } = run;
    const snapshots = snapshotsOf(run.folder);
    const common = {
      ...{ id, name, ...(progress !== undefined && { progress }) },
      ...(snapshots.length > 0 && { snapshots }),
    };
    const env = envOf(run);
    if (env === undefined || !envIds().includes(env)) return { ...common, ...(env !== undefined && { env }) };
    const view = envInfo(env).view?.kind;
    const url = envModule(env);
    if (url !== undefined && !known.has(url)) known.set(url, pageModule(url, `envs/${known.size}`));
    const module = url === undefined ? undefined : known.get(url)?.name.split('/').map(encodeURIComponent).join('/');
    return { ...common, env, ...(view !== undefined && { view }), ...(module !== undefined && { module }) };
  });
  return { runs: listed, modules: new Map([...known.values()].flatMap((module) => [...(module?.files ?? [])])) };
}

/** As far as it can be read; what is wrong with a run is for the page to say. */
function envOf(run: ServedRun): string | undefined {
  const path = runFile(run, 'config.json');
  if (path === undefined) return undefined;
  try {
    const { env } = JSON.parse(readFileSync(path, 'utf8')) as { readonly env?: unknown };
    return typeof env === 'string' ? env : undefined;
  } catch {
    return undefined;
  }
}

/** The path of a file of a run, if it is one that the page reads, exists, and does not lead out of the run's folder. */
export function runFile({ folder }: ServedRun, name: string): string | undefined {
  if (!RUN_FILE.test(name)) return undefined;
  try {
    const path = realpathSync(join(folder, name));
    return path.startsWith(realpathSync(folder) + sep) && statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}

/** All files of a run that the page reads. */
export function runFiles(run: ServedRun): string[] {
  const snapshots = snapshotsOf(run.folder).flatMap((steps) =>
    ['model.json', 'model.safetensors'].map((name) => `snapshots/${steps}/${name}`),
  );
  const fronts = listed(join(run.folder, 'fronts')).map((name) => `fronts/${name}`);
  const names = [...listed(run.folder), ...fronts, ...snapshots];
  return names.filter((name) => runFile(run, name) !== undefined);
}

/** What the page is told of a run that may go on. */
export function stateOf(run: ServedRun): Pick<ListedRun, 'isTraining' | 'stamp'> {
  return { isTraining: run.isTraining ?? isBeingTrained(run.folder), stamp: stampOf(run) };
}

/** Differs whenever something that the page shows of the run has been written. */
function stampOf(run: ServedRun): string {
  return ['config.json', 'metrics.jsonl', 'model.safetensors', 'model.json', 'result.json']
    .map((name) => {
      const path = runFile(run, name);
      // A file can go away at any time.
      const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? '-' : `${stats.mtimeMs}:${stats.size}`;
    })
    .join(' ');
}

function checkFolder(folder: string): void {
  try {
    readdirSync(folder);
  } catch {
    throw new RangeError(`RUN is "${folder}", but must be the folder of a run.`);
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
