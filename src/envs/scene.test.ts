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
    const action = env.actionSpace.kind === 'discrete' ? 1 : [1, 1].slice(0, env.actionSpace.low.length);
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

  it('turn points anticlockwise', () => {
    expect(placed([[1, 0]], [3, 4], Math.PI / 2)).toEqual([[3, 5]]);
  });
});
