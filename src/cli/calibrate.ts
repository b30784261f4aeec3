import { integer, number, text, wrap } from '../config/index.js';
import { prepareEnv } from '../envs/index.js';
import {
  CALIBRATION_EPISODES,
  CALIBRATION_SEED,
  checkCalibration,
  checkOut,
  exportRun,
  LEAST_CALIBRATION_EPISODES,
  MOST_CALIBRATION_EPISODES,
  CALIBRATION_PARTS,
  TOLERANCE,
} from '../runs/index.js';
import type { Earned } from '../fronts/index.js';
import { checkDivisions, LARGEST_SEED } from '../training/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenDevice, deviceOption, workersOption } from './device-option.js';
import { checkInput, UsageError } from './errors.js';
import { shown } from './format.js';
import { answersText, openedRun, readingRun, regretText, typedPath } from './result.js';
import { watched } from './watch-evaluation.js';

/** Of start states that chose nothing. */
const HONEST_SEED = 700_001;

/** `psl calibrate`: a copy of a run that answers preferences by the policies of others, where their own fail. */
export const calibrate = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run, as psl train prints it.' })),
  },
  options: {
    out: required(
      text({ placeholder: 'FOLDER', allowed: 'the path of a folder', about: 'A new or empty folder for the copy.' }),
    ),
    tolerance: number({
      default: TOLERANCE,
      min: 0,
      below: 1,
      about: 'The share of the best utility that a preference may lose by its own policy and keep it.',
    }),
    divisions: ifGiven(
      integer({
        min: 1,
        about: "How fine the grid of preferences is, no coarser than the run's own: 10 is a step of 0.1.",
      }),
      "the run's own",
    ),
    episodes: integer({
      default: CALIBRATION_EPISODES,
      min: LEAST_CALIBRATION_EPISODES,
      max: MOST_CALIBRATION_EPISODES,
      about: 'Episodes for each preference, three times: to choose answers, to confirm them, and to check them.',
    }),
    seed: integer({
      default: CALIBRATION_SEED,
      min: 0,
      max: LARGEST_SEED,
      about: 'Of the first episode at each preference; each of the others has the next one.',
    }),
    device: ifGiven(deviceOption, "the run's own, or the CPU where that is not here"),
    workers: ifGiven(workersOption, 'as many as pay'),
  },
  notes: () =>
    wrap(
      'Plays every preference of the grid. One whose own policy loses more than the tolerance is answered by the policy of ' +
        'another preference from then on, the one whose return has the largest utility for it, wherever the model is used: if ' +
        'that gains in other episodes too, by more than luck. Where preferences do not earn more on average as they are answered, ' +
        'in yet other episodes and by more than luck, nothing is written, and the exit code is 1. ' +
        'Nothing is learned by it: it helps where a neighbour serves a preference better, and no policy is better than it was.',
    ),

  async run({ run: folder, out, divisions, device, workers, tolerance, episodes, seed }, output) {
    const run = await openedRun(folder);
    const calibration = { tolerance, episodes, seed, ...(divisions !== undefined && { divisions }) };
    if (run.protocol.preferences.kind === 'members') {
      throw new UsageError('RUN', folder, 'a run with a policy for every preference, not a finite set of policies');
    }
    checkInput(() => checkCalibration(run, calibration, '--'));
    checkInput(() => checkOut(out, '--out'));
    if (divisions !== undefined) checkInput(() => checkDivisions('--divisions', run.plan.env, divisions));
    const chosen = device === undefined ? undefined : await chosenDevice(device, output);
    await prepareEnv(run.plan.env);
    const exported = await watched(output, (watch) =>
      checkInput(() =>
        readingRun(() =>
          exportRun(run, out, {
            calibration,
            ...(chosen !== undefined && { device: chosen }),
            ...(workers !== undefined && { workers }),
            watch,
          }),
        ),
      ),
    );
    if (exported === undefined) {
      output.report(['stopped in the middle of the evaluation; nothing was written']);
      return { run: folder, interrupted: true };
    }
    const { hypervolume, original } = exported;
    const answers = exported.answers!;
    const after = seed + CALIBRATION_PARTS * episodes;
    const honestSeed = HONEST_SEED < seed || HONEST_SEED >= after ? HONEST_SEED : after;
    const earned = ({ utility, hypervolume: volume, regret }: Earned) =>
      `utility ${shown(utility)}, hypervolume ${shown(volume)}, regret ${regretText(regret)}`;
    output.report([
      `wrote ${typedPath(out)}: answers ${answersText(answers)}`,
      `  what preferences earn in ${episodes} episodes that chose none of them, and lose against the best of all policies:`,
      `    ${earned(answers.answered)}, as preferences are answered`,
      `    ${earned(answers.own)}, each by its own policy`,
      `next: psl eval ${typedPath(out)} --episodes ${episodes} --seed ${honestSeed}`,
    ]);
    return { run: folder, out, answers, hypervolume, original };
  },
});
