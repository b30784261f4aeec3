/**
 * Object storage that speaks S3, which has to honour `If-None-Match: *`: on that rests that of all who create an object one
 * succeeds. Its clock is that of the server, as objects tell when they were written.
 *
 *     jobs/ID/attempt-1/manifest.json   which files a claim has; written last, so that half of them never count
 *     jobs/ID/attempt-1/files/SHA256    their contents, each of which is sent once
 *     runs/NAME/...                     the files of a finished run under their own names
 *     runs/NAME.json                    its manifest; with it the run is published
 *
 * Trainings write to a folder of this machine, which their checkpoints are sent from.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, renameSync, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { refusal } from '../config/index.js';
import {
  checksum,
  checksumBeside,
  checksummed,
  decodeJson,
  isChecksumIntact,
  jsonText,
  makeFolder,
  namesIn,
  WriteError,
} from '../files/index.js';
import { checkpointFolder } from '../runs/index.js';
import { atOnce } from './at-once.js';
import { PlaceError, type Borrowed, type ClaimFiles, type Place, type Stamped } from './place.js';
import { loadS3, type S3Answer, type S3Client, type S3Package } from './s3.js';
import { shareFiles } from './share-files.js';
import { isRecord } from './spec.js';

const SCHEME = 's3://';
const BUCKET = /^[a-z0-9][a-z0-9.-]+$/;
/** Of a key, and of the name of a file in a manifest: nothing that leads out of a folder. */
const SEGMENT = /^(?!\.{1,2}$)[\w.+=@ -]+$/;
const SHA256 = /^[0-9a-f]{64}$/;
const MANIFEST = 'manifest.json';
const FORMAT = 1;

/** How often a request is sent before the server counts as out of reach. */
const ATTEMPTS = 5;
/** Milliseconds until a connection, or the next bytes of an answer, are given up. */
const TIMEOUTS = { connectionTimeout: 10_000, socketTimeout: 60_000 };
/** Milliseconds that the time of an object is short of its last second's end: headers have no parts of a second. */
const ROUNDED = 999;
/** Milliseconds between two looks whether a training has written a checkpoint. */
const LOOK = 250;
/** How often something is read again that somebody else is replacing. */
const TRIES = 10;

const [GONE, CONFLICT, EXISTS] = [404, 409, 412];

/** The files of a claim or a run: the checksum of each, by its name. */
type Manifest = ReadonlyMap<string, string>;

export function isS3Address(address: string): boolean {
  return address.startsWith(SCHEME);
}

export class S3Place implements Place {
  readonly path = undefined;
  private readonly bucket: string;
  private readonly prefix: readonly string[];
  private connection: Promise<{ readonly s3: S3Package; readonly client: S3Client }> | undefined;

  /** @param name what the address is called where it was given */
  constructor(url: string, name: string) {
    const [bucket, ...prefix] = url.slice(SCHEME.length).replace(/\/+$/, '').split('/');
    if (!BUCKET.test(bucket) || !prefix.every((segment) => SEGMENT.test(segment))) {
      throw new RangeError(refusal(name, url, 'an address such as s3://BUCKET/SWEEP'));
    }
    [this.bucket, this.prefix] = [bucket, prefix];
  }

  address(key = ''): string {
    return SCHEME + [this.bucket, ...this.prefix, ...(key === '' ? [] : [key])].join('/');
  }

  async whyNotUsable(): Promise<string | undefined> {
    const key = `workers/probe-${randomBytes(8).toString('hex')}.tmp`;
    try {
      await this.put(key, 'first', true);
      const isHonoured = !(await this.put(key, 'second', true));
      return isHonoured ? undefined : 'its server overwrites objects where it is asked not to (If-None-Match)';
    } catch (error) {
      if (error instanceof PlaceError) return error.reason;
      throw error;
    } finally {
      await this.remove(key).catch(() => undefined);
    }
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    return (await this.ask('GetObjectCommand', { Key: this.keyOf(key) }, GONE))?.Body?.transformToByteArray();
  }

  async exists(key: string): Promise<boolean> {
    return (await this.ask('HeadObjectCommand', { Key: this.keyOf(key) }, GONE)) !== undefined;
  }

