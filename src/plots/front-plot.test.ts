import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frontPlot } from './front-plot.js';
import { staircase } from './scatter.js';
import { MUTED, PALETTE } from './theme.js';

const parse = (svg: string) =>
  new DOMParser({ onError: onErrorStopParsing }).parseFromString(svg, 'image/svg+xml').documentElement!;
const all = (root: Element, tag: string) => Array.from(root.getElementsByTagName(tag));
const texts = (root: Element) => all(root, 'text').map((node) => node.textContent);
const withAttribute = (root: Element, tag: string, name: string, value: string) =>
  all(root, tag).filter((node) => node.getAttribute(name) === value);

const TREASURE = [
  [0.7, -1],
  [8.2, -3],
  [11.5, -5],
  [23.7, -19],
];
const base = { title: 'deep-sea-treasure', objectives: ['Treasure', 'Time'], points: TREASURE };

describe('two objectives', () => {
  test('have a mark for every point and a ring for every point of the true front', () => {
    const root = parse(frontPlot({ ...base, points: TREASURE.slice(1), trueFront: TREASURE }));
    // One more of each is in the legend.
    expect(withAttribute(root, 'circle', 'fill', PALETTE[0]).length).toBe(3 + 1);
    expect(withAttribute(root, 'circle', 'stroke', MUTED).length).toBe(4 + 1);
    expect(texts(root)).toEqual(
      expect.arrayContaining(['deep-sea-treasure', '↑ Time', 'Treasure →', 'achieved (3)', 'true front (4)']),
    );
  });

  test('place larger values to the right and higher up', () => {
    const root = parse(frontPlot(base));
    const marks = withAttribute(root, 'circle', 'stroke', '#ffffff').map((node) =>
      ['cx', 'cy'].map((name) => Number(node.getAttribute(name))),
    );
    expect(marks.length).toBe(4);
    for (let i = 1; i < 4; i++) {
      expect(marks[i][0]).toBeGreaterThan(marks[i - 1][0]);
      expect(marks[i][1]).toBeGreaterThan(marks[i - 1][1]);
    }
  });

  test('name the subtitle, the ticks and a reference that lies near', () => {
    const root = parse(frontPlot({ ...base, subtitle: 'hypervolume 241.733', reference: [0, -25] }));
    expect(texts(root)).toEqual(
      expect.arrayContaining(['hypervolume 241.733', 'reference (0, −25)', '0', '5', '20', '−25', '−5']),
    );
  });

  test('leave out a reference that would squeeze the points', () => {
    const root = parse(frontPlot({ ...base, reference: [0, -1000] }));
    expect(texts(root)).toContain('reference (0, −1,000), outside the picture');
    expect(texts(root)).not.toContain('−1,000');
  });

  test('colour points by their preference', () => {
    const preferences = TREASURE.map((_, i) => [i / 3, 1 - i / 3]);
    const root = parse(frontPlot({ ...base, preferences }));
    const fills = withAttribute(root, 'circle', 'stroke', '#ffffff').map((node) => node.getAttribute('fill'));
    expect(new Set(fills).size).toBe(4);
    expect(texts(root)).toContain('achieved (4), by weight of Treasure: 0 to 1');
  });

  test('draw a long true front as a line alone', () => {
    const trueFront = Array.from({ length: 500 }, (_, i) => [i, 500 - i]);
    const root = parse(frontPlot({ ...base, trueFront }));
    expect(withAttribute(root, 'circle', 'stroke', MUTED).length).toBe(0);
    expect(withAttribute(root, 'path', 'stroke', MUTED).length).toBe(1);
  });
});

describe('staircase', () => {
  test('goes down, then right, from point to point', () => {
    const points = [
      [3, 1],
      [1, 3],
      [2, 2],
    ];
    expect(staircase(points, undefined, undefined)).toEqual([
      [1, 3],
      [1, 2],
      [2, 2],
      [2, 1],
      [3, 1],
    ]);
  });

  test('leaves out dominated and equal points, and ends at the corner', () => {
    const points = [
      [2, 2],
      [1, 1],
      [2, 2],
      [2, 0.5],
    ];
    expect(staircase(points, [0, 0], [0, 0])).toEqual([
      [0, 2],
      [2, 2],
      [2, 0],
    ]);
  });

  test('is empty where no point is above the reference', () => {
    expect(staircase([[1, -1]], [0, 0], [0, 0])).toEqual([]);
  });
});

