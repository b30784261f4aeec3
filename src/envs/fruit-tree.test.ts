import { describe, expect, it } from 'vitest';
import { envInfo, makeEnv } from './index.js';
import { LEAVES, type Depth } from './fruit-tree-data.js';

const DEPTHS: readonly Depth[] = [5, 6, 7];

/** The turns to a leaf: its number in binary, the first turn in the highest place. */
function pathTo(leaf: number, depth: number): number[] {
  return Array.from({ length: depth }, (_, level) => (leaf >> (depth - 1 - level)) & 1);
}

describe.each(DEPTHS)('fruit tree of depth %i', (depth) => {
  const id = `fruit-tree-d${depth}`;

  it('rewards each leaf, reached by its path, with its row of the table and nothing before', () => {
    const env = makeEnv(id);
    LEAVES[depth].forEach((nutrients, leaf) => {
      env.reset();
      const steps = pathTo(leaf, depth).map((turn) => env.step(turn));
      const last = steps.pop()!;
      for (const step of steps) {
        expect([...step.reward]).toEqual([0, 0, 0, 0, 0, 0]);
        expect(step.terminated || step.truncated).toBe(false);
      }
      expect([...last.reward]).toEqual(nutrients);
      expect(last.terminated).toBe(true);
      expect(last.truncated).toBe(false);
      expect(last.info).toEqual({ row: depth, column: leaf });
    });
  });

  it('has a leaf vector of length 10 for every leaf', () => {
    expect(LEAVES[depth]).toHaveLength(2 ** depth);
    for (const nutrients of LEAVES[depth]) expect(Math.hypot(...nutrients)).toBeCloseTo(10, 6);
  });

  it('observes the row and column of the node by default', () => {
    const env = makeEnv(id);
    expect([...env.reset().observation]).toEqual([0, 0]);
    expect([...env.step(1).observation]).toEqual([1, 1]);
    expect([...env.step(0).observation]).toEqual([2, 2]);
    expect([...env.step(1).observation]).toEqual([3, 5]);
    expect(env.observationSpace.high).toEqual([depth, 2 ** depth - 1]);
  });

  it('observes both between 0 and 1 when scaled', () => {
    const env = makeEnv(id, { encoding: 'scaled' });
    expect([...env.reset().observation]).toEqual([0, 0]);
    for (let level = 0; level < depth - 1; level++) env.step(1);
    expect([...env.step(1).observation]).toEqual([1, 1]);
  });

  it('observes the turns taken as a path', () => {
    const env = makeEnv(id, { encoding: 'path' });
    const rest = (taken: number) => new Array<number>(depth - taken).fill(0);
    expect([...env.reset().observation]).toEqual(rest(0));
    expect([...env.step(0).observation]).toEqual([-1, ...rest(1)]);
    expect([...env.step(1).observation]).toEqual([-1, 1, ...rest(2)]);
    expect([...env.step(1).observation]).toEqual([-1, 1, 1, ...rest(3)]);
    expect([...env.step(0).observation]).toEqual([-1, 1, 1, -1, ...rest(4)]);
  });

  it('observes each node that is no leaf as a place of its own when one-hot, and a leaf as none', () => {
    const env = makeEnv(id, { encoding: 'one-hot' });
    const seen = new Set<string>();
    for (let leaf = 0; leaf < 2 ** depth; leaf++) {
      let { observation } = env.reset();
      for (const turn of pathTo(leaf, depth)) {
        expect([...observation].sort()).toEqual([...new Array<number>(2 ** depth - 2).fill(0), 1]);
        seen.add(observation.join());
        ({ observation } = env.step(turn));
      }
      expect(observation.every((entry) => entry === 0)).toBe(true);
    }
    expect(seen.size).toBe(2 ** depth - 1);
  });
});

describe('fruit tree', () => {
  it('pays the published nutrients at two leaves', () => {
    const env = makeEnv('fruit-tree-d6');
    env.reset();
    for (let level = 0; level < 5; level++) env.step(0);
    expect([...env.step(0).reward]).toEqual([0.26745039, 3.54435815, 4.39088762, 0.5898826, 7.7984232, 2.63110921]);

    const small = makeEnv('fruit-tree-d5');
    small.reset();
    for (let level = 0; level < 4; level++) small.step(0);
    expect([...small.step(1).reward]).toEqual([7.49190652, 0.86177565, 0.26446419, 6.40116659, 1.13497678, 0.89198211]);
  });

  it('knows its front: every leaf, discounted once for each step but the first', () => {
    const front = envInfo('fruit-tree-d5').knownFront!(0.99);
    expect(front).toHaveLength(32);
    // 7.49190652 * 0.99^4 and 0.86177565 * 0.99^4, with 0.99^4 = 0.96059601.
    expect(front[1][0]).toBeCloseTo(7.1966955105, 9);
    expect(front[1][1]).toBeCloseTo(0.8278182509, 9);
    expect(envInfo('fruit-tree-d7').knownFront!(1)).toEqual(LEAVES[7]);
  });

  it.each([
    [5, 3073.8095624],
    [6, 2243.2600124],
    [7, 2462.565504],
  ])('has a largest box under a single leaf at depth %i of volume %d', (depth, volume) => {
    const boxes = envInfo(`fruit-tree-d${depth}`).knownFront!(0.99).map((point) => point.reduce((a, b) => a * b));
    expect(Math.max(...boxes)).toBeCloseTo(volume, 6);
  });

  it('refuses a saved node that does not exist', () => {
    const env = makeEnv('fruit-tree-d5');
    const state = env.saveState();
    expect(() => env.restoreState({ ...state, world: { row: 2, column: 4 } })).toThrow(
      'state.world.column is 4, but must be an integer from 0 to 3.',
    );
    expect(env.saveState()).toEqual(state);
  });
});
