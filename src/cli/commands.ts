import type { CommandEntry } from './command.js';

/**
 * The commands of `psl` by name, in the order in which the help shows them. Each lives in its own file in this folder
 * and is loaded when it is run, so that `psl --help` does not load the numeric backends.
 */
export const commands: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    'train',
    { summary: 'Train a Pareto set of policies.', load: async () => (await import('./train.js')).trainCommand },
  ],
  [
    'resume',
    {
      summary: 'Go on with a run that was stopped, exactly where it was.',
      load: async () => (await import('./resume.js')).resume,
    },
  ],
  [
    'eval',
    { summary: 'Evaluate the model of a run again.', load: async () => (await import('./eval.js')).evalCommand },
  ],
  [
    'calibrate',
    {
      summary: 'Copy a run, and let preferences that fail be answered by the policies of others.',
      load: async () => (await import('./calibrate.js')).calibrate,
    },
  ],
  [
    'elicit',
    {
      summary: 'Find your preference: two outcomes of a run at a time, which is better?',
      load: async () => (await import('./elicit.js')).elicitCommand,
    },
  ],
  [
    'explore',
    {
      summary: 'Open runs in a web page: drag a preference, and the policy changes.',
      load: async () => (await import('./explore.js')).explore,
    },
  ],
  [
    'export',
    {
      summary: 'Write the policies of a run for other programs, or the run with half its bytes.',
      load: async () => (await import('./export.js')).exportCommand,
    },
  ],
  ['front', { summary: "Print or draw a run's Pareto front.", load: async () => (await import('./front.js')).front }],
  [
    'compare',
    {
      summary: 'Compare the Pareto fronts of several runs.',
      load: async () => (await import('./compare.js')).compare,
    },
  ],
  [
    'reproduce',
    {
      summary: 'Train a table of the paper again, and show both side by side.',
      load: async () => (await import('./reproduce.js')).reproduce,
    },
  ],
  [
    'sweep',
    {
      summary: 'Train every combination of environments, algorithms, settings and seeds.',
      load: async () => (await import('./sweep.js')).sweep,
    },
  ],
  [
    'worker',
    {
      summary: 'Work on a sweep that was begun here or elsewhere.',
      load: async () => (await import('./worker.js')).worker,
    },
  ],
  [
    'results',
    {
      summary: 'Merge folders and reports of psl reproduce that were made elsewhere.',
      load: async () => (await import('./results.js')).results,
    },
  ],
  ['envs', { summary: 'List the environments, or show one.', load: async () => (await import('./envs.js')).envs }],
  [
    'check',
    {
      summary: 'Try an environment of your own, and say what is wrong with it.',
      load: async () => (await import('./check.js')).check,
    },
  ],
  [
    'algos',
    {
      summary: 'List the algorithms, or show one with its settings.',
      load: async () => (await import('./algos.js')).algos,
    },
  ],
  [
    'devices',
    { summary: 'List what programs can run on here.', load: async () => (await import('./devices.js')).devices },
  ],
  [
    'metrics',
    { summary: 'Score a front in a CSV or JSON file.', load: async () => (await import('./metrics.js')).metrics },
  ],
]);
