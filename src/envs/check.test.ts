import { describe, expect, it } from 'vitest';
import type { Random } from '../random/index.js';
import { checkEnv, CONTRACT } from './check.js';
import type { Environment, EnvState } from './contract.js';
import { cube, defineEnv, discrete, environmentOf, register } from './index.js';
import type { EnvEntry, Rules } from './index.js';
import type { Discrete } from './contract.js';

const COMMON = {
  objectives: [{ name: 'Forward' }, { name: 'Rest' }],
  actionSpace: discrete(2),
  horizon: 8,
};

/** A walk on a line with a little wind, in which nothing is wrong. */
function walk(): Rules<Discrete> {
  let at = 0;
  return {
    observationSpace: cube(1, -20, 20),
    start: (random: Random) => void (at = random.uniform()),
    advance(action, reward, random) {
      at += action + 0.1 * random.normal();
      reward.set([action, 1 - action]);
      return at > 6;
    },
    observe: (out) => void (out[0] = at),
    save: () => at,
    load(state) {
      if (typeof state !== 'number') throw new RangeError('state.world must be a number.');
      at = state;
    },
  };
}

const whole = (id: string, rules = walk()) => environmentOf({ id, ...COMMON, info: () => ({}), ...rules });

/** Registers an environment with something wrong in it, and gives what is said about it. */
async function sentences(
  rule: string,
  broken: { readonly make?: (id: string) => Environment } & Partial<Omit<EnvEntry, 'make'>>,
): Promise<string[]> {
  const id = `broken-${rule}`;
  register(
    defineEnv({
      id,
      summary: 'Broken.',
      ...COMMON,
      discount: 1,
      referencePoint: [-1, -1],
      ...broken,
      make: () => broken.make?.(id) ?? whole(id),
    }),
  );
  const problems = await checkEnv(id);
  expect(problems.map((problem) => problem.rule)).toContain(rule);
  return problems.filter((problem) => problem.rule === rule).map(({ problem }) => problem);
}

/** An environment that does one thing differently. */
const but = (env: Environment, change: (env: Environment) => Partial<Environment>): Environment => ({
  ...env,
  ...change(env),
});

