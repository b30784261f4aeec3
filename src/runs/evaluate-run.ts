/** Evaluates the stored model of a run again, under its own protocol or another one. */
import { envInfo, envOptions, makeEnv, prepareEnv } from '../envs/index.js';
import type { EnvOptions, OptionValues } from '../envs/index.js';
import { ceilingOf, score } from '../fronts/index.js';
import type { ReturnsAt } from '../fronts/index.js';
import type { Model } from '../model/index.js';
import { compiledPolicy, defaultWorkers, inferenceDevice, isPolicySet, Workers } from '../rollout/index.js';
import {
  evaluationPreferences,
  Evaluator,
  playMembers,
  protocolOf,
  returnDiscountOf,
  scoredMembers,
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
  const { divisions, episodes, seed, last = false, device, workers: threads, preferences, watch } = options;
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
  const policy = await compiledPolicy(model, device ?? (await inferenceDevice(plan.device)));
  const played = preferences ?? evaluationPreferences(plan);
  const workers = new Workers(threads ?? defaultWorkers(plan.env, played.length, undefined));
  try {
    const play = async () => {
      const evaluator = await Evaluator.open(plan, policy, workers, played);
      const { returns } = await evaluator.play(0, plan.config.episodes, watch);
      return {
        score: score(envInfo(plan.env), returnDiscountOf(plan), played, returns, played),
        returns,
        preferences: played,
      };
    };
    const { score: scored, ...returnsAt } =
      isPolicySet(policy) && preferences === undefined
        ? scoredMembers(plan, (await playMembers(plan, policy, workers, watch)).returns)
        : await play();
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
  } finally {
    await workers.close();
    await policy.dispose();
  }
}