  async list(key: string): Promise<string[]> {
    const prefix = this.keyOf(key, '');
    const pages = await this.pages({ Prefix: prefix, Delimiter: '/' });
    const keys = pages.flatMap(({ Contents = [], CommonPrefixes = [] }) => [
      ...Contents.map(({ Key = '' }) => Key),
      ...CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(0, -1)),
    ]);
    return keys.map((each) => each.slice(prefix.length));
  }

  async create(key: string, content: string): Promise<boolean> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (await this.put(key, content, true)) return true;
      const there = await this.read(key);
      // A request that was sent again, because its answer was lost, finds what it wrote itself.
      if (there !== undefined) return new TextDecoder().decode(there) === content;
    }
    throw new PlaceError(this.address(key), 'others write to it all the time', undefined);
  }

  async replace(key: string, content: string | Uint8Array): Promise<void> {
    await this.put(key, content);
  }

  async remove(key: string): Promise<void> {
    await this.ask('DeleteObjectCommand', { Key: this.keyOf(key) }, GONE);
  }

  async stamp(key: string, content: string): Promise<number> {
    await this.put(key, content);
    const written = await this.ask('HeadObjectCommand', { Key: this.keyOf(key) });
    return written!.LastModified!.getTime();
  }

  async stamped(key: string): Promise<Stamped | undefined> {
    const answer = await this.ask('GetObjectCommand', { Key: this.keyOf(key) }, GONE);
    if (answer === undefined) return undefined;
    const content = new TextDecoder().decode(await answer.Body!.transformToByteArray());
    return { at: answer.LastModified!.getTime() + ROUNDED, content };
  }

  async takeOver(key: string, earlier: readonly string[], isUsable: (folder: string) => boolean): Promise<ClaimFiles> {
    const claim = new S3Claim(this, key);
    try {
      for (const left of earlier) {
        const partial = `${claim.folder}.tmp`;
        if ((await this.download(left, partial)) && isUsable(partial)) {
          renameSync(partial, claim.folder);
          break;
        }
        await rm(partial, { recursive: true, force: true });
      }
      // So that what it goes on from is not needed any more.
      await claim.save();
    } catch (error) {
      await claim.close();
      throw error;
    }
    claim.watch();
    return claim;
  }

  async discard(key: string): Promise<void> {
    await this.remove(`${key}/${MANIFEST}`);
    const pages = await this.pages({ Prefix: this.keyOf(key, '') });
    const keys = pages.flatMap(({ Contents = [] }) => Contents.map(({ Key }) => Key));
    await atOnce(keys, (Key) => this.ask('DeleteObjectCommand', { Key }, GONE));
  }

  async publish(claim: string, run: string): Promise<void> {
    const published = `${run}.json`;
    if (await this.exists(published)) return;
    const manifest = await this.manifestAt(`${claim}/${MANIFEST}`);
    const copied = await atOnce([...(manifest ?? [])], async ([name, sha256]) => {
      const source = `${this.bucket}/${this.keyOf(contentKey(claim, sha256))}`;
      const Key = this.keyOf(run, ...name.split('/'));
      return this.ask('CopyObjectCommand', { Key, CopySource: encodeURI(source) }, GONE);
    });
    if (manifest !== undefined && !copied.includes(undefined)) await this.put(published, manifestText(manifest));
    // Somebody else may have done it in the meantime, and have removed the files of the claim.
    else if (!(await this.exists(published))) {
      throw new PlaceError(this.address(claim), 'files of a training that is finished are gone', undefined);
    }
  }

  async borrow(key: string): Promise<Borrowed> {
    const folder = newFolder();
    const close = () => rm(folder, { recursive: true, force: true });
    try {
      const runs = (await this.list(key)).filter((name) => name.endsWith('.json'));
      for (const name of runs.map((file) => file.slice(0, -'.json'.length))) {
        const manifest = await this.manifestAt(`${key}/${name}.json`);
        await this.fetch(manifest ?? new Map(), (file) => `${key}/${name}/${file}`, join(folder, name));
      }
      return { folder, close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** @returns false where it is asked to make an object, and there is one */
  private async put(key: string, content: string | Uint8Array, isNew = false): Promise<boolean> {
    const Body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const input = { Key: this.keyOf(key), Body, ContentLength: Body.length, ...(isNew && { IfNoneMatch: '*' }) };
    return (await this.ask('PutObjectCommand', input, ...(isNew ? [CONFLICT, EXISTS] : []))) !== undefined;
  }

  /** Brings the files of a claim to a folder; false where there are none, or where they cannot be had. */
  private async download(claim: string, folder: string): Promise<boolean> {
    // Its owner may be alive after all, and replaces them.
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const manifest = await this.manifestAt(`${claim}/${MANIFEST}`);
      if (manifest === undefined) return false;
      if (await this.fetch(manifest, (_, sha256) => contentKey(claim, sha256), folder)) return true;
    }
    return false;
  }

  /** Writes the files of a manifest to a folder; false where one is not there, or not what was written. */
  private async fetch(
    manifest: Manifest,
    keyOf: (name: string, sha256: string) => string,
    folder: string,
  ): Promise<boolean> {
    const fetched = await atOnce([...manifest], async ([name, sha256]) => {
      const content = await this.read(keyOf(name, sha256));
      if (content === undefined || (await checksumBeside(content)) !== sha256) return false;
      const path = join(folder, ...name.split('/'));
      makeFolder(dirname(path));
      await writeFile(path, content).catch((error: unknown) => {
        throw new WriteError(path, error);
      });
      return true;
    });
    return !fetched.includes(false);
  }

  private async manifestAt(key: string): Promise<Manifest | undefined> {
    const bytes = await this.read(key);
    const { text, value } = (bytes && decodeJson(bytes)) ?? {};
    if (text === undefined || isChecksumIntact(text) !== true || !isRecord(value)) return undefined;
    const files = value.format === FORMAT && isRecord(value.files) ? Object.entries(value.files) : [];
    const isFile = ([name, sha256]: [string, unknown]) =>
      name.split('/').every((segment) => SEGMENT.test(segment)) && SHA256.test(String(sha256));
    return files.length > 0 && files.every(isFile) ? new Map(files as [string, string][]) : undefined;
  }

  private async pages(input: object): Promise<S3Answer[]> {
    const pages: S3Answer[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await this.ask('ListObjectsV2Command', { ...input, ContinuationToken });
      pages.push(page!);
      ContinuationToken = page!.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    return pages;
  }

  /** @returns undefined where the server answers with one of the expected refusals */
  private async ask(
    command: Exclude<keyof S3Package, 'S3Client'>,
    input: object,
    ...expected: readonly number[]
  ): Promise<S3Answer | undefined> {
    this.connection ??= connect();
    const { s3, client } = await this.connection;
    try {
      return await client.send(new s3[command]({ Bucket: this.bucket, ...input }));
    } catch (error) {
      const { name, $metadata } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
      const status = $metadata?.httpStatusCode;
      if (status !== undefined && expected.includes(status) && name !== 'NoSuchBucket') return undefined;
      throw new PlaceError(this.address(), reasonOf(error as Error), error);
    }
  }

  private keyOf(...segments: readonly string[]): string {
    return [...this.prefix, ...segments].filter((segment, i, all) => segment !== '' || i === all.length - 1).join('/');
  }
}

async function connect(): Promise<{ readonly s3: S3Package; readonly client: S3Client }> {
  const s3 = await loadS3();
  const client = new s3.S3Client({
    // Buckets as parts of a host's name are known to Amazon's servers alone, and so are checksums that nobody asked for.
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: ATTEMPTS,
    requestHandler: TIMEOUTS,
  });
  return { s3, client };
}

const REASONS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  AccessDenied: 'access is denied',
  InvalidAccessKeyId: 'the key in AWS_ACCESS_KEY_ID is not known there',
  SignatureDoesNotMatch: 'the secret in AWS_SECRET_ACCESS_KEY is wrong',
  CredentialsProviderError: 'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
};

function reasonOf({ name, message }: Error): string {
  if (message === 'Region is missing') return 'there is no region; set AWS_REGION, such as to us-east-1';
  return REASONS[name] ?? (message === '' || message === 'UnknownError' ? name : message.split('\n', 1)[0]);
}

function contentKey(claim: string, sha256: string): string {
  return `${claim}/files/${sha256}`;
}

function manifestText(manifest: Manifest): string {
  return checksummed(jsonText({ format: FORMAT, files: Object.fromEntries(manifest) }));
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'psl-sweep-'));
}

