import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateValue } from '../envs/index.js';
import { decodeState, encodeState } from './state-json.js';

const { value: states } = fc.letrec<{ value: StateValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.string(),
    fc.float64Array(),
    fc.array(tie('value')),
    // What stands for numbers in the text must not be what somebody saves.
    fc.dictionary(
      fc.string().filter((key) => !['float64', 'number', '__proto__'].includes(key)),
      tie('value'),
      { noNullPrototype: true },
    ),
  ),
}));

describe('the state of a training as JSON', () => {
  it('comes back as it was, bit for bit', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(decodeState(encodeState(state))).toStrictEqual(state);
      }),
    );
    const unusual = { alone: [-0, NaN, Infinity, -Infinity], together: Float64Array.of(-0, NaN, 5e-324) };
    const { alone, together } = decodeState(encodeState(unusual)) as typeof unusual;
    expect(alone.every((value, i) => Object.is(value, unusual.alone[i]))).toBe(true);
    expect(Object.is(together[0], -0)).toBe(true);
  });

  it.each([
    ['no JSON', '{"a":', 'is not valid JSON'],
    ['letters that are no base64', '{"float64": "%%%%"}', 'has float64 that are not in base64'],
    ['half a number', '{"float64": "AAAA"}', 'has 3 bytes of float64, but must have whole numbers'],
    ['a number that is none', '{"number": "seven"}', 'has a number "seven"'],
    ['too many brackets', '['.repeat(5000) + ']'.repeat(5000), 'is nested more than 100 times'],
  ])('is refused where it is %s', (_, text, problem) => {
    expect(() => decodeState(text)).toThrow(new RangeError(problem));
  });
});
