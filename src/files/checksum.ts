/** Checksums of files. Bundles for browsers have checksum-in-browser.ts in place of this, which has no native code to call. */
import { createHash } from 'node:crypto';

/** SHA-256 of a file's content, in hexadecimal. */
export function checksum(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
