/** What the page says about a run, in words. */
import { ceilingOf, shareOf } from '../../fronts/score.js';
import { formatNumber } from '../../plots/scale.js';
import type { RunData } from './run-data.js';

/** `interrupted` where the process that trained it is gone; `unfinished` where nobody can tell, as in exported files. */
export type Status = 'training' | 'finished' | 'stopped' | 'interrupted' | 'unfinished';

export function statusOf({ isTraining, isFinished, isStopped }: RunData): Status {
  if (isFinished && !isStopped) return 'finished';
  if (isTraining === true) return 'training';
  if (isFinished) return 'stopped';
  return isTraining === false ? 'interrupted' : 'unfinished';
}

/** The hypervolume that no policy set exceeds, where it is known. */
export function ceilingOfRun({ env, referencePoint, returnDiscount }: RunData): number | null {
  return ceilingOf({ ...env, referencePoint }, returnDiscount);
}

/** The hypervolume of the policy set that is kept, which is the one that is played and plotted; undefined before there is one. */
export function hypervolumeOf(run: RunData): string | undefined {
  const { kept } = run;
  if (kept?.values.hypervolume === undefined) return undefined;
  const { hypervolume } = kept.values;
  const ceiling = ceilingOfRun(run);
  const share = ceiling === null ? '' : ` (${shareOf(hypervolume, ceiling)} of the ceiling)`;
  return `${formatNumber(hypervolume)}${share}`;
}

/** Which of its evaluations a run keeps. */
export function keptWords(run: RunData): string {
  const { kept, metrics, keepsBest } = run;
  const soFar = statusOf(run) === 'finished' ? '' : ' so far';
  const which = keepsBest ? `the best of ${metrics.length} evaluations${soFar}` : `the last evaluation${soFar}`;
  return kept?.envSteps === undefined ? which : `${which}, after ${kept.envSteps.toLocaleString('en')} steps`;
}

/** How returns are added up, where later rewards count less. */
export function discountWords({ returnDiscount }: Pick<RunData, 'returnDiscount'>): string {
  return returnDiscount < 1 ? `discounted by ${returnDiscount} a step` : '';
}
