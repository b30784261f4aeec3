import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frontsPlot } from './fronts-plot.js';
import type { FrontsPlot, NamedFront } from './fronts.js';
import { MUTED, PALETTE } from './theme.js';

const parse = (svg: string) =>
  new DOMParser({ onError: onErrorStopParsing }).parseFromString(svg, 'image/svg+xml').documentElement!;
const all = (root: Element, tag: string) => Array.from(root.getElementsByTagName(tag));
const texts = (root: Element) => all(root, 'text').map((node) => node.textContent);
const base = { title: 'two fronts', objectives: ['Speed', 'Energy'] };
const draw = (fronts: readonly NamedFront[], more: Partial<FrontsPlot> = {}) =>
  parse(frontsPlot({ ...base, fronts, ...more }));
const filled = (root: Element, colour: string) =>
  [...all(root, 'circle'), ...all(root, 'path')].filter((node) => node.getAttribute('fill') === colour);
const outlines = (root: Element, colour: string) =>
  all(root, 'path').filter((node) => node.getAttribute('stroke') === colour);

const line = (name: string, sum: number): NamedFront => ({
  name,
  points: [
    [1, sum - 1],
    [2, sum - 2],
    [3, sum - 3],
  ],
});

test('each front has a colour, a mark, an outline and a name of its own', () => {
  const root = draw([line('psl-td3', 5), line('pg-morl', 7)]);
  for (const colour of PALETTE.slice(0, 2)) {
    // One more of each is in the legend, whose line is no path.
    expect(filled(root, colour).length).toBe(3 + 1);
    expect(outlines(root, colour).length).toBe(1);
  }
  expect(filled(root, PALETTE[0]).map(({ tagName }) => tagName)).not.toContain('path');
  expect(filled(root, PALETTE[1]).map(({ tagName }) => tagName)).not.toContain('circle');
  expect(texts(root)).toEqual(
    expect.arrayContaining(['two fronts', 'psl-td3 (3)', 'pg-morl (3)', '↑ Energy', 'Speed →']),
  );
});

test('fronts of the same name look alike, and the legend counts them', () => {
  const root = draw([line('psl-td3', 5), line('pg-morl', 7), line('psl-td3', 6)]);
  expect(filled(root, PALETTE[0]).length).toBe(2 * 3 + 1);
  expect(outlines(root, PALETTE[0]).length).toBe(2);
  expect(texts(root)).toEqual(expect.arrayContaining(['psl-td3 (2 fronts)', 'pg-morl (3)']));
});

test('no two of 28 names look alike', () => {
  const root = draw(Array.from({ length: 28 }, (_, i) => ({ name: `method ${i}`, points: [[i, -i]] })));
  // The way from the first corner of a mark to its second tells all marks apart.
  const shapeOf = (mark: Element) => {
    const [x1, y1, x2, y2] = (mark.getAttribute('d') ?? 'M0,0L0,0').match(/-?[\d.]+/g)!.map(Number);
    return [x2 - x1, y2 - y1].map(Math.round).join();
  };
  const looks = PALETTE.flatMap((colour) => filled(root, colour).map((mark) => `${colour} ${shapeOf(mark)}`));
  expect(looks.length).toBe(2 * 28);
  expect(new Set(looks).size).toBe(28);
});

test('the outline goes around what a front dominates and stays within its points', () => {
  const root = draw([{ name: 'a', points: [[1, 3], [2, 2], [3, 1], [1, 1]] }]); // oxfmt-ignore
  const [outline] = outlines(root, PALETTE[0]);
  expect(outline.getAttribute('d')!.split('L').length).toBe(5);
});

test('the true front and the reference are drawn as in the picture of one front', () => {
  const root = draw([line('a', 5)], { trueFront: line('', 9).points, reference: [0, 0] });
  expect(all(root, 'circle').filter((node) => node.getAttribute('stroke') === MUTED).length).toBe(3 + 1);
  expect(texts(root)).toEqual(expect.arrayContaining(['true front (3)', 'reference (0, 0)']));
});

