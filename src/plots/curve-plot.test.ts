import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curvePlot, type Series } from './curve-plot.js';
import { PALETTE } from './theme.js';

const parse = (svg: string) =>
  new DOMParser({ onError: onErrorStopParsing }).parseFromString(svg, 'image/svg+xml').documentElement!;
const all = (root: Element, tag: string) => Array.from(root.getElementsByTagName(tag));
const texts = (root: Element) => all(root, 'text').map((node) => node.textContent);
const draw = (series: readonly Series[], more = {}) =>
  parse(curvePlot({ title: 'tree', xLabel: 'Steps', yLabel: 'Hypervolume', series, ...more }));

const rising = (name: string, by: number): Series => ({
  name,
  points: [
    [0, 0],
    [500, 10 * by],
    [1000, 20 * by],
  ],
});

test('a series is a line with its name and axes', () => {
  const root = draw([rising('psl-ddqn', 1)]);
  expect(all(root, 'path').length).toBe(1);
  expect(texts(root)).toEqual(
    expect.arrayContaining(['tree', 'psl-ddqn', '↑ Hypervolume', 'Steps →', '0', '200', '1,000', '10', '20']),
  );
});

test('different names have different colours', () => {
  const root = draw([rising('a', 1), rising('b', 2)]);
  expect(all(root, 'path').map((node) => node.getAttribute('stroke'))).toEqual([PALETTE[0], PALETTE[1]]);
});

test('more names than colours are told apart by dashes', () => {
  const root = draw(Array.from({ length: PALETTE.length + 1 }, (_, i) => rising(`series ${i}`, i)));
  const last = all(root, 'path').at(-1)!;
  expect(last.getAttribute('stroke')).toBe(PALETTE[0]);
  expect(last.getAttribute('stroke-dasharray')).toBe('5 4');
});

test('equal names are runs of one thing, with their mean', () => {
  const root = draw([rising('psl', 1), rising('psl', 2), rising('psl', 3)]);
  const paths = all(root, 'path');
  expect(paths.length).toBe(3 + 1);
  expect(new Set(paths.map((node) => node.getAttribute('stroke'))).size).toBe(1);
  // The mean of the three is the second of them.
  expect(paths[3].getAttribute('d')).toBe(paths[1].getAttribute('d'));
  expect(texts(root)).toContain('psl, mean of 3 runs');
});

test('runs that were measured at different steps have no mean', () => {
  const root = draw([rising('psl', 1), { name: 'psl', points: [[0, 0], [700, 5]] }]); // oxfmt-ignore
  expect(all(root, 'path').length).toBe(2);
  expect(texts(root)).toContain('psl, 2 runs');
});

test('a band is a shape under the line', () => {
  const series = rising('psl', 1);
  const root = draw([{ ...series, band: series.points.map(([x, y]) => [x, y - 1, y + 1] as const) }]);
  const [band, line] = all(root, 'path');
  expect(band.getAttribute('fill')).toBe(PALETTE[0]);
  expect(band.getAttribute('d')).toMatch(/Z$/);
  expect(line.getAttribute('fill')).toBe('none');
});

test('the ceiling is a dashed line above everything, with its name', () => {
  const root = draw([rising('psl', 1)], { ceiling: { label: 'true front 40', value: 40 } });
  const dashed = all(root, 'line').filter((node) => node.getAttribute('stroke-dasharray') !== null);
  expect(dashed.length).toBe(1);
  const heights = all(root, 'path')[0].getAttribute('d')!.match(/(?<=,)[\d.]+/g)!.map(Number); // oxfmt-ignore
  expect(Number(dashed[0].getAttribute('y1'))).toBeLessThan(Math.min(...heights));
  expect(texts(root)).toContain('true front 40');
});

test('a curve of a single value is a dot', () => {
  const root = draw([{ name: 'psl', points: [[0, 5]] }]);
  expect(all(root, 'path').length).toBe(0);
  expect(all(root, 'circle').length).toBe(1);
});

test('points of a curve say what they are, if that is wanted', () => {
  const titles = all(draw([rising('psl', 1)], { hover: true }), 'title').map((node) => node.textContent);
  expect(titles).toEqual(['tree', 'psl: 0 at 0 Steps', 'psl: 10 at 500 Steps', 'psl: 20 at 1,000 Steps']);
});

test('a plot without values says so', () => {
  expect(texts(draw([]))).toContain('no values yet');
  expect(texts(draw([{ name: 'psl', points: [] }]))).toEqual(expect.arrayContaining(['psl', 'no values yet']));
});

test('text in a plot of curves is escaped', () => {
  const root = draw([rising('<b> & "c"', 1)], { title: '<t>', ceiling: { label: '<c>', value: 30 } });
  expect(texts(root)).toEqual(expect.arrayContaining(['<b> & "c"', '<t>', '<c>']));
});

test('any curves make a picture', () => {
  const value = fc.oneof(
    fc.double({ min: -1e300, max: 1e300, noNaN: true }),
    fc.constantFrom(0, -0, 5e6, 5e6 + 1e-9, -3, 1e-320, 1e300, -1e300),
  );
  const series = fc.record({
    name: fc.string({ maxLength: 2 }),
    points: fc.array(fc.tuple(value, value), { maxLength: 4 }),
    band: fc.option(fc.array(fc.tuple(value, value, value), { maxLength: 4 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(series, { maxLength: 4 }), fc.option(value, { nil: undefined }), (all, ceiling) => {
      const more = ceiling === undefined ? {} : { ceiling: { label: 'c', value: ceiling } };
      const svg = curvePlot({ title: 't', xLabel: 'x', yLabel: 'y', series: all, ...more });
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      parse(svg);
    }),
  );
});

test.each([
  [{ series: [{ name: 'a', points: [[0, NaN]] }] }, 'series[0].points[0][1] is NaN, but must be a finite number'],
  [
    { series: [{ name: 'a', points: [], band: [[0, 1, Infinity]] }] },
    'series[0].band[0][2] is Infinity, but must be a finite number',
  ],
  [{ ceiling: { label: 'c', value: NaN } }, 'ceiling.value is NaN, but must be a finite number'],
])('a plot of the curves %j is refused', (change, message) => {
  expect(() => draw([], change)).toThrow(RangeError);
  expect(() => draw([], change)).toThrow(message);
});
