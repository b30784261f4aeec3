/**
 * What came of a run: its final score where the table has one, otherwise that of the evaluation that it keeps; or what its
 * record says.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { envInfo } from '../envs/index.js';
import { score } from '../fronts/index.js';
import type { ReturnsAt, Score } from '../fronts/index.js';
import { readReturns } from '../runs/index.js';
import type { Run } from '../runs/index.js';
import { evaluationPreferences, returnDiscountOf } from '../training/index.js';
import { finalScore } from './final-score.js';
import type { FinalProtocol, FinalScore } from './final-score.js';
import { isRun } from './finished.js';
import type { Finished } from './finished.js';
import type { Outcome, PlannedRun } from './job.js';
import { frontAndCurveOf } from './front-and-curve.js';

export interface OutcomeOptions {
  /** Absent where runs are not played again. */
  readonly final: FinalProtocol | undefined;
  /** Whether it had been trained before; true by default. */
  readonly isReused?: boolean;
  /** Hears which share of its score is played; what it throws ends that, and is thrown by it. */
  readonly watch?: (share: number) => void;
}

/** The outcome of what is finished; a final score that a run lacks is played. */
export async function outcomeOf(
  planned: PlannedRun,
  finished: Finished,
  { final, isReused = true, watch = () => undefined }: OutcomeOptions,
): Promise<Outcome> {
  if (isRun(finished)) {
    return outcomeOfRun(planned, finished, isReused, final && (await finalScore(finished, final, watch)));
  }
  const { method, plan, protocol, result } = finished;
  const { lockstep: _, ...rest } = result;
  return { method, plan, ...rest, protocol, isReused };
}

function outcomeOfRun({ method }: PlannedRun, run: Run, isReused: boolean, final?: FinalScore): Outcome {
  const { folder, plan, protocol, result } = run;
  const chosen = chosenBy(run);
  const { preferences, returns, ...scored } = final?.kept ?? { ...chosen, protocol };
  const record = frontAndCurveOf(run, { preferences, returns });
  const { envSteps, gradientSteps, evaluationSteps, seconds, machine } = result;
  return {
    method,
    plan,
    seed: plan.seed,
    run: folder,
    ...scored,
    ...record,
    chosenBy: chosen.hypervolume,
    last: (final === undefined ? record.curve.at(-1)?.hypervolume : final.last?.hypervolume) ?? null,
    envSteps,
    gradientSteps,
    evaluationSteps,
    seconds: seconds / protocol.lockstep,
    machine,
    device: plan.device,
    versions: versionsOf(run),
    isReused,
  };
}

/** The evaluation by which the policy set was chosen that the run keeps. */
export function chosenBy(run: Run): Score & ReturnsAt {
  const { plan, protocol } = run;
  const { preferences, returns } = readReturns(run);
  const played = protocol.preferences.kind === 'members' ? undefined : preferences;
  return {
    ...score(envInfo(plan.env), returnDiscountOf(plan), evaluationPreferences(plan), returns, played),
    preferences,
    returns,
  };
}

/** Of the programs that a run was begun with. */
export function versionsOf({ folder }: Run): Readonly<Record<string, string>> {
  const { versions = {} } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as {
    readonly versions?: Readonly<Record<string, string>>;
  };
  return versions;
}
