/**
 * Where a store is, and all that a sweep asks of it: a folder that machines share (folder-place.ts), or object storage
 * (s3-place.ts). Keys are paths within it, with slashes. They are built in store.ts and membership.ts.
 */

export interface Place {
  /** The place itself, or what is at a key, as people write it. */
  address(key?: string): string;
  /** Its path, where it is a folder of this machine. */
  readonly path: string | undefined;

  /** Why a sweep cannot be begun here; undefined where it can. */
  whyNotUsable(): Promise<string | undefined>;

  /** Undefined where there is no such file. */
  read(key: string): Promise<Uint8Array | undefined>;
  exists(key: string): Promise<boolean>;
  /** The names directly below a key, of files and of folders. */
  list(key: string): Promise<string[]>;
  /** Makes a file, whole or not at all; of all who try, on all machines, one succeeds and the others get false. */
  create(key: string, content: string): Promise<boolean>;
  /** Writes a file, whole or not at all. */
  replace(key: string, content: string): Promise<void>;
  remove(key: string): Promise<void>;

  /** Writes a file as a sign of life, and returns when that was: milliseconds of the clock that all machines share. */
  stamp(key: string, content: string): Promise<number>;
  /** What such a file says, and when it was written, or a moment later; undefined where there is none. */
  stamped(key: string): Promise<Stamped | undefined>;

  /**
   * Gives a claim a folder to train in, with the files of the first of some earlier claims that left any that are usable.
   * The folder is there only if there were some.
   */
  takeOver(key: string, earlier: readonly string[], isUsable: (folder: string) => boolean): Promise<ClaimFiles>;
  /** Removes all files of a claim. One who does not know yet that his claim is lost may still write there. */
  discard(key: string): Promise<void>;
  /** Makes the files of a claim those of a run. Others may do so at the same time, or have done so. */
  publish(claim: string, run: string): Promise<void>;
  /** All runs below a key, to be read. */
  borrow(key: string): Promise<Borrowed>;
}

export interface Stamped {
  readonly at: number;
  readonly content: string;
}

/** A folder of this machine with files of a place. */
export interface Borrowed {
  readonly folder: string;
  /** Nothing reads, or writes, there any more. */
  close(): Promise<void>;
}

/** The folder that a claim is trained in. */
export interface ClaimFiles extends Borrowed {
  /** Brings all that is there to the place. Checkpoints get there by themselves, soon after they were written. */
  save(): Promise<void>;
}

/** A place cannot be reached, or refuses what is asked of it. */
export class PlaceError extends Error {
  override readonly name = 'PlaceError';

  constructor(
    address: string,
    readonly reason: string,
    override readonly cause: unknown,
  ) {
    super(`${address} cannot be reached (${reason}).`);
  }
}
