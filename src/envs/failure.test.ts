import { describe, expect, it } from 'vitest';
import { failureIn } from './failure.js';

const message = (thrown: unknown) => (failureIn('make()', 'orchard', thrown) as Error).message;

describe('failureIn', () => {
  it('names the environment and its part, whatever was thrown', () => {
    expect(message(new Error('no licence file'))).toBe('orchard failed in make(): no licence file');
    expect(message('no licence file')).toBe('orchard failed in make(): no licence file');
    expect(message(new TypeError(''))).toBe('orchard failed in make(): TypeError');
    expect(message(undefined)).toBe('orchard failed in make(): undefined');
  });

  it('has all lines of what was thrown on one', () => {
    expect(message('\nno licence file:\n  ask for one\n')).toBe(
      'orchard failed in make(): no licence file: ask for one',
    );
  });

  it('leaves what names the environment as it is, and a RangeError one', () => {
    const refusal = new RangeError('actuators of orchard is 2, but must be 1, as many as its model has.');
    expect(failureIn('make()', 'orchard', refusal)).toBe(refusal);
    expect(failureIn('make()', 'orchard', new RangeError('trees is 0'))).toBeInstanceOf(RangeError);
  });
});
