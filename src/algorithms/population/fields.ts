/** Settings of methods that improve a population of policies with PPO, as PG-MORL's authors compare them. */
import { choice, integer, number } from '../../config/index.js';
import { LARGEST_POPULATION } from '../limits.js';
import { ppoFields } from '../ppo/ppo.js';

/** Of all of them. */
export const taskFields = {
  ...ppoFields,
  taskDivisions: integer({
    default: 5,
    min: 1,
    max: LARGEST_POPULATION,
    about: 'The first weights, one for each task, are the simplex grid with this many divisions.',
    source: 'PG-MORL: 6 tasks for two objectives, 15 (4 divisions) for three',
  }),
  warmup: integer({
    default: 80,
    min: 1,
    unit: 'iterations of a task',
    about: 'Length of the first generation, which trains for the first weights; a multiple of generation.',
    source: 'PG-MORL: 80; 200 for the ant and the hopper, 40 for the swimmer',
  }),
  generation: integer({
    default: 20,
    min: 1,
    unit: 'iterations of a task',
    about: 'Length of every later generation.',
    source: 'PG-MORL: 20; 40 for the ant and the hopper, 10 for the swimmer',
  }),
  buffers: integer({
    default: 100,
    min: 1,
    max: LARGEST_POPULATION,
    about: 'Directions that the population is spread over; with three objectives, directions along an edge.',
    source: 'PG-MORL: 100, and 20 for three objectives',
  }),
  bufferSize: integer({
    default: 2,
    min: 1,
    max: LARGEST_POPULATION,
    unit: 'policies',
    about: 'Best policies that are kept for each direction.',
    source: 'PG-MORL',
  }),
} as const;

export const pgMorlFields = {
  ...taskFields,
  candidates: integer({
    default: 7,
    min: 1,
    max: LARGEST_POPULATION,
    about: 'Weights that are considered for each policy, within 45 degrees of its last one.',
    source: 'PG-MORL',
  }),
  sparsityWeight: number({
    default: 1,
    min: 0,
    about: 'Weight of the sparsity against the hypervolume when tasks are chosen.',
    source: 'PG-MORL: 1, and 1e6 for three objectives',
  }),
  ties: choice(['first', 'random'], {
    default: 'first',
    about:
      'Which of several equally good tasks is chosen: the first, which is the first direction as long as no gain is ' +
      'predicted for any, or one at random.',
    source: 'PG-MORL: the first',
  }),
} as const;

export const metaFields = {
  ...taskFields,
  metaShare: number({
    default: 0.5,
    above: 0,
    max: 1,
    about: 'Share of the training that goes into the meta-policy; the rest adapts it to weights.',
    source: 'open',
  }),
  metaRate: number({
    default: 1,
    above: 0,
    max: 1,
    about:
      'How far the meta-policy moves towards the mean of its adapted copies in the first generation; it falls to 0.',
    source: 'open',
  }),
} as const;
