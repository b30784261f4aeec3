/** Gives the model of a run answers: preferences that their own policies serve badly are answered by those of others. */
import { envInfo, prepareEnv } from '../envs/index.js';
import {
  bestAnswers,
  confirmedAnswers,
  doAnswersGain,
  earnedBy,
  type EpisodesAt,
  type ReturnsAt,
} from '../fronts/index.js';
import { withAnswers, withoutAnswers, type Model } from '../model/index.js';
import { evaluationPreferences, Evaluator, LARGEST_SEED, type TrainingPlan } from '../training/index.js';
import type { Answers } from './answers.js';
import type { Run } from './directory.js';
import { withPolicy, type EvaluateRunOptions } from './evaluate-run.js';

export interface CalibrationOptions extends Pick<EvaluateRunOptions, 'divisions'> {
  /** The share of the best utility that a preference may lose by its own policy and keep it. */
  readonly tolerance?: number;
  /** At each preference, in each of the three parts: to choose answers, to confirm them, and to check all together. */
  readonly episodes?: number;
  /** Of the first episode; each of the others has the next seed. */
  readonly seed?: number;
}

export const TOLERANCE = 0.02;
export const CALIBRATION_EPISODES = 10;
/** The spread of episodes is known from two on. */
export const LEAST_CALIBRATION_EPISODES = 2;
/** Nobody has the time for more. */
export const MOST_CALIBRATION_EPISODES = 1_000_000;
/** Start states that no training chooses its policy set by. */
export const CALIBRATION_SEED = 600_001;
/** Episodes choose answers, others confirm them one by one, and again others check what they are worth together. */
export const CALIBRATION_PARTS = 3;

/** There are no answers that do better than own policies by more than luck. */
export class NoGainError extends Error {
  override readonly name = 'NoGainError';
}

/** Where it is played, and who watches. */
type Playing = Pick<EvaluateRunOptions, 'device' | 'workers' | 'watch'>;

/**
 * The model of a run with answers, and how they came about. Throws a NoGainError where answers by others gain nothing.
 * @param trained the model, whose answers are left out if it has any
 */
export async function calibrated(
  { plan: { config, ...rest } }: Run,
  trained: Model,
  options: CalibrationOptions,
  playing: Playing,
): Promise<{ readonly model: Model; readonly answers: Answers }> {
  const { tolerance = TOLERANCE, episodes = CALIBRATION_EPISODES, seed = CALIBRATION_SEED } = options;
  const { divisions = config.evaluationDivisions } = options;
  const plan: TrainingPlan = { ...rest, config: { ...config, evaluationDivisions: divisions } };
  await prepareEnv(plan.env);
  const model = withoutAnswers(trained);
  const { preferences, episodes: played } = await playEpisodes(
    plan,
    model,
    CALIBRATION_PARTS * episodes,
    seed,
    playing,
  );
  const part = (nth: number) => ({ preferences, episodes: played.slice(nth * episodes, (nth + 1) * episodes) });

  const { referencePoint } = envInfo(plan.env);
  const answers = confirmedAnswers(bestAnswers(part(0), referencePoint, tolerance), part(1));
  const checking = part(2);
  const own = preferences.map((_, i) => i);
  const others = answers.filter((answer, i) => answer !== i).length;
  if (!doAnswersGain(answers, checking)) {
    throw new NoGainError(
      others === 0
        ? `nothing was written: no preference gains by the policy of another one, in ${episodes} episodes that did not choose it.`
        : `nothing was written: what preferences gain by the policies of others is no more than luck, in ${episodes} episodes that did not choose these.`,
    );
  }
  const used = answers.map((answer) => preferences[answer]);
  const earned = {
    own: earnedBy(own, checking, referencePoint),
    answered: earnedBy(answers, checking, referencePoint),
  };
  return {
    model: withAnswers(model, preferences, used),
    answers: { count: preferences.length, others, tolerance, episodes, seed, ...earned },
  };
}

/** Own policies at every preference. Each episode has a seed of its own, so that all of them begin it at the same start state. */
async function playEpisodes(
  plan: TrainingPlan,
  model: Model,
  count: number,
  seed: number,
  { watch, ...options }: Playing,
): Promise<EpisodesAt> {
  const preferences = evaluationPreferences(plan);
  return withPolicy(plan, model, preferences.length, options, async (policy, workers) => {
    const evaluator = await Evaluator.open(plan, policy, workers, preferences);
    const episodes: ReturnsAt['returns'][] = [];
    for (let nth = 0; nth < count; nth++) {
      const { returns } = await evaluator.play(0, 1, (share) => watch?.((nth + share) / count), seed + nth);
      episodes.push(returns);
    }
    return { preferences, episodes };
  });
}

/**
 * Throws a RangeError that names what cannot be.
 * @param before what stands before the names of options where they were typed
 */
export function checkCalibration(
  { protocol, plan }: Run,
  { tolerance = TOLERANCE, episodes = CALIBRATION_EPISODES, seed = CALIBRATION_SEED, divisions }: CalibrationOptions,
  before = '',
): void {
  const refuse = (name: string, value: number, allowed: string) => {
    throw new RangeError(`${before}${name} is ${value}, but must be ${allowed}.`);
  };
  if (!(tolerance >= 0 && tolerance < 1)) refuse('tolerance', tolerance, 'a number of at least 0 and below 1');
  if (
    !(Number.isSafeInteger(episodes) && episodes >= LEAST_CALIBRATION_EPISODES && episodes <= MOST_CALIBRATION_EPISODES)
  ) {
    refuse('episodes', episodes, `an integer from ${LEAST_CALIBRATION_EPISODES} to ${MOST_CALIBRATION_EPISODES}`);
  }
  // Each answers the preferences around it, which a coarse grid knows nothing of.
  const { evaluationDivisions } = plan.config;
  if (divisions !== undefined && divisions < evaluationDivisions) {
    refuse('divisions', divisions, `an integer of at least ${evaluationDivisions}, which the run was evaluated with`);
  }
  const seeds = CALIBRATION_PARTS * episodes;
  if (!(Number.isSafeInteger(seed) && seed >= 0 && seed + seeds - 1 <= LARGEST_SEED)) {
    refuse('seed', seed, `an integer from 0 to ${LARGEST_SEED - seeds + 1}`);
  }
  const { evaluationSeed } = protocol;
  if (evaluationSeed >= seed && evaluationSeed < seed + seeds) {
    refuse('seed', seed, `another one: the run was evaluated with ${evaluationSeed}, which is among the next ${seeds}`);
  }
  if (protocol.preferences.kind === 'members') {
    throw new RangeError('run is a finite set of policies, but must have a policy for every preference.');
  }
}
