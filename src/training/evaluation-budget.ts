/**
 * How much is evaluated in a training that is shorter than its preset's. What a robot is played for in twenty evaluations
 * of a hundred preferences is little beside a million steps of training, and far more than five thousand.
 */
import type { Algorithm } from '../algorithms/index.js';
import type { EnvInfo, PresetName } from '../envs/index.js';
import { gridSize } from '../preferences/index.js';
import type { Plan } from './definition.js';

/** A front of fewer preferences shows little. */
const LEAST_PREFERENCES = 11;
/** Steps of evaluations for each step of training: a little over one, so that the full grids of `best` stay as they are. */
const MOST_PER_STEP = 1.25;

/**
 * The evaluations of a training with fewer steps than its preset has; nothing where they stay those of the preset. They
 * come as often, so that fewer steps have fewer of them, but at least one. As long as they take more steps than the
 * training, their grid gets coarser with the steps: every second preference of the preset's, every fourth, and so on, down
 * to eleven.
 *
 * The preset `paper` is evaluated as it says. So are discrete environments, whose episodes are short and whose grids are
 * those of the papers, and populations, which are played once for each of their iterations anyway.
 * @param preset everything that the preset says
 */
export function evaluationsWithin(
  steps: number,
  { preset, algorithm, env }: { readonly preset: PresetName; readonly algorithm: Algorithm; readonly env: EnvInfo },
  { steps: own, evaluations: most, evaluationDivisions, episodes }: Plan['config'],
): { readonly evaluations?: number; readonly evaluationDivisions?: number } {
  const isFixed = preset === 'paper' || env.actionSpace.kind === 'discrete' || algorithm.kind === 'population';
  if (isFixed || steps >= own) return {};
  const evaluations = Math.max(1, Math.floor((steps * most) / own));
  const sizeOf = (divisions: number) => gridSize(env.objectives.length, divisions);
  const affordable = (MOST_PER_STEP * steps) / (evaluations * episodes * env.horizon);
  const preferences = Math.max(affordable, (steps / own) * sizeOf(evaluationDivisions));
  const grids = divisorsOf(evaluationDivisions).filter((divisions) => sizeOf(divisions) >= LEAST_PREFERENCES);
  const fitting = grids.filter((divisions) => sizeOf(divisions) <= preferences);
  return { evaluations, evaluationDivisions: fitting.at(-1) ?? grids.at(0) ?? evaluationDivisions };
}

/** From the smallest on. */
function divisorsOf(value: number): number[] {
  return Array.from({ length: value }, (_, i) => i + 1).filter((divisor) => value % divisor === 0);
}
