import { expect, it } from 'vitest';
import { frontOf } from './front.js';

it('frontOf keeps distinct non-dominated returns with the middle one of the preferences that lead to each', () => {
  const found = frontOf({
    preferences: [
      [0, 1],
      [0.2, 0.8],
      [0.4, 0.6],
      [0.6, 0.4],
      [1, 0],
    ],
    returns: [
      [1, -1],
      [1, -1],
      [1, -1],
      [0, -5],
      [9, -9],
    ],
  });
  expect(found).toEqual({
    preferences: [
      [0.2, 0.8],
      [1, 0],
    ],
    returns: [
      [1, -1],
      [9, -9],
    ],
  });
});
