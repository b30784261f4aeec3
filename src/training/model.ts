/** Makes models, which can be stored and loaded, of the policies that a training ends with. */
import { replicaPart } from '../algorithms/index.js';
import type { Learner } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import { MODEL_FORMAT } from '../model/index.js';
import type { Model, ModelDescription, PolicyDescription } from '../model/index.js';
import type { Values } from '../tensor/index.js';
import { VERSION } from '../version.js';
import type { Plan } from './definition.js';

/** What the returns of a set of policies are called in its model. */
const MEMBER_RETURNS = 'members.returns';

/** A policy of a finite set: entries of a learner's state by name, and its return. */
export interface Member {
  readonly policy: ReadonlyMap<string, Values>;
  readonly returns: readonly number[];
}

/** Entries of a learner's state by name, which are its policy: those of one replica. */
export type PolicyTensors = ReadonlyMap<string, Float32Array>;

/** Copies the policy of a replica. */
export async function policyOf({ state, policy }: Learner, replica: number): Promise<PolicyTensors> {
  const tensors = new Map<string, Float32Array>();
  for (const name of policy) {
    const values = (await state.read(name)) as Float32Array;
    tensors.set(name, replicaPart(values, replica, state.replicas ?? 1).slice());
  }
  return tensors;
}

/** The policy of a replica, as it is now or as it was copied earlier. */
export async function modelOf(plan: Plan, learner: Learner, replica: number, policy?: PolicyTensors): Promise<Model> {
  const tensors = policy ?? (await policyOf(learner, replica));
  return { description: describe(plan, learner.describe(replica)), tensors };
}

/** A finite set of policies of a learner of tasks. */
export function modelOfMembers(plan: Plan, learner: Learner, members: readonly Member[]): Model {
  const { parameters, ...policy } = learner.describe(0);
  const tensors = new Map<string, Float32Array>();
  for (const name of learner.policy) tensors.set(name, joined(members.map((member) => member.policy.get(name)!)));
  tensors.set(MEMBER_RETURNS, joined(members.map(({ returns }) => returns)));
  const set = { count: members.length, returns: MEMBER_RETURNS };
  return {
    description: describe(plan, { ...policy, parameters: { ...parameters, family: 'members', members: set } }),
    tensors,
  };
}

function joined(parts: readonly ArrayLike<number>[]): Float32Array {
  const [{ length }] = parts;
  const all = new Float32Array(parts.length * length);
  parts.forEach((part, i) => all.set(part, i * length));
  return all;
}

function describe(plan: Plan, policy: PolicyDescription): ModelDescription {
  const { objectives, actionSpace } = envInfo(plan.env);
  const settings = Object.keys(plan.algorithm.fields).map((name) => [name, plan.config[name]] as const);
  return {
    format: MODEL_FORMAT,
    version: VERSION,
    env: plan.env,
    envOptions: plan.envOptions,
    objectives: objectives.map(({ name }) => name),
    actionSpace,
    policy,
    algorithm: plan.algorithm.name,
    settings: Object.fromEntries(settings),
  };
}
