import { describe, expect, it } from 'vitest';
import { checkEnv, defineEnv, envInfo, makeEnv, register } from './index.js';
import { linearScalarisation, normaliseObservations, normaliseRewards, recordReturns, timeLimit } from './index.js';
import type { Action, Environment, EnvState, EpisodeRecord, ResetOptions } from './index.js';

/** A car in a valley for as many steps as wanted, its engine forwards. */
function drive(env: Environment, steps: number) {
  return Array.from({ length: steps }, () => env.step(2));
}

const car = () => makeEnv('mo-mountaincar-timespeed-v0');

it.each([
  ['time limit', 40, (env: Environment) => timeLimit(env, 40)],
  ['normalised observations', 200, (env: Environment) => normaliseObservations(env)],
  ['normalised rewards', 200, (env: Environment) => normaliseRewards(env)],
  ['recorded returns', 200, (env: Environment) => recordReturns(env, () => undefined)],
  ['everything', 40, (env: Environment) => normaliseRewards(normaliseObservations(timeLimit(env, 40)))],
])('an environment with %s keeps the contract', async (name, horizon, wrapped) => {
  const info = envInfo('mo-mountaincar-timespeed-v0');
  const id = name.replace(' ', '-');
  register(defineEnv({ ...info, id, horizon, make: () => ({ ...wrapped(car()), id }) }));
  expect(await checkEnv(id)).toEqual([]);
});

/** A car that is written as a class, whose methods and getters belong to its prototype. */
class Car implements Environment {
  readonly #car = car();
  closed = 0;

  get id() {
    return this.#car.id;
  }
  get observationSpace() {
    return this.#car.observationSpace;
  }
  get actionSpace() {
    return this.#car.actionSpace;
  }
  get objectives() {
    return this.#car.objectives;
  }
  reset(options?: ResetOptions) {
    return this.#car.reset(options);
  }
  step(action: Action) {
    return this.#car.step(action);
  }
  resetInto(observation: Float32Array, options?: ResetOptions) {
    this.#car.resetInto(observation, options);
  }
  stepInto(action: Action, observation: Float32Array, reward: Float64Array) {
    return this.#car.stepInto(action, observation, reward);
  }
  saveState() {
    return this.#car.saveState();
  }
  restoreState(state: EnvState) {
    return this.#car.restoreState(state);
  }
  close() {
    this.closed += 1;
    this.#car.close();
  }
}

describe('a wrapped environment that is written as a class', () => {
  it('keeps the contract', async () => {
    const id = 'class-in-a-hurry';
    const make = () => ({ ...normaliseRewards(timeLimit(new Car(), 40)), id });
    register(defineEnv({ ...envInfo('mo-mountaincar-timespeed-v0'), id, horizon: 40, make }));
    expect(await checkEnv(id)).toEqual([]);
  });

  it('has its id and its actions, and closes it', () => {
    const inside = new Car();
    const env = timeLimit(inside, 40);
    expect(env).toMatchObject({ id: inside.id, actionSpace: inside.actionSpace });
    env.close();
    expect(inside.closed).toBe(1);
  });

  it('has what its own environment has besides the contract', () => {
    const env = timeLimit(Object.assign(new Car(), { robot: 'a car' }), 40);
    expect(env).toMatchObject({ robot: 'a car' });
  });
});

describe('timeLimit', () => {
  it('truncates an episode, also one that goes on from a state, and lets it not go on', () => {
    const env = timeLimit(car(), 3);
    env.reset({ seed: 1 });
    drive(env, 1);
    const state = env.saveState();
    expect(drive(env, 2).map(({ truncated }) => truncated)).toEqual([false, true]);
    expect(() => env.step(2)).toThrow('was called after the episode ended at step 3; call reset() first.');
    env.restoreState(state);
    expect(drive(env, 2)[1]).toMatchObject({ terminated: false, truncated: true });
  });

  it('lets a shorter limit count, and refuses none', () => {
    const env = timeLimit(timeLimit(car(), 5), 2);
    env.reset();
    expect(drive(env, 2)[1].truncated).toBe(true);
    expect(() => timeLimit(car(), 0)).toThrow('steps is 0, but must be an integer of at least 1.');
  });
});

