import { describe, expect, it } from 'vitest';
import { envIds, envInfo, makeEnv, prepareEnv, type SceneShape } from './index.js';
import { placed } from './scene.js';

const DRAWN = envIds().filter((id) => envInfo(id).view?.kind === 'scene');

function drawn(id: string, observation: Float32Array): readonly SceneShape[] {
  const { view } = envInfo(id);
  return view?.kind === 'scene' ? view.draw([...observation]) : [];
}

describe('scenes', () => {
  it.each(DRAWN)('of %s have finite shapes, one of which acts, and objectives that there are', async (id) => {
    await prepareEnv(id);
    const env = makeEnv(id);
    const action = env.actionSpace.kind === 'discrete' ? 1 : env.actionSpace.high;
    for (const { observation } of [env.reset({ seed: 1 }), env.step(action)]) {
      const shapes = drawn(id, observation);
      const points = shapes.flatMap((shape) => (shape.kind === 'circle' ? [shape.centre] : shape.points));
      expect(points.flat().every(Number.isFinite)).toBe(true);
      expect(shapes.some(({ paint }) => paint === 'actor')).toBe(true);
      const objectives = shapes.map(({ paint }) => paint).filter((paint) => typeof paint === 'number');
      expect(objectives.every((k) => k < env.objectives.length)).toBe(true);
    }
  });

  it('of four rooms lose a shape that was collected', () => {
    const env = makeEnv('four-room-v0');
    const shapes = ({ observation }: { readonly observation: Float32Array }) =>
      drawn('four-room-v0', observation).filter(({ paint }) => typeof paint === 'number').length;
    expect(shapes(env.reset())).toBe(12);
    const [up, right] = [1, 2];
    const ways = [up, up, right, right, right, right, right, right].map((move) => shapes(env.step(move)));
    expect(ways).toEqual([12, 12, 12, 12, 12, 12, 12, 11]);
  });

  it('of breakable bottles show those that are carried, delivered and broken', () => {
    const view = envInfo('breakable-bottles-v0').view;
    const count = (...observation: number[]) => {
      const paints = view?.kind === 'scene' ? view.draw(observation).map(({ paint }) => paint) : [];
      return {
        bottles: paints.filter((paint) => paint === 1).length,
        shards: paints.filter((paint) => paint === 2).length,
      };
    };
    // Two are always on the shelf.
    expect(count(4, 0, 0, 0, 0, 0)).toEqual({ bottles: 2, shards: 0 });
    expect(count(2, 1, 1, 0, 1, 1)).toEqual({ bottles: 4, shards: 2 });
  });

  it('of the heating show what is wanted in rooms that are used at that hour', () => {
    const env = makeEnv('building-heating');
    const wanted = ({ observation }: { readonly observation: Float32Array }) =>
      drawn('building-heating', observation).filter(({ paint }) => paint === 'ground').length;
    const day = [wanted(env.reset({ seed: 1 })), ...Array.from({ length: 95 }, () => wanted(env.step([0, 0, 0, 0])))];
    // At midnight, six, ten, half past twelve, seven, ten and eleven in the evening.
    expect([0, 24, 40, 50, 76, 88, 92].map((quarter) => day[quarter])).toEqual([1, 2, 1, 2, 2, 2, 1]);
  });

  it('of the reacher have the tip where its distances are measured', async () => {
    await prepareEnv('mo-reacher-v5');
    const env = makeEnv('mo-reacher-v5');
    const tip = drawn('mo-reacher-v5', env.reset({ seed: 1 }).observation).at(-1);
    const [x, y] = tip?.kind === 'circle' ? tip.centre : [];
    // What a step earns is 1 - 4 times the distance from each target; they are 0.14 m from the middle.
    const { reward } = env.step(4);
    const targets = [
      [0.14, 0],
      [-0.14, 0],
      [0, 0.14],
      [0, -0.14],
    ];
    targets.forEach(([right, up], k) => {
      expect(1 - 4 * Math.hypot(x! - 0.25 - right, y! - 0.25 - up)).toBeCloseTo(reward[k], 2);
    });
    env.close();
  });

  it('turn points anticlockwise', () => {
    expect(placed([[1, 0]], [3, 4], Math.PI / 2)).toEqual([[3, 5]]);
  });
});
