import { describe, expect, it } from 'vitest';
import { hypervolume } from '../pareto/index.js';
import { envInfo, makeEnv, type EnvView } from './index.js';

const [LEFT, UP, RIGHT, DOWN] = [0, 1, 2, 3];
const times = (n: number, move: number) => new Array<number>(n).fill(move);
const ID = 'four-room-v0';

describe(ID, () => {
  it('collects what lies on the way, each shape once, and one of each kind at the goal', () => {
    const env = makeEnv(ID);
    expect([...env.reset().observation]).toEqual([12, 0, ...new Array<number>(12).fill(0)]);
    // Up to row 10, through the door with a triangle and back onto it, along row 9 to column 10, where a door with a square
    // leads up, and on to the goal in the corner.
    const way = [UP, UP, ...times(6, RIGHT), LEFT, RIGHT, UP, ...times(4, RIGHT), ...times(9, UP), RIGHT, RIGHT];
    const rewards = way.map((move) => env.step(move));
    const earned = rewards.flatMap(({ reward }, i) => (reward.some((value) => value > 0) ? [[i + 1, ...reward]] : []));
    expect(earned).toEqual([
      [8, 0, 1, 0],
      [18, 1, 0, 0],
      [26, 1, 1, 1],
    ]);
    expect(rewards.map(({ terminated }) => terminated)).toEqual(way.map((_, i) => i === way.length - 1));
    // Column by column: three shapes in column 0 to 2, two in column 5, and of column 6 the square is before the triangle.
    expect(rewards[7].observation.indexOf(1, 2)).toBe(2 + 6);
    expect([...rewards[25].observation.slice(0, 2)]).toEqual([0, 12]);
  });

  it('does not go through walls, which cost the step', () => {
    const env = makeEnv(ID);
    env.reset();
    for (const move of [LEFT, DOWN]) {
      expect([...env.step(move).observation.slice(0, 2)]).toEqual([12, 0]);
    }
    for (const move of times(5, RIGHT)) env.step(move);
    expect([...env.step(RIGHT).observation.slice(0, 2)]).toEqual([12, 5]);
  });

  it('observes one entry for each row and each column too, and is drawn alike', () => {
    const [published, oneHot] = [makeEnv(ID), makeEnv(ID, { encoding: 'one-hot' })];
    for (const env of [published, oneHot]) env.reset();
    // Through the door with a triangle, in row 10 and column 6.
    const [seen, entries] = [published, oneHot].map((env) => {
      for (const move of [UP, UP, ...times(5, RIGHT)]) env.step(move);
      return [...env.step(RIGHT).observation];
    });
    expect(entries.flatMap((value, i) => (value === 1 ? [i] : []))).toEqual([10, 13 + 6, 26 + 6]);
    const view = envInfo(ID).view as Extract<EnvView, { readonly kind: 'scene' }>;
    expect(view.draw(entries)).toEqual(view.draw(seen));
  });

  it('knows the returns of all orders in which shapes can be collected', () => {
    const front = envInfo(ID).knownFront!;
    // There is time for everything.
    expect(front(1)).toEqual([[5, 5, 5]]);
    // A program that follows all 356,751 ways in parallel, shape by shape, and gives none up finds 240 points with this volume.
    const known = front(0.99);
    expect(known).toHaveLength(240);
    expect(hypervolume(known, [0, 0, 0])).toBeCloseTo(53.33896335023899, 10);
    // Found once, and still everybody's own.
    const again = front(0.99);
    known[0][0] = NaN;
    expect(front(0.99)).toEqual(again);
    expect(() => front(0)).toThrow('discount is 0');
  });
});
