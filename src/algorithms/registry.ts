/**
 * The algorithms that can be trained, by name: what each one is called and does, its settings, the environments that it
 * fits, and how its learner is made. A new algorithm is one more entry in this list, or is registered by a user.
 */
import { refusal } from '../config/index.js';
import type { Allowed, ConfigOf, Fields, SettingsOf } from '../config/index.js';
import type { EnvInfo, Space } from '../envs/index.js';
import { unknownName } from '../text/index.js';
import { usesAngle } from './actor-critic.js';
import { ddqn, ddqnFields } from './ddqn.js';
import type { DdqnConfig } from './ddqn.js';
import { envelope, envelopeFields } from './envelope.js';
import type { EnvelopeConfig } from './envelope.js';
import type { LearnerOptions, OffPolicyLearner, OnPolicyLearner, OnPolicyOptions } from './learner.js';
import { metaFields, pgMorlFields, taskFields } from './population/fields.js';
import { meta } from './population/meta.js';
import type { MetaConfig } from './population/meta.js';
import { moead } from './population/moead.js';
import { pfa } from './population/pfa.js';
import { pgMorl } from './population/pg-morl.js';
import type { PgMorlConfig } from './population/pg-morl.js';
import { ra } from './population/ra.js';
import { randomTasks } from './population/random-tasks.js';
import type { SelectionRule } from './population/selection.js';
import { familyPpoFields } from './ppo/ppo.js';
import type { PpoConfig } from './ppo/ppo.js';
import { ppoInThreads } from './ppo/threads.js';
import { sac, sacFields } from './sac.js';
import type { SacConfig } from './sac.js';
import { td3, td3Fields } from './td3.js';
import type { Td3Config } from './td3.js';

/** What all algorithms have. */
export interface Method {
  readonly name: string;
  /** One line for a list of algorithms. */
  readonly summary: string;
  readonly fields: Fields;
  /** Settings of its learner that make it this algorithm. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Kinds of action that it learns. */
  readonly actions: readonly Space['kind'][];
  /** The most objectives that it can do with; any number where absent. */
  readonly mostObjectives?: number;
  /** Whether continuous actions must have finite bounds that are alike on both sides of zero. */
  readonly needsEvenBounds?: boolean;
  /** Whether its learner asks for key solutions with these settings; where absent it may. */
  usesKeys?(config: AlgorithmConfig): boolean;
}

/** The settings of an algorithm, complete and checked. */
export type AlgorithmConfig = Readonly<Record<string, unknown>>;

/** Learns from replayed transitions. */
export interface OffPolicyAlgorithm extends Method {
  readonly kind: 'off-policy';
  create(config: AlgorithmConfig, options: LearnerOptions): Promise<OffPolicyLearner>;
}

/** Learns from rollouts of its current policy. */
export interface OnPolicyAlgorithm extends Method {
  readonly kind: 'on-policy';
  create(config: AlgorithmConfig, options: OnPolicyOptions): Promise<OnPolicyLearner>;
}

/** Improves a population of policies. A task trains one of them for one weight; each replica of the learner is a task. */
export interface PopulationAlgorithm extends Method {
  readonly kind: 'population';
  /** How the next tasks are chosen. */
  rule(config: AlgorithmConfig): SelectionRule;
  create(config: AlgorithmConfig, options: OnPolicyOptions): Promise<OnPolicyLearner>;
}

/** A method that can be trained. */
export type Algorithm = OffPolicyAlgorithm | OnPolicyAlgorithm | PopulationAlgorithm;

/** What all population methods have in common. A task has one weight, so its networks do not take it as an input. */
const population: Omit<PopulationAlgorithm, 'name' | 'summary' | 'rule'> = {
  kind: 'population',
  fields: taskFields,
  settings: {},
  actions: ['discrete', 'continuous'],
  // With more, weights that cover them are too many for a population.
  mostObjectives: 3,
  usesKeys: () => false,
  create: (config, options) => ppoInThreads({ ...config, family: 'independent' } as unknown as PpoConfig, options),
};

