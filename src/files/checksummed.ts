/** JSON files that carry a checksum of themselves, so that a change to one is noticed whatever else is lost. */
import { checksum } from './files.js';

const CHECKSUM = /,\n {2}"sha256": "([0-9a-f]{64})"\n\}\n$/;

/** The text of a JSON object with one more entry at its end: the checksum of all that comes before it. */
export function checksummed(json: string): string {
  const body = json.replace(/\s*\}\s*$/, '');
  return `${body},\n  "sha256": "${checksum(body)}"\n}\n`;
}

/** Whether such text is what was written; undefined where it has no checksum, or none that can be read. */
export function isChecksumIntact(text: string): boolean | undefined {
  const match = CHECKSUM.exec(text);
  return match === null ? undefined : checksum(text.slice(0, match.index)) === match[1];
}
