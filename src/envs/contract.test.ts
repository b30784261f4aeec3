import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { brokenRule, CONTRACT, contractCases } from './check.js';
import { dimensions, envIds, envInfo, envOptions, makeEnv, prepareEnv, typicalValues } from './index.js';
import type { Action, Environment, EnvOptions, EnvStep } from './index.js';

// Every registered environment goes through these tests, with its default options and with each other value of each.

interface Case {
  readonly name: string;
  readonly id: string;
  readonly options: EnvOptions;
}

const CASES: readonly Case[] = envIds().flatMap((id) =>
  contractCases(id).map((options) => {
    const chosen = Object.entries(options).map(([option, value]) => ` with ${option} ${String(value)}`);
    return { name: `${id}${chosen.join('')}`, id, options };
  }),
);

function randomAction({ actionSpace }: Environment, random: Random): Action {
  if (actionSpace.kind === 'discrete') return random.integer(actionSpace.n);
  return Float32Array.from(actionSpace.low, (low, i) => low + random.uniform() * (actionSpace.high[i] - low));
}

/** Random actions from where the environment is to the end of the episode, or as many as there is patience for. */
function play(env: Environment, random: Random, most = 25): EnvStep[] {
  const steps: EnvStep[] = [];
  while (steps.length < most) {
    const step = env.step(randomAction(env, random));
    steps.push(step);
    if (step.terminated || step.truncated) break;
  }
  return steps;
}

describe.each(CASES)('$name', ({ id, options }) => {
  const open: Environment[] = [];
  function make(): Environment {
    const env = makeEnv(id, options);
    open.push(env);
    return env;
  }
  /** One whose first episode is over, after so many steps. Long episodes are most of what these tests take, so it is played once. */
  let over: { readonly env: Environment; readonly steps: number } | undefined;
  function ended() {
    if (over === undefined) {
      const env = makeEnv(id, options);
      env.reset();
      over = { env, steps: play(env, new Random(1), Infinity).length };
    }
    return over;
  }
  beforeAll(() => prepareEnv(id));
  afterEach(() => {
    for (const env of open.splice(0)) env.close();
  });
  afterAll(() => over?.env.close());

  it.each(CONTRACT.map((rule) => [rule.says, rule] as const))('%s', (_, rule) => {
    expect(brokenRule(rule, id, options)).toBeUndefined();
  });

  it('goes on with its own generator when it is reset without a seed', () => {
    const [a, b] = [make(), make()];
    a.reset({ seed: 9 });
    b.reset({ seed: 9 });
    play(a, new Random(1));
    play(b, new Random(1));
    const seeded = a.saveState();
    expect(a.reset()).toEqual(b.reset());
    expect(a.saveState()).toEqual(b.saveState());
    a.restoreState(seeded);
    expect(a.reset()).toEqual(b.restoreState(b.saveState()));
  });

  it('refuses arrays of the caller that are too long or too short', () => {
    const a = make();
    const observation = new Float32Array(dimensions(a.observationSpace));
    const reward = new Float64Array(a.objectives.length);
    a.resetInto(observation);
    const long = new Float32Array(observation.length + 1);
    expect(() => a.resetInto(long)).toThrow(
      `observation has length ${long.length}, but must have length ${observation.length}.`,
    );
    expect(() => a.stepInto(0, long, reward)).toThrow(`observation has length ${long.length}`);
    expect(() => a.stepInto(0, observation, new Float64Array(0))).toThrow('reward has length 0, but must have length');
  });

  it('saves before the first episode and after the last step too', () => {
    const fresh = make().saveState();
    const other = make();
    other.restoreState(ended().env.saveState());
    expect(() => other.step(randomAction(other, new Random(1)))).toThrow('was called after the episode ended');
    other.restoreState(fresh);
    expect(() => other.step(randomAction(other, new Random(1)))).toThrow('was called before the first reset()');
    expect(other.reset()).toEqual(make().reset());
  });

  it('refuses states that are not its own', () => {
    const env = make();
    const state = env.saveState();
    const broken = (change: object) => ({ ...state, ...change });
    expect(() => env.restoreState(broken({ env: 'chess' }))).toThrow(`state.env is chess, but must be ${id}.`);
    expect(() => env.restoreState(broken({ step: -1 }))).toThrow('state.step is -1');
    expect(() => env.restoreState(broken({ running: 1 }))).toThrow('state.running is 1');
    expect(() => env.restoreState(broken({ random: null }))).toThrow(RangeError);
    expect(() => env.restoreState(broken({ world: null }))).toThrow(RangeError);
    expect(env.saveState()).toEqual(state);
  });

  it('says what to do when step comes before reset or after the end', () => {
    const [fresh, { env, steps }] = [make(), ended()];
    const action = randomAction(env, new Random(1));
    expect(() => fresh.step(action)).toThrow(
      `step() of ${id} was called before the first reset(); call reset() first.`,
    );
    expect(() => env.step(action)).toThrow(
      `step() of ${id} was called after the episode ended at step ${steps}; call reset() first.`,
    );
  });

  it('refuses actions that cannot be taken, and the episode goes on', () => {
    const env = make();
    env.reset();
    const where = `at step 1 of ${id}`;
    if (env.actionSpace.kind === 'discrete') {
      const allowed = `an integer from 0 to ${env.actionSpace.n - 1}`;
      for (const bad of [NaN, -1, 0.5, Infinity, env.actionSpace.n]) {
        expect(() => env.step(bad)).toThrow(`action is ${bad} ${where}, but must be ${allowed}.`);
      }
      expect(() => env.step([0])).toThrow(`action is an array of length 1 ${where}, but must be ${allowed}.`);
    } else {
      const size = dimensions(env.actionSpace);
      const bad = new Float32Array(size);
      bad[size - 1] = NaN;
      expect(() => env.step(bad)).toThrow(`action[${size - 1}] is NaN ${where}, but must be a number.`);
      expect(() => env.step(new Float32Array(size + 1))).toThrow(`action is an array of length ${size + 1} ${where}`);
      expect(() => env.step(0)).toThrow(`action is 0 ${where}, but must be an array of ${size}`);
    }
    expect(() => env.step(randomAction(env, new Random(1)))).not.toThrow();
  });

  it('refuses seeds that are not whole numbers', () => {
    const env = make();
    for (const seed of [-1, 0.5, NaN]) expect(() => env.reset({ seed })).toThrow(`seed is ${seed}, but must be`);
  });

  it('can be closed twice and not be used after', () => {
    const env = make();
    env.reset();
    const state = env.saveState();
    env.close();
    env.close();
    const [observation, reward] = [new Float32Array(0), new Float64Array(0)];
    const calls = [
      () => env.reset(),
      () => env.step(0),
      () => env.resetInto(observation),
      () => env.stepInto(0, observation, reward),
      () => env.saveState(),
      () => env.restoreState(state),
    ] as const;
    for (const call of calls) expect(call).toThrow('was called after close(); make a new environment.');
  });
});

