/**
 * Makes an environment of its rules alone. What is the same for all environments is done here: the order of calls,
 * checks, the step limit, randomness and saving.
 */
import { Random } from '../random/index.js';
import type {
  Action,
  ActionOf,
  Continuous,
  Environment,
  Info,
  Objective,
  Reset,
  ResetOptions,
  Space,
  StateValue,
  StepOutcome,
} from './contract.js';
import { checkAction, dimensions } from './spaces.js';

/** The rules of an environment. */
export interface World<S extends Space> {
  readonly id: string;
  readonly observationSpace: Continuous;
  readonly actionSpace: S;
  readonly objectives: readonly Objective[];
  /** The steps after which an episode that has not terminated is truncated. */
  readonly horizon: number;
  /** Goes to the start of an episode. */
  start(random: Random): void;
  /** Takes one step, fills in the reward, which comes as zeros, and returns whether the task ended. */
  advance(action: ActionOf<S>, reward: Float64Array, random: Random): boolean;
  /** Fills in the observation, which comes as zeros. */
  observe(out: Float32Array): void;
  info(): Info;
  save(): StateValue;
  load(state: StateValue): void;
  close?(): void;
}

/** The environment that follows a world's rules. It owns the world. */
export function environmentOf<S extends Space>(world: World<S>): Environment {
  const { id, observationSpace, actionSpace, objectives, horizon } = world;
  const observationSize = dimensions(observationSpace);
  let random = new Random(0);
  let step = 0;
  let running = false;
  let closed = false;

  function mustBeOpen(method: string): void {
    if (closed) throw new Error(`${method}() of ${id} was called after close(); make a new environment.`);
  }

  function seen(observation: Float32Array): Reset {
    return { observation, info: world.info() };
  }

  function look(out: Float32Array): Float32Array {
    out.fill(0);
    try {
      world.observe(out);
    } catch (error) {
      throw tooMany(error, 'observation', out);
    }
    return out;
  }

  /** Where a rule sets more numbers than there are, which is all that the engine says: out of bounds. */
  function tooMany(error: unknown, name: string, array: ArrayLike<number>): unknown {
    if (!(error instanceof RangeError && error.message.includes('out of bounds'))) return error;
    const message = `${name} of ${id} has ${array.length} numbers, but more are set (${error.message}).`;
    return new RangeError(message, { cause: error });
  }

  function takeStep(action: ActionOf<S>, reward: Float64Array): boolean {
    let terminated: unknown;
    try {
      terminated = world.advance(action, reward, random);
    } catch (error) {
      throw tooMany(error, 'reward', reward);
    }
    if (typeof terminated === 'boolean') return terminated;
    const given = terminated instanceof Promise ? 'a promise' : String(terminated);
    throw new RangeError(`advance() of ${id} returns ${given}, but must return whether the task ended: true or false.`);
  }

  function mustBeFinite(name: string, array: Float32Array | Float64Array): void {
    for (let i = 0; i < array.length; i++) {
      if (Number.isFinite(array[i])) continue;
      throw new Error(`${name}[${i}] is ${array[i]} after step ${step} of ${id}, but must be a finite number.`);
    }
  }

  const where = () => `at step ${step + 1} of ${id}`;

  function reset(observation: Float32Array, { seed }: ResetOptions = {}): void {
    if (seed !== undefined) random = new Random(seed);
    world.start(random);
    step = 0;
    running = true;
    look(observation);
  }

  function advance(action: Action, observation: Float32Array, reward: Float64Array): StepOutcome {
    if (!running) {
      const when = step === 0 ? 'before the first reset()' : `after the episode ended at step ${step}`;
      throw new Error(`step() of ${id} was called ${when}; call reset() first.`);
    }
    const checked = checkAction(actionSpace, action, where);
    reward.fill(0);
    // Until the step is complete: an episode whose rules threw in the middle of one cannot be continued.
    running = false;
    step += 1;
    const terminated = takeStep(checked, reward);
    look(observation);
    mustBeFinite('reward', reward);
    mustBeFinite('observation', observation);
    running = !terminated && step < horizon;
    return running ? 'running' : terminated ? 'terminated' : 'truncated';
  }

  return {
    id,
    observationSpace,
    actionSpace,
    objectives,

    reset(options) {
      mustBeOpen('reset');
      const observation = new Float32Array(observationSize);
      reset(observation, options);
      return seen(observation);
    },

    step(action) {
      mustBeOpen('step');
      const observation = new Float32Array(observationSize);
      const reward = new Float64Array(objectives.length);
      const outcome = advance(action, observation, reward);
      return {
        ...seen(observation),
        reward,
        terminated: outcome === 'terminated',
        truncated: outcome === 'truncated',
      };
    },

    resetInto(observation, options) {
      mustBeOpen('resetInto');
      checkLength('observation', observation, observationSize);
      reset(observation, options);
    },

    stepInto(action, observation, reward) {
      mustBeOpen('stepInto');
      checkLength('observation', observation, observationSize);
      checkLength('reward', reward, objectives.length);
      return advance(action, observation, reward);
    },

    saveState() {
      mustBeOpen('saveState');
      return { env: id, step, running, random: random.state, world: world.save() };
    },

    restoreState(state) {
      mustBeOpen('restoreState');
      checkState(state, id, horizon);
      const restored = Random.fromState(state.random);
      world.load(state.world);
      random = restored;
      ({ step, running } = state);
      return seen(look(new Float32Array(observationSize)));
    },

    close() {
      if (closed) return;
      closed = true;
      world.close?.();
    },
  };
}

export function checkLength(name: string, array: ArrayLike<number>, length: number): void {
  if (array.length !== length) {
    throw new RangeError(`${name} has length ${array.length}, but must have length ${length}.`);
  }
}

/** States come from files, which can belong to another run, so nothing is believed about their type. */
function checkState(state: unknown, id: string, horizon: number): void {
  const { env, step, running } = (state ?? {}) as Record<string, unknown>;
  if (env !== id) throw new RangeError(`state.env is ${String(env)}, but must be ${id}.`);
  if (!isInteger(step, horizon)) {
    throw new RangeError(`state.step is ${String(step)}, but must be an integer from 0 to ${horizon}.`);
  }
  if (typeof running !== 'boolean') {
    throw new RangeError(`state.running is ${String(running)}, but must be true or false.`);
  }
}

/** Reads an integer from 0 to `max` out of a saved world. */
export function loadInteger(world: StateValue, key: string, max: number): number {
  const value = savedIn(world, key);
  if (isInteger(value, max)) return value;
  throw new RangeError(`state.world.${key} is ${String(value)}, but must be an integer from 0 to ${max}.`);
}

/** Reads a number from `min` to `max` out of a saved world. */
export function loadNumber(world: StateValue, key: string, min: number, max: number): number {
  const value = savedIn(world, key);
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new RangeError(`state.world.${key} is ${String(value)}, but must be a number from ${min} to ${max}.`);
}

function savedIn(world: StateValue, key: string): unknown {
  return ((world ?? {}) as Record<string, unknown>)[key];
}

function isInteger(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
}
