/** The files of a run as they are exported. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checksum, checksummedAgain } from '../../files/index.js';
import { halvesInPlanes } from '../../model/index.js';
import { runFiles, type ServedRun } from './runs.js';

/** What is written otherwise, by the name of the file, each after those whose checksums stand in it. */
const REWRITTEN = new Map([
  ['model.safetensors', packed],
  ['model.json', withChecksums],
  ['result.json', withChecksums],
]);
const ORDER = [...REWRITTEN.keys()];

/**
 * Those that the page reads, by name: weights so that web servers can compress them, their checksums with them, so that what is
 * exported is still a run that can be opened, and everything else as it is.
 */
export function exportedFiles(run: ServedRun): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  /** Of files that are written otherwise, by what they were before. */
  const checksums = new Map<string, string>();
  const place = (name: string) => ORDER.indexOf(basename(name));
  for (const name of runFiles(run).sort((a, b) => place(a) - place(b))) {
    const content = readFileSync(join(run.folder, name));
    const exported = REWRITTEN.get(basename(name))?.(content, checksums) ?? content;
    files.set(name, exported);
    if (exported !== content) checksums.set(checksum(content), checksum(exported));
  }
  return files;
}

function packed(weights: Uint8Array): Uint8Array {
  try {
    return halvesInPlanes(weights);
  } catch (error) {
    // What is wrong with them is for the page to say.
    if (error instanceof RangeError) return weights;
    throw error;
  }
}

function withChecksums(json: Buffer, checksums: ReadonlyMap<string, string>): Uint8Array {
  const before = String(json);
  const changed = [...checksums].reduce((text, [old, now]) => text.replaceAll(old, now), before);
  return changed === before ? json : Buffer.from(checksummedAgain(changed));
}
