import { describe, expect, it } from 'vitest';
import { simplexGrid } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import { chooseGreedily, directionsAround, pgMorl } from './pg-morl.js';
import type { HistoryEntry, Situation } from './selection.js';

const degreesOf = (weights: readonly (readonly number[])[]) =>
  weights.map(([x, y]) => Math.round((Math.atan2(y, x) * 180) / Math.PI));

describe('directionsAround', () => {
  it('spreads seven directions over 45 degrees to either side', () => {
    const weights = directionsAround([0.5, 0.5], 7, []);
    expect(degreesOf(weights)).toEqual([0, 15, 30, 45, 60, 75, 90]);
    for (const [x, y] of weights) expect(x + y).toBeCloseTo(1, 15);
  });

  it('leaves out what is not positive', () => {
    expect(degreesOf(directionsAround([1, 0], 7, []))).toEqual([0, 15, 30, 45]);
    expect(degreesOf(directionsAround([0, 1], 7, []))).toEqual([45, 60, 75, 90]);
  });

  it('leaves out what was tried', () => {
    const [, , , middle] = directionsAround([0.5, 0.5], 7, []);
    const left = directionsAround([0.5, 0.5], 7, [middle, [1, 0.0001]]);
    expect(degreesOf(left)).toEqual([15, 30, 60, 75, 90]);
  });
});

describe('chooseGreedily', () => {
  const archive = [
    [4, 1],
    [1, 4],
  ];
  const candidate = (from: number, ...prediction: number[]) => ({ from, weight: [0.5, 0.5], prediction });
  const between = candidate(1, 3, 3);
  const beyond = candidate(2, 5, 1.5);
  const small = candidate(3, 2, 2);
  const choose = (candidates: readonly ReturnType<typeof candidate>[], count: number, sparsityWeight: number) =>
    chooseGreedily(candidates, archive, count, sparsityWeight).map(({ from }) => from);

  it('adds up hypervolume and sparsity of the whole front', () => {
    // With a weight of 1: (3, 3) has 11 - 5, (5, 1.5) has 10 - 22.25, (2, 2) has 8 - 5.
    expect(choose([between, beyond, small], 1, 1)).toEqual([1]);
    expect(choose([beyond, small], 1, 1)).toEqual([3]);
    expect(choose([beyond, small], 1, 0)).toEqual([2]);
  });

  it('counts what it has chosen before as if it were there', () => {
    // After (3, 3): (5, 1.5) brings 13 - 5.625, and (2, 2), which is then behind the front, leaves 11 - 5.
    expect(choose([small, between, beyond], 3, 1)).toEqual([1, 2, 3]);
  });

  it('takes the first of equals, and no more than there are', () => {
    expect(choose([candidate(7, 1, 1), candidate(8, 0.5, 0.5)], 6, 1)).toEqual([7, 8]);
    expect(chooseGreedily([], archive, 6, 1)).toEqual([]);
  });

  it('chooses without an archive too, and where predictions are below the origin', () => {
    expect(chooseGreedily([candidate(1, -5, 3), candidate(2, 1, 1)], [], 1, 1)).toEqual([
      { from: 2, weight: [0.5, 0.5] },
    ]);
  });
});

