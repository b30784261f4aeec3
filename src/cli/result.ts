/** The results of a run as lines of text, which several commands print. */
import { twoColumns } from '../config/index.js';
import { shareOf } from '../fronts/index.js';
import type { PreferenceRegret } from '../pareto/index.js';
import { gridSize } from '../preferences/index.js';
import {
  CALIBRATION_PARTS,
  hasLast,
  importRunModules,
  openRun,
  RunError,
  type Answers,
  type Run,
  type RunResult,
} from '../runs/index.js';
import { type Protocol } from '../training/index.js';
import { UsageError } from './errors.js';
import { percent, shown } from './format.js';

/** The numbers of a run with their protocol, for people. */
export function resultLines(result: RunResult): string[] {
  const { sparsity, points, coverageF1, regret, evaluationSteps, protocol, keptAt, last, weights, answers, from } =
    result;
  const rows: [string, string][] = [
    ['hypervolume', ofCeiling(result.hypervolume, result.ceiling)],
    [
      'sparsity',
      `${shown(sparsity.distinct)} over distinct points, ${shown(sparsity.published)} with every copy, as published`,
    ],
    ['front', counted(points, 'distinct non-dominated return')],
    ['expected utility', shown(result.expectedUtility)],
    ...(regret === null ? [] : [['regret', regretText(regret)] as [string, string]]),
    ...(coverageF1 === null ? [] : [['coverage F1', coverageOf(coverageF1, protocol)] as [string, string]]),
    ...(last === undefined || keptAt === undefined ? [] : [['kept', keptText(keptAt, last)] as [string, string]]),
    [
      'trained for',
      `${counted(result.envSteps, 'environment step')}, ${counted(result.gradientSteps, 'gradient step')}`,
    ],
    ...(from === undefined
      ? []
      : [['', `of which ${from.run} took ${from.envSteps} and ${from.gradientSteps}`] as [string, string]]),
    ...(evaluationSteps === null
      ? []
      : [['evaluated for', `${counted(evaluationSteps, 'environment step')} more`] as [string, string]]),
    ...(weights === undefined ? [] : [['weights', `${weights}, rounded after the training`] as [string, string]]),
    ...(answers === undefined ? [] : [['answers', answersText(answers)] as [string, string]]),
    ...protocolRows(protocol),
  ];
  return twoColumns(rows);
}

export function ofCeiling(hypervolume: number, ceiling: number | null): string {
  if (ceiling === null || ceiling === 0) return shown(hypervolume);
  return `${shown(hypervolume)}, ${shareOf(hypervolume, ceiling)} of the ceiling ${shown(ceiling)}`;
}

/** Which policy set a run ends with, and what the last one achieved. */
function keptText(keptAt: number, last: Required<RunResult>['last']): string {
  if (keptAt === last.envSteps) return 'the policy set of the last evaluation, which is the best';
  return `the policy set after ${counted(keptAt, 'step')}; the last one has ${shown(last.hypervolume)}`;
}

/** What preferences lose by their own policies. */
export function regretText({ mean, worst, below80 }: PreferenceRegret): string {
  const below = `${percent(below80)} of preferences below 80 %`;
  return `${percent(mean)} on average, ${percent(worst)} at worst, ${below}`;
}

/** Where preferences are answered by policies of others. */
export function answersText({ count, others, tolerance, episodes, seed }: Answers): string {
  const why = `where their own lost more than ${percent(tolerance)} and that gained`;
  const played = `${CALIBRATION_PARTS} times ${episodes} episodes each from seed ${seed}`;
  return `${others} of ${count} preferences by the policy of another one, ${why} (${played})`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function protocolRows(protocol: Protocol): [string, string][] {
  const { returnDiscount, referencePoint, envOptions } = protocol;
  const options = Object.entries(envOptions).map(([name, value]) => `, ${name} ${value}`);
  return [
    ['protocol', `${protocol.env}${options.join('')}`],
    ['', `reference point ${referencePoint.join(',')}, returns discounted by ${returnDiscount}`],
    [
      '',
      `${preferencesOf(protocol)}, ${counted(protocol.episodes, 'episode')} each from seed ${protocol.evaluationSeed}`,
    ],
    ['', keptOf(protocol)],
  ];
}

/** Which policy set of a training is scored. */
export function keptOf({ keep, preferences }: Protocol): string {
  if (preferences.kind === 'members') return 'all policies are kept that were not dominated when they were played';
  return keep === 'best' ? 'the best policy set of all evaluations is kept' : 'the last policy set is kept';
}

function preferencesOf({ preferences, referencePoint }: Protocol): string {
  if (preferences.kind === 'given') return counted(preferences.count, 'given preference');
  const { kind, count, divisions } = preferences;
  const all = gridSize(referencePoint.length, divisions);
  const some = count === all ? '' : `, those of ${all} that sum to exactly 1 in floating point, as published`;
  const grid = `${count} preferences on the simplex grid with step 1/${divisions}${some}`;
  return kind === 'members' ? `every policy of the set, utility over ${grid}` : grid;
}

function coverageOf(f1: number, { coverageTolerance }: Protocol): string {
  return `${shown(f1)} (within an L1 distance of ${coverageTolerance ?? 0} of the known front)`;
}

/** Opens a finished run, of a user's own environment too. */
export function openedRun(folder: string): Promise<Run> {
  return readingRun(async () => {
    await importRunModules(folder);
    return openRun(folder);
  });
}

/** Refuses --last where the policy set that it asks for is not there. */
export function checkLast(run: Run, last: boolean): void {
  if (!last || hasLast(run)) return;
  throw new UsageError(
    '--last',
    last,
    `left out with ${run.folder}, which has no policy set but the one that it keeps`,
  );
}

/** Runs something that reads a run, whose defects are the user's to know. */
export async function readingRun<T>(
  read: () => T | Promise<T>,
  allowed = 'a folder that psl train has finished',
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    throw new UsageError('RUN', error.folder, `${allowed} (${error.problem})`);
  }
}

/** A path, or another argument, as it is typed in a shell: double quotes are understood by all, but hold some characters of theirs. */
export function typedPath(path: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path)) return path;
  return /["$`!]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : `"${path}"`;
}
