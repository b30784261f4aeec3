import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  choice,
  ConfigError,
  describeFields,
  fieldsTable,
  flag,
  integer,
  integers,
  number,
  numbers,
  orNone,
  parseSettings,
  resolveConfig,
  text,
  type ConfigOf,
  type Fields,
  type SettingsOf,
} from './index.js';

const fields = {
  steps: integer({
    default: 100_000,
    min: 1,
    unit: 'environment steps',
    about: 'How long training takes.',
    source: 'paper, Table 3',
  }),
  alpha: number({ default: 0.05, min: 0, max: 1, about: 'The share of the generated parameters.' }),
  rate: number({ default: 3e-4, above: 0, about: 'The step size of Adam.' }),
  family: choice(['fused', 'generated', 'added'], { default: 'fused', about: 'How parameters depend on w.' }),
  hidden: integers({ default: [512, 512], min: 1, about: 'The widths of the hidden layers.' }),
  scale: numbers({ default: [], about: 'What each objective is multiplied with.' }),
  normalise: flag({ default: false, about: 'Whether observations are normalised.' }),
  note: text({ default: 'a first | run', about: 'Anything.' }),
  clip: orNone(number({ above: 0, about: 'The largest norm of a gradient.' })),
} satisfies Fields;

const defaults: ConfigOf<typeof fields> = {
  steps: 100_000,
  alpha: 0.05,
  rate: 3e-4,
  family: 'fused',
  hidden: [512, 512],
  scale: [],
  normalise: false,
  note: 'a first | run',
  clip: null,
};

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('nothing was thrown');
}

describe('resolveConfig', () => {
  it('gives every field its default', () => {
    expect(resolveConfig(fields)).toEqual(defaults);
  });

  it('lays later settings over earlier ones, and undefined over nothing', () => {
    const preset: SettingsOf<typeof fields> = { steps: 5000, alpha: 0.1, clip: 100 };
    const config = resolveConfig(fields, preset, { alpha: 0.2, steps: undefined, clip: null });
    expect(config).toEqual({ ...defaults, steps: 5000, alpha: 0.2, clip: null });
  });

  it('knows the types of the fields', () => {
    const config = resolveConfig(fields);
    expectTypeOf(config.steps).toEqualTypeOf<number>();
    expectTypeOf(config.family).toEqualTypeOf<'fused' | 'generated' | 'added'>();
    expectTypeOf(config.hidden).toEqualTypeOf<readonly number[]>();
    expectTypeOf(config.clip).toEqualTypeOf<number | null>();
  });

  it('reads values of older versions as what they are now', () => {
    const formerly = { false: 'none', true: 'layer' };
    const norm = choice(['none', 'layer', 'residual'], { default: 'none', about: 'Kind of normalisation.', formerly });
    expect(resolveConfig({ norm }, { norm: true })).toEqual({ norm: 'layer' });
    expect(resolveConfig({ norm }, { norm: 'residual' }, { norm: false })).toEqual({ norm: 'none' });
    expect(parseSettings({ norm }, ['norm=true'])).toEqual({ norm: 'layer' });
    expect(() => resolveConfig({ norm }, { norm: 1 })).toThrow('norm is 1, but must be one of: none, layer, residual.');
  });

  it('does not share its arrays with the fields', () => {
    expect(resolveConfig(fields).hidden).not.toBe(fields.hidden.default);
  });

  it('suggests the nearest name for an unknown one', () => {
    expect(messageOf(() => resolveConfig(fields, { alhpa: 1 }))).toBe(
      'setting is "alhpa" (did you mean "alpha"?), but must be one of: steps, alpha, rate, family, hidden, scale, ' +
        'normalise, note, clip.',
    );
    expect(messageOf(() => resolveConfig(fields, JSON.parse('{"__proto__": 1}')))).toMatch(/^setting is "__pr/);
  });

  it.each([
    [{ steps: 0 }, 'steps is 0, but must be an integer of at least 1.'],
    [{ steps: 2 ** 53 }, 'steps is 9007199254740992, but must be an integer from 1 to 9007199254740991.'],
    [{ steps: 1.5 }, 'steps is 1.5, but must be an integer of at least 1.'],
    [{ steps: '5' }, 'steps is "5", but must be an integer of at least 1.'],
    [{ steps: null }, 'steps is null, but must be an integer of at least 1.'],
    [{ alpha: 1.1 }, 'alpha is 1.1, but must be a number from 0 to 1.'],
    [{ alpha: NaN }, 'alpha is NaN, but must be a number from 0 to 1.'],
    [{ rate: 0 }, 'rate is 0, but must be a number above 0.'],
    [{ rate: Infinity }, 'rate is Infinity, but must be a number above 0.'],
    [{ family: 'adde' }, 'family is "adde" (did you mean "added"?), but must be one of: fused, generated, added.'],
    [{ family: 1 }, 'family is 1, but must be one of: fused, generated, added.'],
    [{ hidden: [512, 0] }, 'hidden is [512, 0], but must be a list of integers of at least 1.'],
    [{ hidden: [[1]] }, 'hidden is [[...]], but must be a list of integers of at least 1.'],
    [{ hidden: 512 }, 'hidden is 512, but must be a list of integers of at least 1.'],
    [
      { hidden: Array.from({ length: 2 }) },
      'hidden is [undefined, undefined], but must be a list of integers of at least 1.',
    ],
    [{ scale: [0, NaN] }, 'scale is [0, NaN], but must be a list of finite numbers.'],
    [{ normalise: 'yes' }, 'normalise is "yes", but must be true or false.'],
    [{ note: '' }, 'note is "", but must be a text that is not empty.'],
    [{ clip: -1 }, 'clip is -1, but must be a number above 0, or none.'],
    [{ clip: {} }, 'clip is an object, but must be a number above 0, or none.'],
  ])('refuses %j', (settings, message) => {
    expect(messageOf(() => resolveConfig(fields, settings))).toBe(message);
  });

  it('does not overlook the holes of an array', () => {
    expect(() => resolveConfig(fields, { hidden: new Array<number>(2) })).toThrow(ConfigError);
  });

  it('checks values that a later layer replaces', () => {
    expect(messageOf(() => resolveConfig(fields, { alpha: 2 }, { alpha: 1 }))).toMatch(/^alpha is 2/);
  });

  it('refuses what is no object of settings', () => {
    expect(messageOf(() => resolveConfig(fields, JSON.parse('[1]')))).toBe(
      'configuration is [1], but must be an object with a value for each setting.',
    );
    expect(messageOf(() => resolveConfig(fields, JSON.parse('null')))).toMatch(/^configuration is null, but/);
  });

  it('says what is wrong in parts too', () => {
    try {
      resolveConfig(fields, { alpha: 2 });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ field: 'alpha', value: 2, allowed: 'a number from 0 to 1' });
    }
  });
});

