import { td3, td3Fields } from '../../src/algorithms/td3.js';
import { resolveConfig } from '../../src/config/index.js';
import { continuous } from '../../src/envs/index.js';
import { keyPreferences } from '../../src/preferences/index.js';
import type { Device } from '../../src/tensor/index.js';
import { drive } from './drive.js';
import type { DrivenLearner, DriveOptions } from './drive.js';

/** The problem of the benchmarks: PSL-TD3 on a task of the size of HalfCheetah. */
export const size = { observation: 17, action: 6, objectives: 2, hidden: 400, batch: 256, groups: 8 };

const limits = new Array<number>(size.action).fill(1);
const problem = {
  observation: size.observation,
  actionSpace: continuous(
    limits.map((limit) => -limit),
    limits,
  ),
  objectives: size.objectives,
  discount: 0.995,
  // Returns in the direction of the preference.
  keys: keyPreferences(size.objectives),
};

/**
 * Numbers of updates of a critic step alone, and of a critic step and an actor step. The setting policyDelay says which
 * updates have an actor step, not what is in it, so the benchmarks set it to 2 and choose by these numbers.
 */
export const CRITIC = 1;
export const BOTH = 2;

/** Settings of a step, and the updates of the critics for each one of the actor that go with it. */
export interface Td3Step {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly policyDelay: number;
}

/** The paper's step, with target critics that move with every update as it writes them. */
export const published: Td3Step = {
  settings: { targetCritics: 'step', criticAngle: 1, actorAngle: 10 },
  policyDelay: 10,
};

/** Normalised critics that classify scaled returns, an averaged actor, and no angle. */
export const recommended: Td3Step = {
  settings: {
    targetCritics: 'step',
    criticAngle: 0,
    actorAngle: 0,
    criticNorm: 'layer',
    rewardScale: true,
    atoms: 101,
    averaging: 0.005,
  },
  policyDelay: 2,
};

export function driveTd3(
  { settings }: Td3Step,
  device: Device,
  replicas = 1,
  how: DriveOptions = {},
): Promise<DrivenLearner> {
  const { hidden, batch, groups } = size;
  const layers = [hidden, hidden];
  const config = resolveConfig(td3Fields, { hidden: layers, criticHidden: layers, policyDelay: BOTH }, settings);
  return drive((options) => td3(config, options), { problem, device, replicas, batch, groups }, how);
}
