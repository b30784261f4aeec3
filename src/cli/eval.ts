import { choice, flag, integer, numbers, text, twoColumns } from '../config/index.js';
import { envInfo, prepareEnv, type Objective } from '../envs/index.js';
import { bestPreference, meanUtility } from '../fronts/index.js';
import { chebyshev, idealAndNadir } from '../pareto/index.js';
import { gridSize } from '../preferences/index.js';
import { changedFiles, evaluateRun, evaluationOptions } from '../runs/index.js';
import { checkDivisions, evaluationPreferences, LARGEST_SEED, type Protocol } from '../training/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenDevice, deviceOption, workersOption } from './device-option.js';
import { envOptionsIn, envSetOption } from './env-set-option.js';
import { checkInput, UsageError } from './errors.js';
import { shown } from './format.js';
import { checkPreference } from './preference-option.js';
import { checkLast, openedRun, readingRun, resultLines } from './result.js';
import { watched } from './watch-evaluation.js';

/** `psl eval`: what the model of a run achieves, played anew. */
export const evalCommand = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run, as psl train prints it.' })),
  },
  options: {
    divisions: ifGiven(
      integer({ min: 1, about: 'How fine the grid of preferences is: 10 is a step of 0.1.' }),
      "the run's own",
    ),
    episodes: ifGiven(integer({ min: 1, about: 'Episodes for each preference.' }), "the run's own"),
    seed: ifGiven(
      integer({
        min: 0,
        max: LARGEST_SEED,
        about: 'Of the first episode at each preference: another one than the training chose its policy set by.',
      }),
      "the run's own",
    ),
    last: flag({
      default: false,
      about: 'Play the policy set of the last evaluation instead of the one that is kept.',
    }),
    preferences: ifGiven(
      integer({
        min: 1,
        max: 1_000_000,
        about: 'How many preferences the grid has, instead of --divisions: 1001 is a step of 0.001.',
      }),
    ),
    device: ifGiven(deviceOption, "the run's own, or the CPU where that is not here"),
    workers: ifGiven(workersOption, 'as many as pay'),
    preference: ifGiven(
      numbers({ about: 'One preference to follow instead of a grid, such as 0.5,0.5: weights that sum to 1.' }),
    ),
    envSet: envSetOption,
    utility: ifGiven(
      choice(['chebyshev'], {
        about:
          'Which preference of the grid to act with for a utility that is no weighted sum, with --preference as its ' +
          'weights. chebyshev: the largest weighted shortfall of an objective from the ideal is as small as possible.',
      }),
    ),
    ideal: ifGiven(
      numbers({ about: 'The point from which --utility measures shortfalls.' }),
      'the most of each objective that the policy set achieves',
    ),
    nadir: ifGiven(
      numbers({ about: 'The point at which a shortfall from the ideal is 1 for --utility.' }),
      'the least of each objective on its front',
    ),
  },

  async run({ run: folder, divisions: asked, preferences, preference, device, utility, ...rest }, output) {
    const { episodes, seed, last, workers, ideal, nadir, envSet } = rest;
    const points = Object.entries({ ideal, nadir }).flatMap(([name, point]) => (point ? [[name, point] as const] : []));
    if (utility === undefined && points.length > 0) {
      throw new UsageError(`--${points[0][0]}`, points[0][1].join(), 'left out without --utility');
    }
    if (utility !== undefined && preference === undefined) {
      throw new UsageError('--preference', undefined, `the weights of --utility ${utility}, such as 0.5,0.5`);
    }
    const followed = utility === undefined ? preference : undefined;
    if (followed !== undefined && asked !== undefined) {
      throw new UsageError('--divisions', asked, 'left out with --preference');
    }
    if (preferences !== undefined && (followed !== undefined || asked !== undefined)) {
      throw new UsageError('--preferences', preferences, 'left out with --preference and --divisions');
    }
    const run = await openedRun(folder);
    checkLast(run, last);
    const { env, config, algorithm } = run.plan;
    const { objectives } = envInfo(env);
    if (preference !== undefined) checkPreference(preference, objectives.length);
    for (const [name, point] of points) {
      if (point.length === objectives.length) continue;
      throw new UsageError(`--${name}`, point.join(), `${objectives.length} numbers, one per objective`);
    }
    const divisions = preferences === undefined ? asked : divisionsFor(preferences, objectives.length);
    if (divisions !== undefined) checkInput(() => checkDivisions('--divisions', env, divisions));
    const chosen = device === undefined ? undefined : await chosenDevice(device, output);
    await prepareEnv(env);
    const envOptions = envOptionsIn(env, envSet);
    checkInput(() => evaluationOptions(run, envOptions));
    // Of a population every member is played otherwise, also those that no preference leads to.
    const isGridPlayed = utility !== undefined && algorithm.kind === 'population';
    const grid = { env, config: { ...config, ...(divisions !== undefined && { evaluationDivisions: divisions }) } };
    const played = followed !== undefined ? [followed] : isGridPlayed ? evaluationPreferences(grid) : undefined;
    const evaluated = await watched(output, (watch) =>
      readingRun(() =>
        evaluateRun(run, {
          ...(divisions !== undefined && { divisions }),
          ...(episodes !== undefined && { episodes }),
          ...(seed !== undefined && { seed }),
          last,
          envOptions,
          ...(chosen !== undefined && { device: chosen }),
          ...(workers !== undefined && { workers }),
          ...(played !== undefined && { preferences: played }),
          watch,
        }),
      ),
    );
    if (evaluated === undefined) {
      output.report(['stopped in the middle of the evaluation, which changes nothing']);
      return { run: folder, interrupted: true };
    }
    const { returns, preferences: at, own, ...result } = evaluated;
    for (const name of changedFiles(run)) output.line(`warning: ${name} of this run is not what was written`);
    if (preference === undefined) {
      if (own === undefined) {
        output.report([`run: ${folder}`, ...resultLines(result)]);
        return result;
      }
      const earned = {
        answered: meanUtility({ preferences: at, returns }),
        own: meanUtility({ preferences: at, returns: own }),
      };
      const both = `preferences earn ${shown(earned.answered)} on average as they are answered, ${shown(earned.own)} each by its own policy`;
      output.report([`run: ${folder}`, ...resultLines(result), both]);
      return { ...result, meanUtility: earned };
    }
    if (utility === undefined) {
      const [achieved] = returns;
      output.report([
        `run: ${folder}`,
        `return at preference ${preference.join()}:`,
        ...returnLines(objectives, achieved, result.protocol),
      ]);
      return { ...result, preference, return: achieved };
    }
    const between = { ...idealAndNadir(returns), ...Object.fromEntries(points) };
    const best = checkInput(() => bestPreference({ preferences: at, returns }, chebyshev(preference, between)));
    output.report([
      `run: ${folder}`,
      `best of ${at.length} preferences by the Chebyshev utility with weights ${preference.join()}:`,
      `preference ${best.preference.map(shown).join()}, with the return`,
      ...returnLines(objectives, best.return, result.protocol),
      `  (shortfalls from the ideal ${between.ideal.map(shown).join()} are 1 at the nadir ${between.nadir.map(shown).join()})`,
    ]);
    return {
      ...result,
      preference: best.preference,
      return: best.return,
      utility: { name: utility, weights: preference, ...between, value: best.utility },
    };
  },
});

/** The divisions of the grid with so many preferences. */
function divisionsFor(count: number, objectives: number): number {
  let divisions = 1;
  while (gridSize(objectives, divisions) < count) divisions++;
  const size = gridSize(objectives, divisions);
  if (size === count) return divisions;
  const smaller = divisions === 1 ? '' : `${gridSize(objectives, divisions - 1)} or `;
  throw new UsageError(
    '--preferences',
    count,
    `the size of a grid over ${objectives} objectives, such as ${smaller}${size}`,
  );
}

/** A return with the conditions that it was measured under. */
function returnLines(
  objectives: readonly Objective[],
  achieved: readonly number[],
  { returnDiscount, episodes }: Protocol,
): string[] {
  return [
    ...twoColumns(
      objectives.map(({ name, unit }, k) => [name, `${shown(achieved[k])}${unit === undefined ? '' : ` ${unit}`}`]),
    ),
    `  (discounted by ${returnDiscount}, ${episodes === 1 ? '1 episode' : `mean of ${episodes} episodes`})`,
  ];
}
