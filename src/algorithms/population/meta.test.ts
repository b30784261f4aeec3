import { describe, expect, it } from 'vitest';
import { simplexGrid } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import type { SavedReplica } from '../learner.js';
import { meta, movedTowards } from './meta.js';
import type { Situation } from './selection.js';

const rule = meta({ metaShare: 0.5, metaRate: 1 });
const schedule = { iterations: 100, warmup: 40, generation: 10 };

function situation(done: number, objectives = 2): Situation {
  const weights = simplexGrid(objectives, objectives === 2 ? 5 : 4);
  return { schedule, done, weights, history: [], latest: [], population: [], archive: [], random: new Random(4) };
}

describe('meta', () => {
  it('trains for random weights first, and then adapts to evenly spread ones', () => {
    const training = rule.next(situation(40));
    expect(training).toHaveLength(6);
    expect(training.every(({ from }) => from === 'meta')).toBe(true);
    for (const { weight } of training) expect(weight[0] + weight[1]).toBeCloseTo(1, 12);
    // The second half has five generations of six tasks.
    const adapted = [50, 60, 70, 80, 90].flatMap((done) => rule.next(situation(done)));
    expect(adapted.map(({ weight }) => weight)).toEqual(simplexGrid(2, 29));
    expect(adapted.every(({ from }) => from === 'meta')).toBe(true);
  });

  it('has equal generations, and a learning rate that falls over the meta-training and over each adaptation', () => {
    expect([0, 10, 90].map((done) => rule.length(done, schedule))).toEqual([10, 10, 10]);
    expect([0, 25, 49, 50, 55, 60].map((done) => rule.progress(done, schedule))).toEqual([0, 0.5, 0.98, 0, 0.5, 0]);
  });

  it('includes every objective alone where there are three', () => {
    const weights = rule.next(situation(50, 3)).map(({ weight }) => weight);
    expect(weights).toHaveLength(15);
    expect(weights.slice(0, 3)).toEqual([
      [0, 0, 1],
      [0, 1, 0],
      [1, 0, 0],
    ]);
    for (const weight of weights) expect(weight.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
  });

  it('moves the meta-policy ever less, and not at all while it is adapted', () => {
    const at = (value: number): SavedReplica => ({ tensors: new Map([['p', Float32Array.of(value)]]), rest: null });
    const moved = (done: number) => rule.meta!.update(at(0), [at(2), at(4)], done, schedule)?.tensors.get('p')?.[0];
    expect(moved(10)).toBe(3);
    expect(moved(20)).toBeCloseTo(3 * 0.8, 6);
    expect(moved(50)).toBeCloseTo(3 * 0.2, 6);
    expect(moved(60)).toBeUndefined();
  });

  it('trains a meta-policy alone where there is no time for more', () => {
    const short = { iterations: 4, warmup: 40, generation: 10 };
    expect(rule.progress(2, short)).toBe(0.5);
    expect(rule.meta!.first({ ...situation(0), schedule: short })).toHaveLength(6);
  });
});

describe('movedTowards', () => {
  it('blends all numbers and leaves what is the same', () => {
    const saved = (shift: number): SavedReplica => ({
      tensors: new Map<string, Float32Array | Int32Array>([
        ['weights', Float32Array.of(1 + shift, 2 - shift)],
        ['updates', Int32Array.of(7)],
      ]),
      rest: { count: 100 + shift, mean: Float64Array.of(0.1, shift), names: ['a', 3 * shift], off: null },
    });
    const { tensors, rest } = movedTowards(saved(0), [saved(1), saved(3)], 0.5);
    expect([...tensors.get('weights')!]).toEqual([2, 1]);
    expect(tensors.get('updates')).toEqual(Int32Array.of(7));
    expect(rest).toEqual({ count: 101, mean: Float64Array.of(0.1, 1), names: ['a', 3], off: null });
  });
});
