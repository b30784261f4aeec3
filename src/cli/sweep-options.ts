/** What `psl sweep` and `psl worker` have in common. */
import { availableParallelism } from 'node:os';
import { integer, text } from '../config/index.js';
import { threadsOf } from '../tensor/index.js';
import { ifGiven } from './arguments.js';
import { checkpointOption, durationOption } from './duration-option.js';

const MOST_JOBS = 1024;

export const storeOption = text({
  placeholder: 'FOLDER',
  allowed: 'the path of a folder, or s3://BUCKET/PREFIX',
  about:
    'Where everything about the sweep is: a new folder, or one to go on in, which machines may share. s3://BUCKET/PREFIX is one ' +
    'in object storage, with the server and keys of the environment (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID).',
});

/** How trainings are made, whoever hands them out. */
export const workOptions = {
  jobs: ifGiven(
    integer({ min: 1, max: MOST_JOBS, about: 'Train this many at once, each in a process of its own.' }),
    'as many as the cores are enough for, and one on a GPU',
  ),
  checkpointEvery: checkpointOption,
  lease: durationOption({
    about: 'How long a machine may be silent before others take over what it was training.',
    default: '1m',
  }),
};

/** As many trainings as there are cores for the threads of each; a GPU is not shared. */
export function processesFor(device: string): number {
  const threads = threadsOf(device);
  return threads === undefined ? 1 : Math.max(1, Math.floor(availableParallelism() / threads));
}
