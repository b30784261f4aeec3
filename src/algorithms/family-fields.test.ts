import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/index.js';
import { mlp } from '../nn/index.js';
import {
  familyFields,
  familyNames,
  makeFamily,
  registerFamily,
  sharesAt,
  type FamilyDefinition,
} from './family-fields.js';

describe('registerFamily', () => {
  it.each<[string, FamilyDefinition['shares'], string]>([
    [
      'NaN',
      () => ({ base: NaN, generated: 1 }),
      'shares.base of "own" at alpha 0 is NaN, but must be a finite number.',
    ],
    [
      'infinite without alpha',
      (alpha) => ({ base: 1, generated: 1 / (alpha as number) }),
      'shares.generated of "own" at alpha 0 is Infinity, but must be a finite number.',
    ],
    [
      'infinite at the largest alpha',
      (alpha) => ({ base: 1 / (1 - (alpha as number)), generated: alpha }),
      'shares.base of "own" at alpha 1 is Infinity, but must be a finite number.',
    ],
  ])('refuses a share that is %s', (_, shares, message) => {
    expect(() => registerFamily({ name: 'own', summary: '', shares })).toThrow(new RangeError(message));
    expect(familyNames()).not.toContain('own');
  });

  it('takes shares that are finite at every alpha', () => {
    registerFamily({ name: 'own', summary: '', shares: (alpha) => ({ base: 1, generated: alpha }) });
    expect(sharesAt('own', 0.25)).toEqual({ base: 1, generated: 0.25 });
  });
});

describe('makeFamily', () => {
  const network = mlp({ inputs: 4, hidden: [4096, 4096], outputs: 2 });

  it('refuses a hypernetwork that no array has room for', () => {
    const config = resolveConfig(familyFields, { hyperFeatures: 1024 });
    expect(() => makeFamily(config, network, 2)).toThrow(
      new RangeError('hyperFeatures is 1024, but must be at most 15 for policies of 16809986 parameters.'),
    );
  });

  it('takes any policy that nothing is generated for', () => {
    const config = resolveConfig(familyFields, { hyperFeatures: 1024, family: 'conditioned' });
    expect(makeFamily(config, network, 2).specs.hyper).toBeUndefined();
  });
});
