/** The files of runs: on the server, or of runs that were trained in this page, which forgets them when it is closed. */
import { CHANGED } from '../run-list.js';

export type Folder = ReadonlyMap<string, string | Uint8Array>;

const folders = new Map<string, Folder>();

/** @param run address of its folder, with a slash at its end */
export function holdRun(run: string, files: Folder): void {
  folders.set(run, files);
}

/**
 * The runs that are held here, by address, of those that are asked for.
 * @param places addresses of their folders, or of folders inside them
 */
export function heldRuns(places: readonly string[]): ReadonlyMap<string, Folder> {
  return new Map([...folders].filter(([run]) => places.some((place) => place.startsWith(run))));
}

/** As fetch, also for files that are held here. Rejects with a sentence where a file is damaged, or nobody answers. */
export async function fetchFile(address: string, options?: RequestInit): Promise<Response> {
  for (const [run, files] of folders) {
    const absolute = new URL(address, location.href).href;
    if (!absolute.startsWith(run)) continue;
    const content = files.get(absolute.slice(run.length));
    return new Response(content as BodyInit | undefined, { status: content === undefined ? 404 : 200 });
  }
  const name = address.replace(/^.*\/runs\/[^/]+\//, '');
  const response = await fetch(address, options).catch(() => {
    throw new Error(`${name} of this run cannot be read: the server does not answer.`);
  });
  if (response.status === CHANGED) throw new Error(`${name} of this run is damaged: it is not what was written.`);
  return response;
}
