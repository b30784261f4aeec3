import { describe, expect, it } from 'vitest';
import { toyEnv } from '../../test/support/toy.mjs';
import { continuous, cube, defineEnv, discrete, environmentOf, envIds, envInfo, envOptions } from './index.js';
import { envModule, importEnvs, isKnownToThreads, makeEnv, prepareEnv, register, timeLimit } from './index.js';
import type { EnvEntry, EnvOptions } from './index.js';

const walkNamed = (id: string): EnvEntry => toyEnv(environmentOf, id, { horizon: 3 });

describe('makeEnv', () => {
  it('suggests the nearest name for one that does not exist', () => {
    expect(() => makeEnv('fruit-tre-d6')).toThrow(RangeError);
    expect(() => makeEnv('fruit-tre-d6')).toThrow(
      'environment is "fruit-tre-d6" (did you mean "fruit-tree-d6"?), but must be one of: fruit-tree-d5, fruit-tree-d6,',
    );
    expect(() => envInfo('deep-sea')).toThrow('(did you mean "deep-sea-treasure"?)');
  });

  it('names the option, the value and what is allowed', () => {
    expect(() => makeEnv('fruit-tree-d5', { encodng: 'path' })).toThrow(
      'option of fruit-tree-d5 is "encodng" (did you mean "encoding"?), but must be one of: encoding.',
    );
    expect(() => makeEnv('fruit-tree-d5', { encoding: 'binary' })).toThrow(
      'option encoding of fruit-tree-d5 is "binary", but must be one of: row-column, scaled, path, one-hot.',
    );
    expect(() => makeEnv('deep-sea-treasure', { encoding: 3 })).toThrow(
      'option encoding of deep-sea-treasure is 3, but must be one of: row-column, one-hot.',
    );
  });

  it.each(['no licence file', new Error('no licence file')])(
    'names the environment that throws %j',
    (thrown: unknown) => {
      const id = `walk-without-${typeof thrown}`;
      const make = () => {
        throw thrown;
      };
      register({ ...walkNamed(id), make });
      expect(() => makeEnv(id)).toThrow(`${id} failed in make(): no licence file`);
    },
  );

  it('does not take what every object has for an option', () => {
    expect(() => makeEnv('fruit-tree-d5', { toString: 'path' })).toThrow('option of fruit-tree-d5 is "toString"');
  });
});

describe('envOptions', () => {
  it('fills in the defaults', () => {
    expect(envOptions('fruit-tree-d7')).toEqual({ encoding: 'row-column' });
    expect(envOptions('fruit-tree-d7', { encoding: undefined })).toEqual({ encoding: 'row-column' });
    expect(envOptions('fruit-tree-d7', { encoding: 'path' })).toEqual({ encoding: 'path' });
  });
});

describe('register', () => {
  it('adds an environment that is then listed and made', () => {
    register(walkNamed('walk-listed'));
    expect(envIds()).toContain('walk-listed');
    expect(makeEnv('walk-listed').reset().observation).toHaveLength(1);
    expect(() => makeEnv('walk-listed', { speed: 1 })).toThrow(
      'option of walk-listed is "speed", but it has no options.',
    );
  });

  it('refuses an id that is taken', () => {
    expect(() => register(walkNamed('fruit-tree-d5'))).toThrow(
      'id is "fruit-tree-d5", but must be a name that is not registered yet.',
    );
  });
});

