import { describe, expect, it } from 'vitest';
import { simplexGrid } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import { moead } from './moead.js';
import { performanceBuffers } from './performance-buffers.js';
import { pfa } from './pfa.js';
import { ra } from './ra.js';
import { randomTasks } from './random-tasks.js';
import type { HistoryEntry, Situation } from './selection.js';

const entry = (objectives: number[], weight = [0.5, 0.5], parent: number | null = null): HistoryEntry => ({
  parent,
  weight,
  objectives,
});

function situation(changes: Partial<Situation> = {}): Situation {
  return {
    schedule: { iterations: 100, warmup: 40, generation: 20 },
    done: 40,
    weights: simplexGrid(2, 5),
    history: Array.from({ length: 9 }, (_, i) => entry([i, 8 - i])),
    latest: [3, 4, 5, 6, 7, 8],
    population: [0, 4, 8],
    archive: [],
    random: new Random(1),
    ...changes,
  };
}

describe('performanceBuffers', () => {
  it('keeps the farthest of every sector, the sector next to the second objective first', () => {
    // Four sectors of 22.5 degrees from the second axis on; (1, 10) is at 5.7, (5, 4) at 51.3, (10, 1) at 84.3.
    const points = [
      [10, 1],
      [1, 10],
      [0.9, 11],
      [1.1, 9],
      [5, 4],
      [20, 1],
      [10, -1],
      [10, 0],
    ];
    expect(performanceBuffers(points, { count: 4, size: 2 })).toEqual([2, 1, 4, 5, 0]);
    expect(performanceBuffers(points, { count: 4, size: 1 })).toEqual([2, 4, 5]);
    expect(performanceBuffers(points, { count: 1, size: 2 })).toEqual([5, 2]);
  });

  it('has sectors that are 0.9 degrees wide when there are 100 of them', () => {
    const at = (degrees: number, length: number) => [
      length * Math.sin((degrees * Math.PI) / 180),
      length * Math.cos((degrees * Math.PI) / 180),
    ];
    const kept = (a: number, b: number) => performanceBuffers([at(a, 1), at(b, 2)], { count: 100, size: 1 });
    expect(kept(44.2, 44.9)).toEqual([1]);
    expect(kept(44.9, 45.1)).toEqual([0, 1]);
  });

  it('takes the nearest direction of a grid with three objectives', () => {
    // With 3 directions along an edge: the corners and the middles of the edges, (0, 0, 1) first.
    const points = [
      [1, 1, 9],
      [9, 1, 1],
      [3, 3, 0.1],
      [5, 5, 0.1],
      [4, 4, 0.2],
    ];
    expect(performanceBuffers(points, { count: 3, size: 2 })).toEqual([0, 3, 4, 1]);
  });

  it('keeps nothing of nothing', () => {
    expect(performanceBuffers([], { count: 100, size: 2 })).toEqual([]);
    expect(performanceBuffers([[-1, 5]], { count: 100, size: 2 })).toEqual([]);
  });
});

describe('ra', () => {
  it('goes on with every policy for its own weight', () => {
    expect(ra.next(situation())).toEqual([
      { from: 3, weight: [0, 1] },
      { from: 4, weight: [0.2, 0.8] },
      { from: 5, weight: [0.4, 0.6] },
      { from: 6, weight: [0.6, 0.4] },
      { from: 7, weight: [0.8, 0.2] },
      { from: 8, weight: [1, 0] },
    ]);
  });

  it('begins with the warm-up, and lets the learning rate fall over everything', () => {
    const { schedule } = situation();
    expect([0, 40, 60].map((done) => ra.length(done, schedule))).toEqual([40, 20, 20]);
    expect([0, 40, 99].map((done) => ra.progress(done, schedule))).toEqual([0, 0.4, 0.99]);
  });
});

describe('pfa', () => {
  it('slides every weight to its neighbour between the warm-up and the end', () => {
    const first = (done: number) => pfa.next(situation({ done })).map(({ weight }) => weight[0]);
    // Of the 60 iterations after the warm-up, 20, 40 and 60 are over when the next generation ends.
    const [a, b, c] = [first(40), first(60), first(80)];
    [0, 0.2, 0.4, 0.6, 0.8, 1].forEach((start, i) => {
      expect(a[i]).toBeCloseTo(Math.min(1, start + 0.2 / 3), 12);
      expect(b[i]).toBeCloseTo(Math.min(1, start + 0.4 / 3), 12);
      expect(c[i]).toBeCloseTo(Math.min(1, start + 0.2), 12);
    });
    // A last generation that is cut short goes no further.
    expect(first(90)).toEqual(c);
  });

  it('keeps policies and weights that sum to 1', () => {
    const tasks = pfa.next(situation());
    expect(tasks.map(({ from }) => from)).toEqual([3, 4, 5, 6, 7, 8]);
    for (const { weight } of tasks) expect(weight[0] + weight[1]).toBeCloseTo(1, 15);
  });
});

describe('moead', () => {
  it('goes on from the policy of the largest utility at each weight', () => {
    const history = [entry([10, 0]), entry([6, 5]), entry([0, 7]), entry([99, 99])];
    const tasks = moead.next(situation({ history, population: [0, 1, 2] }));
    // At (0.2, 0.8): 2, 5.2, 5.6; at (0.4, 0.6): 4, 5.4, 4.2; at (0.8, 0.2): 8, 5.8, 1.4.
    expect(tasks.map(({ from }) => from)).toEqual([2, 2, 1, 0, 0, 0]);
    expect(tasks.map(({ weight }) => weight)).toEqual(simplexGrid(2, 5));
  });
});

describe('randomTasks', () => {
  it('draws policies of the population and weights that sum to 1', () => {
    const random = new Random(5);
    const tasks = Array.from({ length: 200 }, () => randomTasks.next(situation({ random }))).flat();
    expect(new Set(tasks.map(({ from }) => from))).toEqual(new Set([0, 4, 8]));
    const firsts = tasks.map(({ weight }) => weight[0]);
    for (const { weight } of tasks) expect(weight[0] + weight[1]).toBeCloseTo(1, 12);
    expect(Math.min(...firsts)).toBeLessThan(0.05);
    expect(Math.max(...firsts)).toBeGreaterThan(0.95);
    expect(firsts.reduce((sum, value) => sum + value, 0) / firsts.length).toBeCloseTo(0.5, 1);
  });

  it('draws the same with the same generator', () => {
    expect(randomTasks.next(situation())).toEqual(randomTasks.next(situation()));
  });
});
