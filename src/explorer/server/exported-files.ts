/** The files of a run as they are exported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, checksummedAgain } from '../../files/index.js';
import { halvesInPlanes } from '../../model/index.js';
import { runFiles, type ServedRun } from './runs.js';

const RESULT = 'result.json';

/** Those that the page reads, by name: weights so that web servers can compress them, and everything else as it is. */
export function exportedFiles(run: ServedRun): Map<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>();
  /** Of weights, by what they were before. */
  const checksums = new Map<string, string>();
  for (const name of runFiles(run)) {
    const content = readFileSync(join(run.folder, name));
    const exported = name.endsWith('.safetensors') ? packed(content) : content;
    files.set(name, exported);
    if (exported !== content) checksums.set(checksum(content), checksum(exported));
  }
  const result = files.get(RESULT);
  if (result !== undefined && checksums.size > 0) files.set(RESULT, withChecksums(String(result), checksums));
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

/** So that what is exported is still a run that can be opened. */
function withChecksums(result: string, checksums: ReadonlyMap<string, string>): string {
  const changed = [...checksums].reduce((text, [before, now]) => text.replaceAll(before, now), result);
  return checksummedAgain(changed);
}