describe('register refuses', () => {
  const refusal = (changes: Partial<Record<keyof EnvEntry, unknown>>) => {
    try {
      register({ ...walkNamed('walk-refused'), ...changes } as EnvEntry);
      return 'nothing';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [{ id: 'two words' }, 'id is "two words", but must be a word of letters, digits, dots and dashes.'],
    [{ id: undefined }, 'id is undefined, but must be a word'],
    [
      { objectives: [{ name: 'Alone' }] },
      'objectives of "walk-refused" is a list of 1, but must be a list of at least',
    ],
    [
      { actionSpace: { kind: 'box' } },
      'actionSpace.kind of "walk-refused" is "box", but must be discrete or continuous.',
    ],
    [{ actionSpace: discrete(0) }, 'actionSpace.n of "walk-refused" is 0, but must be an integer of at least 1.'],
    [{ actionSpace: discrete(2.5) }, 'actionSpace.n of "walk-refused" is 2.5, but must be an integer of at least 1.'],
    [
      { actionSpace: { kind: 'continuous', low: [-1], high: [1] } },
      'actionSpace.shape of "walk-refused" is undefined, but must be a list of integers of at least 1.',
    ],
    [
      { actionSpace: cube(0, -1, 1) },
      'actionSpace.shape[0] of "walk-refused" is 0, but must be an integer of at least 1.',
    ],
    [
      { actionSpace: { ...cube(1, -1, 1), shape: [2] } },
      'actionSpace.low of "walk-refused" is a list of 1, but must be a list of length 2, as actionSpace.shape says.',
    ],
    [
      { actionSpace: { ...cube(2, -1, 1), high: [1] } },
      'actionSpace.high of "walk-refused" is a list of 1, but must be a list of length 2, as actionSpace.shape says.',
    ],
    [
      { actionSpace: cube(1, 1, -1) },
      'actionSpace.high[0] of "walk-refused" is -1, but must be a number above actionSpace.low[0], which is 1.',
    ],
    [{ actionSpace: cube(1, 1, 1) }, 'actionSpace.high[0] of "walk-refused" is 1, but must be a number above'],
    [
      { actionSpace: continuous([-1, NaN], [1, 1]) },
      'actionSpace.low[1] of "walk-refused" is NaN, but must be a number, which may be infinite.',
    ],
    [
      { actionSpace: continuous([-1, -1], [1, NaN]) },
      'actionSpace.high[1] of "walk-refused" is NaN, but must be a number above actionSpace.low[1], which is -1.',
    ],
    [{ horizon: 0 }, 'horizon of "walk-refused" is 0, but must be an integer of at least 1.'],
    [{ discount: 2 }, 'discount is 2, but must be more than 0 and at most 1.'],
    [
      { referencePoint: [1] },
      'referencePoint of "walk-refused" is a list of 1, but must be a list of 2 numbers, one per',
    ],
    [
      { keyReturns: [[1, 2]] },
      'keyReturns of "walk-refused" is a list of 1, but must be 3 lists of 2 numbers: at each',
    ],
    [{ make: undefined }, 'make of "walk-refused" is undefined, but must be a function.'],
  ])('%o', (changes, message) => {
    expect(refusal(changes)).toContain(message);
  });
});

it.each([
  ['one action', discrete(1)],
  ['unbounded actions', cube(2, -Infinity, Infinity)],
  ['half-bounded actions', continuous([0, -Infinity], [Infinity, 0])],
  ['actions in rows', { ...cube(4, -1, 1), shape: [2, 2] }],
])('register accepts %s', (name, actionSpace) => {
  const id = name.replaceAll(' ', '-');
  register({ ...walkNamed(id), actionSpace });
  expect(envInfo(id).actionSpace).toBe(actionSpace);
});

describe('importEnvs', () => {
  const example = new URL('../../examples/envs/water-reservoir.js', import.meta.url);
  const text = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

  it('adds what a module exports, once, however often it is imported', async () => {
    expect(await importEnvs(example)).toEqual(['water-reservoir']);
    expect(await importEnvs(example)).toEqual(['water-reservoir']);
    expect(envModule('water-reservoir')).toBe(example.href);
    expect(makeEnv('water-reservoir').reset().observation).toHaveLength(1);
  });

  it('knows which environments threads can make: those of the package and those of modules', async () => {
    await importEnvs(example);
    register(walkNamed('walk-alone'));
    expect(['mo-ant-v2', 'water-reservoir', 'walk-alone'].map(isKnownToThreads)).toEqual([true, true, false]);
    expect(['mo-ant-v2', 'walk-alone'].map(envModule)).toEqual([undefined, undefined]);
  });

  it('takes what a module registers for its environments, where it exports none', async () => {
    const shared = globalThis as { registerWalk?: () => void };
    shared.registerWalk = () => register(walkNamed('walk-by-itself'));
    const module = text('globalThis.registerWalk()');
    expect(await importEnvs(module)).toEqual(['walk-by-itself']);
    expect(await importEnvs(module)).toEqual(['walk-by-itself']);
    delete shared.registerWalk;
  });

  it('refuses a module without environments, and one whose environment is none', async () => {
    for (const code of ['export const x = 1', 'export default []', 'export default 3']) {
      await expect(importEnvs(text(code))).rejects.toThrow(
        `the default export of ${text(code)} must be an environment, as of defineEnv, or a list of them.`,
      );
    }
    await expect(importEnvs(text('export default { id: "x" }'))).rejects.toThrow('summary of "x" is undefined');
  });

  it('refuses a relative path, which nobody could say what it is relative to', async () => {
    await expect(importEnvs('./my-env.ts')).rejects.toThrow(
      `url is "./my-env.ts", but must be a URL: new URL('./my-env.ts', import.meta.url).`,
    );
  });
});

