/** Archives in the format of tar (POSIX ustar), which every system unpacks. */

const BLOCK = 512;

/** @param seconds when the files were made, since 1970 */
export function tarOf(
  files: Iterable<readonly [name: string, content: string | Uint8Array]>,
  seconds: number,
): Uint8Array {
  const blocks = Array.from(files, ([name, content]) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const padded = new Uint8Array(BLOCK + BLOCK * Math.ceil(bytes.length / BLOCK));
    padded.set(header(name, bytes.length, seconds));
    padded.set(bytes, BLOCK);
    return padded;
  });
  // Two empty blocks end it.
  const archive = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 2 * BLOCK));
  let at = 0;
  for (const block of blocks) {
    archive.set(block, at);
    at += block.length;
  }
  return archive;
}

function header(name: string, size: number, seconds: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => Math.floor(value).toString(8).padStart(digits, '0');
  put(name, 0);
  put(octal(0o644, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(seconds, 11), 136);
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\0' + '00', 257);
  // Of all bytes, with spaces in its own place.
  put(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return block;
}
