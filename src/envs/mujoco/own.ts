/** Makes an environment of a user's own MuJoCo model: its MJCF, and a term of the reward for each objective. */
import type { Random } from '../../random/index.js';
import { unknownName } from '../../text/index.js';
import type { Continuous, Objective } from '../contract.js';
import { defineEnv, type EnvDefinition, type EnvEntry, type EnvOptionTable, type Rules } from '../registration.js';
import { cube } from '../spaces.js';
import { DERIVED, loadMujoco, modelOfXml, Simulation, type Arrays, type Derived, type Model } from './simulation.js';

/** What a term of the reward is computed from: the arrays of MuJoCo after a step, to be read at once and not kept. */
export interface MujocoStep extends Arrays {
  /** Joint coordinates and their velocities before the step. */
  readonly before: { readonly qpos: Float64Array; readonly qvel: Float64Array };
  /** Each number from -1 to 1. */
  readonly action: Float64Array;
  /** Simulated seconds of the step. */
  readonly seconds: number;
}

/** An objective, and what a step earns in it. */
export interface MujocoObjective extends Objective {
  reward(step: MujocoStep): number;
}

export interface MujocoDefinition extends Omit<
  EnvDefinition<EnvOptionTable, Continuous>,
  'objectives' | 'actionSpace' | 'options' | 'prepare' | 'make'
> {
  /** The model in MuJoCo's format. It is wise to have <flag autoreset="disable"/> in it: MuJoCo would hide numbers that run away. */
  readonly xml: string;
  /** How many actuators it has. An action has a number from -1 to 1 for each, which covers its ctrlrange. */
  readonly actuators: number;
  /** Steps of the simulation per action; 1 by default. */
  readonly frameSkip?: number;
  readonly objectives: readonly MujocoObjective[];
  /** Changes the reference pose in place when an episode starts. */
  start?(arrays: Arrays, random: Random): void;
  /** Whether the task ended, such as by a fall. */
  ended?(arrays: Arrays): boolean;
  /** Observed after qpos and qvel. */
  readonly observes?: readonly Derived[];
  /** What else rewards and `ended` read besides qpos and qvel, so that it is saved. */
  readonly reads?: readonly Derived[];
  /** The first entries of qpos are not observed, such as the place on an endless floor; 0 by default. */
  readonly unobserved?: number;
}

/** The entry of an environment that MuJoCo simulates; observations are joint coordinates and velocities. */
export function defineMujocoEnv(definition: MujocoDefinition): EnvEntry {
  checkDefinition(definition);
  const { actuators, objectives } = definition;
  return defineEnv({
    ...definition,
    objectives: objectives.map(({ name, unit }) => ({ name, ...(unit !== undefined && { unit }) })),
    actionSpace: cube(actuators, -1, 1),
    prepare: loadMujoco,
    make: () => rulesOf(definition),
  });
}

/** Throws a RangeError about what can be wrong whatever the model is, which is compiled when an environment is made. */
function checkDefinition({ id, actuators, frameSkip = 1, observes = [], reads = [] }: MujocoDefinition): void {
  for (const [name, count] of Object.entries({ actuators, frameSkip })) {
    if (Number.isSafeInteger(count) && count >= 1) continue;
    throw new RangeError(`${name} of ${id} is ${count}, but must be an integer of at least 1.`);
  }
  for (const [list, names] of Object.entries<readonly unknown[]>({ observes, reads })) {
    const wrong = names.findIndex((name) => !DERIVED.some((known) => known === name));
    if (wrong >= 0) throw new RangeError(unknownName(`${list}[${wrong}] of ${id}`, String(names[wrong]), DERIVED));
  }
}

function rulesOf(definition: MujocoDefinition): Rules<Continuous> {
  const { objectives, frameSkip = 1, unobserved = 0, observes = [], reads = [] } = definition;
  const model = compiled(definition);
  const { nq, nv, nu } = model;
  if (!(Number.isSafeInteger(unobserved) && unobserved >= 0 && unobserved <= nq)) {
    const allowed = `an integer from 0 to ${nq}, the length of qpos`;
    throw new RangeError(`unobserved of ${definition.id} is ${unobserved}, but must be ${allowed}.`);
  }
  const simulation = new Simulation(model, [...new Set([...observes, ...reads])]);
  const observed = observes.reduce((size, name) => size + simulation.arrays[name].length, nq - unobserved + nv);
  const limits = limitsOf(model);
  const seconds = model.opt.timestep * frameSkip;
  const before = { qpos: new Float64Array(nq), qvel: new Float64Array(nv) };
  const taken = new Float64Array(nu);
  return {
    observationSpace: cube(observed, -Infinity, Infinity),

    start(random) {
      simulation.rewind();
      definition.start?.(simulation.arrays, random);
      simulation.forward();
    },

    advance(action, reward) {
      const { ctrl, qpos, qvel } = simulation.arrays;
      before.qpos.set(qpos);
      before.qvel.set(qvel);
      for (let i = 0; i < nu; i++) {
        const { low, high } = limits[i];
        taken[i] = Math.max(-1, Math.min(1, action[i]));
        ctrl[i] = low + ((taken[i] + 1) / 2) * (high - low);
      }
      simulation.step(frameSkip);
      const step = { ...simulation.arrays, before, action: taken, seconds };
      objectives.forEach((objective, k) => (reward[k] = objective.reward(step)));
      return definition.ended?.(simulation.arrays) ?? false;
    },

    observe(out) {
      const { arrays } = simulation;
      let offset = 0;
      for (let i = unobserved; i < nq; i++) out[offset++] = arrays.qpos[i];
      for (const name of ['qvel', ...observes] as const) {
        out.set(arrays[name], offset);
        offset += arrays[name].length;
      }
    },

    save: () => simulation.save(),
    load: (state) => simulation.load(state),
    close: () => simulation.close(),
  };
}

function compiled({ id, xml, actuators }: MujocoDefinition): Model {
  let model: Model;
  try {
    model = modelOfXml(xml);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error))
      .trim()
      .split(/\s*\n\s*/)
      .join(', ');
    throw new RangeError(`xml of ${id} must be a model that MuJoCo compiles (${reason}).`, { cause: error });
  }
  if (model.nu === actuators) return model;
  throw new RangeError(`actuators of ${id} is ${actuators}, but must be ${model.nu}, as many as its model has.`);
}

/** What -1 and 1 stand for. */
function limitsOf({ nu, actuator_ctrlrange: range }: Model) {
  return Array.from({ length: nu }, (_, i) => {
    const [low, high] = range.subarray(2 * i);
    return low < high ? { low, high } : { low: -1, high: 1 };
  });
}
