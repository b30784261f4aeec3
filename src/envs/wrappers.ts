/**
 * Wrappers: environments that change what another one shows, earns or does, as small functions over the contract. What a
 * wrapper remembers is saved and restored with the state of the environment, and begins anew with a seed.
 */
import type { Continuous, Environment, EnvState, Objective, StateValue, StepOutcome } from './contract.js';
import { checkDiscount } from './registration.js';
import { cube, dimensions } from './spaces.js';
import { checkLength } from './world.js';

/** What a wrapper changes; everything else is that of the environment inside. */
interface Wrapper {
  readonly observationSpace?: Continuous;
  readonly objectives?: readonly Objective[];
  /** An episode begins. */
  begin?(): void;
  /** Notes an observation that is new. */
  note?(observation: Float32Array): void;
  /** Changes an observation in place. */
  show?(observation: Float32Array): void;
  /** Fills in the reward from what the environment inside gave, and returns how the episode stands. */
  earn?(given: Float64Array, out: Float64Array, outcome: StepOutcome): StepOutcome;
  /** An episode goes on from a state. */
  restored?(state: EnvState): void;
  /** What it remembers, and how it forgets it. Without them nothing. */
  readonly memory?: Memory;
}

interface Memory {
  /** What it is called in a saved state, where those of different wrappers are told apart by it. */
  readonly name: string;
  forget(): void;
  save(): StateValue;
  load(state: StateValue): void;
}

function wrap(env: Environment, wrapper: Wrapper): Environment {
  const { objectives = env.objectives, observationSpace = env.observationSpace, memory } = wrapper;
  const given = new Float64Array(env.objectives.length);

  function began(observation: Float32Array, isSeeded: boolean): void {
    if (isSeeded) memory?.forget();
    wrapper.begin?.();
    wrapper.note?.(observation);
    wrapper.show?.(observation);
  }

  function stepped(observation: Float32Array, out: Float64Array, outcome: StepOutcome): StepOutcome {
    wrapper.note?.(observation);
    wrapper.show?.(observation);
    if (wrapper.earn !== undefined) return wrapper.earn(given, out, outcome);
    out.set(given);
    return outcome;
  }

  return {
    // What it has besides the contract. Of a class, this leaves out the methods and the getters.
    ...env,
    id: env.id,
    actionSpace: env.actionSpace,
    objectives,
    observationSpace,

    reset(options) {
      const { observation, info } = env.reset(options);
      began(observation, options?.seed !== undefined);
      return { observation, info };
    },

    step(action) {
      const { observation, reward: earned, terminated, truncated, info } = env.step(action);
      given.set(earned);
      const reward = new Float64Array(objectives.length);
      const outcome = stepped(observation, reward, terminated ? 'terminated' : truncated ? 'truncated' : 'running');
      return { observation, reward, terminated: outcome === 'terminated', truncated: outcome === 'truncated', info };
    },

    resetInto(observation, options) {
      env.resetInto(observation, options);
      began(observation, options?.seed !== undefined);
    },

    stepInto(action, observation, reward) {
      checkLength('reward', reward, objectives.length);
      return stepped(observation, reward, env.stepInto(action, observation, given));
    },

    saveState() {
      const state = env.saveState();
      return memory === undefined ? state : { ...state, world: { inside: state.world, [memory.name]: memory.save() } };
    },

    restoreState(state) {
      const saved = (state.world ?? {}) as Readonly<Record<string, StateValue | undefined>>;
      const remembered = memory && saved[memory.name];
      if (memory !== undefined && (saved.inside === undefined || remembered === undefined)) {
        throw new RangeError(`state.world must be that of ${env.id} with the same wrappers.`);
      }
      const { observation, info } = env.restoreState(memory === undefined ? state : { ...state, world: saved.inside! });
      memory?.load(remembered!);
      wrapper.restored?.(state);
      wrapper.show?.(observation);
      return { observation, info };
    },

    close() {
      env.close();
    },
  };
}

/** Truncates episodes after so many steps, if they are not over before. */
export function timeLimit(env: Environment, steps: number): Environment {
  if (!Number.isSafeInteger(steps) || steps < 1) {
    throw new RangeError(`steps is ${steps}, but must be an integer of at least 1.`);
  }
  let taken = 0;
  return wrap(env, {
    begin: () => void (taken = 0),
    restored: (state) => void (taken = state.step),
    earn(given, out, outcome) {
      out.set(given);
      taken += 1;
      if (outcome !== 'running' || taken < steps) return outcome;
      // From now on the environment inside asks for a reset too.
      env.restoreState({ ...env.saveState(), running: false });
      return 'truncated';
    },
  });
}

/**
 * Shifts and scales every entry of the observation to mean 0 and variance 1, as seen so far. Learners of this package have
 * that themselves (`normalise`), and evaluate with what the training saw. What `place` of a robot returns is as it was.
 */
