import { describe, expect, it } from 'vitest';
import type { Fields } from '../config/index.js';
import { algorithmNames, registerAlgorithm, type AlgorithmDefinition } from './registry.js';

describe('registerAlgorithm', () => {
  const whole = {
    name: 'own',
    kind: 'off-policy',
    summary: 'a learner of its own',
    actions: ['discrete'],
    fields: {},
    create: () => Promise.reject(new Error('It is never made.')),
  };
  /** As plain JavaScript does it. */
  const register = (definition: object) => registerAlgorithm(definition as AlgorithmDefinition<Fields>);

  it.each([
    [{ name: undefined }, 'name is missing, but must be a word that is not the name of an algorithm yet.'],
    [{ name: 'two words' }, 'name is "two words", but must be a word that is not the name of an algorithm yet.'],
    [{ name: 'psl-td3' }, 'name is "psl-td3", but must be a word that is not the name of an algorithm yet.'],
    [{ kind: undefined }, 'kind of "own" is missing, but must be one of: off-policy, on-policy.'],
    [
      { kind: 'offpolicy' },
      'kind of "own" is "offpolicy" (did you mean "off-policy"?), but must be one of: off-policy, on-policy.',
    ],
    [{ actions: undefined }, 'actions of "own" is missing, but must be a list of discrete, continuous or both.'],
    [{ actions: [] }, 'actions of "own" is [], but must be a list of discrete, continuous or both.'],
    [{ actions: ['digital'] }, 'actions of "own" is ["digital"], but must be a list of discrete, continuous or both.'],
    [{ fields: undefined }, 'fields of "own" is missing, but must be an object.'],
    [{ fields: [] }, 'fields of "own" is [], but must be an object.'],
    [{ create: undefined }, 'create of "own" is missing, but must be a function.'],
    [{ create: 'dqn' }, 'create of "own" is "dqn", but must be a function.'],
  ])('refuses %j with a sentence, and does not keep it', (change, message) => {
    expect(() => register({ ...whole, ...change })).toThrow(new RangeError(message));
    expect(algorithmNames()).not.toContain('own');
  });

  it('takes a definition that is whole', () => {
    register(whole);
    expect(algorithmNames().at(-1)).toBe('own');
  });
});
