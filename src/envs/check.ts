/**
 * The contract of environments as rules that can be tried: each plays a little and says in a sentence what is broken.
 * `psl check` runs them on a user's own environment, and a test on all that come with the package.
 */
import { Random } from '../random/index.js';
import { oneLineOf } from '../text/index.js';
import type { Action, Environment, EnvStep, Reset } from './contract.js';
import { typicalValues } from './registration.js';
import type { EnvInfo } from './registration.js';
import { envInfo, makeEnv, prepareEnv, type EnvOptions } from './registry.js';
import { dimensions } from './spaces.js';

/** What a rule tries an environment with. */
export interface Subject {
  readonly id: string;
  readonly info: EnvInfo;
  readonly make: () => Environment;
}

/** One rule of the contract. */
export interface ContractRule {
  readonly name: string;
  /** What holds, as a clause about "it". */
  readonly says: string;
  /** The rule without which it cannot be tried: what is random in itself never repeats. */
  readonly needs?: string;
  /** Throws where it does not. */
  readonly check: (subject: Subject) => void;
}

/** A rule that an environment breaks. */
export interface ContractProblem {
  readonly rule: string;
  /** A whole sentence. */
  readonly problem: string;
  /** With which it does; those that are left out have their defaults. */
  readonly options: EnvOptions;
}

/** Steps of a trial: enough to see a difference, also of robots, which take a millisecond each. */
const PATIENCE = 25;

