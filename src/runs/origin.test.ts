import { describe, expect, it } from 'vitest';
import { compareFronts } from '../fronts/index.js';
import { planTraining, type TrainingRequest } from '../training/index.js';
import { originOf } from './origin.js';

const by = { referencePoint: [0, 0], discount: 1, preferences: [[0.5, 0.5]] };
const result = { envSteps: 1000, gradientSteps: 10, evaluationSteps: 10, seconds: 1, machine: null, stopped: false };
const labels = (...requests: readonly Partial<TrainingRequest>[]) => {
  const contenders = requests.map((request, i) => {
    const plan = planTraining({ env: 'deep-sea-treasure', ...request });
    return { name: `run ${i}`, returns: [[1, 1]], origin: originOf({ plan, result }) };
  });
  return compareFronts(contenders, by).entries.map(({ label }) => label);
};

describe('the origin of a front', () => {
  it('is never the same for runs with other settings, which are named by what they differ in', () => {
    const found = labels(
      { seed: 1 },
      { seed: 2, device: 'reference' },
      { seed: 2, settings: { alpha: 0.5, hidden: [7, 8] } },
      { seed: 3, preset: 'paper' },
    );
    expect(found).toEqual([
      expect.stringMatching(/^psl-ddqn quick alpha=[\d.]+ hidden=[\d,]+$/),
      'psl-ddqn quick alpha=0.5 hidden=7,8',
      'psl-ddqn paper',
    ]);
  });

  it('tells runs apart that saw their environment otherwise', () => {
    const [oneHot, rowColumn] = ['one-hot', 'row-column'].map((encoding) => ({ envOptions: { encoding } }));
    expect(labels(oneHot, rowColumn, { ...oneHot, seed: 2 })).toEqual([
      'psl-ddqn quick encoding=one-hot',
      'psl-ddqn quick encoding=row-column',
    ]);
  });
});
