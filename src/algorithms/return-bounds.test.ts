import { describe, expect, it } from 'vitest';
import { End } from '../rollout/index.js';
import { ReturnBounds } from './return-bounds.js';

describe('the bounds of returns', () => {
  it('are the least and the largest return from any step to the end of an episode, with zero, once one has ended', () => {
    const bounds = new ReturnBounds(2, 0.5, 1);
    bounds.observe(Float64Array.of(8, -1), Uint8Array.of(End.running));
    expect(bounds.inputs).toEqual({ low: Float32Array.of(-3e38, -3e38), high: Float32Array.of(3e38, 3e38) });
    bounds.observe(Float64Array.of(-6, -1), Uint8Array.of(End.terminated));
    // 8 - 6 / 2 and -6; -1 - 1 / 2 and -1.
    expect(bounds.inputs).toEqual({ low: Float32Array.of(-6, -1.5), high: Float32Array.of(5, 0) });
    bounds.observe(Float64Array.of(2, 3), Uint8Array.of(End.truncated));
    expect(bounds.inputs).toEqual({ low: Float32Array.of(-6, -1.5), high: Float32Array.of(5, 3) });
  });

  it('are those of each replica, and go on from what was saved in an episode', () => {
    const [one, other] = [0, 0].map(() => new ReturnBounds(1, 0.5, 2));
    const rewards = Float64Array.of(1, 2, 30, 40);
    one.observe(rewards, Uint8Array.of(End.terminated, End.running, End.running, End.running));
    expect(one.inputs.high).toEqual(Float32Array.of(1, 3e38));
    other.load(structuredClone(one.save()));
    const ends = new Uint8Array(4).fill(End.terminated);
    for (const bounds of [one, other]) bounds.observe(rewards, ends);
    expect(one.inputs.high).toEqual(Float32Array.of(3, 60));
    expect(other.inputs).toEqual(one.inputs);
  });
});
