/**
 * Presets are data: settings over the defaults, which are the published ones. They match what an environment is, not its
 * name; what holds for one environment alone is in its own entry.
 */
import type { Algorithm } from '../algorithms/index.js';
import type { EnvInfo, EnvSettings, OptionValues, PresetName, Space } from '../envs/index.js';
import { gridSize } from '../preferences/index.js';

export type { PresetName };
export const presetNames: readonly PresetName[] = ['paper', 'best', 'quick'];

export interface Preset {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: OptionValues;
}

/** Settings of the trainings in all environments of a kind. */
interface Rule extends Omit<EnvSettings, 'settings' | 'options'> {
  readonly actions?: Space['kind'];
  /** Numbers of objectives: from the first to the second. */
  readonly objectives?: readonly [number, number];
  readonly settings: EnvSettings['settings'] | ((env: EnvInfo) => EnvSettings['settings']);
}

const DDQN = ['psl-ddqn', 'pd-ddqn'];
const TD3 = ['psl-td3', 'pd-td3'];
const SAC = 'psl-sac';

/**
 * The most steps of an episode that the budgets of `best` and `quick` are made for; in an environment with longer ones
 * they are larger in proportion.
 */
const LONGEST_EPISODE = { discrete: 100, continuous: 1000 };

/** What learns with continuous actions, whatever the sizes of rewards, and with few steps. */
const ROBUST = {
  hidden: [256, 256],
  criticNorm: 'layer',
  rewardScale: true,
  atoms: 101,
  criticLearningRate: 1e-3,
  policyDelay: 2,
  averaging: 0.005,
  saturation: 0.01,
  saturationFrom: 2.5,
  exploration: 0.2,
  relabelling: 'faces',
};

const SMALL = { hidden: [64, 64], criticHidden: [64, 64], batch: 64 };

/** With fewer numbers to choose in a whole episode, continuous control is a small problem. */
const SMALL_PROBLEM = 1000;

