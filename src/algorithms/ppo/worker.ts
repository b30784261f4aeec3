/** The program of a thread in which replicas of PPO learn. */
import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';

import { Random } from '../../random/index.js';
import { openDevice } from '../../tensor/index.js';
import { familyNames, registerFamily } from '../family-fields.js';
import { ppo } from './ppo.js';
import type { Learned, Lesson, ThreadStart } from './threads.js';

const { config, options, shares } = workerData as ThreadStart;
if (shares !== undefined && !familyNames().includes(config.family)) {
  registerFamily({ name: config.family, summary: '', shares: () => shares });
}
// One thread, because there are others like this one.
const learner = await ppo(config, { ...options, device: await openDevice('cpu:1') });

const port = parentPort!;
for await (const [message] of on(port, 'message')) {
  if (message === 'end') break;
  port.postMessage(await learn(message as Lesson).catch((error: unknown) => ({ error })));
}
await learner.dispose();
port.close();

async function learn({ replicas, rollout, progress, random: states }: Lesson): Promise<Learned> {
  replicas.forEach((saved, replica) => learner.loadReplica(replica, saved, { goesOn: true }));
  const random = states.map((state) => Random.fromState(state));
  const updates = await learner.learn(rollout, { progress, random });
  return {
    replicas: await Promise.all(replicas.map((_, replica) => learner.saveReplica(replica))),
    random: random.map(({ state }) => state),
    diagnostics: learner.diagnostics(),
    updates,
  };
}