const algorithms: Algorithm[] = [
  {
    name: 'psl-ddqn',
    kind: 'off-policy',
    summary: 'PSL-MORL with DDQN: a hypernetwork generates the Q-network of each preference (the paper)',
    fields: ddqnFields,
    settings: {},
    actions: ['discrete'],
    usesKeys: ({ selection }) => selection === 'angle',
    create: (config, options) => ddqn(config as DdqnConfig, options),
  },
  {
    name: 'pd-ddqn',
    kind: 'off-policy',
    summary: 'PD-MORL with DDQN: one Q-network that takes the preference as an input',
    fields: ddqnFields,
    settings: { family: 'conditioned' },
    actions: ['discrete'],
    usesKeys: ({ selection }) => selection === 'angle',
    create: (config, options) => ddqn(config as DdqnConfig, options),
  },
  {
    name: 'envelope',
    kind: 'off-policy',
    summary: 'Envelope Q-learning: targets maximise over actions and over preferences',
    fields: envelopeFields,
    settings: {},
    actions: ['discrete'],
    usesKeys: () => false,
    create: (config, options) => envelope(config as EnvelopeConfig, options),
  },
  {
    name: 'psl-td3',
    kind: 'off-policy',
    summary: 'PSL-MORL with TD3: a hypernetwork generates the actor of each preference (the paper)',
    fields: td3Fields,
    settings: {},
    actions: ['continuous'],
    needsEvenBounds: true,
    usesKeys: (config) => usesAngle(config as Td3Config),
    create: (config, options) => td3(config as Td3Config, options),
  },
  {
    name: 'pd-td3',
    kind: 'off-policy',
    summary: 'PD-MORL with TD3: one actor that takes the preference as an input',
    fields: td3Fields,
    settings: { family: 'conditioned' },
    actions: ['continuous'],
    needsEvenBounds: true,
    usesKeys: (config) => usesAngle(config as Td3Config),
    create: (config, options) => td3(config as Td3Config, options),
  },
  {
    name: 'psl-sac',
    kind: 'off-policy',
    summary: 'PSL-MORL with SAC: a hypernetwork generates the stochastic actor of each preference',
    fields: sacFields,
    settings: {},
    actions: ['continuous'],
    needsEvenBounds: true,
    usesKeys: (config) => usesAngle(config as SacConfig),
    create: (config, options) => sac(config as SacConfig, options),
  },
  {
    name: 'psl-ppo',
    kind: 'on-policy',
    summary: 'PSL-MORL with PPO: a hypernetwork generates the actor of each preference, learned on-policy',
    fields: familyPpoFields,
    settings: {},
    actions: ['discrete', 'continuous'],
    usesKeys: () => false,
    create: (config, options) => ppoInThreads(config as unknown as PpoConfig, options),
  },
  {
    ...population,
    name: 'pg-morl',
    summary: 'PG-MORL: PPO policies for the weights that a model predicts to improve the front most',
    fields: pgMorlFields,
    rule: (config) => pgMorl(config as unknown as PgMorlConfig),
  },
  {
    ...population,
    name: 'random',
    summary: 'RANDOM: PPO policies, in every generation random ones for random weights',
    rule: () => randomTasks,
  },
  {
    ...population,
    name: 'ra',
    summary: 'RA, the radial algorithm: a PPO policy for each of some fixed weights',
    rule: () => ra,
  },
  {
    ...population,
    name: 'pfa',
    summary: 'PFA, Pareto front adaptation: PPO policies whose weights slide along the front (two objectives)',
    mostObjectives: 2,
    rule: () => pfa,
  },
  {
    ...population,
    name: 'moead',
    summary: 'MOEA/D: for each of some fixed weights PPO goes on from the policy that is best at it',
    rule: () => moead,
  },
  {
    ...population,
    name: 'meta',
    summary: 'META: a PPO meta-policy that is then adapted to many weights',
    fields: metaFields,
    rule: (config) => meta(config as unknown as MetaConfig),
  },
];

/** A method as it is written down: its settings are typed by its fields. */
export type AlgorithmDefinition<F extends Fields> = OffPolicyDefinition<F> | OnPolicyDefinition<F>;

