import { describe, expect, it } from 'vitest';
import { KeySolutions, keysOfFront } from './keys.js';

/** Key preferences of two objectives are (1, 0), (0, 1) and (1/2, 1/2), in this order. */
const RETURNS = [
  [4, 3],
  [0, 7],
  [5, 12],
];

/** I(w) at preferences below each other. */
function directions(keys: KeySolutions, ...preferences: number[][]): number[][] {
  const flat = Float32Array.from(preferences.flat());
  const out = new Float32Array(flat.length);
  keys.directions(flat, out);
  const width = preferences[0].length;
  return preferences.map((_, row) => Array.from(out.subarray(row * width, (row + 1) * width)));
}

function expectClose(actual: readonly number[][], expected: readonly number[][]): void {
  expect(actual.length).toBe(expected.length);
  expected.forEach((row, i) => row.forEach((value, k) => expect(actual[i][k]).toBeCloseTo(value, 6)));
}

describe('key solutions', () => {
  it('stand at each objective alone, and at all alike', () => {
    expect(new KeySolutions(2, RETURNS).preferences).toEqual([
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ]);
  });

  it('say the direction at the keys, and on straight lines between them', () => {
    const keys = new KeySolutions(2, RETURNS);
    const [one, two, middle] = [
      [0.8, 0.6],
      [0, 1],
      [5 / 13, 12 / 13],
    ];
    expectClose(directions(keys, [1, 0], [0, 1], [0.5, 0.5]), [one, two, middle]);
    const between = (a: number[], b: number[], share: number) => a.map((x, k) => (1 - share) * x + share * b[k]);
    expectClose(directions(keys, [0.25, 0.75], [0.1, 0.9], [0.75, 0.25]), [
      between(two, middle, 0.5),
      between(two, middle, 0.2),
      between(middle, one, 0.5),
    ]);
  });

  it('have directions that go out from an origin, also when they are replaced', () => {
    const lower = (points: readonly (readonly number[])[]) => points.map(([a, b]) => [a, b - 19]);
    const [plain, moved] = [new KeySolutions(2, RETURNS), new KeySolutions(2, lower(RETURNS), [0, -19])];
    const at = [[1, 0], [0.25, 0.75], [0.6, 0.4]]; // oxfmt-ignore
    expectClose(directions(moved, ...at), directions(plain, ...at));
    const better = [[9, 1], [1, 9], [9, 9]]; // oxfmt-ignore
    plain.offer(better);
    moved.offer(lower(better));
    expect(moved.returns).toEqual(lower(better));
    expectClose(directions(moved, ...at), directions(plain, ...at));
  });

  it('are replaced one by one, by what has a higher utility at their own preference', () => {
    const keys = new KeySolutions(2, RETURNS);
    const found = keys.offer([
      [4.5, -9], // More of the first objective, which is all that counts there.
      [9, 6.9], // Better in sum, but less of the second.
      [16, 1], // As much in sum: no reason to change.
    ]);
    expect(found).toBe(1);
    expect(keys.returns).toEqual([
      [4.5, -9],
      [0, 7],
      [5, 12],
    ]);
    expect(
      keys.offer([
        [0, 0.1],
        [0, 7.5],
        [16, 2],
      ]),
    ).toBe(2);
    expect(keys.returns).toEqual([
      [4.5, -9],
      [0, 7.5],
      [16, 2],
    ]);
  });

  it('are divided by their L2 norm at first, and by their L1 norm once they were offered others', () => {
    const keys = new KeySolutions(2, RETURNS);
    const [before] = directions(keys, [0.25, 0.75]);
    expectClose([before], [[5 / 26, (1 + 12 / 13) / 2]]);
    expect(
      keys.offer([
        [0, 0.1],
        [0, 0.1],
        [0, 0.1],
      ]),
    ).toBe(0);
    const [after] = directions(keys, [0.25, 0.75]);
    expectClose([after], [[5 / 34, (1 + 12 / 17) / 2]]);
    // The direction at a key is the same either way.
    const [x, y] = directions(keys, [1, 0])[0];
    expect(x / y).toBeCloseTo(4 / 3, 6);
  });

  it('leave what they were given alone', () => {
    const given = RETURNS.map((row) => [...row]);
    const [one, other] = [new KeySolutions(2, given), new KeySolutions(2, given)];
    one.offer([
      [9, 9],
      [9, 9],
      [9, 9],
    ]);
    expect(given).toEqual(RETURNS);
    expect(other.returns).toEqual(RETURNS);
  });

  it('serve three objectives with four keys', () => {
    const keys = new KeySolutions(3, [
      [1, 0, 0],
      [0, 2, 0],
      [0, 0, 3],
      [4, 4, 4],
    ]);
    const third = 1 / 3;
    expectClose(directions(keys, [0, 1, 0], [third, third, third]), [
      [0, 1, 0],
      [third, third, third].map((x) => Math.sqrt(3) * x),
    ]);
  });

  it('must be as many as there are key preferences, and not zero', () => {
    expect(() => new KeySolutions(2, RETURNS.slice(1))).toThrow(
      'vectors has 2 entries, but must have one for each of the 3',
    );
    expect(
      () =>
        new KeySolutions(2, [
          [0, 0],
          [0, 1],
          [1, 1],
        ]),
    ).toThrow('vectors[0] is [0, 0], but must be');
  });
});

describe('keysOfFront', () => {
  it('takes the best return of a front at each key preference, of equal ones the first', () => {
    const front = [
      [1, 8],
      [6, 5],
      [7, 2],
      [5, 6],
      [0, 8],
    ];
    expect(keysOfFront(2, front)).toEqual([
      [7, 2],
      [1, 8],
      [6, 5],
    ]);
  });
});
