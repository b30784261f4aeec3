import { describe, expect, expectTypeOf, it } from 'vitest';
import { choice, flag, integer, number, numbers, text } from '../config/index.js';
import {
  describeSyntax,
  ifGiven,
  isGiven,
  parseArguments,
  repeated,
  required,
  wordsAfterHelp,
  type Syntax,
} from './arguments.js';
import { UsageError } from './errors.js';

const about = 'A sentence.';
const steps = integer({ default: 100, min: 1, unit: 'environment steps', about: 'How long.' });
const syntax = {
  operands: {
    env: required(choice(['fruit-tree', 'deep-sea'], { about: 'The environment.' })),
    runFolder: ifGiven(text({ about: 'Where.' })),
  },
  options: {
    ref: required(numbers({ about })),
    steps,
    seed: ifGiven(integer({ min: 0, about }), 'a random one'),
    gridStep: number({ default: 0.1, above: 0, about }),
    set: repeated(text({ placeholder: 'NAME=VALUE', about: 'A setting.' })),
    quiet: flag({ default: false, about: 'Say less.' }),
    picture: flag({ default: true, about: 'Draw no picture.' }),
  },
};

const parse = (...args: string[]) => parseArguments(syntax, args);

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  throw new Error('nothing was thrown');
}

describe('parseArguments', () => {
  it('gives what is absent its default, or nothing', () => {
    expect(parse('deep-sea', '--ref', '0,0')).toEqual({
      values: {
        env: 'deep-sea',
        runFolder: undefined,
        ref: [0, 0],
        steps: 100,
        seed: undefined,
        gridStep: 0.1,
        set: [],
        quiet: false,
        picture: true,
      },
      json: false,
    });
  });

  it('reads what is given, in any order and either form', () => {
    const args = '--steps=1e5 deep-sea --json --grid-step .5 --ref -1,-2.5 out --quiet --no-picture --seed 7'.split(
      ' ',
    );
    expect(parse(...args, '--set', 'a=1', '--set=b=2')).toEqual({
      values: {
        env: 'deep-sea',
        runFolder: 'out',
        ref: [-1, -2.5],
        steps: 100_000,
        seed: 7,
        gridStep: 0.5,
        set: ['a=1', 'b=2'],
        quiet: true,
        picture: false,
      },
      json: true,
    });
  });

  it('knows the types of the values', () => {
    const { values } = parse('deep-sea', '--ref', '0,0');
    expectTypeOf(values.env).toEqualTypeOf<'fruit-tree' | 'deep-sea'>();
    expectTypeOf(values.runFolder).toEqualTypeOf<string | undefined>();
    expectTypeOf(values.ref).toEqualTypeOf<readonly number[]>();
    expectTypeOf(values.steps).toEqualTypeOf<number>();
    expectTypeOf(values.seed).toEqualTypeOf<number | undefined>();
    expectTypeOf(values.set).toEqualTypeOf<readonly string[]>();
    expectTypeOf(values.quiet).toEqualTypeOf<boolean>();
  });

  it('takes what follows -- as it is', () => {
    expect(parse('--ref=0', '--', 'deep-sea', '--quiet').values).toMatchObject({ runFolder: '--quiet', quiet: false });
  });

  it('does not take a field for the default of an option that stands for it', () => {
    const options = { steps: ifGiven(steps, "the preset's") };
    expect(parseArguments({ operands: {}, options }, [])).toEqual({ values: { steps: undefined }, json: false });
  });

  const OPTIONS = '--ref, --steps, --seed, --grid-step, --set, --quiet, --no-picture, --json, --import, --help';
  it.each([
    ['--ref=0', 'ENV is missing, but must be one of: fruit-tree, deep-sea.'],
    ['deepsea --ref=0', 'ENV is "deepsea" (did you mean "deep-sea"?), but must be one of: fruit-tree, deep-sea.'],
    ['deep-sea', '--ref is missing, but must be a list of finite numbers.'],
    ['deep-sea --ref', '--ref is missing, but must be a list of finite numbers.'],
    ['deep-sea --ref --json', '--ref is missing, but must be a list of finite numbers.'],
    ['deep-sea --ref 0,x', '--ref is "0,x", but must be a list of finite numbers.'],
    ['deep-sea --ref 0 --steps 0', '--steps is "0", but must be an integer of at least 1.'],
    ['deep-sea --ref 0 --steps -3', '--steps is "-3", but must be an integer of at least 1.'],
    ['deep-sea --ref 0 --steps abc', '--steps is "abc", but must be an integer of at least 1.'],
    ['deep-sea --ref 0 --steps 1.5', '--steps is "1.5", but must be an integer of at least 1.'],
    ['deep-sea --ref 0 --steps 1e99', '--steps is "1e99", but must be an integer from 1 to 9007199254740991.'],
    ['deep-sea --ref 0 --steps=', '--steps is "", but must be an integer of at least 1.'],
    ['deep-sea --ref 0 --steps 6 --steps 7', '--steps is "7", but must be given once, and was given as 6 before.'],
    ['deep-sea --ref 0 --steps 6 --steps', '--steps is missing, but must be an integer of at least 1.'],
    ['deep-sea --ref 0 --quiet=yes', '--quiet is "yes", but must be given without a value.'],
    ['deep-sea --ref 0 --stpes 3', `option is "--stpes" (did you mean "--steps"?), but must be one of: ${OPTIONS}.`],
    ['deep-sea --ref 0 -q', `option is "-q" (did you mean "--quiet"?), but must be one of: ${OPTIONS}.`],
    ['deep-sea a b --ref 0', 'argument 3 is "b", but must be left out: this command takes only ENV, RUN-FOLDER.'],
  ])('refuses %s', (line, message) => {
    expect(messageOf(() => parse(...line.split(' ')))).toBe(message);
  });

  it('takes as many as are given of an operand that can be repeated', () => {
    const many = { operands: { run: repeated(integer({ min: 0, about })) }, options: {} };
    expect(parseArguments(many, []).values).toEqual({ run: [] });
    expect(parseArguments(many, ['3', '1', '2']).values).toEqual({ run: [3, 1, 2] });
    expect(messageOf(() => parseArguments(many, ['3', 'x']))).toBe('RUN is "x", but must be an integer of at least 0.');
    expect(describeSyntax('explore', 'Opens runs.', many)[0]).toBe('usage: psl explore [RUN...] [flags]');
  });

  it('refuses an argument where none is taken', () => {
    const none: Syntax = { operands: {}, options: {} };
    expect(messageOf(() => parseArguments(none, ['a']))).toBe(
      'argument 1 is "a", but must be left out: this command takes only flags.',
    );
  });
});