const configs = fc.record({
  steps: fc.integer({ min: 1 }),
  alpha: fc.double({ min: 0, max: 1, noNaN: true }),
  rate: fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
  family: fc.constantFrom('fused', 'generated', 'added'),
  hidden: fc.array(fc.integer({ min: 1 })),
  scale: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
  normalise: fc.boolean(),
  note: fc.string({ minLength: 1 }),
  clip: fc.option(fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true })),
});

describe('a resolved configuration', () => {
  it('survives JSON', () => {
    fc.assert(
      fc.property(configs, (settings) => {
        const config = resolveConfig(fields, settings);
        expect(resolveConfig(fields, JSON.parse(JSON.stringify(config)))).toEqual(config);
      }),
    );
  });

  it('survives being typed', () => {
    fc.assert(
      fc.property(configs, (settings) => {
        const config = resolveConfig(fields, settings, { note: 'x' });
        const texts = Object.entries(fields as Fields).map(
          ([name, field]) => `${name}=${field.show(config[name as keyof typeof config])}`,
        );
        expect(parseSettings(fields, texts)).toEqual(config);
      }),
    );
  });
});

describe('parseSettings', () => {
  it('reads values of every kind', () => {
    expect(
      parseSettings(fields, [
        'steps=1e5',
        'alpha=.5',
        'family=added',
        'hidden=256, 256',
        'normalise=true',
        'clip=none',
      ]),
    ).toEqual({ steps: 100_000, alpha: 0.5, family: 'added', hidden: [256, 256], normalise: true, clip: null });
    expect(parseSettings(fields, ['note=a=b', 'scale=', 'clip=1'])).toEqual({ note: 'a=b', scale: [], clip: 1 });
  });

  it('keeps the last setting of a name', () => {
    expect(parseSettings(fields, ['alpha=0.1', 'alpha=0.2'])).toEqual({ alpha: 0.2 });
  });

  it.each([
    ['alpha', 'setting is "alpha", but must be NAME=VALUE.'],
    ['=1', 'setting is "=1", but must be NAME=VALUE.'],
    ['alpha=', 'alpha is "", but must be a number from 0 to 1.'],
    ['alpha=abc', 'alpha is "abc", but must be a number from 0 to 1.'],
    ['alpha=2', 'alpha is 2, but must be a number from 0 to 1.'],
    ['alpha=0x1', 'alpha is "0x1", but must be a number from 0 to 1.'],
    ['rate=1e999', 'rate is Infinity, but must be a number above 0.'],
    ['hidden=256,x', 'hidden is "256,x", but must be a list of integers of at least 1.'],
    ['hidden=256,', 'hidden is "256,", but must be a list of integers of at least 1.'],
    ['normalise=1', 'normalise is "1", but must be true or false.'],
  ])('refuses %s', (setting, message) => {
    expect(messageOf(() => parseSettings(fields, [setting]))).toBe(message);
  });
});

