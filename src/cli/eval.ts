import { flag, integer, numbers, text, twoColumns } from '../config/index.js';
import { envInfo, prepareEnv } from '../envs/index.js';
import { gridSize } from '../preferences/index.js';
import { changedFiles, evaluateRun } from '../runs/index.js';
import { checkDivisions, LARGEST_SEED, type Protocol } from '../training/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenDevice, deviceOption, workersOption } from './device-option.js';
import { checkInput, UsageError } from './errors.js';
import { shown } from './format.js';
import { checkPreference } from './preference-option.js';
import { openedRun, readingRun, resultLines } from './result.js';
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
  },

  async run({ run: folder, divisions: asked, preferences, preference, device, ...rest }, output) {
    const { episodes, seed, last, workers } = rest;
    if (preference !== undefined && asked !== undefined) {
      throw new UsageError('--divisions', asked, 'left out with --preference');
    }
    if (preferences !== undefined && (preference !== undefined || asked !== undefined)) {
      throw new UsageError('--preferences', preferences, 'left out with --preference and --divisions');
    }
    const run = await openedRun(folder);
    const { env } = run.plan;
    const { objectives } = envInfo(env);
    if (preference !== undefined) checkPreference(preference, objectives.length);
    const divisions = preferences === undefined ? asked : divisionsFor(preferences, objectives.length);
    if (divisions !== undefined) checkInput(() => checkDivisions('--divisions', env, divisions));
    const chosen = device === undefined ? undefined : await chosenDevice(device, output);
    await prepareEnv(env);
    const evaluated = await watched(output, (watch) =>
      readingRun(() =>
        evaluateRun(run, {
          ...(divisions !== undefined && { divisions }),
          ...(episodes !== undefined && { episodes }),
          ...(seed !== undefined && { seed }),
          last,
          ...(chosen !== undefined && { device: chosen }),
          ...(workers !== undefined && { workers }),
          ...(preference !== undefined && { preferences: [preference] }),
          watch,
        }),
      ),
    );
    if (evaluated === undefined) {
      output.report(['stopped in the middle of the evaluation, which changes nothing']);
      return { run: folder, interrupted: true };
    }
    const { returns, preferences: _, ...result } = evaluated;
    for (const name of changedFiles(run)) output.line(`warning: ${name} of this run is not what was written`);
    if (preference === undefined) {
      output.report([`run: ${folder}`, ...resultLines(result)]);
      return result;
    }
    const [achieved] = returns;
    output.report([
      `run: ${folder}`,
      `return at preference ${preference.join(',')}:`,
      ...twoColumns(
        objectives.map(({ name, unit }, k) => [name, `${shown(achieved[k])}${unit === undefined ? '' : ` ${unit}`}`]),
      ),
      ...conditions(result.protocol),
    ]);
    return { ...result, preference, return: achieved };
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

function conditions({ returnDiscount, episodes }: Protocol): string[] {
  return [`  (discounted by ${returnDiscount}, ${episodes === 1 ? '1 episode' : `mean of ${episodes} episodes`})`];
}