describe('defineEnv', () => {
  it('takes an environment without options for one whose returns are plain sums', () => {
    const { options: _, discountedReturns: __, ...rest } = walkNamed('walk-short');
    expect(defineEnv(rest)).toMatchObject({ options: {}, discountedReturns: false });
  });
});

it('an environment that is made of another one has its options', () => {
  const [id, inside] = ['tree-in-a-hurry', 'fruit-tree-d5'];
  const make = (options: EnvOptions) => ({ ...timeLimit(makeEnv(inside, options), 2), id });
  register(defineEnv({ ...envInfo(inside), id, horizon: 2, make }));
  expect(makeEnv(id, { encoding: 'path' }).observationSpace).toEqual(
    makeEnv(inside, { encoding: 'path' }).observationSpace,
  );
});

describe('an environment of rules alone', () => {
  const counter = defineEnv({
    id: 'counter',
    summary: 'Counts.',
    objectives: [{ name: 'Up' }, { name: 'Down' }],
    actionSpace: discrete(2),
    horizon: 3,
    discount: 1,
    referencePoint: [-4, -4],
    make() {
      let at = 0;
      return {
        observationSpace: cube(1, -3, 3),
        start: () => void (at = 0),
        advance(action, reward) {
          at += action === 0 ? 1 : -1;
          reward.set([at, -at]);
          return false;
        },
        observe: (out) => void (out[0] = at),
        save: () => at,
        load: (state) => void (at = Number(state)),
      };
    },
  });

  it('is one as all others, with what its definition says', () => {
    register(counter);
    const env = makeEnv('counter');
    expect(env).toMatchObject({ id: 'counter', actionSpace: discrete(2), objectives: counter.objectives });
    env.reset();
    expect(env.step(1)).toMatchObject({ reward: new Float64Array([-1, 1]), info: {} });
    env.step(0);
    expect(env.step(0)).toMatchObject({ observation: new Float32Array([1]), truncated: true });
  });
});

describe('options that are numbers', () => {
  const named = (id: string, options: EnvEntry['options']): EnvEntry => ({ ...walkNamed(id), options });
  const stones = { summary: 'How many.', default: 3, min: 1, max: 10, integer: true };
  const slope = { summary: 'How steep.', default: 0.5, min: 0 };

  it('are checked against their range', () => {
    register(named('walk-uphill', { stones, slope }));
    expect(envOptions('walk-uphill', { slope: 2 })).toEqual({ stones: 3, slope: 2 });
    const refusals = [
      [{ stones: 2.5 }, 'option stones of walk-uphill is 2.5, but must be an integer from 1 to 10.'],
      [{ stones: 11 }, 'option stones of walk-uphill is 11, but must be an integer from 1 to 10.'],
      [{ slope: -1 }, 'option slope of walk-uphill is -1, but must be a number of at least 0.'],
      [{ slope: NaN }, 'option slope of walk-uphill is NaN, but must be a number of at least 0.'],
      [{ slope: 'steep' }, 'option slope of walk-uphill is "steep", but must be a number of at least 0.'],
    ] as const;
    for (const [options, sentence] of refusals) expect(() => envOptions('walk-uphill', options)).toThrow(sentence);
  });

  it('must allow their own default', () => {
    expect(() => register(named('walk-downhill', { slope: { ...slope, default: -1 } }))).toThrow(
      'default of option slope of "walk-downhill" is -1, but must be a number of at least 0.',
    );
  });
});

