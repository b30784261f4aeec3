import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StateValue } from '../envs/index.js';
import type { Replay } from '../replay/index.js';
import { checksum, reasonOf, writeAtomicAsync } from './files.js';
import { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';
import { decodeState, encodeState } from './state-json.js';

/** Of the files of a checkpoint. */
const CHECKPOINT_FORMAT = 1;
const FOLDER = 'checkpoint';
const MANIFEST = /^generation-(\d+)\.json$/;
/** The last one, and the one before in case the last one is damaged. */
const GENERATIONS_KEPT = 2;

/** Everything that a training needs to go on exactly where it was, but for what its replays hold. */
export interface Snapshot {
  readonly state: StateValue;
  readonly tensors: ReadonlyMap<string, NamedTensor>;
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

/** What a checkpoint is read back as. */
export interface Restored extends Snapshot {
  /** Fills empty replays. */
  restoreReplays(replays: readonly Replay[]): void;
  /** What was wrong with newer generations, which were passed over. */
  readonly warnings: readonly string[];
  /** Where further checkpoints go. */
  readonly store: CheckpointStore;
}

/** No generation of a checkpoint can be used. */
export class CheckpointError extends RangeError {
  override readonly name = 'CheckpointError';
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
  private writing: Promise<void> = Promise.resolve();

  constructor(run: string) {
    this.folder = join(run, FOLDER);
    this.generation = Math.max(0, ...generationsIn(this.folder));
  }

  /**
   * Takes a snapshot over and writes it while the training goes on; waits for the one before. Rejects if that one, or
   * what is written here at once, could not be written.
   */
  async write({ state, tensors }: Snapshot, replays: readonly Replay[]): Promise<void> {
    await this.writing;
    mkdirSync(this.folder, { recursive: true });
    const generation = ++this.generation;
    // Encoded now: replays change as soon as the training goes on.
    const fresh = replays.flatMap((replay, index) => this.newSegment(replay, index, generation));
    const kept = this.segments.filter(({ replay, to }) => to > replays[replay].added - replays[replay].capacity);
    const parts = {
      state: { file: `state-${generation}.json`, content: new TextEncoder().encode(encodeState(state)) },
      tensors: { file: `tensors-${generation}.safetensors`, content: encodeSafetensors(tensors) },
    };
    this.writing = this.complete(generation, parts, fresh, kept);
    // Heard of by the next call, or by `flush`.
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
    for (const { content, file, ...rest } of fresh) segments.push({ ...rest, ...(await this.put({ file, content })) });
    const manifest: Manifest = {
      format: CHECKPOINT_FORMAT,
      state: await this.put(state),
      tensors: await this.put(tensors),
      replay: segments,
    };
    const text = JSON.stringify({ manifest, sha256: checksum(new TextEncoder().encode(JSON.stringify(manifest))) });
    await writeAtomicAsync(join(this.folder, `generation-${generation}.json`), text);
    this.segments = segments;
    this.forget(generation);
  }

  private async put({ file, content }: Unwritten): Promise<Part> {
    await writeAtomicAsync(join(this.folder, file), content);
    return { file, bytes: content.length, sha256: checksum(content) };
  }

  /** Removes what no kept generation needs. */
  private forget(newest: number): void {
    const generations = generationsIn(this.folder).sort((a, b) => b - a);
    const old = generations.filter((number) => number <= newest - GENERATIONS_KEPT);
    for (const number of old) rmSync(join(this.folder, `generation-${number}.json`), { force: true });
    const needed = new Set(generations.slice(0, GENERATIONS_KEPT).flatMap((number) => this.filesOf(number)));
    for (const file of readdirSync(this.folder)) {
      if (/^(?:state|tensors|replay)-/.test(file) && !needed.has(file))
        rmSync(join(this.folder, file), { force: true });
    }
  }

  private filesOf(generation: number): string[] {
    try {
      const { state, tensors, replay } = readManifest(this.folder, generation);
      return [state, tensors, ...replay].map(({ file }) => file);
    } catch {
      // A damaged manifest needs nothing: it will not be used.
      return [];
    }
  }

  /** The newest generation that is whole. Further checkpoints go on from it. */
  restore(): Restored {
    const warnings: string[] = [];
    for (const generation of generationsIn(this.folder).sort((a, b) => b - a)) {
      try {
        const manifest = readManifest(this.folder, generation);
        const state = decodeState(new TextDecoder('utf-8', { fatal: true }).decode(this.read(manifest.state)));
        const tensors = decodeSafetensors(this.read(manifest.tensors));
        const segments = manifest.replay.map((segment) => ({ ...segment, content: this.read(segment) }));
        this.segments = manifest.replay;
        return {
          state,
          tensors,
          warnings,
          store: this,
          restoreReplays: (replays) => {
            for (const { replay, from, content } of segments) {
              if (replays[replay].added === 0) replays[replay].added = from;
              replays[replay].decode(content);
            }
          },
        };
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
        warnings.push(`checkpoint ${generation} ${error.message}`);
      }
    }
    const reason = warnings.length === 0 ? 'it has no checkpoint' : warnings.join('; ');
    throw new CheckpointError(reason);
  }

  private read({ file, bytes, sha256 }: Part): Uint8Array {
    const content = readPart(join(this.folder, file), file);
    if (content.length !== bytes) throw new RangeError(`has ${content.length} of ${bytes} bytes of ${file}`);
    if (checksum(content) !== sha256) throw new RangeError(`has a ${file} that is not what was written`);
    return content;
  }

  /** Removes all checkpoints, of a run that needs none any more. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  static existsIn(run: string): boolean {
    return existsSync(join(run, FOLDER));
  }
}

interface Unwritten {
  readonly file: string;
  readonly content: Uint8Array;
}

function generationsIn(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const number = MANIFEST.exec(name)?.[1];
    return number === undefined ? [] : Number(number);
  });
}

/** Throws a RangeError unless the manifest is what was written. */
function readManifest(folder: string, generation: number): Manifest {
  const file = `generation-${generation}.json`;
  const bytes = readPart(join(folder, file), file);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RangeError('has a manifest that is not valid JSON');
  }
  const { manifest, sha256 } = (value ?? {}) as { manifest?: Manifest; sha256?: string };
  if (manifest === undefined || checksum(new TextEncoder().encode(JSON.stringify(manifest))) !== sha256) {
    throw new RangeError('has a manifest that is not what was written');
  }
  if (manifest.format !== CHECKPOINT_FORMAT) {
    throw new RangeError(`has format ${manifest.format}, and this version reads ${CHECKPOINT_FORMAT}`);
  }
  return manifest;
}

function readPart(path: string, file: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new RangeError(`lacks ${file} (${reasonOf(error)})`, { cause: error });
  }
}
