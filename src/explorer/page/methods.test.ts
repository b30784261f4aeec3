import { describe, expect, it } from 'vitest';
import { comparable, contend } from './methods.js';
import type { RunData } from './run-data.js';

function run(id: string, returns: number[][], more: Partial<RunData> = {}): RunData {
  const method = { env: 'sea', algorithm: id, preset: 'quick', settings: {}, envOptions: {} };
  const kept = { envSteps: 1, values: {}, evaluated: { preferences: returns.map(() => [0.5, 0.5]), returns } };
  return { id, method, seed: 1, env: { id: 'sea' }, returnDiscount: 1, kept, ...more } as unknown as RunData;
}

describe('contend', () => {
  // Areas above the origin: a has 4 + 2, b has 9, and together they have 10.
  const a = run('a', [
    [2, 2],
    [4, 1],
    [1, 2],
  ]);
  const b = run('b', [[3, 3]]);

  it('says what each front dominates of all together, and what it adds to the others', () => {
    const [first, second] = contend([a, b], [0, 0]);
    expect(first).toMatchObject({ label: 'a quick, seed 1', hypervolume: 6, dominates: 0.6, onUnion: 1, beats: 0 });
    expect(first.adds).toBeCloseTo(1 / 10, 12);
    expect(second).toMatchObject({ hypervolume: 9, dominates: 0.9, onUnion: 1, beats: 1, others: 2 });
    expect(second.adds).toBeCloseTo(4 / 10, 12);
  });

  it('gives one colour to seeds of a method, and others to other methods', () => {
    const [first, second, third] = contend([a, { ...a, id: 'a.2', seed: 2 }, b], [0, 0]);
    expect(second.colour).toBe(first.colour);
    expect(third.colour).not.toBe(first.colour);
    expect(second.label).toBe('a quick, seed 2');
    // What two have alike none of them adds.
    expect(first.adds).toBe(0);
  });

  it('shares nothing out where no point is above the reference point', () => {
    expect(contend([b], [9, 9])[0]).toMatchObject({ hypervolume: 0, dominates: 0, adds: 0, onUnion: 1 });
  });
});

describe('comparable', () => {
  it('leaves out runs of other environments, of other discounts, and without a front', () => {
    const here = run('here', [[1, 1]]);
    const others = [
      run('elsewhere', [[1, 1]], { env: { id: 'tree' } } as unknown as Partial<RunData>),
      run('discounted', [[1, 1]], { returnDiscount: 0.9 }),
      run('begun', [], { kept: undefined }),
    ];
    expect(comparable([...others, here], here)).toEqual([here]);
  });
});