/** The files of a claim in a folder of this machine, and what of them is at the place. */
class S3Claim implements ClaimFiles {
  private readonly home = newFolder();
  readonly folder = join(this.home, 'training');
  private watching: NodeJS.Timeout | undefined;
  private saving: Promise<void> | undefined;
  /** The files of the last checkpoint that was sent. */
  private sent = '';
  private manifest: Manifest = new Map();
  /** Checksums of contents that are at the place. */
  private readonly stored = new Set<string>();
  /** Checksums of files that have not been replaced since. */
  private readonly known = new Map<string, { readonly version: string; readonly sha256: string }>();

  constructor(
    private readonly place: S3Place,
    private readonly key: string,
  ) {}

  /** Sends every checkpoint from now on. */
  watch(): void {
    this.watching = setInterval(() => {
      const names = this.checkpoint();
      if (this.saving !== undefined || names === '' || names === this.sent) return;
      // A server that is out of reach for a while gets the next one; the last one has to succeed.
      this.save().catch(() => undefined);
    }, LOOK);
  }

  async save(): Promise<void> {
    while (this.saving !== undefined) await this.saving.catch(() => undefined);
    this.saving = this.send().finally(() => (this.saving = undefined));
    return this.saving;
  }

  async close(): Promise<void> {
    clearInterval(this.watching);
    await this.saving?.catch(() => undefined);
    await rm(this.home, { recursive: true, force: true });
  }