/** What all definitions have. */
export type MethodDefinition<F extends Fields, A extends Algorithm> = Omit<A, 'fields' | 'settings' | 'create'> & {
  readonly fields: F;
  readonly settings?: SettingsOf<F>;
};

/** Of a learner from replayed transitions. */
export interface OffPolicyDefinition<F extends Fields> extends MethodDefinition<F, OffPolicyAlgorithm> {
  create(config: ConfigOf<F>, options: LearnerOptions): Promise<OffPolicyLearner>;
}

/** Of a learner from rollouts. */
export interface OnPolicyDefinition<F extends Fields> extends MethodDefinition<F, OnPolicyAlgorithm> {
  create(config: ConfigOf<F>, options: OnPolicyOptions): Promise<OnPolicyLearner>;
}

/**
 * Adds a learner of one's own: from then on it is listed, has help, and is trained, resumed and evaluated like the others,
 * with the presets of its kind.
 */
export function registerAlgorithm<const F extends Fields>(definition: AlgorithmDefinition<F>): void {
  checkDefinition(definition);
  // After the others, so that it is nobody's default.
  algorithms.push({ settings: {}, ...definition });
}

/** Throws a RangeError unless it is a definition: what plain JavaScript makes can be anything. */
function checkDefinition(given: { readonly [K in keyof OffPolicyAlgorithm]?: unknown }): void {
  const { name, kind, actions, fields, create } = given;
  if (typeof name !== 'string' || !/^[\w-]+$/.test(name) || algorithmNames().includes(name)) {
    throw new RangeError(refusal('name', name, 'a word that is not the name of an algorithm yet'));
  }
  const refuse = (part: string, value: unknown, allowed: Allowed): never => {
    throw new RangeError(refusal(`${part} of "${name}"`, value, allowed));
  };
  if (kind !== 'off-policy' && kind !== 'on-policy') refuse('kind', kind, ['off-policy', 'on-policy']);
  const isSome = Array.isArray(actions) && actions.length > 0;
  if (!isSome || !actions.every((action) => action === 'discrete' || action === 'continuous')) {
    refuse('actions', actions, 'a list of discrete, continuous or both');
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) refuse('fields', fields, 'an object');
  if (typeof create !== 'function') refuse('create', create, 'a function');
}

export function algorithmNames(): string[] {
  return algorithms.map(({ name }) => name);
}

export function algorithm(name: string): Algorithm {
  const method = algorithms.find((entry) => entry.name === name);
  if (method === undefined) throw new RangeError(unknownName('algorithm', name, algorithmNames()));
  return method;
}

/** Throws unless the algorithm can learn the environment's actions and objectives. */
export function checkFit(method: Algorithm, env: EnvInfo): void {
  const reason = misfit(method, env);
  if (reason === undefined) return;
  const fitting = algorithms.filter((entry) => misfit(entry, env) === undefined).map(({ name }) => name);
  throw new RangeError(`algorithm is "${method.name}", ${reason} and needs one of: ${fitting.join(', ')}.`);
}

/** Why an algorithm cannot learn in an environment, to complete a sentence; undefined where it can. */
function misfit({ actions, mostObjectives = Infinity, needsEvenBounds }: Algorithm, env: EnvInfo): string | undefined {
  const { id, actionSpace, objectives } = env;
  const { kind } = actionSpace;
  if (!actions.includes(kind)) {
    return `which learns ${actions.join(' and ')} actions, but ${id} has ${kind} actions`;
  }
  if (objectives.length > mostObjectives) {
    return `which learns for at most ${mostObjectives} objectives, but ${id} has ${objectives.length}`;
  }
  if (needsEvenBounds === true && !hasEvenBounds(actionSpace)) {
    return `which learns actions between -x and x, but ${id} has other bounds`;
  }
  return undefined;
}

function hasEvenBounds(space: Space): boolean {
  return space.kind === 'discrete' || space.high.every((limit, i) => limit === -space.low[i] && Number.isFinite(limit));
}

/** The algorithm to take where the user names none: the first that fits. */
export function defaultAlgorithm(env: EnvInfo): Algorithm {
  return algorithms.find((method) => misfit(method, env) === undefined)!;
}
