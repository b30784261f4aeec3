/** Gives the model of a run answers by an evaluation: preferences that its own policies serve badly are answered by others. */
import { envInfo } from '../envs/index.js';
import { bestAnswers } from '../fronts/index.js';
import { withAnswers, withoutAnswers, type Model } from '../model/index.js';
import type { Answers } from './answers.js';
import type { Run } from './directory.js';
import { evaluateRun, type EvaluateRunOptions } from './evaluate-run.js';

export interface CalibrationOptions extends Pick<EvaluateRunOptions, 'divisions' | 'episodes' | 'seed'> {
  /** The share of the best utility that a preference may lose by its own policy and keep it. */
  readonly tolerance?: number;
}

export const TOLERANCE = 0.02;
/** One is a matter of luck. */
export const CALIBRATION_EPISODES = 5;
/** Start states that no training chooses its policy set by. */
export const CALIBRATION_SEED = 600_001;

/** Throws a RangeError where the model is a finite set of policies, which needs no answers. */
export async function calibrated(
  run: Run,
  model: Model,
  { tolerance = TOLERANCE, episodes = CALIBRATION_EPISODES, seed = CALIBRATION_SEED, divisions }: CalibrationOptions,
  options: EvaluateRunOptions,
): Promise<{ readonly model: Model; readonly answers: Answers }> {
  if (!(tolerance >= 0 && tolerance < 1)) {
    throw new RangeError(`tolerance is ${tolerance}, but must be a number of at least 0 and below 1.`);
  }
  if (model.description.policy.parameters.members !== undefined) {
    throw new RangeError(
      'the model is a finite set of policies, which answers every preference with the best of them.',
    );
  }
  const own = withoutAnswers(model);
  const grid = divisions === undefined ? {} : { divisions };
  const { preferences, returns } = await evaluateRun(run, { ...options, ...grid, episodes, seed, model: own });
  const { referencePoint } = envInfo(run.plan.env);
  const used = bestAnswers({ preferences, returns }, referencePoint, tolerance);
  const others = used.filter((preference, i) => preference !== preferences[i]).length;
  const answers = { count: preferences.length, others, tolerance, episodes, seed };
  return { model: withAnswers(own, preferences, used), answers };
}