/** Applied from top to bottom, later ones over earlier ones, and those of the environment itself over all of them. */
const rules: readonly Rule[] = [
  // The base alone as target, as the paper writes it, does not learn (docs/fidelity.md): fused, as in its TD3.
  { presets: ['paper'], algorithms: ['psl-ddqn'], settings: { target: 'fused' } },
  // Envelope Q-learning: replay 4000, batch 256, 32 preferences and one environment as published (docs/fidelity.md).
  {
    presets: ['paper'],
    algorithms: ['envelope'],
    settings: { capacity: 4000, batch: 256, groups: 32, learnAfter: 256, children: 1, steps: 30_000, hindsight: 1000 },
  },

  // The continuous half: PD-MORL's settings, which the paper takes over.
  {
    presets: ['paper'],
    actions: 'continuous',
    settings: {
      steps: 10_000_000,
      startSteps: 10_000,
      learnAfter: 1536,
      batch: 256,
      groups: 256,
      capacity: 2_000_000,
      preferenceDivisions: 1000,
      evaluations: 200,
      evaluationDivisions: 200,
      episodes: 3,
      // Of the paper's two statements the one that its main table goes with.
      alpha: 0.01,
    },
  },

  // What learns fast there: normalised observations, target critics that move with every update, looking beyond the
  // step limit, no angle (docs/fidelity.md has the measurements), which no environment then needs key solutions for.
  {
    presets: ['best', 'quick'],
    actions: 'continuous',
    settings: {
      children: 10,
      startSteps: 1000,
      learnAfter: 2000,
      batch: 256,
      groups: 8,
      capacity: 1_000_000,
      preferenceDivisions: 1000,
      truncationIsTerminal: false,
      alpha: 0.05,
      normalise: true,
      targetCritics: 'step',
      criticAngle: 0,
      actorAngle: 0,
      keyUpdates: 10,
      keep: 'best',
    },
  },
  { presets: ['best', 'quick'], actions: 'continuous', settings: (env) => ({ evaluationDivisions: finest(env, 101) }) },
  // Critics that classify normalised returns, faster than the actor, which is smaller, averaged and kept off the flat parts of
  // tanh; more noise on actions, and many preferences from the ends of the simplex
  // (results/td3-screening.md, results/quick-robots.md).
  { presets: ['best', 'quick'], algorithms: [...TD3, SAC], actions: 'continuous', settings: ROBUST },
  // The entropy of an action beside returns of size one.
  { presets: ['best', 'quick'], algorithms: [SAC], settings: { temperature: 0.01 } },
  { presets: ['best'], actions: 'continuous', settings: { steps: 1_000_000, evaluations: 20 } },
  { presets: ['quick'], actions: 'continuous', settings: { steps: 60_000, evaluations: 12 } },
  // Small networks are enough for small problems, and many times as fast (docs/benchmarks.md).
  {
    presets: ['quick'],
    algorithms: [...TD3, SAC],
    actions: 'continuous',
    settings: (env) => (isSmall(env) ? { ...SMALL, steps: 20_000, evaluations: 10 } : {}),
  },
  {
    presets: ['best'],
    algorithms: [...TD3, SAC],
    actions: 'continuous',
    settings: (env) => (isSmall(env) ? { ...SMALL, steps: 200_000 } : {}),
  },

  // PPO: as many environments as pay, so that a rollout has many preferences, and a look beyond the step limit.
  {
    presets: ['best', 'quick'],
    algorithms: ['on-policy'],
    actions: 'continuous',
    settings: { children: 64, horizon: 128, stepLimit: 'bootstrapped' },
  },
  { presets: ['best'], algorithms: ['on-policy'], actions: 'continuous', settings: { steps: 3_000_000 } },
  {
    presets: ['quick'],
    algorithms: ['on-policy'],
    actions: 'continuous',
    settings: { steps: 500_000, evaluations: 10 },
  },

  // Populations, with the budgets of most of PG-MORL's scripts, times the tasks that they are for.
  {
    presets: ['paper'],
    algorithms: ['population'],
    actions: 'continuous',
    settings: { steps: 30_000_000, warmup: 80, generation: 20, episodes: 1, evaluations: 60 },
  },
  // Rollouts of a quarter of the published length, so that there are generations to choose for in little time.
  {
    presets: ['best', 'quick'],
    algorithms: ['population'],
    actions: 'continuous',
    settings: { children: 4, horizon: 512, batch: 64, warmup: 12, generation: 4, keep: 'last' },
  },
  {
    presets: ['best'],
    algorithms: ['population'],
    actions: 'continuous',
    settings: { steps: 3_000_000, warmup: 40, generation: 10 },
  },
  {
    presets: ['quick'],
    algorithms: ['population'],
    actions: 'continuous',
    settings: { steps: 600_000, evaluations: 12 },
  },
  {
    presets: ['quick'],
    algorithms: ['population'],
    actions: 'continuous',
    objectives: [3, 3],
    settings: { steps: 1_500_000 },
  },
  // As PG-MORL has it for its only task of three objectives.
  {
    presets: ['paper', 'best', 'quick'],
    algorithms: ['population'],
    objectives: [3, 3],
    settings: { taskDivisions: 4, buffers: 20 },
  },

  // What is learned fast where actions are discrete: preferences shared by groups of rows and drawn from the faces of the
  // simplex (where the evaluation grid lies), a slow copy of the whole family as target.
  {
    presets: ['best', 'quick'],
    algorithms: ['off-policy'],
    actions: 'discrete',
    settings: {
      batch: 256,
      groups: 8,
      learnAfter: 1000,
      startSteps: 100,
      capacity: 100_000,
      truncationIsTerminal: false,
      preferenceDivisions: 0,
      relabelling: 'faces',
      learningRate: 1e-3,
      finalLearningRate: 0.05,
      hidden: [256, 256, 256],
      updatesPerStep: 0.2,
      keep: 'best',
    },
  },
  {
    presets: ['best', 'quick'],
    algorithms: DDQN,
    settings: {
      target: 'full',
      selection: 'scalarised',
      epsilonStart: 1,
      epsilonEnd: 0.2,
      hyperFeatures: 4,
    },
  },
  {
    presets: ['quick'],
    algorithms: ['off-policy'],
    actions: 'discrete',
    settings: { steps: 16_000, evaluations: 10 },
  },
  { presets: ['best'], algorithms: ['off-policy'], actions: 'discrete', settings: { steps: 60_000 } },

  // PPO there: short rollouts of many episodes, and enough chance left to find what is far away.
  {
    presets: ['best', 'quick'],
    algorithms: ['on-policy', 'population'],
    actions: 'discrete',
    settings: { horizon: 64, entropy: 0.05, learningRate: 1e-3, stepLimit: 'bootstrapped', steps: 200_000 },
  },
  {
    presets: ['best', 'quick'],
    algorithms: ['on-policy'],
    actions: 'discrete',
    settings: { children: 64, batch: 256, groups: 8, evaluations: 10, keep: 'best' },
  },
  {
    presets: ['best', 'quick'],
    algorithms: ['population'],
    actions: 'discrete',
    settings: { children: 4, batch: 64, warmup: 12, generation: 4, evaluations: 12, keep: 'last' },
  },
  {
    presets: ['best'],
    algorithms: ['on-policy', 'population'],
    actions: 'discrete',
    settings: { steps: 1_000_000 },
  },

  // Grids that are fine for two or three objectives have too many preferences for more.
  {
    presets: ['paper', 'best', 'quick'],
    actions: 'continuous',
    objectives: [4, Infinity],
    settings: (env) => ({ preferenceDivisions: finest(env, 3003) }),
  },
  {
    presets: ['paper', 'best', 'quick'],
    algorithms: ['on-policy'],
    objectives: [4, Infinity],
    settings: (env) => ({ preferenceDivisions: finest(env, 3003) }),
  },
  {
    presets: ['paper'],
    actions: 'continuous',
    objectives: [4, Infinity],
    settings: (env) => ({ evaluationDivisions: finest(env, 3003) }),
  },
  {
    presets: ['paper', 'best', 'quick'],
    actions: 'discrete',
    objectives: [7, Infinity],
    settings: (env) => ({ evaluationDivisions: finest(env, 300) }),
  },
];

