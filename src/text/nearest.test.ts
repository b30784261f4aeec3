import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest, unknownName } from './index.js';

describe('editDistance', () => {
  it('counts additions, removals and replacements', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('abc', '')).toBe(3);
    expect(editDistance('same', 'same')).toBe(0);
  });

  it('counts two neighbours that are swapped as one change, also where something was typed between them', () => {
    expect(editDistance('bets', 'best')).toBe(1);
    expect(editDistance('ca', 'abc')).toBe(2);
  });

  it('is a metric', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });
});

describe('nearest', () => {
  const names = ['fruit-tree-d5', 'fruit-tree-d6', 'deep-sea-treasure', 'mo-ant-v2', 'mo-halfcheetah-v2'];

  it('finds a misspelt name', () => {
    expect(nearest('fruit-tre-d6', names)).toBe('fruit-tree-d6');
    expect(nearest('deepsea-tresure', names)).toBe('deep-sea-treasure');
  });

  it('finds a short name with two letters swapped', () => {
    expect(nearest('bets', ['paper', 'best', 'quick'])).toBe('best');
  });

  it('ignores case', () => {
    expect(nearest('MO-ANT-V2', names)).toBe('mo-ant-v2');
  });

  it('prefers a name that contains what was typed', () => {
    expect(nearest('cheetah', names)).toBe('mo-halfcheetah-v2');
    expect(nearest('deep-sea', names)).toBe('deep-sea-treasure');
    expect(nearest('mo', ['pd-morl', 'pg-morl', 'mo-gymnasium'])).toBe('mo-gymnasium');
  });

  it('takes the first of equally near names', () => {
    expect(nearest('fruit-tree-d9', names)).toBe('fruit-tree-d5');
  });

  it('finds nothing when half of the name would have to change', () => {
    expect(nearest('nonsense', names)).toBeUndefined();
    expect(nearest('abcd', ['abcx'])).toBe('abcx');
    expect(nearest('abcd', ['abxy'])).toBeUndefined();
  });

  it('finds nothing when nothing is shared, typed or known', () => {
    expect(nearest('zzz', names)).toBeUndefined();
    expect(nearest('', names)).toBeUndefined();
    expect(nearest('ant', [])).toBeUndefined();
  });
});

describe('unknownName', () => {
  it('names the argument, the value, the nearest name and all names', () => {
    expect(unknownName('algorithm', 'psl-dqn', ['psl-ddqn', 'envelope'])).toBe(
      'algorithm is "psl-dqn" (did you mean "psl-ddqn"?), but must be one of: psl-ddqn, envelope.',
    );
    expect(unknownName('algorithm', 'zz', ['td3'])).toBe('algorithm is "zz", but must be one of: td3.');
  });
});
