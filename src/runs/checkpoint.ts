/**
 * Checkpoints on disk: the state, the tensors and the replays of a training, with checksums, so that a damaged
 * checkpoint is noticed and the one before it is used.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  checksum,
  checksumBeside,
  checksummed,
  decodeJson,
  isChecksumIntact,
  makeFolder,
  namesIn,
  reasonOf,
  writeAtomicAsync,
} from '../files/index.js';
import type { StateValue } from '../envs/index.js';
import { decodeSafetensors, encodeSafetensors } from '../model/index.js';
import type { Replay } from '../replay/index.js';
import { CheckpointError } from '../training/index.js';
import type { Restored, Snapshot } from '../training/index.js';
import { decodeState, encodeState } from './state-json.js';

/** Of the files of a checkpoint. */
export const CHECKPOINT_FORMAT = 2;
const FOLDER = 'checkpoint';
const MANIFEST = /^generation-(\d+)\.json$/;
/** All files of checkpoints, also those that a killed process did not complete. */
const OWN = /^(?:generation|state|tensors|replay)-[\d-]+\.(?:json|safetensors|bin)(?:\.\d+\.tmp)?$/;
/** The last one, and the one before in case the last one is damaged. */
const GENERATIONS_KEPT = 2;

/** Where the checkpoints of a run are. */
export function checkpointFolder(run: string): string {
  return join(run, FOLDER);
}

/** A file of a checkpoint, as its manifest knows it. */
interface Part {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Transitions of a replay, from one on and up to another, numbered from the first that was ever added. */
interface Segment extends Part {
  readonly replay: number;
  readonly from: number;
  readonly to: number;
}

interface Manifest {
  readonly format: number;
  readonly state: Part;
  readonly tensors: Part;
  /** In the order in which they were added. */
  readonly replay: readonly Segment[];
}

/** A checkpoint that was read. */
export interface RestoredCheckpoint extends Restored {
  /** Why newer generations could not be used. */
  readonly warnings: readonly string[];
  /** Where further checkpoints go. */
  readonly store: CheckpointStore;
}

/**
 * The checkpoints of a run. Replays are written as segments that are never changed, so that a checkpoint costs what is
 * new since the last one. A generation counts once its manifest is there, which comes last and has the checksums of all
 * its parts; the one before it is kept.
 */
export class CheckpointStore {
  private readonly folder: string;
  private generation: number;
  private segments: readonly Segment[] = [];
  /** The replays that the segments belong to, once they are known. */
  private replays: readonly Replay[] | undefined;
  /** Generations that cannot be used, which do not count among those that are kept. */
  private readonly damaged = new Set<number>();
  private writing: Promise<void> = Promise.resolve();

  constructor(run: string) {
    this.folder = checkpointFolder(run);
    this.generation = Math.max(0, ...generationsIn(this.folder));
  }

  /**
   * Takes a snapshot over and writes it while the training goes on; waits for the one before. Rejects if that one, or
   * what is written here at once, could not be written.
   */
  async write({ state, tensors }: Snapshot, replays: readonly Replay[]): Promise<void> {
    await this.writing;
    makeFolder(this.folder);
    // A training with other replays, such as the one that follows the training of its key solutions.
    if (this.replays?.some((replay, index) => replay !== replays.at(index)) === true) this.segments = [];
    this.replays = replays;
    const generation = ++this.generation;
    // Encoded now: replays change as soon as the training goes on.
    const fresh = replays.flatMap((replay, index) => this.newSegment(replay, index, generation));
    const kept = this.segments.filter(({ replay, to }) => to > replays[replay].added - replays[replay].capacity);
    const parts = {
      state: { file: `state-${generation}.json`, content: new TextEncoder().encode(encodeState(state)) },
      tensors: { file: `tensors-${generation}.safetensors`, content: encodeSafetensors(tensors) },
    };
    this.writing = this.complete(generation, parts, fresh, kept);
    // A failure is thrown by the next call, or by `flush`.
    this.writing.catch(() => undefined);
  }

  /** Waits until everything is written. */
  async flush(): Promise<void> {
    await this.writing;
  }

  private newSegment(replay: Replay, index: number, generation: number): (Unwritten & Omit<Segment, keyof Part>)[] {
    const last = this.segments.findLast((segment) => segment.replay === index)?.to ?? 0;
    const from = Math.max(last, replay.added - replay.capacity);
    if (from === replay.added) return [];
    const file = `replay-${index}-${generation}.bin`;
    return [{ replay: index, from, to: replay.added, file, content: replay.encode(from, replay.added) }];
  }

  private async complete(
    generation: number,
    { state, tensors }: Readonly<Record<'state' | 'tensors', Unwritten>>,
    fresh: readonly (Unwritten & Omit<Segment, keyof Part>)[],
    kept: readonly Segment[],
  ): Promise<void> {
    const segments = [...kept];
    try {
      for (const { content, file, ...rest } of fresh) {
        segments.push({ ...rest, ...(await this.put({ file, content })) });
      }
      const manifest: Manifest = {
        format: CHECKPOINT_FORMAT,
        state: await this.put(state),
        tensors: await this.put(tensors),
        replay: segments,
      };
      await writeAtomicAsync(join(this.folder, `generation-${generation}.json`), encodeManifest(manifest));
    } catch (error) {
      // An incomplete checkpoint is useless, and the disk may be full.
      for (const { file } of [...fresh, state, tensors]) rmSync(join(this.folder, file), { force: true });
      throw error;
    }
    this.segments = segments;
    this.forget();
  }