test('points say whose they are and where they lie, if that is wanted', () => {
  const titles = (root: Element) => all(root, 'title').map((node) => node.textContent);
  expect(titles(draw([line('psl-td3', 5)]))).toEqual(['two fronts']);
  expect(titles(draw([line('<psl>', 5)], { hover: true }))).toEqual([
    'two fronts',
    '<psl>: Speed 1, Energy 4',
    '<psl>: Speed 2, Energy 3',
    '<psl>: Speed 3, Energy 2',
  ]);
  const lines = drawLines([{ name: 'a', points: [[1, 2, 3]] }], { hover: true });
  expect(titles(lines)).toEqual(['trees', 'a: Protein 1, Carbs 2, Fats 3']);
});

const nutrients = { title: 'trees', objectives: ['Protein', 'Carbs', 'Fats'] };
const drawLines = (fronts: readonly NamedFront[], more: Partial<FrontsPlot> = {}) =>
  parse(frontsPlot({ ...nutrients, fronts, ...more }));
/** A group of lines, and how many there are. */
const bundles = (root: Element) =>
  all(root, 'g').map((group) => ({
    stroke: group.getAttribute('stroke'),
    dashes: group.getAttribute('stroke-dasharray'),
    lines: all(group, 'path').length,
  }));

test('three objectives or more have an axis each, and a line in the colour of its front for every point', () => {
  const fronts = [
    { name: 'psl-ddqn', points: [[1, 2, 3], [3, 2, 1]] }, // oxfmt-ignore
    { name: 'envelope', points: [[2, 2, 2]] },
    { name: 'psl-ddqn', points: [[0, 0, 9]] },
  ];
  const root = drawLines(fronts, { trueFront: [[4, 4, 4]], reference: [0, 0, 0] });
  expect(bundles(root)).toEqual([
    { stroke: MUTED, dashes: null, lines: 1 },
    { stroke: PALETTE[0], dashes: null, lines: 3 },
    { stroke: PALETTE[1], dashes: '7 4', lines: 1 },
  ]);
  expect(texts(root)).toEqual(
    expect.arrayContaining([...nutrients.objectives, 'psl-ddqn (2 fronts)', 'envelope (1)', 'true front (1)', '9']),
  );
});

test('no two of 28 names of fronts with more than two objectives look alike', () => {
  const root = drawLines(Array.from({ length: 28 }, (_, i) => ({ name: `method ${i}`, points: [[i, -i, 0]] })));
  const looks = bundles(root).map(({ stroke, dashes }) => `${stroke} ${dashes}`);
  expect(new Set(looks).size).toBe(28 + 1);
});

test('a plot of fronts without points says so', () => {
  expect(texts(drawLines([]))).toContain('no points');
  expect(texts(draw([]))).toContain('no points');
  expect(texts(draw([{ name: 'a', points: [] }]))).toEqual(expect.arrayContaining(['a (0)', 'no points']));
});

test('any fronts make a picture, and text is escaped', () => {
  const value = fc.oneof(
    fc.double({ min: -1e300, max: 1e300, noNaN: true }),
    fc.constantFrom(0, -0, 5e6, 5e6 + 1e-9, -3, 1e-320, 1e300, -1e300),
  );
  const points = fc.array(fc.tuple(value, value), { maxLength: 4 });
  const fronts = fc.array(fc.record({ name: fc.constantFrom('a', '<b> & "c"'), points }), { maxLength: 4 });
  const reference = fc.option(fc.tuple(value, value), { nil: undefined });
  fc.assert(
    fc.property(fronts, points, reference, (own, trueFront, at) => {
      const svg = frontsPlot({ ...base, fronts: own, trueFront, ...(at !== undefined && { reference: at }) });
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      parse(svg);
    }),
  );
});

test.each([
  [{ objectives: ['a'] }, 'objectives has length 1, but must name at least 2.'],
  [
    { fronts: [{ name: 'a', points: [[1, NaN]] }] },
    'fronts[0].points[0][1] is NaN, but must be a finite number of at most 1e+300 in size.',
  ],
  [{ reference: [0] }, 'reference has length 1, but must have 2, one per objective.'],
])('a plot of the fronts %j is refused', (change, message) => {
  expect(() => draw([], change)).toThrow(new RangeError(message));
});