describe('prepareEnv', () => {
  it('loads once, however often it is called, before the environment can be made', async () => {
    let loads = 0;
    register({ ...walkNamed('walk-loaded'), prepare: () => Promise.resolve(void (loads += 1)) });
    expect(() => makeEnv('walk-loaded')).toThrow('await prepareEnv("walk-loaded") first.');
    await Promise.all([prepareEnv('walk-loaded'), prepareEnv('walk-loaded')]);
    await prepareEnv('walk-loaded');
    expect(loads).toBe(1);
    expect(makeEnv('walk-loaded').id).toBe('walk-loaded');
  });

  it('can be tried again after a failure', async () => {
    const answers = [Promise.reject(new Error('offline')), Promise.resolve()];
    register({ ...walkNamed('walk-retried'), prepare: () => answers.shift()! });
    await expect(prepareEnv('walk-retried')).rejects.toThrow('walk-retried failed in prepare(): offline');
    expect(() => makeEnv('walk-retried')).toThrow('was called before its parts were loaded');
    await prepareEnv('walk-retried');
    expect(makeEnv('walk-retried').id).toBe('walk-retried');
  });

  it('may have nothing to wait for', async () => {
    let isLoaded = false;
    register({ ...walkNamed('walk-at-once'), prepare: () => void (isLoaded = true) });
    await prepareEnv('walk-at-once');
    expect(isLoaded).toBe(true);
    expect(makeEnv('walk-at-once').id).toBe('walk-at-once');
  });

  it('rejects with what is thrown before there is anything to wait for', async () => {
    const prepare = () => {
      throw new Error('no memory');
    };
    register({ ...walkNamed('walk-without-memory'), prepare });
    await expect(prepareEnv('walk-without-memory')).rejects.toThrow('no memory');
  });

  it('loads for an environment what the one that it is made of needs', async () => {
    const [id, horizon] = ['short-hopper', 50];
    const make = () => ({ ...timeLimit(makeEnv('mo-hopper-v2'), horizon), id });
    register(defineEnv({ ...envInfo('mo-hopper-v2'), id, horizon, make }));
    expect(() => makeEnv(id)).toThrow('await prepareEnv("short-hopper") first.');
    await prepareEnv(id);
    const env = makeEnv(id);
    expect(env.reset({ seed: 1 }).observation).toHaveLength(11);
    env.close();
  });

  it('is not needed again for another environment that loads the same', async () => {
    let loads = 0;
    const prepare = () => Promise.resolve(void (loads += 1));
    const ids = ['walk-with-parts', 'walk-with-the-same'];
    for (const id of ids) register({ ...walkNamed(id), prepare });
    await Promise.all(ids.map(prepareEnv));
    expect(loads).toBe(1);
  });

  it('has nothing to do for most environments, but knows their names', async () => {
    await prepareEnv('fruit-tree-d5');
    await expect(prepareEnv('fruit-tree')).rejects.toThrow('did you mean "fruit-tree-d5"?');
  });
});

describe('an environment with random numbers and continuous actions', () => {
  let closed = 0;
  register(
    toyEnv(environmentOf, 'walk', {
      horizon: 3,
      before(_, push) {
        if (push === 13) throw new Error('The simulation broke.');
      },
      close: () => (closed += 1),
    }),
  );

  it('starts each episode differently after one seed, and the same after the same seed', () => {
    const env = makeEnv('walk');
    const starts = () => [env.reset({ seed: 5 }), env.reset(), env.reset()].map(({ observation }) => observation[0]);
    const first = starts();
    expect(new Set(first).size).toBe(3);
    expect(starts()).toEqual(first);
    expect(makeEnv('walk').reset()).toEqual(env.reset({ seed: 0 }));
  });

  it('restores the generator with the world, also into the episodes that follow', () => {
    const env = makeEnv('walk');
    env.reset({ seed: 6 });
    env.step([0.5]);
    const state = structuredClone(env.saveState());
    const goOn = () => [env.step([1]), env.step([-1]), env.reset(), env.step([0])];
    const expected = goOn();
    env.restoreState(state);
    expect(goOn()).toEqual(expected);
  });

  it('takes arrays of any kind and refuses the rest', () => {
    const env = makeEnv('walk');
    env.reset();
    env.step(new Float32Array([2]));
    expect(() => env.step([NaN])).toThrow('action[0] is NaN at step 2 of walk, but must be a number.');
    expect(() => env.step([undefined] as never)).toThrow('action[0] is undefined at step 2 of walk');
    expect(() => env.step([1, 2])).toThrow(
      'action is an array of length 2 at step 2 of walk, but must be an array of 1 number.',
    );
    expect(() => env.step('x' as never)).toThrow('action is "x" at step 2 of walk');
    expect(() => env.step(null as never)).toThrow('action is null at step 2 of walk');
  });

  it('cannot be continued after its rules threw, but can be reset', () => {
    const env = makeEnv('walk');
    env.reset();
    expect(() => env.step([13])).toThrow('The simulation broke.');
    expect(() => env.step([0])).toThrow('step() of walk was called after the episode ended at step 1');
    env.reset();
    expect(env.step([0]).reward).toHaveLength(2);
  });

  it('closes its world once', () => {
    const env = makeEnv('walk');
    env.close();
    env.close();
    expect(closed).toBe(1);
  });
});

describe('spaces', () => {
  it('have bounds for every entry', () => {
    expect(discrete(3)).toEqual({ kind: 'discrete', n: 3 });
    expect(cube(2, -1, 1)).toEqual({ kind: 'continuous', shape: [2], low: [-1, -1], high: [1, 1] });
    expect(() => continuous([0], [1, 1])).toThrow('low has 1 entries, but must have as many as high, which has 2.');
  });
});
