/** Compression of what is sent. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What becomes much smaller. Weights of models and fonts do not. */
const SHRINKS = /\.(?:html|js|css|json|jsonl|svg|wasm)$/;

export function shrinks(file: string): boolean {
  return SHRINKS.test(file);
}

/** @param header Accept-Encoding, in which q=0 refuses */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i.test(String(header ?? ''));
}

/**
 * Compresses files that stay as they are, each once: MuJoCo takes a quarter of a second.
 * @param read gives the content of a file
 */
export function gzipCache(read: (path: string) => Uint8Array): (path: string) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>();
  const compressed = async (path: string) => promisify(gzip)(read(path));
  return (path) => {
    const known = kept.get(path) ?? compressed(path);
    kept.set(path, known);
    // So that it is tried again.
    known.catch(() => kept.delete(path));
    return known;
  };
}