describe.each(envIds())('the registration of %s', (id) => {
  const info = envInfo(id);
  const objectives = info.objectives.length;

  it('is complete', () => {
    expect(info.summary).toMatch(/\.$/);
    expect(info.horizon).toBeGreaterThanOrEqual(1);
    expect(info.discount).toBeGreaterThan(0);
    expect(info.discount).toBeLessThanOrEqual(1);
    expect(info.referencePoint).toHaveLength(objectives);
    for (const option of Object.values(info.options)) {
      expect(typicalValues(option)).toContain(option.default);
      expect(option.summary).toMatch(/\.$/);
    }
    expect(envOptions(id)).toEqual(
      Object.fromEntries(Object.entries(info.options).map(([name, option]) => [name, option.default])),
    );
  });

  it.runIf(info.knownFront)('knows a front without dominated points, better than the reference point', () => {
    for (const discount of [1, info.discount, 0.9, 0.5]) {
      const front = info.knownFront!(discount);
      // Under another discount than the published one it may be unknown.
      if (discount === info.discount) expect(front.length).toBeGreaterThan(0);
      for (const point of front) {
        expect(point).toHaveLength(objectives);
        const dominating = front.filter((other) => other !== point && other.every((value, i) => value >= point[i]));
        expect(dominating).toEqual([]);
      }
    }
    for (const point of info.knownFront!(info.discount)) {
      point.forEach((value, i) => expect(value).toBeGreaterThan(info.referencePoint[i]));
    }
  });

  it.runIf(info.knownFront)('refuses discounts that are not in (0, 1]', () => {
    for (const discount of [0, -0.5, 1.01, NaN]) {
      expect(() => info.knownFront!(discount)).toThrow(
        `discount is ${discount}, but must be more than 0 and at most 1.`,
      );
    }
  });

  it.runIf(info.keyReturns)('has key returns at each objective alone, and at all alike', () => {
    const keys = info.keyReturns!;
    expect(keys.map((point) => point.length)).toEqual(new Array(objectives + 1).fill(objectives));
    for (let k = 0; k < objectives; k++) expect(Math.max(...keys.map((point) => point[k]))).toBe(keys[k][k]);
  });
});
