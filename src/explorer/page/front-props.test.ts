import { expect, it } from 'vitest';
import { stillPicked } from './front-props.js';

it('stillPicked is nothing where a front with fewer points has taken the place of the one that was pointed at', () => {
  expect(stillPicked(4, 5)).toBe(4);
  expect(stillPicked(4, 4)).toBeUndefined();
  expect(stillPicked(0, 0)).toBeUndefined();
  expect(stillPicked(undefined, 4)).toBeUndefined();
});
