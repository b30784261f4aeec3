import { text } from '../config/index.js';
import { WriteError } from '../files/index.js';
import { importRunModules, LockedError, planToResume, resumeRun } from '../runs/index.js';
import { CheckpointError } from '../training/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { workersOption } from './device-option.js';
import { checkpointOption, secondsOf } from './duration-option.js';
import { snapshotsOption } from './snapshots-option.js';
import { UsageError } from './errors.js';
import { readingRun } from './result.js';
import { watchTraining } from './watch-training.js';

const ALLOWED = 'the folder of a run that can be resumed';

/** `psl resume`: goes on with a run that was stopped or killed, exactly where it was. */
export const resume = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run that is not finished.' })),
  },
  options: {
    workers: ifGiven(workersOption, 'as many as pay, and none with cpu:1'),
    checkpointEvery: checkpointOption,
    snapshots: ifGiven(snapshotsOption, 'as many as before'),
  },

  async run({ run, workers, checkpointEvery, snapshots }, output) {
    const options = {
      checkpointEvery: secondsOf(checkpointEvery),
      ...(snapshots !== undefined && { snapshots }),
      ...(workers !== undefined && { workers }),
    };
    try {
      const plan = await readingRun(async () => {
        await importRunModules(run);
        return planToResume(run);
      }, ALLOWED);
      return await watchTraining(
        plan,
        'resuming',
        (watched) => readingRun(() => resumeRun(run, { ...watched, ...options }), ALLOWED),
        output,
      );
    } catch (error) {
      const isAboutRun =
        error instanceof CheckpointError || error instanceof LockedError || error instanceof WriteError;
      if (!isAboutRun) throw error;
      throw new UsageError('RUN', run, `${ALLOWED} (${error.message.replace(/\.$/, '')})`);
    }
  },
});
