import { text } from '../config/index.js';
import { CheckpointError, LockedError, resumeRun, unfinishedPlan } from '../training/index.js';
import { required } from './arguments.js';
import { defineCommand } from './command.js';
import { checkpointOption, secondsOf } from './duration-option.js';
import { UsageError } from './errors.js';
import { readingRun } from './result.js';
import { watchTraining } from './watch-training.js';

/** `psl resume`: goes on with a run that was stopped or killed, exactly where it was. */
export const resume = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run that is not finished.' })),
  },
  options: { checkpointEvery: checkpointOption },

  async run({ run, checkpointEvery }, output) {
    const plan = await readingRun(() => unfinishedPlan(run), 'the folder of a run that can be resumed');
    try {
      return await watchTraining(
        plan,
        'resuming',
        (events, say) =>
          resumeRun(run, {
            events,
            checkpointEvery: secondsOf(checkpointEvery),
            warn: (warning) => say(`warning: ${warning}; the one before it is used`),
          }),
        output,
      );
    } catch (error) {
      if (!(error instanceof CheckpointError || error instanceof LockedError)) throw error;
      throw new UsageError('RUN', run, `the folder of a run that can be resumed (${error.message})`);
    }
  },
});