/** The rules, those first that say most about what is wrong. */
export const CONTRACT: readonly ContractRule[] = [
  {
    name: 'registration',
    says: 'is what its registration says',
    check({ id, info, make }) {
      const env = make();
      must(env.id === id, () => `id is "${env.id}", but must be "${id}", as it is registered`);
      mustBeSame('objectives', env.objectives, info.objectives, 'as registered');
      mustBeSame('actionSpace', env.actionSpace, info.actionSpace, 'as registered');
      const names = env.objectives.map(({ name }) => name);
      must(
        new Set(names).size === names.length,
        () => `objectives are ${names.join(', ')}, but must have different names`,
      );
      const { low, high } = env.observationSpace;
      const size = dimensions(env.observationSpace);
      const sizes = `low has ${low.length} and high ${high.length} entries, but must have ${size}, as its shape says`;
      must(low.length === size && high.length === size, () => `observationSpace.${sizes}`);
      low.forEach((value, i) =>
        must(
          value <= high[i],
          () => `observationSpace.low[${i}] is ${value}, but must be at most high[${i}], ${high[i]}`,
        ),
      );
    },
  },
  {
    name: 'observations',
    says: 'has observations inside the space',
    check({ make }) {
      const env = make();
      mustBeInside(env, env.reset({ seed: 1 }), 'after reset()');
      const random = new Random(2);
      for (let episode = 0; episode < 3; episode++) {
        play(env, random).forEach((step, i) => mustBeInside(env, step, `after step ${i + 1}`));
        mustBeInside(env, env.reset(), 'after reset()');
      }
    },
  },
  {
    name: 'rewards',
    says: 'has rewards of one finite number per objective',
    check({ make }) {
      const env = make();
      env.reset({ seed: 1 });
      play(env, new Random(2)).forEach(({ reward }, i) => {
        const where = `after step ${i + 1}`;
        must(isFloat64(reward), () => `reward is ${kindOf(reward)} ${where}, but must be a Float64Array`);
        const { length } = env.objectives;
        must(
          reward.length === length,
          () => `reward has ${reward.length} numbers ${where}, but must have ${length}, one per objective`,
        );
        mustBeNumbers('reward', reward, where);
      });
    },
  },
  {
    name: 'horizon',
    says: 'ends every episode within the horizon, by termination or by truncation and never by both',
    check({ info, make }) {
      const env = make();
      const random = new Random(3);
      const { horizon } = info;
      for (let episode = 0; episode < (horizon > 100 ? 1 : 10); episode++) {
        env.reset();
        const steps = play(env, random, horizon + 1);
        const { terminated, truncated } = steps[steps.length - 1];
        must(
          steps.length <= horizon,
          () => `an episode is not over after ${horizon} steps, but must be, as its horizon says`,
        );
        must(terminated !== truncated, () => 'the last step is both terminated and truncated, but must be one of them');
        must(
          terminated || steps.length === horizon,
          () =>
            `an episode is truncated after ${steps.length} steps, but must be after ${horizon}, as its horizon says`,
        );
      }
    },
  },
  {
    name: 'seed',
    says: 'repeats a trajectory, in the same environment and in another, from the same seed',
    check({ make }) {
      const env = make();
      const first = trajectory(env, 7);
      mustRepeat(trajectory(env, 7), first, 'the same seed, again in the same environment,');
      mustRepeat(trajectory(make(), 7), first, 'the same seed in a new environment');
    },
  },
  {
    name: 'generator',
    says: 'goes on with its own generator when it is reset without a seed',
    needs: 'seed',
    check({ make }) {
      const [a, b] = [make(), make()];
      trajectory(a, 9);
      trajectory(b, 9);
      const next = (env: Environment) => [env.reset(), ...play(env, new Random(1))];
      mustRepeat(next(a), next(b), 'an episode after the same seeded one, begun without a seed,');
    },
  },
  {
    name: 'independence',
    says: 'is not changed by what another environment of its kind does',
    needs: 'seed',
    check({ make }) {
      const expected = trajectory(make(), 5);
      const [env, other] = [make(), make()];
      other.reset({ seed: 6 });
      const random = [new Random(8), new Random(4)];
      const steps: (Reset | EnvStep)[] = [env.reset({ seed: 5 })];
      for (let isOver = false; steps.length < expected.length && !isOver;) {
        const step = env.step(randomAction(env, random[0]));
        steps.push(step);
        isOver = isLast(step);
        if (isLast(other.step(randomAction(other, random[1])))) other.reset();
      }
      mustRepeat(steps, expected, 'an episode beside that of another environment');
    },
  },
  {
    name: 'arrays',
    says: 'gives arrays that it does not touch again',
    needs: 'seed',
    check({ make }) {
      const env = make();
      const start = env.reset({ seed: 4 });
      const kept = start.observation.slice();
      const random = new Random(5);
      const step = env.step(randomAction(env, random));
      mustBeSame(
        'the observation of reset()',
        start.observation,
        kept,
        'as it was before the next step: it is the same array again',
      );
      const copy = { ...step, observation: step.observation.slice(), reward: step.reward.slice() };
      step.observation.fill(NaN);
      step.reward.fill(NaN);
      const again = make();
      again.reset({ seed: 4 });
      const repeated = again.step(randomAction(again, new Random(5)));
      mustRepeat([repeated], [copy], 'a step after somebody wrote into the arrays of another');
    },
  },
  {
    name: 'into',
    says: 'steps into arrays of the caller as it steps into its own',
    needs: 'seed',
    check({ make }) {
      const [a, b] = [make(), make()];
      const observation = new Float32Array(dimensions(a.observationSpace)).fill(NaN);
      const reward = new Float64Array(a.objectives.length).fill(NaN);
      a.resetInto(observation, { seed: 6 });
      mustBeSame('the observation of resetInto()', observation, b.reset({ seed: 6 }).observation, 'that of reset()');
      const random = new Random(7);
      let outcome = 'running';
      for (let step = 0; step < PATIENCE && outcome === 'running'; step++) {
        const action = randomAction(a, random);
        const expected = b.step(action);
        outcome = a.stepInto(action, observation, reward);
        mustBeSame('the observation of stepInto()', observation, expected.observation, 'that of step()');
        mustBeSame('the reward of stepInto()', reward, expected.reward, 'that of step()');
        const wanted = expected.terminated ? 'terminated' : expected.truncated ? 'truncated' : 'running';
        must(outcome === wanted, () => `stepInto() returns "${outcome}", but must return "${wanted}", as step() says`);
      }
    },
  },
  {
    name: 'state',
    says: 'goes on from a saved state in the middle of an episode as if nothing had happened',
    needs: 'seed',
    check({ make }) {
      const env = make();
      env.reset({ seed: 10 });
      const before = env.step(randomAction(env, new Random(11)));
      if (isLast(before)) env.reset();
      const state = env.saveState();
      const copy = clone(state);
      const next = (target: Environment) => [...play(target, new Random(12)), target.reset()];
      const expected = next(env);
      mustBeSame('a saved state', state, copy, 'what was saved: it changes while the environment goes on');
      for (const [target, where] of [
        [env, 'the same environment'],
        [make(), 'a new environment'],
      ] as const) {
        const { observation } = target.restoreState(copy);
        if (!isLast(before))
          mustBeSame(
            `the observation of a state that ${where} restored`,
            observation,
            before.observation,
            'that of the state when it was saved',
          );
        mustBeSame(
          `what saveState() gives after ${where} restored a state`,
          target.saveState(),
          copy,
          'the same state',
        );
        mustRepeat(next(target), expected, `${where}, after it restored a saved state,`);
      }
    },
  },
  {
    name: 'order',
    says: 'begins again with reset after the end of an episode, and refuses to step before reset and after the end',
    check({ info, make }) {
      const env = make();
      const action = randomAction(env, new Random(1));
      mustThrow(() => env.step(action), 'step() before the first reset()');
      env.reset();
      play(env, new Random(1), info.horizon);
      mustThrow(() => env.step(action), 'step() after the end of an episode');
      env.reset();
      env.step(action);
    },
  },
  {
    name: 'actions',
    says: 'refuses actions that cannot be taken, and the episode goes on',
    check({ make }) {
      const env = make();
      env.reset();
      const { actionSpace } = env;
      const bad: readonly Action[] =
        actionSpace.kind === 'discrete'
          ? [NaN, -1, 0.5, actionSpace.n]
          : [new Float32Array(dimensions(actionSpace)).fill(NaN), new Float32Array(dimensions(actionSpace) + 1)];
      for (const action of bad) {
        const shown = typeof action === 'number' ? String(action) : `[${Array.from(action).join(', ')}]`;
        mustThrow(() => env.step(action), `step(${shown})`);
      }
      env.step(randomAction(env, new Random(1)));
    },
  },
  {
    name: 'close',
    says: 'can be closed, and closed again',
    check({ make }) {
      const env = make();
      const { close } = env as { readonly close?: unknown };
      must(typeof close === 'function', () => `close is ${shown(close)}, but must be a function`);
      env.reset();
      env.close();
      try {
        env.close();
      } catch (error) {
        const reason = clauseOf(error);
        throw new BrokenRule(`close() throws an error when it is called again (${reason}), but must do nothing then`);
      }
    },
  },
  {
    name: 'front',
    says: 'knows a front of points that do not dominate each other and are better than the reference point',
    check({ info: { knownFront, discount, referencePoint } }) {
      if (knownFront === undefined) return;
      const front = knownFront(discount);
      must(front.length > 0, () => 'knownFront has no points, but must have some');
      for (const point of front) {
        const better = front.find((other) => other !== point && other.every((value, k) => value >= point[k]));
        must(
          better === undefined,
          () => `knownFront has ${shown(point)}, which ${shown(better!)} dominates, but must have no such point`,
        );
        must(
          point.length === referencePoint.length && point.every((value, k) => value > referencePoint[k]),
          () =>
            `knownFront has ${shown(point)}, but must have points better than referencePoint, ${shown(referencePoint)}`,
        );
      }
    },
  },
];

