/** Files of runs that were trained in this page: they are on no server, and a page that is closed forgets them. */

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

/** As fetch, also for those files. */
export function fetchFile(address: string, options?: RequestInit): Promise<Response> {
  for (const [run, files] of folders) {
    const absolute = new URL(address, location.href).href;
    if (!absolute.startsWith(run)) continue;
    const content = files.get(absolute.slice(run.length));
    return Promise.resolve(
      new Response(content as BodyInit | undefined, { status: content === undefined ? 404 : 200 }),
    );
  }
  return fetch(address, options);
}
