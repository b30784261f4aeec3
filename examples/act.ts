/**
 * One trained model at any preference: plays the half-cheetah of the repository at five preferences, one episode each, with
 * nothing but its two model files. Needs no GPU and no learner.
 *
 * usage: node examples/act.ts (Node 22.18 and newer), or in a clone node dist/examples/act.js [run]
 */
import { loadModel, makeEnv, plainPolicy, prepareEnv } from 'psl-morl';

const model = loadModel(process.argv[2] ?? 'examples/runs/half-cheetah');
const { description } = model;
const policy = plainPolicy(model);

await prepareEnv(description.env);
const env = makeEnv(description.env, description.envOptions);
for (const weight of [0, 0.25, 0.5, 0.75, 1]) {
  const rest = (1 - weight) / (description.objectives.length - 1);
  policy.prefer(description.objectives.map((_, k) => (k === 0 ? weight : rest)));
  const sums = description.objectives.map(() => 0);
  let { observation } = env.reset({ seed: 0 });
  for (let isOver = false; !isOver;) {
    const step = env.step(policy.act(observation));
    step.reward.forEach((reward, k) => (sums[k] += reward));
    ({ observation } = step);
    isOver = step.terminated || step.truncated;
  }
  const returns = description.objectives.map((name, k) => `${name} ${sums[k].toFixed(1)}`);
  console.log(`preference ${policy.preference[0].toFixed(2)} on ${description.objectives[0]}: ${returns.join(', ')}`);
}
env.close();
