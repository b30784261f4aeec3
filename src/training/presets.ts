/** Presets are data: settings over the defaults, which are the published ones. */
export type PresetName = 'paper' | 'best' | 'quick';
export const presetNames: readonly PresetName[] = ['paper', 'best', 'quick'];

export interface Preset {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
}

interface Rule {
  readonly preset: readonly PresetName[];
  readonly algorithm?: readonly string[];
  readonly env?: RegExp;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, string>>;
}

const DDQN = ['psl-ddqn', 'pd-ddqn'];
const Q_LEARNING = [...DDQN, 'envelope'];
const TD3 = ['psl-td3', 'pd-td3'];
const POPULATIONS = ['pg-morl', 'random', 'ra', 'pfa', 'moead', 'meta'];
const ROBOTS = /^mo-/;
const DISCRETE = /^(?:fruit-tree|deep-sea-treasure)/;

/** Applied from top to bottom, later ones over earlier ones. */
const rules: readonly Rule[] = [
  // The paper's table gives alpha by depth.
  { preset: ['paper'], algorithm: ['psl-ddqn'], env: /^fruit-tree-d7$/, settings: { alpha: 0.1 } },
  {
    preset: ['paper'],
    env: /^deep-sea-treasure/,
    algorithm: DDQN,
    settings: { hidden: [256, 256, 256, 256], preferenceDivisions: 100 },
  },
  { preset: ['paper', 'best', 'quick'], env: /^deep-sea-treasure/, settings: { evaluationDivisions: 100 } },
  // The base alone as target, as the paper writes it, does not learn (docs/fidelity.md): fused, as in its TD3.
  { preset: ['paper'], algorithm: ['psl-ddqn'], settings: { target: 'fused' } },
  // Envelope Q-learning as published: replay 4000, batch 256 with 32 preferences, one environment.
  {
    preset: ['paper'],
    algorithm: ['envelope'],
    settings: { capacity: 4000, batch: 256, groups: 32, learnAfter: 256, children: 1, steps: 30_000, hindsight: 1000 },
  },

  // The continuous half: PD-MORL's settings, which the paper takes over.
  {
    preset: ['paper'],
    env: ROBOTS,
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
  { preset: ['paper'], env: /^mo-hopper/, settings: { alpha: 0.03, policyDelay: 20 } },
  { preset: ['paper'], env: /^mo-swimmer/, settings: { keySteps: 1_000_000 } },

  // What learns fast there: normalised observations, target critics that move with every update, looking beyond the
  // step limit, no angle (docs/fidelity.md has the measurements).
  {
    preset: ['best', 'quick'],
    env: ROBOTS,
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
      evaluationDivisions: 100,
      keep: 'best',
    },
  },
  // Hoppers diverge with these: their critics need the angle to hold on to, or slower targets where no keys are known.
  { preset: ['best', 'quick'], env: /^mo-hopper/, settings: { saturation: 0.1 } },
  { preset: ['best', 'quick'], env: /^mo-hopper-v2$/, settings: { criticAngle: 1, actorAngle: 10 } },
  { preset: ['best', 'quick'], env: /^mo-hopper-v3$/, settings: { tau: 0.001, evaluationDivisions: 12 } },
  { preset: ['best'], env: ROBOTS, settings: { steps: 1_000_000, evaluations: 20 } },
  { preset: ['quick'], env: ROBOTS, settings: { steps: 60_000, evaluations: 12 } },
  // Three times the published step size learns these two in a third of the time; others were not tried.
  {
    preset: ['quick'],
    algorithm: TD3,
    env: /^mo-(?:halfcheetah|swimmer)/,
    settings: { learningRate: 1e-3, criticLearningRate: 1e-3 },
  },
  {
    preset: ['quick'],
    algorithm: TD3,
    env: /^mo-swimmer/,
    settings: { steps: 200_000, evaluations: 20, hidden: [256, 256], criticHidden: [256, 256] },
  },

  // PPO: as many environments as pay, so that a rollout has many preferences, and a look beyond the step limit.
  {
    preset: ['best', 'quick'],
    algorithm: ['psl-ppo'],
    env: ROBOTS,
    settings: { children: 64, horizon: 128, stepLimit: 'bootstrapped' },
  },
  { preset: ['best'], algorithm: ['psl-ppo'], env: ROBOTS, settings: { steps: 3_000_000 } },
  { preset: ['quick'], algorithm: ['psl-ppo'], env: ROBOTS, settings: { steps: 500_000, evaluations: 10 } },

  // Populations, with the budgets of PG-MORL's scripts, times the tasks that they are for, and without reset noise.
  {
    preset: ['paper'],
    algorithm: POPULATIONS,
    env: ROBOTS,
    settings: { steps: 30_000_000, warmup: 80, generation: 20, episodes: 1, evaluations: 60 },
    options: { resetNoise: 'none' },
  },
  {
    preset: ['paper'],
    algorithm: POPULATIONS,
    env: /^mo-(?:ant|hopper)/,
    settings: { steps: 48_000_000, warmup: 200, generation: 40 },
  },
  {
    preset: ['paper'],
    algorithm: POPULATIONS,
    env: /^mo-swimmer/,
    settings: { steps: 12_000_000, warmup: 40, generation: 10 },
  },
  {
    preset: ['paper'],
    algorithm: POPULATIONS,
    env: /^mo-humanoid/,
    settings: { steps: 120_000_000, warmup: 200, generation: 40, children: 8, discount: 0.99, episodes: 6 },
  },
  { preset: ['paper'], algorithm: POPULATIONS, env: /^mo-hopper-v3$/, settings: { steps: 120_000_000 } },
  {
    preset: ['paper', 'best', 'quick'],
    algorithm: POPULATIONS,
    env: /^mo-hopper-v3$/,
    settings: { taskDivisions: 4, buffers: 20, sparsityWeight: 1e6 },
  },
  // Rollouts of a quarter of the published length, so that there are generations to choose for in little time.
  {
    preset: ['best', 'quick'],
    algorithm: POPULATIONS,
    env: ROBOTS,
    settings: { children: 4, horizon: 512, batch: 64, warmup: 12, generation: 4, keep: 'last' },
  },
  { preset: ['best'], algorithm: POPULATIONS, env: ROBOTS, settings: { steps: 3_000_000, warmup: 40, generation: 10 } },
  { preset: ['quick'], algorithm: POPULATIONS, env: ROBOTS, settings: { steps: 600_000, evaluations: 12 } },
  { preset: ['quick'], algorithm: POPULATIONS, env: /^mo-hopper-v3$/, settings: { steps: 1_500_000 } },

  // What is learned fast where actions are discrete: the path as observation, preferences shared by groups of rows and drawn from the faces of the
  // simplex (where the evaluation grid lies), a slow copy of the whole family as target.
  {
    preset: ['best', 'quick'],
    algorithm: Q_LEARNING,
    env: DISCRETE,
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
  { preset: ['best', 'quick'], env: /^fruit-tree/, options: { encoding: 'path' } },
  { preset: ['best', 'quick'], env: /^deep-sea-treasure/, options: { encoding: 'one-hot' } },
  {
    preset: ['best', 'quick'],
    algorithm: DDQN,
    settings: {
      target: 'full',
      selection: 'scalarised',
      epsilonStart: 1,
      epsilonEnd: 0.2,
      hyperFeatures: 4,
    },
  },
  { preset: ['quick'], algorithm: Q_LEARNING, env: DISCRETE, settings: { steps: 16_000, evaluations: 10 } },
  { preset: ['best'], algorithm: Q_LEARNING, env: DISCRETE, settings: { steps: 60_000 } },

  // PPO there: short rollouts of many episodes, and enough chance left to find the treasures that are far away.
  {
    preset: ['best', 'quick'],
    algorithm: ['psl-ppo', ...POPULATIONS],
    env: DISCRETE,
    settings: { horizon: 64, entropy: 0.05, learningRate: 1e-3, stepLimit: 'bootstrapped', steps: 200_000 },
  },
  {
    preset: ['best', 'quick'],
    algorithm: ['psl-ppo'],
    env: DISCRETE,
    settings: { children: 64, batch: 256, groups: 8, evaluations: 10, keep: 'best' },
  },
  {
    preset: ['best', 'quick'],
    algorithm: POPULATIONS,
    env: DISCRETE,
    settings: { children: 4, batch: 64, warmup: 12, generation: 4, evaluations: 12, keep: 'last' },
  },
  { preset: ['best'], algorithm: ['psl-ppo', ...POPULATIONS], env: DISCRETE, settings: { steps: 1_000_000 } },
  {
    preset: ['paper', 'best', 'quick'],
    algorithm: ['psl-ppo'],
    env: /^fruit-tree/,
    settings: { preferenceDivisions: 10 },
  },
];

/** The settings and environment options of a preset, for an algorithm on an environment. */
export function presetFor(name: PresetName, algorithm: string, env: string, known: readonly string[]): Preset {
  let settings: Record<string, unknown> = {};
  let options: Record<string, string> = {};
  for (const rule of rules) {
    const fits =
      rule.preset.includes(name) && (rule.algorithm?.includes(algorithm) ?? true) && (rule.env?.test(env) ?? true);
    if (!fits) continue;
    settings = { ...settings, ...rule.settings };
    options = { ...options, ...rule.options };
  }
  // A rule for several algorithms may speak of settings that one of them does not have.
  const own = Object.entries(settings).filter(([field]) => known.includes(field));
  return { settings: Object.fromEntries(own), env: options };
}
