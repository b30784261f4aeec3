import { describe, expect, it } from 'vitest';
import { End } from '../../rollout/index.js';
import { gaeReturns, type GaeOptions, type Trajectory } from './gae.js';

const { running, terminated, truncated } = End;
const options = { objectives: 1, discount: 0.5, lambda: 0.5 };

function returnsOf(trajectory: Trajectory, given: GaeOptions = options): number[] {
  const returns = new Float64Array(trajectory.rewards.length);
  gaeReturns(trajectory, given, returns);
  return [...returns];
}

describe('gaeReturns', () => {
  it('mixes looks ahead of all lengths', () => {
    // From the end: 3 + 0.5 x 8 - 4 = 3; 2 + 0.5 x 4 - 2 + 0.25 x 3 = 2.75; 1 + 0.5 x 2 - 1 + 0.25 x 2.75 = 1.6875.
    const found = returnsOf({ rewards: [1, 2, 3], values: [1, 2, 4, 8], ends: [running, running, running] });
    expect(found).toEqual([2.6875, 4.75, 7]);
  });

  it('expects nothing after an end of the task', () => {
    // From the end: 3 + 0.5 x 8 - 4 = 3; 2 - 2 = 0, whatever comes later; 1 + 0.5 x 2 - 1 + 0 = 1.
    const found = returnsOf({ rewards: [1, 2, 3], values: [1, 2, 4, 8], ends: [running, terminated, running] });
    expect(found).toEqual([2, 2, 7]);
  });

  it('learns nothing from a step that the step limit cut off, as published', () => {
    // Its return is its value, 2; the step before it expects that value: 1 + 0.5 x 2.
    const found = returnsOf({ rewards: [1, 9, 3], values: [1, 2, 4, 8], ends: [running, truncated, running] });
    expect(found).toEqual([2, 2, 7]);
  });

  it('looks beyond the step limit where it may', () => {
    // 9 + 0.5 x 6 - 2 = 10; 1 + 0.5 x 2 - 1 + 0.25 x 10 = 3.5.
    const found = returnsOf(
      { rewards: [1, 9, 3], values: [1, 2, 4, 8], ends: [running, truncated, running] },
      { ...options, beyond: (step) => [step === 1 ? 6 : NaN] },
    );
    expect(found).toEqual([4.5, 12, 7]);
  });

  it('treats every objective by itself', () => {
    const first = { rewards: [1, 2, 3], values: [1, 2, 4, 8] };
    const second = { rewards: [-5, 0, 1], values: [3, 3, 1, -2] };
    const ends = [running, terminated, running];
    const woven = (a: readonly number[], b: readonly number[]) => a.flatMap((x, i) => [x, b[i]]);
    const both = {
      rewards: woven(first.rewards, second.rewards),
      values: woven(first.values, second.values),
      ends,
    };
    expect(returnsOf(both, { ...options, objectives: 2 })).toEqual(
      woven(returnsOf({ ...first, ends }), returnsOf({ ...second, ends })),
    );
  });

  it('is the discounted sum with lambda 1, and one step ahead with 0', () => {
    const trajectory = { rewards: [1, 2, 3], values: [7, 5, 4, 8], ends: [running, running, running] };
    // 3 + 4, 2 + 3.5, 1 + 2.75.
    expect(returnsOf(trajectory, { ...options, lambda: 1 })).toEqual([3.75, 5.5, 7]);
    expect(returnsOf(trajectory, { ...options, lambda: 0 })).toEqual([3.5, 4, 7]);
  });
});
