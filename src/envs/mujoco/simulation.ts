/** A simulation in MuJoCo's WebAssembly build: loading it, stepping it, and saving its state exactly. */
import type { StateValue } from '../contract.js';
import { checkLength } from '../world.js';
import { mjcf, type Inertials } from './mjcf.js';
import type { Robot } from './robot.js';

/** Arrays that a step computes from positions and velocities. */
export const DERIVED = [
  'xpos',
  'subtree_com',
  'cinert',
  'cvel',
  'qfrc_actuator',
  'cfrc_ext',
  'geom_xpos',
  'geom_xmat',
] as const;
export type Derived = (typeof DERIVED)[number];

/** The arrays of a simulation that are used here, under their MuJoCo names. */
const ARRAYS = ['qpos', 'qvel', 'ctrl', 'xfrc_applied', ...DERIVED] as const;
export type ArrayName = (typeof ARRAYS)[number];
export type Arrays = Readonly<Record<ArrayName, Float64Array>>;

/** The part of MuJoCo's bindings that is used here; their own declarations leave the arrays without a type. */
interface Mujoco {
  readonly MjModel: { from_xml_string(xml: string): Model };
  readonly MjData: new (model: Model) => Data;
  readonly DoubleBuffer: new (size: number) => StateBuffer;
  readonly mjtState: { readonly mjSTATE_INTEGRATION: { readonly value: number } };
  mj_step(model: Model, data: Data): void;
  mj_forward(model: Model, data: Data): void;
  mj_rnePostConstraint(model: Model, data: Data): void;
  mj_resetData(model: Model, data: Data): void;
  mj_stateSize(model: Model, parts: number): number;
  mj_getState(model: Model, data: Data, out: StateBuffer, parts: number): void;
  mj_setState(model: Model, data: Data, state: Float64Array, parts: number): void;
}

/** A compiled robot. */
export interface Model {
  readonly nq: number;
  readonly nv: number;
  /** Actuators. */
  readonly nu: number;
  readonly opt: { readonly timestep: number };
  /** Two numbers for each actuator; both 0 where it has no limits. */
  readonly actuator_ctrlrange: Float64Array;
  readonly body_mass: Float64Array;
  readonly geom_type: Int32Array;
  readonly geom_size: Float64Array;
  readonly geom_bodyid: Int32Array;
}

interface Data extends Arrays {
  delete(): void;
}

interface StateBuffer {
  GetView(): Float64Array;
  delete(): void;
}

let mujoco: Mujoco | undefined;
let loading: Promise<Mujoco> | undefined;
const models = new Map<string, Model>();

/**
 * Loads MuJoCo's WebAssembly build, once per thread or page. There is a second build, with threads of its own; it would
 * need special headers in a browser, and many environments in parallel need no threads within one.
 */
export async function loadMujoco(): Promise<void> {
  if (mujoco !== undefined) return;
  // Forgotten when it is over, so that a failed load can be tried again.
  loading ??= load().finally(() => (loading = undefined));
  mujoco = await loading;
}

async function load(): Promise<Mujoco> {
  const { default: instantiate } = await import('@mujoco/mujoco');
  return (await instantiate()) as unknown as Mujoco;
}

/** There are few robots, so each is compiled once and kept for all simulations of the thread, for as long as it runs. */
export function modelOf(robot: Robot, inertials: Inertials): Model {
  return compiled(`${robot.name} ${inertials}`, () => mjcf(robot, inertials));
}

/** A model in MuJoCo's own format, compiled once too. */
export function modelOfXml(xml: string): Model {
  return compiled(xml, () => xml);
}

function compiled(key: string, xml: () => string): Model {
  let model = models.get(key);
  if (model === undefined) {
    model = loaded().MjModel.from_xml_string(xml());
    models.set(key, model);
  }
  return model;
}

function loaded(): Mujoco {
  if (mujoco === undefined) throw new Error('MuJoCo is not loaded yet; await loadMujoco() first.');
  return mujoco;
}

/** One robot in motion. */
export class Simulation {
  readonly model: Model;
  readonly #mujoco = loaded();
  readonly #data: Data;
  readonly #derived: readonly Derived[];
  readonly #parts = this.#mujoco.mjtState.mjSTATE_INTEGRATION.value;
  readonly #integration: StateBuffer;
  #arrays: Arrays;

  /**
   * @param derived what is to be saved besides that which decides how the simulation goes on. Derived arrays stem from
   * the last stage of the integrator, so they cannot be computed again from the positions and velocities after it.
   */
  constructor(model: Model, derived: readonly Derived[]) {
    this.model = model;
    this.#data = new this.#mujoco.MjData(this.model);
    this.#derived = derived;
    this.#integration = new this.#mujoco.DoubleBuffer(this.#mujoco.mj_stateSize(this.model, this.#parts));
    this.#arrays = viewsOf(this.#data);
  }

  /** Live views of the state, to be read at once and not kept. */
  get arrays(): Arrays {
    // All views of the WebAssembly memory become empty when it grows, as it does for another simulation.
    if (this.#arrays.qpos.length === 0) this.#arrays = viewsOf(this.#data);
    return this.#arrays;
  }

  /** Goes to the reference pose, at rest. */
  rewind(): void {
    this.#mujoco.mj_resetData(this.model, this.#data);
  }

  /** Computes everything that depends on positions and velocities. */
  forward(): void {
    this.#mujoco.mj_forward(this.model, this.#data);
  }

  step(count: number): void {
    for (let i = 0; i < count; i++) this.#mujoco.mj_step(this.model, this.#data);
  }

  /** Fills in `cfrc_ext`, which steps leave as it is. */
  findContactForces(): void {
    this.#mujoco.mj_rnePostConstraint(this.model, this.#data);
  }

  save(): Float64Array {
    this.#mujoco.mj_getState(this.model, this.#data, this.#integration, this.#parts);
    const { arrays } = this;
    return joined([this.#integration.GetView(), ...this.#derived.map((name) => arrays[name])]);
  }

  /** Goes on from what `save` returned. Throws a RangeError where that cannot be the state of this simulation. */
  load(state: StateValue): void {
    if (!(state instanceof Float64Array)) {
      throw new RangeError(`state.world is of type ${typeof state}, but must be a Float64Array.`);
    }
    let offset = this.#mujoco.mj_stateSize(this.model, this.#parts);
    const size = this.#derived.reduce((sum, name) => sum + this.arrays[name].length, offset);
    checkLength('state.world', state, size);
    this.#mujoco.mj_setState(this.model, this.#data, state.subarray(0, offset), this.#parts);
    this.forward();
    const { arrays } = this;
    for (const name of this.#derived) {
      arrays[name].set(state.subarray(offset, offset + arrays[name].length));
      offset += arrays[name].length;
    }
  }

  /** Nothing collects the memory of WebAssembly: what is not closed is never given back. */
  close(): void {
    this.#data.delete();
    this.#integration.delete();
  }
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function viewsOf(data: Data): Arrays {
  return Object.fromEntries(ARRAYS.map((name) => [name, data[name]])) as unknown as Arrays;
}