/** Every choice of options that is worth a try: the defaults, and with each typical value of each option alone. */
export function contractCases(id: string): EnvOptions[] {
  const others = Object.entries(envInfo(id).options).flatMap(([name, option]) =>
    typicalValues(option)
      .filter((value) => value !== option.default)
      .map((value) => ({ [name]: value })),
  );
  return [{}, ...others];
}

/** What an environment breaks of a rule, as a sentence; undefined where it keeps it. `prepareEnv` comes first. */
export function brokenRule(rule: ContractRule, id: string, options: EnvOptions = {}): string | undefined {
  const open: Environment[] = [];
  const make = () => {
    const env = makeEnv(id, options);
    open.push(env);
    return env;
  };
  try {
    rule.check({ id, info: envInfo(id), make });
    return undefined;
  } catch (error) {
    const whole = `${clauseOf(error)}.`;
    return error instanceof BrokenRule ? whole : `it throws an error: ${whole}`;
  } finally {
    for (const env of open) closeQuietly(env);
  }
}

/**
 * Runs the whole contract on an environment, with its default options and with others; what it finds wrong.
 * @param watch hears which share is done
 */
export async function checkEnv(
  id: string,
  watch: (share: number) => void = () => undefined,
): Promise<ContractProblem[]> {
  await prepareEnv(id);
  const problems = new Map<string, ContractProblem>();
  const cases = contractCases(id);
  for (const [done, options] of cases.entries()) {
    const broken = new Set<string | undefined>();
    for (const [i, rule] of CONTRACT.entries()) {
      watch((done + i / CONTRACT.length) / cases.length);
      if (broken.has(rule.needs)) continue;
      const problem = brokenRule(rule, id, options);
      if (problem === undefined) continue;
      broken.add(rule.name);
      // What goes wrong everywhere is said once.
      if (!problems.has(problem)) problems.set(problem, { rule: rule.name, problem, options });
    }
  }
  return [...problems.values()];
}

class BrokenRule extends Error {}

/** Without the full stop. */
function clauseOf(error: unknown): string {
  return oneLineOf(error).replace(/\.$/, '');
}

function must(holds: boolean, sentence: () => string): void {
  if (!holds) throw new BrokenRule(sentence());
}

