/** JSON files that carry a checksum of themselves, so that a change to one is noticed whatever else is lost. */
import { checksum } from './checksum.js';

const CHECKSUM = /,\n {2}"sha256": "([0-9a-f]{64})"\n\}\n$/;

/** The text of a JSON object with one more entry at its end: the checksum of all that comes before it. */
export function checksummed(json: string): string {
  const body = json.replace(/\s*\}\s*$/, '');
  return `${body},\n  "sha256": "${checksum(body)}"\n}\n`;
}

/** Such text after something in it was changed on purpose; as it is, where it has no checksum. */
export function checksummedAgain(text: string): string {
  const match = CHECKSUM.exec(text);
  return match === null ? text : checksummed(`${text.slice(0, match.index)}\n}\n`);
}

/** What the bytes of a JSON file say, as text and as a value; undefined where they are not valid JSON in UTF-8. */
export function decodeJson(bytes: Uint8Array): { readonly text: string; readonly value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Whether such text is what was written; undefined where it has no checksum, or none that can be read. */
export function isChecksumIntact(text: string): boolean | undefined {
  const match = CHECKSUM.exec(text);
  return match === null ? undefined : checksum(text.slice(0, match.index)) === match[1];
}
