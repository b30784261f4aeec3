/**
 * A folder that machines share. Trainings write into it as they run, and files go from claim to claim without being copied.
 * Its clock is that of the file system.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createExclusive, makeFolder, namesIn, whyNotWritable, writeAtomic, WriteError } from '../files/index.js';
import type { Borrowed, ClaimFiles, Place, Stamped } from './place.js';
import { shareFiles } from './share-files.js';

/** What a place answers, where the answer is there at once. */
function answer<T>(act: () => T): Promise<T> {
  return new Promise((resolve) => resolve(act()));
}

export class FolderPlace implements Place {
  constructor(readonly path: string) {}

  address(key = ''): string {
    return key === '' ? this.path : join(this.path, key);
  }

  whyNotUsable(): Promise<string | undefined> {
    return answer(() => whyNotWritable(this.path));
  }

  read(key: string): Promise<Uint8Array | undefined> {
    return answer(() => (existsSync(this.address(key)) ? readFileSync(this.address(key)) : undefined));
  }

  exists(key: string): Promise<boolean> {
    return answer(() => existsSync(this.address(key)));
  }

  list(key: string): Promise<string[]> {
    return answer(() => namesIn(this.address(key)));
  }

  create(key: string, content: string): Promise<boolean> {
    return answer(() => createExclusive(this.pathFor(key), content));
  }

  replace(key: string, content: string): Promise<void> {
    return answer(() => writeAtomic(this.pathFor(key), content));
  }

  remove(key: string): Promise<void> {
    return answer(() => rmSync(this.address(key), { force: true }));
  }

  /** In place: whoever reads half of it still sees when it was written. */
  stamp(key: string, content: string): Promise<number> {
    return answer(() => {
      const path = this.pathFor(key);
      try {
        const file = openSync(path, 'w');
        try {
          writeFileSync(file, content);
        } finally {
          closeSync(file);
        }
        return timeAndContent(path).at;
      } catch (error) {
        throw new WriteError(path, error);
      }
    });
  }

  stamped(key: string): Promise<Stamped | undefined> {
    return answer(() => {
      try {
        return timeAndContent(this.address(key));
      } catch {
        return undefined;
      }
    });
  }

  takeOver(key: string, earlier: readonly string[], isUsable: (folder: string) => boolean): Promise<ClaimFiles> {
    return answer(() => {
      const folder = this.address(key);
      try {
        for (const left of earlier) {
          if (!existsSync(this.address(left))) continue;
          const partial = `${folder}.tmp`;
          shareFiles(this.address(left), partial);
          if (isUsable(partial)) {
            renameSync(partial, folder);
            break;
          }
          rmSync(partial, { recursive: true, force: true });
        }
      } catch (error) {
        throw new WriteError(folder, error);
      }
      return { folder, save: nothing, close: nothing };
    });
  }

  discard(key: string): Promise<void> {
    return answer(() => {
      try {
        rmSync(this.address(key), { recursive: true, force: true });
      } catch {
        // One who does not know yet that his claim is lost still writes there; he removes it himself, or the next one does.
      }
    });
  }

  publish(claim: string, run: string): Promise<void> {
    return answer(() => {
      if (existsSync(this.address(run))) return;
      const to = this.pathFor(run);
      try {
        renameSync(this.address(claim), to);
      } catch (error) {
        // Somebody else did it in the meantime.
        if (!existsSync(to)) throw new WriteError(to, error);
      }
    });
  }

  borrow(key: string): Promise<Borrowed> {
    return answer(() => ({ folder: this.address(key), close: nothing }));
  }

  /** The path of a file that is to be written, in a folder that is there. */
  private pathFor(key: string): string {
    const path = this.address(key);
    makeFolder(dirname(path));
    return path;
  }
}

/** Everything is where it belongs already. */
function nothing(): Promise<void> {
  return Promise.resolve();
}

function timeAndContent(path: string): Stamped {
  // A network file system asks its server again for a file that is opened.
  const file = openSync(path, 'r');
  try {
    return { at: fstatSync(file).mtimeMs, content: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
}