describe('a field', () => {
  it('must have a default that it accepts', () => {
    expect(() => integer({ default: 0, min: 1, about: 'Zero.' })).toThrow(
      'default is 0, but must be an integer of at least 1.',
    );
  });

  it('says which numbers it allows', () => {
    const about = '';
    expect(number({ about }).allowed).toBe('a finite number');
    expect(number({ max: 1, about }).allowed).toBe('a number of at most 1');
    expect(number({ below: 1, about }).allowed).toBe('a number below 1');
    expect(number({ above: 0, max: 1, about }).allowed).toBe('a number above 0 and at most 1');
    expect(number({ min: 0, below: 1, about }).allowed).toBe('a number of at least 0 and below 1');
    expect(integer({ about }).allowed).toBe('an integer');
    expect(integer({ max: 9, about }).allowed).toBe('an integer of at most 9');
    expect(integer({ min: 1, max: 9, about }).allowed).toBe('an integer from 1 to 9');
    expect(integers({ minLength: 2, about }).allowed).toBe('a list of at least 2 integers');
    expect(orNone(choice(['a'], { about })).allowed).toEqual(['a', 'none']);
  });

  it('keeps its bounds', () => {
    const about = '';
    expect(number({ above: 0, below: 1, about }).accepts(0)).toBe(false);
    expect(number({ above: 0, below: 1, about }).accepts(1)).toBe(false);
    expect(number({ above: 0, below: 1, about }).accepts(0.5)).toBe(true);
    expect(number({ min: 0, max: 1, about }).accepts(0)).toBe(true);
    expect(number({ min: 0, max: 1, about }).accepts(1)).toBe(true);
    expect(integers({ minLength: 2, about }).accepts([1])).toBe(false);
  });

  it('that may be none says so whatever value is refused', () => {
    const wait = orNone(integer({ min: 1, about: 'A wait.' }));
    const refused = (value: unknown) => messageOf(() => resolveConfig({ wait }, { wait: value as number }));
    expect(refused(0)).toBe('wait is 0, but must be an integer of at least 1, or none.');
    expect(refused(2 ** 53)).toMatch(/ but must be an integer from 1 to 9007199254740991, or none\.$/);
  });

  it('that may be none keeps its documentation and default', () => {
    const field = orNone(integer({ default: 3, unit: 'steps', about: 'A wait.', source: 'paper' }));
    expect(field).toMatchObject({ default: 3, unit: 'steps', about: 'A wait.', source: 'paper' });
  });
});

describe('describeFields', () => {
  it('shows each field with its sentence, values, unit, default and source', () => {
    const { steps, hidden, scale, clip } = fields;
    expect(describeFields({ steps, hidden, scale, clip, aVeryLongNameThatNeedsALine: steps })).toEqual([
      '  steps=INTEGER       How long training takes. (an integer of at least 1, in environment steps;',
      '                      default: 100000; paper, Table 3)',
      '  hidden=INTEGER,...  The widths of the hidden layers. (a list of integers of at least 1; default:',
      '                      512,512)',
      '  scale=NUMBER,...    What each objective is multiplied with. (a list of finite numbers; default:',
      '                      empty)',
      '  clip=NUMBER|none    The largest norm of a gradient. (a number above 0, or none; default: none)',
      '  aVeryLongNameThatNeedsALine=INTEGER',
      '                      How long training takes. (an integer of at least 1, in environment steps;',
      '                      default: 100000; paper, Table 3)',
    ]);
  });
});

describe('fieldsTable', () => {
  it('is a table in Markdown', () => {
    const { steps, note } = fields;
    expect(fieldsTable({ steps, note })).toBe(
      [
        '| Name | Default | Unit | Allowed | Meaning | Source |',
        '| --- | --- | --- | --- | --- | --- |',
        '| `steps` | `100000` | environment steps | an integer of at least 1 | How long training takes. | paper, Table 3 |',
        '| `note` | `a first \\| run` |  | a text that is not empty | Anything. |  |',
        '',
      ].join('\n'),
    );
  });
});