describe('wordsAfterHelp', () => {
  it('looks for --help or -h before --, and gives what comes after it', () => {
    expect(wordsAfterHelp(['a', '--help'])).toEqual([]);
    expect(wordsAfterHelp(['-h', 'settings'])).toEqual(['settings']);
    expect(wordsAfterHelp(['--helper'])).toBeUndefined();
    expect(wordsAfterHelp(['--', '--help'])).toBeUndefined();
  });
});

describe('isGiven', () => {
  it('looks for a flag before --', () => {
    expect(isGiven('--json', ['a', '--nonsense', '--json'])).toBe(true);
    expect(isGiven('--json', ['--json=1', '--', '--json'])).toBe(false);
  });
});

describe('describeSyntax', () => {
  it('shows every argument with what is allowed', () => {
    expect(describeSyntax('train', 'Trains.', syntax)).toEqual([
      'usage: psl train ENV [RUN-FOLDER] --ref NUMBER,... [flags]',
      '',
      'Trains.',
      '',
      '  ENV         The environment.',
      '  RUN-FOLDER  Where.',
      '',
      '  --ref NUMBER,...    A sentence. (a list of finite numbers; required)',
      '  --steps INTEGER     How long. (an integer of at least 1, in environment steps; default: 100)',
      '  --seed INTEGER      A sentence. (an integer of at least 0; default: a random one)',
      '  --grid-step NUMBER  A sentence. (a number above 0; default: 0.1)',
      '  --set NAME=VALUE    A setting. (a text that is not empty; can be repeated)',
      '  --quiet             Say less.',
      '  --no-picture        Draw no picture.',
      '  --json              Print the result as one line of JSON, alone on standard output; progress goes',
      '                      to standard error.',
      '  --import FILE       Add what a module exports or registers; can be repeated.',
      '  --help              Show this text.',
    ]);
  });
});