describe('pgMorl', () => {
  const config = { candidates: 7, sparsityWeight: 1, taskDivisions: 5, ties: 'first' } as const;
  const schedule = { iterations: 100, warmup: 40, generation: 20 };

  it('chooses the weight that brought most, for the policy that gains by it', () => {
    // Training for the first objective gained 100 in it at a weight of 1 and lost 20 at 0, and the same for the second;
    // what one gains the other loses less of at the middle. Policy 0 is alone in its place.
    const weights = simplexGrid(2, 5);
    const gains = (w: number) => -20 + 120 * w;
    const start: HistoryEntry = { parent: null, weight: [0.5, 0.5], objectives: [500, 500] };
    const steps = weights.map((weight): HistoryEntry => {
      return { parent: 0, weight, objectives: weight.map((w) => 500 + gains(w)) };
    });
    const history = [start, ...steps];
    const situation: Situation = {
      schedule,
      done: 40,
      weights,
      history,
      latest: [1, 2, 3, 4, 5, 6],
      population: [0, 1, 2, 3, 4, 5, 6],
      archive: steps.map(({ objectives }) => objectives),
      random: new Random(1),
    };
    const tasks = pgMorl(config).next(situation);
    expect(tasks).toHaveLength(6);
    expect(new Set(tasks.map(({ from, weight }) => `${from} ${weight.join()}`)).size).toBe(6);
    for (const { from, weight } of tasks) {
      // Predictions from where the front is reach beyond it; from policy 0, which is behind, they cannot.
      expect(from).toBeGreaterThan(0);
      expect(weight[0] + weight[1]).toBeCloseTo(1, 12);
    }
    expect(pgMorl(config).next({ ...situation, random: new Random(2) })).toEqual(tasks);
  });

  it('takes the first of equals as published, and any of them where ties are broken at random', () => {
    // What is known is better than all that is predicted: no candidate adds anything.
    const weights = simplexGrid(2, 5);
    const start = weights.map((weight): HistoryEntry => ({ parent: null, weight, objectives: [100, 100] }));
    const steps = weights.map((weight, parent): HistoryEntry => ({ parent, weight, objectives: [100, 100] }));
    const latest = steps.map((_, i) => weights.length + i);
    const chosen = (ties: 'first' | 'random', seed: number) =>
      pgMorl({ ...config, ties })
        .next({
          schedule,
          done: 40,
          weights,
          history: [...start, ...steps],
          latest,
          population: latest,
          archive: [[200, 200]],
          random: new Random(seed),
        })
        .map(({ from }) => from);
    for (const seed of [1, 2]) expect(chosen('first', seed)).toEqual([6, 6, 6, 6, 7, 7]);
    const random = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((seed) => chosen('random', seed));
    expect(new Set(random)).toEqual(new Set(latest));
    expect(chosen('random', 1)).toEqual(chosen('random', 1));
  });

  it('has weights near the last one with three objectives, and does not repeat one', () => {
    const weights = simplexGrid(3, 4);
    const start: HistoryEntry = { parent: null, weight: [1, 0, 0], objectives: [10, 10, 10] };
    const steps = weights.map((weight): HistoryEntry => {
      return { parent: 0, weight, objectives: weight.map((w) => 10 + 5 * w) };
    });
    const situation: Situation = {
      schedule,
      done: 40,
      weights,
      history: [start, ...steps],
      latest: steps.map((_, i) => i + 1),
      population: [0],
      archive: [],
      random: new Random(1),
    };
    const tasks = pgMorl({ ...config, taskDivisions: 4 }).next(situation);
    expect(tasks).toHaveLength(15);
    const distinct = [...new Set(tasks.map(({ weight }) => weight.join()))].map((text) => text.split(',').map(Number));
    // All 15 of the first grid are tried from there, so that only those in between are left.
    expect(distinct).toHaveLength(7);
    for (const weight of distinct) {
      expect(weights.some((tried) => tried.join() === weight.join())).toBe(false);
      expect(weight.every((value) => Number.isInteger(8 * value))).toBe(true);
      expect(weight[0] / Math.hypot(...weight)).toBeGreaterThan(Math.SQRT1_2);
    }
  });

  it('goes on as before where there is nothing left to try', () => {
    const weights = simplexGrid(2, 1);
    const history: HistoryEntry[] = [
      { parent: null, weight: [1, 0], objectives: [1, 1] },
      ...directionsAround([1, 0], 7, []).map((weight) => ({ parent: 0, weight, objectives: [1, 1] })),
    ];
    const situation = {
      schedule,
      done: 40,
      weights,
      history,
      latest: [1, 2],
      population: [0],
      archive: [],
      random: new Random(1),
    };
    expect(pgMorl(config).next(situation)).toEqual([
      { from: 1, weight: history[1].weight },
      { from: 2, weight: history[2].weight },
    ]);
  });
});
