/** Gives the model of a run answers by an evaluation: preferences that its own policies serve badly are answered by others. */
import { envInfo } from '../envs/index.js';
import { bestAnswers, regretOfAnswers, type ReturnsAt } from '../fronts/index.js';
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

/**
 * The model of a run with answers, and what they are worth once it has been played as the run was evaluated.
 * @param trained the model, whose answers are left out if it has any
 * @param evaluatedAs options of the first and the second evaluation
 */
export async function calibrated(
  run: Run,
  trained: Model,
  { tolerance = TOLERANCE, episodes = CALIBRATION_EPISODES, seed = CALIBRATION_SEED, divisions }: CalibrationOptions,
  evaluatedAs: (nth: 0 | 1) => EvaluateRunOptions,
): Promise<{ readonly model: Model; readonly answers: (answered: ReturnsAt) => Answers }> {
  const { referencePoint } = envInfo(run.plan.env);
  const model = withoutAnswers(trained);
  const grid = divisions === undefined ? {} : { divisions };
  const { preferences, returns } = await evaluateRun(run, { ...evaluatedAs(0), ...grid, episodes, seed, model });
  const used = bestAnswers({ preferences, returns }, referencePoint, tolerance);
  const own = await evaluateRun(run, { ...evaluatedAs(1), model });
  return {
    model: withAnswers(model, preferences, used),
    answers: (answered) => {
      const regret = regretOfAnswers(own, answered, referencePoint);
      return {
        count: preferences.length,
        others: used.filter((preference, i) => preference !== preferences[i]).length,
        tolerance,
        episodes,
        seed,
        regret: regret.answered,
        own: { hypervolume: own.hypervolume, regret: regret.own },
      };
    },
  };
}

/** Throws a RangeError that names what cannot be. */
export function checkCalibration({ protocol }: Run, { tolerance = TOLERANCE, seed }: CalibrationOptions): void {
  if (!(tolerance >= 0 && tolerance < 1)) {
    throw new RangeError(`tolerance is ${tolerance}, but must be a number of at least 0 and below 1.`);
  }
  if (seed === protocol.evaluationSeed) {
    throw new RangeError(`seed is ${seed}, but must be another one than that which the run was evaluated with.`);
  }
  if (protocol.preferences.kind === 'members') {
    throw new RangeError('run is a finite set of policies, but must have a policy for every preference.');
  }
}
