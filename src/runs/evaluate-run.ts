/** Evaluates the stored model of a run again, under its own protocol or another one. */
import { envInfo, envOptions, makeEnv, prepareEnv } from '../envs/index.js';
import type { EnvOptions, OptionValues } from '../envs/index.js';
import { ceilingOf, score } from '../fronts/index.js';
import type { ReturnsAt } from '../fronts/index.js';
import { answering, withoutAnswers, type Answering, type Model, type Policy } from '../model/index.js';
import {
  compiledPolicy,
  defaultWorkers,
  inferenceDevice,
  isPolicySet,
  Workers,
  type PolicySet,
} from '../rollout/index.js';
import {
  evaluationPreferences,
  Evaluator,
  playMembers,
  protocolOf,
  returnDiscountOf,
  scoredMembers,
  type TrainingPlan,
} from '../training/index.js';
import { loadModel, runOf } from './directory.js';
import type { Run } from './directory.js';
import type { RunResult } from './run-files.js';

export interface EvaluateRunOptions {
  /** Instead of the run's. */
  readonly divisions?: number;
  readonly episodes?: number;
  /** Of the first episode of every preference, instead of the one that the run was evaluated with as it trained. */
  readonly seed?: number;
  /** Evaluates the policy set that the run had at its last evaluation, instead of the one that it keeps. */
  readonly last?: boolean;
  /** Evaluated instead of the run's own. */
  readonly model?: Model;
  /** By default the run's, and the CPU where that is not here. */
  readonly device?: string;
  readonly workers?: number;
  /** Options of the environment instead of the run's own, such as start states without noise. */
  readonly envOptions?: EnvOptions;
  /** Evaluated instead of a grid. */
  readonly preferences?: readonly (readonly number[])[];
  /** Hears which share is done; what it throws ends the evaluation, and is thrown by it. */
  readonly watch?: (share: number) => void;
}

/**
 * The options with which a run's model is evaluated: its own but for the given ones. Refuses those with which an observation
 * has another size than the model sees. The environment has to be prepared.
 */
export function evaluationOptions({ plan }: Run, given: EnvOptions): OptionValues {
  const { env, envOptions: own } = plan;
  // Which need not be checked: environments with physics take a while to make.
  if (Object.keys(given).length === 0) return own;
  const options = envOptions(env, { ...own, ...given });
  const observed = (chosen: OptionValues) => {
    const made = makeEnv(env, chosen);
    const { length } = made.observationSpace.low;
    made.close();
    return length;
  };
  const [seen, offered] = [own, options].map(observed);
  if (seen === offered) return options;
  const changed = Object.entries(given).map(([name, value]) => `${name}=${String(value)}`);
  throw new RangeError(
    `options of ${env} are ${changed.join(', ')}, but must leave an observation its ${seen} numbers, which the model sees; ` +
      `with them it has ${offered}.`,
  );
}

/**
 * Evaluates a run's model again: without options, as it was at the end of its training.
 * @param run what `openRun` returns, or the path of its folder
 */
export async function evaluateRun(run: Run | string, options: EvaluateRunOptions = {}): Promise<RunResult & ReturnsAt> {
  const opened = runOf(run);
  const { divisions, episodes, seed, last = false, preferences, watch } = options;
  const { config } = opened.plan;
  await prepareEnv(opened.plan.env);
  const plan = {
    ...opened.plan,
    envOptions: evaluationOptions(opened, options.envOptions ?? {}),
    config: {
      ...config,
      evaluationDivisions: divisions ?? config.evaluationDivisions,
      episodes: episodes ?? config.episodes,
      ...(last && { keep: 'last' as const }),
    },
    ...(seed !== undefined && { evaluationSeed: seed }),
  };
  const began = performance.now();
  const model = options.model ?? loadModel(opened, plan.config.keep);
  const asked = preferences ?? evaluationPreferences(plan);
  const { policies, own, used } = policiesOf(asked, answering(model));
  // All policies are played, also those that answer nobody: what a preference loses is against the best of them.
  const played = withPolicy(plan, withoutAnswers(model), policies.length, options, async (policy, workers) => {
    if (isPolicySet(policy) && preferences === undefined) {
      return scoredMembers(plan, (await playMembers(plan, policy, workers, watch)).returns);
    }
    const evaluator = await Evaluator.open(plan, policy, workers, policies);
    const earned = (await evaluator.play(0, plan.config.episodes, watch)).returns;
    const returnsOf = (indices: readonly number[]) => indices.map((index) => earned[index]);
    const returns = returnsOf(used);
    const unused = used === own ? {} : { own: returnsOf(own) };
    return {
      score: score(envInfo(plan.env), returnDiscountOf(plan), asked, returns, asked, unused.own),
      preferences: asked,
      returns,
      ...unused,
    };
  });
  const { score: scored, ...returnsAt } = await played;
  return {
    run: opened.folder,
    ...scored,
    ceiling: ceilingOf(envInfo(plan.env), returnDiscountOf(plan)),
    ...opened.result,
    ...(plan.from !== undefined && { from: plan.from }),
    seconds: (performance.now() - began) / 1000,
    protocol: protocolOf(plan, opened.protocol.lockstep, preferences),
    ...returnsAt,
  };
}

/**
 * Opens the policy of a model and workers to play it with, for as long as that takes.
 * @param count of preferences that are played
 */
export async function withPolicy<T>(
  plan: TrainingPlan,
  model: Model,
  count: number,
  { device, workers: threads }: Pick<EvaluateRunOptions, 'device' | 'workers'>,
  play: (policy: Policy | PolicySet, workers: Workers) => Promise<T>,
): Promise<T> {
  const policy = await compiledPolicy(model, device ?? (await inferenceDevice(plan.device)));
  const workers = new Workers(threads ?? defaultWorkers(plan.env, count, undefined));
  try {
    return await play(policy, workers);
  } finally {
    await workers.close();
    await policy.dispose();
  }
}

/**
 * The policies that are played, each once, by the preferences that they are of.
 * @returns own and used: for each preference that is asked the place of its own policy, and of the one that answers it
 */
function policiesOf(asked: readonly (readonly number[])[], answerTo: Answering | undefined) {
  const own = [...asked.keys()];
  if (answerTo === undefined) return { policies: asked, own, used: own };
  // Answers are in single precision, in which policies see preferences too.
  const keyOf = (preference: ArrayLike<number>) => Float32Array.from(preference).join();
  const policies = [...asked];
  const places = new Map(asked.map((preference, i) => [keyOf(preference), i]));
  const used = asked.map((preference) => {
    const answer = answerTo(preference);
    const key = keyOf(answer);
    if (!places.has(key)) places.set(key, policies.push(Array.from(answer)) - 1);
    return places.get(key)!;
  });
  return { policies, own, used };
}
