import { describe, expect, it } from 'vitest';
import { ranksOf } from './ranks.js';

describe('ranksOf', () => {
  it('shares ranks among equals, and puts what is not there last', () => {
    expect(ranksOf([5, 7, 5, 1], true)).toEqual([2.5, 1, 2.5, 4]);
    expect(ranksOf([5, 7, 5, null], false)).toEqual([1.5, 3, 1.5, 4]);
  });
});