describe('checkEnv', () => {
  it('finds nothing wrong with an environment that keeps the contract', async () => {
    register(
      defineEnv({ id: 'whole-walk', summary: 'A walk.', ...COMMON, discount: 1, referencePoint: [-1, -1], make: walk }),
    );
    expect(await checkEnv('whole-walk')).toEqual([]);
  });

  /** For every rule, an environment that breaks it and what is said. */
  const BROKEN: Readonly<Record<string, () => Promise<[string[], string]>>> = {
    registration: async () => [
      await sentences('registration', { make: (id) => but(whole(id), () => ({ actionSpace: discrete(3) })) }),
      'actionSpace is {"kind":"discrete","n":3}, but must be {"kind":"discrete","n":2}, as registered.',
    ],
    observations: async () => [
      await sentences('observations', { make: (id) => whole(id, { ...walk(), observationSpace: cube(1, 0, 0.5) }) }),
      'observation[0] is 0.5',
    ],
    rewards: async () => [
      await sentences('rewards', {
        make: (id) =>
          but(whole(id), (env) => ({
            step: (action) => ({ ...env.step(action), reward: new Float64Array(3) }),
          })),
      }),
      'reward has 3 numbers after step 1, but must have 2, one per objective.',
    ],
    horizon: async () => [
      await sentences('horizon', {
        make: (id) => environmentOf({ id, ...COMMON, info: () => ({}), ...walk(), horizon: 5 }),
      }),
      'an episode is truncated after 5 steps, but must be after 8, as its horizon says.',
    ],
    seed: async () => [
      await sentences('seed', {
        make: (id) => {
          let calls = 0;
          return whole(id, {
            ...walk(),
            advance(_, reward) {
              reward[0] = calls++;
              return false;
            },
          });
        },
      }),
      'the same seed, again in the same environment, gives reward [8,0] instead of [0,0]; everything random',
    ],
    generator: async () => [
      await sentences('generator', {
        make: (id) =>
          but(whole(id), (env) => ({
            reset: (options) => env.reset({ seed: options?.seed ?? Math.floor(Math.random() * 1e9) }),
          })),
      }),
      'an episode after the same seeded one, begun without a seed, gives observation [',
    ],
    independence: async () => {
      const shared = walk();
      return [
        await sentences('independence', { make: (id) => whole(id, shared) }),
        'an episode beside that of another environment gives observation [',
      ];
    },
    arrays: async () => [
      await sentences('arrays', {
        make: (id) => {
          const observation = new Float32Array(1);
          const reused = <T extends { readonly observation: Float32Array }>(given: T): T => {
            observation.set(given.observation);
            return { ...given, observation };
          };
          return but(whole(id), (env) => ({
            reset: (options) => reused(env.reset(options)),
            step: (action) => reused(env.step(action)),
          }));
        },
      }),
      'the observation of reset() is [',
    ],
    into: async () => [
      await sentences('into', {
        make: (id) =>
          but(whole(id), (env) => ({
            stepInto: (action, observation) => env.stepInto(action, observation, new Float64Array(2)),
          })),
      }),
      'the reward of stepInto() is [NaN,NaN], but must be [',
    ],
    state: async () => [
      await sentences('state', { make: (id) => whole(id, { ...walk(), save: () => 0 }) }),
      'the observation of a state that the same environment restored is [0], but must be [',
    ],
    order: async () => [
      await sentences('order', {
        make: (id) => {
          const env = whole(id);
          let last: ReturnType<Environment['step']> | undefined;
          return but(env, () => ({
            reset: (options) => ((last = undefined), env.reset(options)),
            step: (action) =>
              last?.terminated === true || last?.truncated === true ? last : (last = env.step(action)),
          }));
        },
      }),
      'step() after the end of an episode is accepted, but must be refused with an error.',
    ],
    actions: async () => [
      await sentences('actions', {
        make: (id) => but(whole(id), (env) => ({ step: (action) => env.step(Number(action) === 1 ? 1 : 0) })),
      }),
      'step(NaN) is accepted, but must be refused with an error.',
    ],
    close: async () => [
      await sentences('close', { make: (id) => but(whole(id), () => ({ close: undefined })) }),
      'close is undefined, but must be a function.',
    ],
    front: async () => [
      await sentences('front', {
        knownFront: () => [
          [1, 1],
          [2, 1],
        ],
      }),
      'knownFront has [1,1], which [2,1] dominates, but must have no such point.',
    ],
  };

  it('has an example for every rule', () => {
    expect(Object.keys(BROKEN)).toEqual(CONTRACT.map(({ name }) => name));
  });

  it.each(Object.keys(BROKEN))('says in a sentence how an environment breaks the rule "%s"', async (rule) => {
    const [said, expected] = await BROKEN[rule]();
    expect(said).toHaveLength(1);
    expect(said[0].slice(0, expected.length)).toBe(expected);
    expect(said[0]).toMatch(/\.$/);
  });

  it('says that an environment cannot be closed twice', async () => {
    const id = 'closes-once';
    const make = () => {
      let isClosed = false;
      const close = () => {
        if (isClosed) throw new Error('It is gone.');
        isClosed = true;
      };
      return { ...whole(id), close };
    };
    register(defineEnv({ id, summary: 'A walk.', ...COMMON, discount: 1, referencePoint: [-1, -1], make }));
    const problem = 'close() throws an error when it is called again (It is gone), but must do nothing then.';
    expect(await checkEnv(id)).toEqual([{ rule: 'close', problem, options: {} }]);
  });

  it('says what an environment throws, once, and with which options', async () => {
    const slope = { summary: 'How steep it is.', default: 0.5, min: 0, max: 2 };
    register(
      defineEnv({
        id: 'throws-when-steep',
        summary: 'A walk uphill.',
        ...COMMON,
        discount: 1,
        referencePoint: [-1, -1],
        options: { slope },
        make: (options) => ({
          ...walk(),
          advance(_, reward) {
            reward[1] = options.slope === 2 ? NaN : 0;
            return false;
          },
        }),
      }),
    );
    expect(await checkEnv('throws-when-steep')).toEqual([
      {
        rule: 'observations',
        problem: 'it throws an error: reward[1] is NaN after step 1 of throws-when-steep, but must be a finite number.',
        options: { slope: 2 },
      },
    ]);
  });

  it.each<[string, Partial<Record<keyof Rules, unknown>>, string]>([
    [
      'sets-too-many',
      { advance: (_: number, reward: Float64Array) => (reward.set([1, 2, 3]), false) },
      'it throws an error: reward of sets-too-many has 2 numbers, but more are set (',
    ],
    [
      'shows-too-much',
      { observe: (out: Float32Array) => out.set([0, 0]) },
      'it throws an error: observation of shows-too-much has 1 numbers, but more are set (',
    ],
    [
      'is-asynchronous',
      { advance: () => Promise.resolve(false) },
      'it throws an error: advance() of is-asynchronous returns a promise, but must return whether the task ended: true or false.',
    ],
    [
      'returns-nothing',
      { advance: () => undefined },
      'it throws an error: advance() of returns-nothing returns undefined, but must return whether the task ended: true or false.',
    ],
    [
      'cannot-be-seen',
      { observe: undefined },
      'it throws an error: observe of what make() of "cannot-be-seen" returns is undefined, but must be a function.',
    ],
  ])('names the rule of "%s" that plain JavaScript got wrong', async (id, wrong, sentence) => {
    const make = () => ({ ...walk(), ...wrong }) as Rules<Discrete>;
    register(defineEnv({ id, summary: 'A walk.', ...COMMON, discount: 1, referencePoint: [-1, -1], make }));
    const problems = await checkEnv(id);
    expect(problems[0].problem.slice(0, sentence.length)).toBe(sentence);
  });

  it('says where a saved state is no plain data', async () => {
    register(
      defineEnv({
        id: 'saves-functions',
        summary: 'A walk.',
        ...COMMON,
        discount: 1,
        referencePoint: [-1, -1],
        make: () =>
          but(whole('saves-functions'), (env) => ({
            saveState: () => ({ ...env.saveState(), world: { at: () => 1 } }) as unknown as EnvState,
          })),
      }),
    );
    const problems = await checkEnv('saves-functions');
    expect(problems).toEqual([
      {
        rule: 'state',
        problem: 'a saved state cannot be copied, but must be plain data: numbers, texts, lists and objects of them.',
        options: {},
      },
    ]);
  });
});
