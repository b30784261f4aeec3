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

/** A run by its name and what the name does not say already, such as its environment. */
export function nameWith(name: string, ...others: readonly string[]): string {
  return [name, ...others.filter((other) => !name.includes(other))].join(' · ');
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
  const all = metrics.length <= 1 ? 'the only evaluation' : `the best of ${metrics.length} evaluations`;
  const which = `${keepsBest ? all : 'the last evaluation'}${soFar}`;
  return kept?.envSteps === undefined ? which : `${which}, after ${kept.envSteps.toLocaleString('en')} steps`;
}

/** How returns are added up, where later rewards count less. */
export function discountWords({ returnDiscount }: Pick<RunData, 'returnDiscount'>): string {
  return returnDiscount < 1 ? `discounted by ${returnDiscount} a step` : '';
}

/** What is seen here, and what to do with it. */
export function gistOf({ isFiniteSet }: Pick<RunData, 'isFiniteSet'>): string {
  return isFiniteSet
    ? 'A set of policies, the best one for each preference: drag'
    : 'One network, every preference: drag';
}

/** Environment steps that a run is known to have taken: up to its last evaluation, or to where it was stopped. */
export function stepsDone({ metrics, modelSteps = 0 }: Pick<RunData, 'metrics' | 'modelSteps'>): number {
  return Math.max(metrics.at(-1)?.envSteps ?? 0, modelSteps);
}

/** How long a run trains, and how far it is. */
export function budgetWords(run: RunData): string {
  const budget = `${run.steps.toLocaleString('en')} environment steps`;
  return statusOf(run) === 'finished' ? budget : `${budget}, of which ${stepsDone(run).toLocaleString('en')} are taken`;
}

/** How the numbers of a run came about. */
export function protocolWords(run: RunData): string {
  const { kept, episodes, referencePoint, isFiniteSet } = run;
  const count = kept?.evaluated.preferences.length ?? 0;
  const played = isFiniteSet ? 'policies of the set' : 'preferences';
  const each = episodes === 1 ? 'one episode each' : `${episodes} episodes each`;
  const returns = run.returnDiscount < 1 ? `returns ${discountWords(run)}` : 'returns as plain sums';
  const reference = referencePoint.map((value) => formatNumber(value)).join(', ');
  return `${count > 0 ? `${count.toLocaleString('en')} ${played}, ` : ''}${each}, ${returns}, hypervolume above (${reference})`;
}

/** What is to be seen where answers to preferences are drawn, of which those of a finite set lose nothing. */
export function gapsLegend(objectives: number, isFiniteSet: boolean): string {
  if (objectives > 3) return 'line: mean, area: worst regret of all preferences with that weight';
  return objectives === 2 || isFiniteSet
    ? 'hollow: another policy of the set is better in everything · click to take a preference'
    : 'large and orange: much is lost · hollow: dominated · click to take a preference';
}