describe('three objectives or more', () => {
  const objectives = ['Protein', 'Carbs', 'Fats', 'Vitamins'];
  const points = [
    [1, 2, 3, 4],
    [4, 3, 2, 1],
    [2.5, 0, 5e6, -1],
  ];

  test('have a line for every point and an axis with its range for every objective', () => {
    const root = parse(frontPlot({ title: 'tree', objectives, points, trueFront: [...points, [0, 0, 0, 0]] }));
    expect(all(root, 'path').length).toBe(3 + 4);
    expect(texts(root)).toEqual(expect.arrayContaining([...objectives, '0', '4', '3', '5M', '−1', 'true front (4)']));
  });

  test('are coloured by the first objective', () => {
    const root = parse(frontPlot({ title: 'tree', objectives, points }));
    expect(new Set(all(root, 'path').map((node) => node.getAttribute('stroke'))).size).toBe(3);
    expect(texts(root)).toContain('achieved (3), coloured by Protein');
  });

  test('are coloured by the largest weight where preferences are known', () => {
    const preferences = [
      [0, 0, 0, 1],
      [0.7, 0.1, 0.1, 0.1],
      [0, 0.2, 0.2, 0.6],
    ];
    const root = parse(frontPlot({ title: 'tree', objectives, points, preferences }));
    const strokes = all(root, 'path').map((node) => node.getAttribute('stroke'));
    expect(strokes).toEqual([PALETTE[3], PALETTE[0], PALETTE[3]]);
  });

  test('grow wider with the number of objectives', () => {
    const many = Array.from({ length: 20 }, (_, k) => `objective ${k}`);
    const root = parse(frontPlot({ title: 'many', objectives: many, points: [many.map((_, k) => k)] }));
    expect(Number(root.getAttribute('width'))).toBeGreaterThan(1500);
  });
});

test('text in a plot of a front is escaped wherever it comes from', () => {
  const nasty = '<script> & "quotes" \u0007';
  const shown = '<script> & "quotes" \uFFFD';
  for (const objectives of [
    [nasty, nasty],
    [nasty, nasty, nasty],
  ]) {
    const root = parse(frontPlot({ title: nasty, subtitle: nasty, objectives, points: [] }));
    expect(all(root, 'script').length).toBe(0);
    expect(all(root, 'title')[0].textContent).toBe(shown);
    expect(texts(root).filter((text) => text === shown).length).toBeGreaterThanOrEqual(2);
  }
});

test('any front makes a picture', () => {
  const value = fc.oneof(
    fc.double({ min: -1e300, max: 1e300, noNaN: true }),
    fc.constantFrom(0, -0, 5e6, 5e6 + 1e-9, -3, 1e-320, 1e300, -1e300),
  );
  const rows = (count: number) => fc.array(fc.array(value, { minLength: count, maxLength: count }), { maxLength: 5 });
  const plot = fc.integer({ min: 2, max: 4 }).chain((count) =>
    fc.record({
      title: fc.string(),
      objectives: fc.array(fc.string(), { minLength: count, maxLength: count }),
      points: rows(count),
      trueFront: fc.option(rows(count), { nil: undefined }),
      reference: fc.option(fc.array(value, { minLength: count, maxLength: count }), { nil: undefined }),
    }),
  );
  fc.assert(
    fc.property(plot, (one) => {
      const root = parse(frontPlot(one));
      for (const tag of ['circle', 'line', 'path', 'rect', 'text']) {
        for (const node of all(root, tag)) {
          for (const { value: written } of Array.from(node.attributes)) {
            expect(written).not.toMatch(/NaN|Infinity|undefined/);
          }
        }
      }
    }),
  );
});

test('a plot without points and without a true front says so', () => {
  expect(texts(parse(frontPlot({ ...base, points: [] })))).toContain('no points');
  expect(texts(parse(frontPlot({ title: '', objectives: ['a', 'b', 'c'], points: [] })))).toContain('no points');
});

test('a front of a great many points has a mark for each', () => {
  const points = Array.from({ length: 150_000 }, (_, i) => [i, -i]);
  expect(frontPlot({ ...base, points }).match(/<circle/g)?.length).toBe(150_000 + 1);
});

test('a plot of a front takes typed arrays as points too', () => {
  expect(frontPlot({ ...base, points: TREASURE.map((point) => new Float64Array(point)) })).toBe(frontPlot(base));
});

test.each([
  [{ objectives: ['one'] }, 'objectives has length 1, but must name at least 2.'],
  [{ points: [[1, 2, 3]] }, 'points[0] has length 3, but must have 2, one per objective.'],
  [{ points: [[1, NaN]] }, 'points[0][1] is NaN, but must be a finite number of at most 1e+300 in size.'],
  [
    {
      trueFront: [
        [1, 1],
        [Infinity, 1],
      ],
    },
    'trueFront[1][0] is Infinity, but must be a finite number',
  ],
  [{ reference: [0] }, 'reference has length 1, but must have 2, one per objective.'],
  [{ reference: [0, -Infinity] }, 'reference[1] is -Infinity, but must be a finite number'],
  [{ preferences: [[1, 0]] }, 'preferences has length 1, but must have 4, one per point.'],
  [{ preferences: TREASURE.map(() => [NaN, 1]) }, 'preferences[0][0] is NaN, but must be a finite number'],
])('a plot of the front %j is refused', (change, message) => {
  const draw = () => frontPlot({ ...base, ...change });
  expect(draw).toThrow(RangeError);
  expect(draw).toThrow(message);
});
