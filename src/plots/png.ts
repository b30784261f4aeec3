/** Turns SVG into PNG and JPEG, with the fonts that the pictures use. */
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { Canvas } from '@napi-rs/canvas';

/** The weights that the pictures use, from a package that holds complete font files (Latin, Greek, symbols). */
const FONTS = ['inter-ui/web/Inter-Regular.woff2', 'inter-ui/web/Inter-SemiBold.woff2'];
const LARGEST_SIDE = 16_384;
/** Of 100: text is still sharp. */
const JPEG_QUALITY = 85;

let loading: Promise<typeof import('@napi-rs/canvas')> | undefined;

/**
 * Draws an SVG picture into a PNG file, `scale` pixels to each of its units. Needs no fonts on the machine: text shows
 * in Inter, which comes along. Characters that Inter does not have show as boxes.
 */
export async function svgToPng(svg: string, scale = 2): Promise<Uint8Array> {
  const canvas = await drawn(svg, scale);
  const rows = rowsOf(canvas);
  return rows === undefined ? canvas.encode('png') : encode(rows, canvas);
}

/** The same as JPEG, which is a third of that where lines are many and mix their colours. */
export async function svgToJpeg(svg: string, scale = 2): Promise<Uint8Array> {
  return (await drawn(svg, scale)).encode('jpeg', JPEG_QUALITY);
}

async function drawn(svg: string, scale: number): Promise<Canvas> {
  if (!(scale > 0 && scale < Infinity)) throw new RangeError(`scale is ${scale}, but must be a positive number.`);
  const { createCanvas, loadImage } = await (loading ??= load());

  const image = await loadImage(Buffer.from(svg)).catch((cause: unknown) => {
    throw new RangeError('svg is not an SVG picture that can be drawn.', { cause });
  });
  const width = Math.max(1, Math.round(image.width * scale));
  const height = Math.max(1, Math.round(image.height * scale));
  if (Math.max(width, height) > LARGEST_SIDE) {
    const size = `${width} x ${height} pixels`;
    throw new RangeError(`scale is ${scale}, which makes ${size}, but neither side may exceed ${LARGEST_SIDE}.`);
  }
  // Drawing the image larger would enlarge pixels; giving it its size first draws the vectors at that size.
  image.width = width;
  image.height = height;
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas;
}

/**
 * The colours of every row, as a PNG has them; undefined where a pixel is transparent. Each row begins with the 0 of one without
 * filter: filters are for photographs.
 */
function rowsOf(canvas: Canvas): Uint8Array | undefined {
  const { width, height } = canvas;
  const pixels = canvas.data();
  const rows = new Uint8Array(height * (1 + 3 * width));
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    to++;
    for (let x = 0; x < width; x++) {
      rows[to++] = pixels[from++];
      rows[to++] = pixels[from++];
      rows[to++] = pixels[from++];
      if (pixels[from++] !== 255) return undefined;
    }
  }
  return rows;
}

/** A PNG file in a third of the time that the canvas takes, which tries all filters, and a quarter smaller where lines mix. */
async function encode(rows: Uint8Array, { width, height }: Canvas): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  const content = await promisify(deflate)(rows, { level: 3 });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', content),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Loaded when first needed: most commands draw nothing, and the native library is large. */
async function load() {
  const canvas = await import('@napi-rs/canvas').catch((cause: unknown) => {
    throw without('@napi-rs/canvas', cause);
  });
  const { resolve } = createRequire(import.meta.url);
  for (const font of FONTS) {
    const key = canvas.GlobalFonts.registerFromPath(pathOf(font, resolve), 'Inter');
    if (key === null) throw new Error(`${font} is not a readable font.`);
  }
  return canvas;
}

function pathOf(font: string, resolve: (name: string) => string): string {
  try {
    return resolve(font);
  } catch (cause) {
    throw without('inter-ui', cause);
  }
}

/** Both packages are optional, since every picture is written as SVG too. */
function without(name: string, cause: unknown): Error {
  const { code } = cause as { code?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' || (name === 'inter-ui' && code === 'MODULE_NOT_FOUND')
    ? new Error(`PNG pictures need ${name}, which is not installed: npm install @napi-rs/canvas@1.0.11 inter-ui@4`, {
        cause,
      })
    : new Error(`PNG pictures cannot be drawn on this machine: ${name} did not load. SVG ones can.`, { cause });
}
