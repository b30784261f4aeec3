import { ddqn, ddqnFields } from '../../src/algorithms/ddqn.js';
import { resolveConfig } from '../../src/config/index.js';
import { discrete } from '../../src/envs/index.js';
import type { Device } from '../../src/tensor/index.js';
import { drive } from './drive.js';
import type { DrivenLearner } from './drive.js';

/** DDQN at the sizes of the paper's fruit tree, with everything generated and a preference for each row. */
export function driveDdqn(device: Device): Promise<DrivenLearner> {
  const problem = { observation: 2, actionSpace: discrete(2), objectives: 6, discount: 0.99 };
  const config = resolveConfig(ddqnFields, { family: 'generated', selection: 'scalarised' });
  return drive((options) => ddqn(config, options), { problem, device, replicas: 1, batch: 32, groups: 32 });
}