  private async send(): Promise<void> {
    const names = this.share();
    if (names === undefined) return;
    const manifest: Manifest = new Map(
      await atOnce(filesBelow(this.shared), async (name) => [name, await this.store(name)] as const),
    );
    if (manifestText(manifest) !== manifestText(this.manifest)) {
      await this.place.replace(`${this.key}/${MANIFEST}`, manifestText(manifest));
    }
    [this.sent, this.manifest] = [names, manifest];
    const needed = new Set(manifest.values());
    const others = [...this.stored].filter((sha256) => !needed.has(sha256));
    await atOnce(others, (sha256) => this.place.remove(contentKey(this.key, sha256)));
    for (const sha256 of others) this.stored.delete(sha256);
  }

  /** Sends a file, unless its content is there already. */
  private async store(name: string): Promise<string> {
    const path = join(this.shared, ...name.split('/'));
    const { ino, size, mtimeMs } = statSync(path);
    const version = `${ino} ${size} ${mtimeMs}`;
    const known = this.known.get(name);
    if (known?.version === version && this.stored.has(known.sha256)) return known.sha256;
    const content = await readFile(path);
    const sha256 = checksum(content);
    if (!this.stored.has(sha256)) await this.place.replace(contentKey(this.key, sha256), content);
    this.stored.add(sha256);
    this.known.set(name, { version, sha256 });
    return sha256;
  }

  /** Where files are while they are sent, whatever becomes of those of the training. */
  private get shared(): string {
    return `${this.folder}.shared`;
  }

  /** Takes the files as they are between two checkpoints; undefined where there are none, or the training is too quick. */
  private share(): string | undefined {
    if (!existsSync(this.folder)) return undefined;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const before = this.checkpoint();
      try {
        shareFiles(this.folder, this.shared);
      } catch (error) {
        throw new WriteError(this.shared, error);
      }
      if (this.checkpoint() === before) return before;
    }
    return undefined;
  }

  /** What the checkpoint consists of, as far as it is complete. */
  private checkpoint(): string {
    return namesIn(checkpointFolder(this.folder))
      .filter((name) => !name.endsWith('.tmp'))
      .sort()
      .join();
  }
}

/** The names of all files below a folder, with slashes. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort();
}
