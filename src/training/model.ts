import { MEMBER_RETURNS, policySet, replicaPart, type Acting } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import { checksum } from '../files/index.js';
import { decodeSafetensors, encodeWeights, MODEL_FORMAT, WEIGHTS_FILE } from '../model/index.js';
import type { ModelDescription, NamedTensor } from '../model/index.js';
import { openDevice } from '../tensor/index.js';
import { VERSION } from '../version.js';
import { createLearner, isPopulation, problemOf } from './definition.js';
import type { Plan } from './definition.js';
import type { TrainingPlan } from './plan.js';

/** The policy of one replica as a model file: its description, and its weights as the bytes of a safetensors file. */
export async function encodeModel(plan: TrainingPlan, learner: Acting, replica: number) {
  const { state, policy } = learner;
  // A finished set of policies is for one replica alone.
  const { replicas = 1 } = state;
  const tensors = new Map<string, Float32Array>();
  for (const name of policy) {
    const values = (await state.read(name)) as Float32Array;
    tensors.set(name, replicaPart(values, replicas === 1 ? 0 : replica, replicas).slice());
  }
  const { objectives, actionSpace } = envInfo(plan.env);
  const own = Object.keys(plan.algorithm.fields).map((name) => [name, plan.config[name]] as const);
  const description: ModelDescription = {
    format: MODEL_FORMAT,
    version: VERSION,
    env: plan.env,
    envOptions: plan.envOptions,
    objectives: objectives.map(({ name }) => name),
    actionSpace,
    policy: learner.describe(replica),
    algorithm: plan.algorithm.name,
    settings: Object.fromEntries(own),
  };
  const weights = encodeWeights({ description, tensors });
  return { weights, description: { ...description, weights: { file: WEIGHTS_FILE, sha256: checksum(weights) } } };
}

/** A learner of a plan, for one replica, with the policy of a model file. Throws a RangeError where they do not fit. */
export async function loadModel(plan: TrainingPlan, weights: Uint8Array): Promise<Acting> {
  const tensors = decodeSafetensors(weights);
  const learner = isPopulation(plan) ? await emptySet(plan, tensors) : await createLearner({ ...plan, replicas: 1 });
  const { state, policy } = learner;
  const missing = policy.find((name) => !tensors.has(name));
  if (missing !== undefined) throw new RangeError(`lacks "${missing}"`);
  for (const [name, { shape, values }] of tensors) {
    if (!policy.includes(name)) throw new RangeError(`has "${name}", which this policy does not`);
    const spec = state.spec(name);
    const is = `${values instanceof Int32Array ? 'int32' : 'float32'} [${shape.join(', ')}]`;
    const wanted = `${spec.dtype} [${spec.shape.join(', ')}]`;
    if (is !== wanted) throw new RangeError(`has "${name}" as ${is}, but ${wanted} is expected`);
    state.write(name, values);
  }
  return learner;
}

/** A set of as many policies as a model file holds. */
async function emptySet(plan: Plan, tensors: ReadonlyMap<string, NamedTensor>): Promise<Acting> {
  const returns = tensors.get(MEMBER_RETURNS);
  if (returns === undefined) throw new RangeError(`lacks "${MEMBER_RETURNS}"`);
  const [members = 0] = returns.shape;
  if (members < 1) throw new RangeError(`has "${MEMBER_RETURNS}" without members`);
  const hidden = plan.config.hidden as readonly number[];
  return policySet({ problem: await problemOf(plan), device: await openDevice(plan.device), members, hidden });
}