/**
 * The settings and environment options of a preset, for an algorithm on an environment.
 * @param known the names of the algorithm's settings
 */
export function presetFor(name: PresetName, algorithm: Algorithm, env: EnvInfo, known: readonly string[]): Preset {
  const holds = ({ presets, algorithms }: Pick<EnvSettings, 'presets' | 'algorithms'>) =>
    presets.includes(name) &&
    (algorithms === undefined || algorithms.includes(algorithm.name) || algorithms.includes(algorithm.kind));
  const ofKind = rules
    .filter((rule) => holds(rule) && isOfKind(env, rule))
    .map(({ settings }) => (typeof settings === 'function' ? settings(env) : settings));
  const ofEnv = (env.settings ?? []).filter(holds);
  const settings = {
    ...scaledToEpisodes(name, env, Object.assign({}, ...ofKind) as Preset['settings']),
    ...(Object.assign({}, ...ofEnv.map((entry) => entry.settings)) as Preset['settings']),
  };
  // A rule for several algorithms may speak of settings that one of them does not have.
  const applicable = Object.entries(settings).filter(([field]) => known.includes(field));
  return {
    settings: Object.fromEntries(applicable),
    env: Object.assign({}, ...ofEnv.map(({ options }) => options)) as Preset['env'],
  };
}

function isOfKind(env: EnvInfo, { actions = env.actionSpace.kind, objectives: [least, most] = [1, Infinity] }: Rule) {
  const { length } = env.objectives;
  return env.actionSpace.kind === actions && length >= least && length <= most;
}

function isSmall({ horizon, actionSpace }: EnvInfo): boolean {
  return actionSpace.kind === 'continuous' && horizon * actionSpace.low.length < SMALL_PROBLEM;
}

function scaledToEpisodes(name: PresetName, { horizon, actionSpace }: EnvInfo, settings: Preset['settings']) {
  const factor = horizon / LONGEST_EPISODE[actionSpace.kind];
  if (name === 'paper' || typeof settings.steps !== 'number' || factor <= 1) return settings;
  return { ...settings, steps: Math.round(factor * settings.steps) };
}

/** The most divisions of the simplex grid of preferences that still has no more preferences than this, but at least one. */
function finest({ objectives }: EnvInfo, most: number): number {
  let divisions = 1;
  while (gridSize(objectives.length, divisions + 1) <= most) divisions++;
  return divisions;
}