export function normaliseObservations(env: Environment): Environment {
  const size = dimensions(env.observationSpace);
  const seen = new Moments('observations', size);
  return wrap(env, {
    observationSpace: cube(size, -Infinity, Infinity),
    memory: seen,
    note: (observation) => seen.add(observation),
    show(observation) {
      for (let i = 0; i < size; i++) observation[i] = (observation[i] - seen.mean[i]) / seen.deviation(i);
    },
  });
}

export interface DiscountOptions {
  /** 0.99 by default. */
  readonly discount?: number;
}

/** Divides the reward of each objective by the deviation that its discounted return has had so far. */
export function normaliseRewards(env: Environment, { discount = 0.99 }: DiscountOptions = {}): Environment {
  checkDiscount(discount);
  const size = env.objectives.length;
  const seen = new Moments('rewards', size);
  const returns = new Float64Array(size);
  return wrap(env, {
    memory: {
      name: seen.name,
      forget: () => seen.forget(),
      save: () => ({ seen: seen.save(), returns: returns.slice() }),
      load(state) {
        const saved = state as { seen: StateValue; returns: Float64Array };
        seen.load(saved.seen);
        returns.set(saved.returns);
      },
    },
    begin: () => void returns.fill(0),
    earn(given, out, outcome) {
      for (let k = 0; k < size; k++) returns[k] = discount * returns[k] + given[k];
      seen.add(returns);
      for (let k = 0; k < size; k++) out[k] = given[k] / seen.deviation(k);
      return outcome;
    },
  });
}

/** An environment with one objective: the weighted sum of all. */
export function linearScalarisation(env: Environment, weights: readonly number[]): Environment {
  checkLength('weights', weights, env.objectives.length);
  const wrong = weights.findIndex((weight) => !Number.isFinite(weight));
  if (wrong >= 0) throw new RangeError(`weights[${wrong}] is ${weights[wrong]}, but must be a finite number.`);
  const kept = [...weights];
  return wrap(env, {
    objectives: [{ name: 'Weighted sum' }],
    earn(given, out, outcome) {
      out[0] = kept.reduce((sum, weight, k) => sum + weight * given[k], 0);
      return outcome;
    },
  });
}

/** An episode that is over. */
export interface EpisodeRecord {
  readonly steps: number;
  /** The plain sums of rewards. */
  readonly returns: readonly number[];
  readonly discountedReturns: readonly number[];
  readonly outcome: 'terminated' | 'truncated';
}

/** Tells the returns of every episode when it ends. Episodes that are given up by a reset are not told. */
export function recordReturns(
  env: Environment,
  tell: (episode: EpisodeRecord) => void,
  { discount = 0.99 }: DiscountOptions = {},
): Environment {
  checkDiscount(discount);
  const size = env.objectives.length;
  let steps = 0;
  let sums = new Float64Array(size);
  let discounted = new Float64Array(size);
  const begin = () => {
    steps = 0;
    sums.fill(0);
    discounted.fill(0);
  };
  return wrap(env, {
    memory: {
      name: 'episode',
      forget: begin,
      save: () => ({ steps, sums: sums.slice(), discounted: discounted.slice() }),
      load(state) {
        const saved = state as { steps: number; sums: Float64Array; discounted: Float64Array };
        steps = saved.steps;
        sums = saved.sums.slice();
        discounted = saved.discounted.slice();
      },
    },
    begin,
    earn(given, out, outcome) {
      out.set(given);
      const factor = discount ** steps;
      for (let k = 0; k < size; k++) {
        sums[k] += given[k];
        discounted[k] += factor * given[k];
      }
      steps += 1;
      if (outcome !== 'running') tell({ steps, returns: [...sums], discountedReturns: [...discounted], outcome });
      return outcome;
    },
  });
}

/**
 * Means and variances of what has been seen (Welford, Technometrics 1962). They begin as if there had been one observation
 * with mean 0 and variance 1, so that the first ones are not divided by nothing.
 */
class Moments implements Memory {
  readonly name: string;
  #count = 1;
  readonly mean: Float64Array;
  readonly #squares: Float64Array;

  constructor(name: string, size: number) {
    this.name = name;
    this.mean = new Float64Array(size);
    this.#squares = new Float64Array(size).fill(1);
  }

  add(values: Float32Array | Float64Array): void {
    this.#count += 1;
    for (let i = 0; i < values.length; i++) {
      const difference = values[i] - this.mean[i];
      this.mean[i] += difference / this.#count;
      this.#squares[i] += difference * (values[i] - this.mean[i]);
    }
  }

  deviation(i: number): number {
    return Math.sqrt(this.#squares[i] / this.#count);
  }

  forget(): void {
    this.#count = 1;
    this.mean.fill(0);
    this.#squares.fill(1);
  }

  save(): StateValue {
    return { count: this.#count, mean: this.mean.slice(), squares: this.#squares.slice() };
  }

  load(state: StateValue): void {
    const saved = state as { count: number; mean: Float64Array; squares: Float64Array };
    this.#count = saved.count;
    this.mean.set(saved.mean);
    this.#squares.set(saved.squares);
  }
}
