/** Makes the learner of a plan: finds out what the learner has to know about the environment, and opens its device. */
import { keysOfFront } from '../algorithms/index.js';
import type { KeyReturns, OffPolicyLearner, OnPolicyLearner, Problem } from '../algorithms/index.js';
import { envInfo, makeEnv, prepareEnv } from '../envs/index.js';
import { openDevice } from '../tensor/index.js';
import { discountOf, isOffPolicy, isOnPolicy } from './definition.js';
import type { OffPolicyPlan, OnPolicyPlan, Plan, PopulationPlan } from './definition.js';

/** What a learner has to know of the environment. */
export async function problemOf(plan: Plan): Promise<Problem> {
  await prepareEnv(plan.env);
  const env = makeEnv(plan.env, plan.envOptions);
  const problem = {
    observation: env.observationSpace.low.length,
    actionSpace: env.actionSpace,
    objectives: env.objectives.length,
    discount: discountOf(plan),
    origin: envInfo(plan.env).referencePoint,
    keys: plan.keys ?? knownKeys(plan),
  };
  env.close();
  return problem;
}

/**
 * Key solutions that can be had without training: those of the known front, which leaks the answer as PD-MORL does, or
 * the published ones.
 */
function knownKeys(plan: Plan): KeyReturns | undefined {
  const info = envInfo(plan.env);
  const front = info.knownFront?.(discountOf(plan)) ?? [];
  return front.length === 0 ? info.keyReturns : keysOfFront(info.objectives.length, front);
}

/** The learner of a kind of plan; of any plan where that is not known. */
type LearnerOf<P extends Plan> = P extends OffPolicyPlan
  ? OffPolicyLearner
  : P extends OnPolicyPlan | PopulationPlan
    ? OnPolicyLearner
    : OffPolicyLearner | OnPolicyLearner;

/**
 * The learner of a plan, before any training.
 * @param capacity of its replay, of which it may keep a copy on its device
 */
export async function createLearner<P extends Plan>(plan: P, capacity?: number): Promise<LearnerOf<P>>;
export async function createLearner(plan: Plan, capacity?: number): Promise<OffPolicyLearner | OnPolicyLearner> {
  const problem = await problemOf(plan);
  const common = { problem, device: await openDevice(plan.device), replicas: plan.replicas, batch: plan.config.batch };
  if (isOffPolicy(plan)) {
    const { algorithm, config } = plan;
    const variants = plan.variants?.map(({ settings }) => settings);
    return algorithm.create(config, {
      ...common,
      groups: config.groups,
      ...(variants !== undefined && { variants }),
      ...(capacity !== undefined && { capacity }),
    });
  }
  if (isOnPolicy(plan)) {
    const { algorithm, config } = plan;
    const { groups, children: environments, horizon } = config;
    return algorithm.create(config, { ...common, groups, environments, horizon });
  }
  const { algorithm, config } = plan as PopulationPlan;
  const { children: environments, horizon } = config;
  // A task has one preference.
  return algorithm.create(config, { ...common, groups: 1, environments, horizon });
}