function mustThrow(call: () => unknown, what: string): void {
  try {
    call();
  } catch {
    return;
  }
  throw new BrokenRule(`${what} is accepted, but must be refused with an error`);
}

function mustBeSame(name: string, given: unknown, expected: unknown, as: string): void {
  must(isSame(given, expected), () => `${name} is ${shown(given)}, but must be ${shown(expected)}, ${as}`);
}

function mustBeNumbers(name: string, array: ArrayLike<number>, where: string): void {
  for (let i = 0; i < array.length; i++) {
    must(Number.isFinite(array[i]), () => `${name}[${i}] is ${array[i]} ${where}, but must be a finite number`);
  }
}

function mustBeInside({ observationSpace }: Environment, { observation }: Reset, where: string): void {
  must(isFloat32(observation), () => `observation is ${kindOf(observation)} ${where}, but must be a Float32Array`);
  const size = dimensions(observationSpace);
  must(
    observation.length === size,
    () => `observation has ${observation.length} numbers ${where}, but must have ${size}, as observationSpace says`,
  );
  mustBeNumbers('observation', observation, where);
  const { low, high } = observationSpace;
  observation.forEach((value, i) =>
    must(
      // Bounds such as 0.1 have no float32 of the same value.
      value >= Math.fround(low[i]) && value <= Math.fround(high[i]),
      () =>
        `observation[${i}] is ${value} ${where}, but must be from ${low[i]} to ${high[i]}, as observationSpace says`,
    ),
  );
}

/** @param how as the beginning of a sentence about what does not repeat */
function mustRepeat(steps: readonly (Reset | EnvStep)[], expected: readonly (Reset | EnvStep)[], how: string): void {
  const shared = Math.min(steps.length, expected.length);
  for (let i = 0; i < shared; i++) {
    for (const name of ['observation', 'reward', 'terminated', 'truncated', 'info'] as const) {
      const [given, wanted] = [steps[i], expected[i]].map(
        (step): unknown => (step as unknown as Record<string, unknown>)[name],
      );
      must(
        isSame(given, wanted),
        () =>
          `${how} gives ${name} ${shown(given)} instead of ${shown(wanted)}; everything random must come from the given generator, and everything that changes must be in save() and load()`,
      );
    }
  }
  must(
    steps.length === expected.length,
    () => `${how} ends after ${steps.length - 1} instead of ${expected.length - 1} steps`,
  );
}

function trajectory(env: Environment, seed: number): (Reset | EnvStep)[] {
  return [env.reset({ seed }), ...play(env, new Random(8))];
}

/** Random actions from where the environment is to the end of the episode, or as many as there is patience for. */
function play(env: Environment, random: Random, most = PATIENCE): EnvStep[] {
  const steps: EnvStep[] = [];
  while (steps.length < most) {
    const step = env.step(randomAction(env, random));
    steps.push(step);
    if (isLast(step)) break;
  }
  return steps;
}

function isLast({ terminated, truncated }: EnvStep): boolean {
  return terminated || truncated;
}

function randomAction({ actionSpace }: Environment, random: Random): Action {
  if (actionSpace.kind === 'discrete') return random.integer(actionSpace.n);
  const finite = (bound: number, otherwise: number) => (Number.isFinite(bound) ? bound : otherwise);
  return Float32Array.from(actionSpace.low, (bound, i) => {
    const low = finite(bound, -1);
    return low + random.uniform() * (finite(actionSpace.high[i], 1) - low);
  });
}

function clone<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    throw new BrokenRule(
      'a saved state cannot be copied, but must be plain data: numbers, texts, lists and objects of them',
    );
  }
}

/** Bit for bit: zero is not negative zero, and NaN is NaN. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const [left, right] = [a, b] as Record<string, unknown>[];
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => isSame(left[name], right[name]));
}

function isFloat32(value: unknown): boolean {
  return value instanceof Float32Array;
}

function isFloat64(value: unknown): boolean {
  return value instanceof Float64Array;
}

function kindOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? `an ${value.constructor.name}` : String(value);
}

/** A value as it appears in a sentence, however long it is. */
function shown(value: unknown): string {
  const text = ArrayBuffer.isView(value)
    ? JSON.stringify(Array.from(value as Float64Array, String)).replaceAll('"', '')
    : JSON.stringify(value);
  const LONGEST = 80;
  return (text as string | undefined) === undefined
    ? String(value)
    : text.length > LONGEST
      ? `${text.slice(0, LONGEST)}...`
      : text;
}

function closeQuietly(env: Environment): void {
  try {
    env.close();
  } catch {
    // The rule about closing says so.
  }
}