  private async put({ file, content }: Unwritten): Promise<Part> {
    const [sha256] = await Promise.all([checksumBeside(content), writeAtomicAsync(join(this.folder, file), content)]);
    return { file, bytes: content.length, sha256 };
  }

  /** Removes what no kept generation needs. */
  private forget(): void {
    const whole = generationsIn(this.folder).filter((number) => !this.damaged.has(number));
    const kept = whole.sort((a, b) => b - a).slice(0, GENERATIONS_KEPT);
    const needed = new Set(kept.flatMap((number) => this.filesOf(number)));
    // Manifests first: one without its parts would look like a damaged checkpoint.
    const others = namesIn(this.folder).filter((name) => OWN.test(name) && !needed.has(name));
    for (const name of others.sort()) rmSync(join(this.folder, name), { force: true });
  }

  private filesOf(generation: number): string[] {
    try {
      const { state, tensors, replay } = readManifest(this.folder, generation);
      return [manifestName(generation), ...[state, tensors, ...replay].map(({ file }) => file)];
    } catch {
      // A damaged manifest needs nothing: it will not be used.
      return [];
    }
  }

  /** The newest generation that is whole. Further checkpoints go on from it. */
  restore(): RestoredCheckpoint {
    const warnings: string[] = [];
    for (const generation of generationsIn(this.folder).sort((a, b) => b - a)) {
      try {
        const manifest = readManifest(this.folder, generation);
        const state = this.readState(manifest);
        const tensors = decodeSafetensors(this.read(manifest.tensors));
        const segments = manifest.replay.map((segment) => ({ ...segment, content: this.read(segment) }));
        this.segments = manifest.replay;
        return {
          state,
          tensors,
          warnings,
          store: this,
          restoreReplays: (replays) => {
            this.replays = replays;
            for (const { replay, from, content } of segments) {
              if (replays[replay].added === 0) replays[replay].added = from;
              replays[replay].decode(content);
            }
          },
        };
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
        this.damaged.add(generation);
        warnings.push(`checkpoint ${generation} ${error.message}`);
      }
    }
    const reason = warnings.length === 0 ? 'it has no checkpoint' : warnings.join('; ');
    throw new CheckpointError(reason);
  }

  /** The state of the newest generation where it can be read, without what belongs to it; undefined where there is none. */
  newestState(): StateValue | undefined {
    for (const generation of generationsIn(this.folder).sort((a, b) => b - a)) {
      try {
        return this.readState(readManifest(this.folder, generation));
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      }
    }
    return undefined;
  }

  private readState({ state }: Manifest): StateValue {
    return decodeState(new TextDecoder('utf-8', { fatal: true }).decode(this.read(state)));
  }

  private read({ file, bytes, sha256 }: Part): Uint8Array {
    const content = readPart(join(this.folder, file), file);
    if (content.length !== bytes) throw new RangeError(`has ${content.length} of ${bytes} bytes of ${file}`);
    if (checksum(content) !== sha256) throw new RangeError(`has a ${file} that is not what was written`);
    return content;
  }

  /** Removes all checkpoints, of a run that needs none any more. */
  remove(): void {
    // Manifests first, so that a process that is killed here leaves nothing that looks like a damaged checkpoint.
    for (const number of generationsIn(this.folder)) rmSync(join(this.folder, manifestName(number)), { force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Whether there is a generation, be it damaged. */
  static existsIn(run: string): boolean {
    return generationsIn(checkpointFolder(run)).length > 0;
  }

  /** Whether there is something to remove. */
  static isLeftIn(run: string): boolean {
    return existsSync(checkpointFolder(run));
  }
}

interface Unwritten {
  readonly file: string;
  readonly content: Uint8Array;
}

function manifestName(generation: number): string {
  return `generation-${generation}.json`;
}

function generationsIn(folder: string): number[] {
  return namesIn(folder).flatMap((name) => {
    const number = MANIFEST.exec(name)?.[1];
    return number === undefined ? [] : Number(number);
  });
}

function readManifest(folder: string, generation: number): Manifest {
  const file = manifestName(generation);
  return decodeManifest(readPart(join(folder, file), file));
}

function readPart(path: string, file: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new RangeError(`lacks ${file} (${reasonOf(error)})`, { cause: error });
  }
}

/** The text of a manifest's file. */
export function encodeManifest(manifest: Manifest): string {
  return checksummed(JSON.stringify(manifest));
}

/**
 * What a manifest's file says. Throws a RangeError, to complete "checkpoint 7 ...", unless it is what was written and
 * names files of a checkpoint alone.
 */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const decoded = decodeJson(bytes);
  if (decoded === undefined) throw new RangeError('has a manifest that is not valid JSON');
  const { text, value } = decoded;
  const { format, state, tensors, replay } = recordOf(value);
  if (typeof format === 'number' && format !== CHECKPOINT_FORMAT) {
    throw new RangeError(`has format ${format}, and this version reads ${CHECKPOINT_FORMAT}`);
  }
  const isValid = isPart(state) && isPart(tensors) && Array.isArray(replay) && replay.every(isSegment);
  if (format !== CHECKPOINT_FORMAT || !isValid || isChecksumIntact(text) !== true) {
    throw new RangeError('has a manifest that is not what was written');
  }
  return { format, state, tensors, replay };
}

function isPart(value: unknown): value is Part {
  const { file, bytes, sha256 } = recordOf(value);
  // A name of the checkpoint's own: no file elsewhere is ever read.
  return typeof file === 'string' && OWN.test(file) && isCount(bytes) && typeof sha256 === 'string';
}

function isSegment(value: unknown): value is Segment {
  const { replay, from, to } = recordOf(value);
  return isPart(value) && isCount(replay) && isCount(from) && isCount(to) && from <= to;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
