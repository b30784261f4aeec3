import { createCanvas, GlobalFonts, loadImage } from '@napi-rs/canvas';
import { beforeAll, describe, expect, test } from 'vitest';
import { curvePlot } from './curve-plot.js';
import { frontPlot } from './front-plot.js';
import { svgToPng } from './png.js';
import { textWidth } from './text-width.js';
import { FONT_FAMILY, WIDTH } from './theme.js';

/** The share of dark pixels in a part of a picture, and of pixels that are neither dark nor light. */
async function ink(png: Uint8Array, x: number, y: number, width: number, height: number) {
  const image = await loadImage(png);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(x, y, width, height);
  let dark = 0;
  let grey = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] < 100) dark++;
    else if (data[i] < 230) grey++;
  }
  return { dark: (dark * 4) / data.length, grey: (grey * 4) / data.length };
}

const size = (png: Uint8Array) => {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
};

const FRONT = frontPlot({
  title: 'deep-sea-treasure',
  objectives: ['Treasure', 'Time'],
  points: [
    [0.7, -1],
    [8.2, -3],
  ],
});

test('the file is a PNG of the picture’s size times the scale', async () => {
  const height = Number(/ height="(\d+)"/.exec(FRONT)![1]);
  for (const scale of [1, 2, 0.5]) {
    const png = await svgToPng(FRONT, scale);
    expect([...png.slice(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect(size(png)).toEqual([WIDTH * scale, Math.round(height * scale)]);
  }
  expect(size(await svgToPng(FRONT))).toEqual([2 * WIDTH, 2 * height]);
});

test('the title is written in dark letters, and the margin around it is empty', async () => {
  const png = await svgToPng(FRONT);
  const title = await ink(png, 48, 40, 340, 36);
  expect(title.dark).toBeGreaterThan(0.1);
  expect(title.dark).toBeLessThan(0.4);
  expect(await ink(png, 0, 0, 46, 400)).toEqual({ dark: 0, grey: 0 });
});

describe('text', () => {
  let families: string[];
  beforeAll(async () => {
    await svgToPng(FRONT);
    families = GlobalFonts.families.map(({ family }) => family);
  });

  const written = (text: string, attributes = '') =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="50" font-family="${FONT_FAMILY}">` +
    `<rect width="400" height="50" fill="#fff"/><text x="10" y="35" font-size="20" ${attributes}>${text}</text></svg>`;

  test('is set in the font that comes along', () => {
    expect(families).toContain('Inter');
  });

  test('may be semi-bold', async () => {
    const regular = await ink(await svgToPng(written('Hypervolume')), 0, 0, 800, 100);
    const bold = await ink(await svgToPng(written('Hypervolume', 'font-weight="600"')), 0, 0, 800, 100);
    expect(bold.dark).toBeGreaterThan(1.2 * regular.dark);
  });

  test('has Greek letters, arrows and signs', async () => {
    const box = await svgToPng(written('漢'));
    for (const character of ['α', 'λ', 'Ж', 'é', '↑', '→', '−', '×', '·', '≥', '⁷', '…']) {
      const png = await svgToPng(written(character));
      expect((await ink(png, 0, 0, 800, 100)).dark).toBeGreaterThan(0);
      expect(Buffer.compare(png, box)).not.toBe(0);
    }
  });

  test('is drawn at the final size, not enlarged from a smaller one', async () => {
    const { dark, grey } = await ink(await svgToPng(written('Sharp letters'), 4), 0, 0, 1600, 200);
    expect(grey).toBeLessThan(dark / 3);
  });

  test('is about as wide as the layout believes', () => {
    const context = createCanvas(1, 1).getContext('2d');
    for (const text of [
      'hypervolume 9,284.1 of 9,302.4 (99.8 %) · reference (0, 0, 0, 0, 0, 0)',
      'achieved (55), coloured by Protein',
      'deep-sea-treasure: mean of 5 runs',
      '5,000,000',
      'MO-HalfCheetah-v5',
    ]) {
      for (const weight of [400, 600]) {
        context.font = `${weight} 20px Inter`;
        const share = textWidth(text, 20) / context.measureText(text).width;
        expect(share).toBeGreaterThan(0.95);
        expect(share).toBeLessThan(1.12);
      }
    }
  });
});

test('pictures of every kind can be drawn, also at the same time', async () => {
  const objectives = ['a', 'b', 'c'];
  const pictures = [
    FRONT,
    frontPlot({ title: 'three', objectives, points: [[1, 2, 3]], trueFront: [[3, 2, 1]] }),
    frontPlot({ title: 'none', objectives, points: [] }),
    curvePlot({ title: 'curve', xLabel: 'x', yLabel: 'y', series: [{ name: 'a', points: [[0, 0], [1, 1]] }] }), // oxfmt-ignore
  ];
  const files = await Promise.all(pictures.map((svg) => svgToPng(svg)));
  for (const file of files) expect((await ink(file, 0, 0, 1280, 800)).dark).toBeGreaterThan(0);
});

test('the file has the colours that were drawn, and is transparent where nothing was', async () => {
  const pixels = async (...shapes: string[]) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2">${shapes.join('')}</svg>`;
    const context = createCanvas(2, 2).getContext('2d');
    context.drawImage(await loadImage(await svgToPng(svg, 1)), 0, 0);
    return Array.from({ length: 4 }, (_, i) => [...context.getImageData(i % 2, i >> 1, 1, 1).data]);
  };
  const red = '<rect width="1" height="2" fill="#fe0102"/>';
  const [painted, white] = [
    [254, 1, 2, 255],
    [255, 255, 255, 255],
  ];
  expect(await pixels('<rect width="2" height="2" fill="#fff"/>', red)).toEqual([painted, white, painted, white]);
  expect(await pixels(red)).toEqual([painted, [0, 0, 0, 0], painted, [0, 0, 0, 0]]);
});

test('the same picture gives the same file', async () => {
  expect(Buffer.compare(await svgToPng(FRONT), await svgToPng(FRONT))).toBe(0);
});

test('what cannot be drawn is refused', async () => {
  await expect(svgToPng('not a picture')).rejects.toThrow(
    new RangeError('svg is not an SVG picture that can be drawn.'),
  );
  await expect(svgToPng('')).rejects.toThrow(RangeError);
  for (const scale of [0, -1, NaN, Infinity]) {
    await expect(svgToPng(FRONT, scale)).rejects.toThrow(`scale is ${scale}, but must be a positive number.`);
  }
  await expect(svgToPng(FRONT, 100)).rejects.toThrow('neither side may exceed 16384');
});
