import { expect, it } from 'vitest';
import { adviceFor } from './non-finite.js';
import { planTraining } from './plan.js';

it('advises the default of a step size that is above it, and a tenth of one that is not', () => {
  const adviceWith = (settings: object) =>
    adviceFor(planTraining({ env: 'mo-swimmer-v5', algorithm: 'psl-td3', settings: { ...settings } }));
  expect(adviceWith({ learningRate: 1e30, criticLearningRate: 1e-4 })).toBe(
    '; train anew with smaller steps, such as learningRate=0.0003 and criticLearningRate=0.00001',
  );
});
