/**
 * The curves of a run as an event file of TensorBoard: TFRecords of Event messages (tensorflow/core/util/event.proto), each
 * with a checksum of its length and of its bytes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { reasonOf } from '../files/index.js';
import { trainedBefore } from '../training/index.js';
import { isChanged, type Run } from './directory.js';
import { METRICS, RESULT, TRAINING_LOG } from './file-names.js';
import { numbersIn, tableIn } from './log-table.js';
import { RunError } from './run-error.js';

/** TensorBoard looks for files whose names have `tfevents` in them. */
export const EVENT_FILE = 'events.out.tfevents.0.psl';

interface Timed {
  readonly envSteps: number;
  /** Since the training began. */
  readonly seconds: number;
}

/** Numbers that a training had at one of its steps, by name. */
interface Point extends Timed {
  readonly values: Readonly<Record<string, number>>;
}

/**
 * All curves of a run as the bytes of an event file: scores and diagnostics of its evaluations over environment steps, what
 * its updates reported between them under `training`, and steps a second. Time is counted from the start of the training. Throws a RunError where a file is damaged.
 */
export function eventFile(run: Run): Uint8Array {
  const version = record(0, (event) => event.tag(3, WireType.LengthDelimited).string('brain.Event:2'));
  const points = pointsOf(run).map(({ envSteps, seconds, values }) =>
    record(seconds, (event) => {
      event.tag(2, WireType.Varint).int64(envSteps);
      event.tag(5, WireType.LengthDelimited).fork();
      for (const [name, value] of Object.entries(values)) {
        event.tag(1, WireType.LengthDelimited).fork();
        event.tag(1, WireType.LengthDelimited).string(name);
        event.tag(2, WireType.Bit32).float(value);
        event.join();
      }
      event.join();
    }),
  );
  return Buffer.concat([version, ...points]);
}

function pointsOf({ folder, plan }: Run): Point[] {
  const { evaluations = [], logged } = parsed(folder, RESULT)[0] as {
    readonly evaluations?: readonly Timed[];
    readonly logged?: { readonly envSteps: readonly number[]; readonly seconds: readonly number[] };
  };
  const logTimes = logged?.envSteps.map((envSteps, i) => ({ envSteps, seconds: logged.seconds[i] })) ?? [];
  // Steps of a run that this one began with were not taken in its time.
  const begun = { envSteps: trainedBefore(plan).envSteps, seconds: 0 };
  const log = existsSync(join(folder, TRAINING_LOG))
    ? timed(tableIn(textOf(folder, TRAINING_LOG)), logTimes, begun)
    : [];
  return [
    ...timed(parsed(folder, METRICS), evaluations, begun),
    ...log.map(({ values, ...at }) => ({ ...at, values: numbersIn({ training: values }, '/') })),
  ];
}

/** Rows with the times at which they were measured, and the steps a second since the one before. */
function timed(rows: readonly object[], times: readonly Timed[], begun: Timed): Point[] {
  const secondsAt = new Map(times.map(({ envSteps, seconds }) => [envSteps, seconds]));
  let before = begun;
  return rows.map((row) => {
    const { envSteps, ...measured } = row as { readonly envSteps: number };
    const now = { envSteps, seconds: secondsAt.get(envSteps) ?? before.seconds };
    const steps = now.envSteps - before.envSteps;
    const rate = steps > 0 ? { stepsPerSecond: steps / (now.seconds - before.seconds) } : {};
    before = now;
    return { ...now, values: numbersIn({ ...measured, ...rate }, '/') };
  });
}

/** The JSON of a file, or of each of its lines. */
function parsed(folder: string, name: string): Readonly<Record<string, unknown>>[] {
  const text = textOf(folder, name);
  const parts = name.endsWith('.jsonl') ? text.split('\n').filter((line) => line !== '') : [text];
  try {
    return parts.map((part) => JSON.parse(part) as Record<string, unknown>);
  } catch {
    throw new RunError(folder, `${name} is not valid JSON`);
  }
}

function textOf(folder: string, name: string): string {
  if (isChanged(folder, name)) throw new RunError(folder, `${name} is not what was written`);
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    throw new RunError(folder, `${name} cannot be read (${reasonOf(error)})`);
  }
}

/** One record: its length, a checksum of that, an Event and a checksum of that. */
function record(seconds: number, fill: (event: BinaryWriter) => void): Uint8Array {
  const event = new BinaryWriter();
  event.tag(1, WireType.Bit64).double(seconds);
  fill(event);
  const data = event.finish();
  const bytes = Buffer.alloc(12 + data.length + 4);
  bytes.writeBigUInt64LE(BigInt(data.length));
  bytes.writeUInt32LE(maskedChecksum(bytes.subarray(0, 8)), 8);
  bytes.set(data, 12);
  bytes.writeUInt32LE(maskedChecksum(data), 12 + data.length);
  return bytes;
}

/** CRC-32C, rotated and shifted by a constant, as TensorFlow stores it. */
function maskedChecksum(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** What each byte does to a CRC with the Castagnoli polynomial, its bits reversed. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) * 0x82f63b78);
  return crc;
});
