/**
 * The settings of the training loops, by kind of training: how experience is gathered and replayed, and how policies
 * are evaluated. Each setting documents itself; the settings of the learners are in their own files.
 */
import { choice, flag, integer, number, orNone } from '../config/index.js';

/**
 * The largest numbers of what is held in memory at once: far more than pays, and so little that arrays have room for them.
 * Without limits a typing error ends in whatever the engine says of an array that is too long.
 */
const MOST_CHILDREN = 10_000;
const LARGEST_BATCH = 65_536;
const LARGEST_REPLAY = 10_000_000;
const LONGEST_ROLLOUT = 100_000;

/** Settings of every training that say what is learned and how it is scored. */
const scoringFields = {
  discount: orNone(
    number({
      above: 0,
      max: 1,
      about: "Discount of the returns; none: the environment's published one.",
      source: 'paper',
    }),
  ),
  evaluations: integer({
    default: 20,
    min: 1,
    about:
      'Evaluations of the whole preference grid, evenly spread over the run; the last one is the result. With ' +
      'continuous actions, fewer steps than those of best and quick have fewer of them, on coarser grids.',
  }),
  evaluationDivisions: integer({
    default: 10,
    min: 1,
    about: 'Divisions of the simplex grid of preferences that is evaluated.',
    source: 'PD-MORL: 0.1 for the fruit tree',
  }),
  keep: choice(['last', 'best'], {
    default: 'last',
    about: 'Policy set that a run ends with: the last one, or that of the evaluation with the largest hypervolume.',
    source: 'open in the paper; PD-MORL keeps the network with the best coverage',
  }),
  episodes: integer({ default: 1, min: 1, about: 'Episodes for each evaluated preference.' }),
} as const;

/** Settings of a training with replay: how experience is gathered, replayed and scored. */
export const loopFields = {
  steps: integer({
    default: 1_000_000,
    min: 1,
    unit: 'environment steps',
    about: 'Environment steps of the whole run, all children together.',
    source: 'paper: 1e5 for each of 10 children',
  }),
  children: integer({
    default: 10,
    min: 1,
    max: MOST_CHILDREN,
    about: 'Environments that gather experience, each with preferences of its own part of the simplex.',
    source: 'paper, FTN table',
  }),
  startSteps: integer({
    default: 64,
    min: 0,
    unit: 'environment steps of a child',
    about: 'Uniformly random actions before the policy acts.',
    source: 'PD-MORL',
  }),
  learnAfter: integer({
    default: 192,
    min: 1,
    unit: 'transitions',
    about: 'Transitions in the replay before learning begins.',
    source: 'PD-MORL: 2 x batch x hindsight',
  }),
  updatesPerStep: number({
    default: 1,
    above: 0,
    unit: 'updates per environment step',
    about: 'Gradient steps for each environment step.',
    source: 'paper: K gradient steps for K environment steps',
  }),
  batch: integer({
    default: 32,
    min: 1,
    max: LARGEST_BATCH,
    unit: 'transitions',
    about: 'Transitions of an update.',
    source: 'paper, FTN table',
  }),
  groups: integer({
    default: 32,
    min: 1,
    max: LARGEST_BATCH,
    about:
      'Preferences of a batch; each serves batch / groups transitions. Equal to batch: one for each, as the paper.',
  }),
  capacity: integer({
    default: 10_000,
    min: 1,
    max: LARGEST_REPLAY,
    unit: 'transitions',
    about:
      'Transitions that are kept for replay. Each is stored once; the published buffer holds every one four times.',
    source: 'paper, FTN table',
  }),
  recent: number({
    varies: true,
    default: 0,
    min: 0,
    max: 1,
    about:
      'Share of the rows of a batch, on average, that are drawn from the newest tenth of the replay, or its newest 10,000 transitions where those are more; 0: all are drawn from the whole.',
    source: 'published: none; ERE (Wang and Ross 2019) emphasises recent experience',
  }),
  hindsight: integer({
    default: 3,
    min: 0,
    about: 'Relabelled preferences for each stored one.',
    source: 'paper, FTN table',
  }),
  relabelling: choice(['abs-normal', 'faces'], {
    default: 'abs-normal',
    about: 'How relabelled preferences are drawn: |N| / sum, or uniformly from random faces of the simplex.',
    source: 'PD-MORL: |N| / sum',
  }),
  preferenceDivisions: integer({
    default: 20,
    min: 0,
    about: 'Children draw from the simplex grid with this many divisions, cut into parts; 0: as the relabelled ones.',
    source: 'PD-MORL: grid step 0.05 for the fruit tree, 0.01 for deep sea treasure',
  }),
  preferenceNoise: number({
    default: 0,
    min: 0,
    about: 'Deviation and limit of the noise that a learner of a single preference has on it at every step.',
    source: 'PD-MORL: 0.05 for its key solutions',
  }),
  truncationIsTerminal: flag({
    default: true,
    about: 'Treat the step limit as the end of the task, instead of looking beyond it.',
    source: 'PD-MORL',
  }),
  nStep: integer({
    default: 1,
    min: 1,
    unit: 'environment steps',
    about: 'Steps whose rewards a target counts, as they were earned, before it expects what comes after them.',
    source: 'published: 1; Rainbow has 3',
  }),
  ...scoringFields,
} as const;

/** Settings of a training that learns from rollouts of its current policy. */
export const onPolicyFields = {
  steps: loopFields.steps,
  children: integer({
    default: 64,
    min: 1,
    max: MOST_CHILDREN,
    about: 'Environments that are played, each with a preference of its own part of the simplex for a whole rollout.',
    source: 'PG-MORL: 4, which all have the preference of their task',
  }),
  horizon: integer({
    default: 128,
    min: 1,
    max: LONGEST_ROLLOUT,
    unit: 'environment steps of a child',
    about: 'Steps of a rollout.',
    source: 'PG-MORL: 2048 in each of 4 environments, as many in all',
  }),
  batch: integer({
    default: 256,
    min: 1,
    max: LARGEST_BATCH,
    unit: 'transitions',
    about: 'Transitions of an update; a rollout must be a multiple of it.',
    source: 'PG-MORL: 32 batches of 256 in 8192',
  }),
  groups: integer({
    default: 8,
    min: 1,
    max: LARGEST_BATCH,
    about: 'Preferences of a batch; each serves batch / groups transitions of a child that followed it.',
  }),
  preferenceDivisions: integer({
    default: 1000,
    min: 1,
    about: 'Children draw from the simplex grid with this many divisions, cut into parts.',
    source: 'PD-MORL: grid step 0.001 for robots',
  }),
  ...scoringFields,
} as const;

/** Settings of a training that improves a population of policies, each for a task of its own at a time. */
export const populationFields = {
  steps: integer({
    default: loopFields.steps.default,
    min: 1,
    unit: 'environment steps',
    about: 'Environment steps of the whole run, all tasks together.',
    source: 'PG-MORL counts those of a single task',
  }),
  children: integer({
    default: 4,
    min: 1,
    max: MOST_CHILDREN,
    about: 'Environments that are played for each task.',
    source: 'PG-MORL',
  }),
  horizon: integer({
    default: 2048,
    min: 1,
    max: LONGEST_ROLLOUT,
    unit: 'environment steps of a child',
    about: 'Steps of a rollout.',
    source: 'PG-MORL',
  }),
  batch: onPolicyFields.batch,
  ...scoringFields,
} as const;
