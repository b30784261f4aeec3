import type { Fields } from '../config/index.js';
import type { EnvInfo } from '../envs/index.js';
import { unknownName } from '../text/index.js';
import { ddqn, ddqnFields } from './ddqn.js';
import type { DdqnConfig } from './ddqn.js';
import { envelope, envelopeFields } from './envelope.js';
import type { EnvelopeConfig } from './envelope.js';
import type { LearnerOptions, OffPolicyLearner } from './learner.js';
import { td3, td3Fields } from './td3.js';
import type { Td3Config } from './td3.js';

/** A method that can be trained. */
export interface Algorithm {
  readonly name: string;
  /** One line for a list of algorithms. */
  readonly summary: string;
  readonly fields: Fields;
  /** Settings that make this algorithm of its learner. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Kind of action that it learns. */
  readonly actions: 'discrete' | 'box';
  create(config: Readonly<Record<string, unknown>>, options: LearnerOptions): Promise<OffPolicyLearner>;
}

const algorithms: readonly Algorithm[] = [
  {
    name: 'psl-ddqn',
    summary: 'PSL-MORL with DDQN: a hypernetwork generates the Q-network of each preference (the paper)',
    fields: ddqnFields,
    settings: {},
    actions: 'discrete',
    create: (config, options) => ddqn(config as DdqnConfig, options),
  },
  {
    name: 'pd-ddqn',
    summary: 'PD-MORL with DDQN: one Q-network that takes the preference as an input',
    fields: ddqnFields,
    settings: { family: 'conditioned' },
    actions: 'discrete',
    create: (config, options) => ddqn(config as DdqnConfig, options),
  },
  {
    name: 'envelope',
    summary: 'Envelope Q-learning: targets maximise over actions and over preferences',
    fields: envelopeFields,
    settings: {},
    actions: 'discrete',
    create: (config, options) => envelope(config as EnvelopeConfig, options),
  },
  {
    name: 'psl-td3',
    summary: 'PSL-MORL with TD3: a hypernetwork generates the actor of each preference (the paper)',
    fields: td3Fields,
    settings: {},
    actions: 'box',
    create: (config, options) => td3(config as Td3Config, options),
  },
  {
    name: 'pd-td3',
    summary: 'PD-MORL with TD3: one actor that takes the preference as an input',
    fields: td3Fields,
    settings: { family: 'conditioned' },
    actions: 'box',
    create: (config, options) => td3(config as Td3Config, options),
  },
];

export function algorithmNames(): string[] {
  return algorithms.map(({ name }) => name);
}

export function algorithm(name: string): Algorithm {
  const found = algorithms.find((entry) => entry.name === name);
  if (found === undefined) throw new RangeError(unknownName('algorithm', name, algorithmNames()));
  return found;
}

/** Throws unless the algorithm can learn the environment's actions. */
export function checkFit({ name, actions }: Algorithm, env: EnvInfo): void {
  const { kind } = env.actionSpace;
  if (kind === actions) return;
  const fitting = algorithms.filter((entry) => entry.actions === kind).map((entry) => entry.name);
  throw new RangeError(
    `algorithm is "${name}", which learns ${actions} actions, but ${env.id} has ${kind} actions and needs one of: ${fitting.join(', ')}.`,
  );
}

/** The algorithm to take where the user names none. */
export function defaultAlgorithm(env: EnvInfo): Algorithm {
  return algorithms.find(({ actions }) => actions === env.actionSpace.kind)!;
}