describe('normaliseObservations', () => {
  it('shows observations by the mean and the deviation of those so far, and of one at 0 with variance 1', () => {
    const plain = car();
    const env = normaliseObservations(car());
    const seen = [plain.reset({ seed: 1 }).observation[0], ...drive(plain, 2).map(({ observation }) => observation[0])];
    const shown = [env.reset({ seed: 1 }).observation[0], ...drive(env, 2).map(({ observation }) => observation[0])];
    // After one observation x the mean of 0 and x is x / 2, and the variance (1 + x² / 2) / 2.
    const [x] = seen;
    expect(shown[0]).toBeCloseTo(x / 2 / Math.sqrt((1 + x ** 2 / 2) / 2), 6);
    const mean = (seen[0] + seen[1] + seen[2]) / 4;
    const variance = (1 + mean ** 2 + seen.reduce((sum, value) => sum + (value - mean) ** 2, 0)) / 4;
    expect(shown[2]).toBeCloseTo((seen[2] - mean) / Math.sqrt(variance), 6);
  });

  it('remembers over episodes, and begins anew with a seed', () => {
    const env = normaliseObservations(car());
    const first = env.reset({ seed: 1 }).observation;
    drive(env, 20);
    expect(env.reset().observation[0]).not.toBeCloseTo(first[0], 2);
    expect(env.reset({ seed: 1 }).observation).toEqual(first);
  });

  it.each([
    ['no wrapper', car()],
    ['another wrapper', normaliseRewards(car())],
    ['one that records', recordReturns(car(), () => undefined)],
  ])('refuses a state of %s, and goes on as if it had not been asked', (_, other) => {
    other.reset({ seed: 2 });
    const [env, untouched] = [normaliseObservations(car()), normaliseObservations(car())];
    for (const each of [env, untouched]) each.reset({ seed: 1 });
    expect(() => env.restoreState(other.saveState())).toThrow(
      'state.world must be that of mo-mountaincar-timespeed-v0 with the same wrappers.',
    );
    expect(drive(env, 3)).toEqual(drive(untouched, 3));
  });
});

it('normaliseRewards divides rewards by the deviation of the discounted return of each objective', () => {
  const env = normaliseRewards(car(), { discount: 0.5 });
  env.reset({ seed: 1 });
  // The time costs 1 in each step: returns of -1, -1.5 and, with those before, a variance of (1 + ...) / 3.
  const [first, second] = drive(env, 2).map(({ reward }) => reward[0]);
  expect(first).toBeCloseTo(-1 / Math.sqrt((1 + 0.25 + 0.25) / 2), 12);
  const mean = -2.5 / 3;
  expect(second).toBeCloseTo(-1 / Math.sqrt((1 + mean ** 2 + (-1 - mean) ** 2 + (-1.5 - mean) ** 2) / 3), 12);
  expect(() => normaliseRewards(car(), { discount: 2 })).toThrow('discount is 2, but must be');
});

it('linearScalarisation has one objective, the weighted sum', () => {
  const weights = [2, 0.5];
  const [plain, env] = [car(), linearScalarisation(car(), weights)];
  weights.fill(99);
  plain.reset({ seed: 1 });
  env.reset({ seed: 1 });
  expect(env.objectives).toHaveLength(1);
  const [{ reward }] = drive(plain, 1);
  expect([...drive(env, 1)[0].reward]).toEqual([2 * reward[0] + 0.5 * reward[1]]);
  const [observation, sum] = [new Float32Array(2), new Float64Array(1)];
  expect(env.stepInto(2, observation, sum)).toBe('running');
  expect(sum[0]).toBeLessThan(0);
  expect(() => linearScalarisation(car(), [1])).toThrow('weights has length 1, but must have length 2.');
  expect(() => linearScalarisation(car(), [1, NaN])).toThrow('weights[1] is NaN, but must be a finite number.');
});

it('recordReturns tells sums and discounted sums of each episode that ends', () => {
  const episodes: EpisodeRecord[] = [];
  const env = recordReturns(timeLimit(car(), 3), (episode) => void episodes.push(episode), { discount: 0.5 });
  env.reset({ seed: 1 });
  drive(env, 2);
  const state = env.saveState();
  env.reset();
  env.restoreState(state);
  const last = drive(env, 1)[0];
  expect(last.truncated).toBe(true);
  expect(episodes).toHaveLength(1);
  expect(episodes[0]).toMatchObject({ steps: 3, outcome: 'truncated' });
  expect(episodes[0].returns[0]).toBe(-3);
  expect(episodes[0].discountedReturns[0]).toBe(-1.75);
});
