/**
 * PPO's update for several tasks at once, as replicas of one program, against as many runs of the same program one after
 * the other: 8192 samples for each task, 10 epochs of 32 batches of 256, networks of 2 x 64 with tanh.
 * usage: npm run bench -- ppo [--tasks 6] [--device cpu] [--repeats 5] [--json]
 */
import { parseArgs } from 'node:util';

import { ppoFields } from '../src/algorithms/ppo/ppo.js';
import { ppoInThreads } from '../src/algorithms/ppo/threads.js';
import type { OnPolicyLearner, Rollout } from '../src/algorithms/index.js';
import { resolveConfig } from '../src/config/index.js';
import { cube } from '../src/envs/index.js';
import { Random } from '../src/random/index.js';
import { openDevice } from '../src/tensor/index.js';

const { values: options } = parseArgs({
  options: {
    tasks: { type: 'string', default: '6' },
    device: { type: 'string', default: 'cpu' },
    repeats: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const tasks = Number(options.tasks);
const repeats = Number(options.repeats);

/** The half-cheetah. */
const problem = { observation: 17, actionSpace: cube(6, -1, 1), objectives: 2, discount: 0.995 };
const sizes = { environments: 4, horizon: 2048, batch: 256, groups: 1 };

async function learnerOf(replicas: number): Promise<OnPolicyLearner> {
  const config = { ...resolveConfig(ppoFields), family: 'independent' } as const;
  const learner = await ppoInThreads(config, { problem, device: await openDevice(options.device), replicas, ...sizes });
  for (let r = 0; r < replicas; r++) learner.initialise(new Random(r), r);
  return learner;
}

/** What random numbers would do: only its size matters. */
function rolloutOf(replicas: number): Rollout {
  const { environments, horizon } = sizes;
  const children = replicas * environments;
  const random = new Random(1);
  return {
    seen: random.fillNormal(new Float32Array(children * (horizon + 1) * problem.observation)),
    action: random.fillNormal(new Float32Array(children * horizon * 6)),
    reward: random.fillNormal(new Float64Array(children * horizon * 2)),
    end: new Uint8Array(children * horizon),
    cut: Array.from({ length: replicas }, () => []),
    preferences: new Float32Array(children * 2).fill(0.5),
  };
}

/** Seconds that a learner takes over a rollout, and gradient steps that it makes. */
async function timed(learner: OnPolicyLearner, rollout: Rollout, replicas: number) {
  const random = Array.from({ length: replicas }, (_, r) => new Random(r));
  const start = performance.now();
  const updates = await learner.learn(rollout, { progress: 0, random });
  return { seconds: (performance.now() - start) / 1000, updates };
}

const [together, alone] = [await learnerOf(tasks), await learnerOf(1)];
const [all, one] = [rolloutOf(tasks), rolloutOf(1)];
const { updates } = await timed(together, all, tasks);
await timed(alone, one, 1);
// The fastest of several: whatever else a machine does only adds to it.
const fastest = { together: Infinity, alone: Infinity };
for (let i = 0; i < repeats; i++) {
  for (let task = 0; task < tasks; task++) {
    fastest.alone = Math.min(fastest.alone, (await timed(alone, one, 1)).seconds);
  }
  fastest.together = Math.min(fastest.together, (await timed(together, all, tasks)).seconds);
}
await Promise.all([together, alone].map((learner) => learner.dispose()));
const sequential = tasks * fastest.alone;
const timesAsFast = sequential / fastest.together;
const perUpdate = (seconds: number) => `${((1000 * seconds) / updates).toFixed(2)} ms an update`;
console.log(`${tasks} tasks at once: ${fastest.together.toFixed(2)} s, ${perUpdate(fastest.together)} of all of them`);
console.log(`one after the other: ${sequential.toFixed(2)} s, ${perUpdate(fastest.alone)} of one of them`);
console.log(`${timesAsFast.toFixed(2)} times as fast at once (device ${options.device}, fastest of ${repeats})`);
if (options.json) {
  console.log(
    JSON.stringify({
      tasks,
      device: options.device,
      updates,
      secondsTogether: fastest.together,
      secondsSequential: sequential,
      timesAsFast,
    }),
  );
}
