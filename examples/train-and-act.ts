/**
 * From a problem to a policy for every preference: trains deep sea treasure, prints how it comes along, and then asks the model
 * for what somebody in a hurry would do, and somebody who wants the largest treasure.
 *
 * usage: node examples/train-and-act.ts (Node 22.18 and newer), or in a clone node dist/examples/train-and-act.js [steps] [folder]
 */
import { loadModel, makeEnv, plainPolicy, planTraining, trainRun } from 'psl-morl';

const [steps = '16000', out = 'runs/treasure'] = process.argv.slice(2);
const plan = planTraining({ env: 'deep-sea-treasure', settings: { steps: Number(steps) } });
const { folder, runs } = await trainRun(plan, {
  out,
  events: {
    evaluated: ({ envSteps, score }) => console.log(`${envSteps} steps: hypervolume ${score.hypervolume.toFixed(2)}`),
  },
});
const [{ hypervolume, ceiling }] = runs;
console.log(`${folder}: ${hypervolume.toFixed(2)} of ${ceiling?.toFixed(2) ?? 'an unknown ceiling'}`);

const model = loadModel(folder);
const policy = plainPolicy(model);
const env = makeEnv(model.description.env, model.description.envOptions);
for (const treasure of [0.1, 0.5, 0.9]) {
  policy.prefer([treasure, 1 - treasure]);
  const sums = [0, 0];
  let { observation } = env.reset({ seed: 1 });
  for (let isOver = false; !isOver;) {
    const step = env.step(policy.act(observation));
    step.reward.forEach((reward, objective) => (sums[objective] += reward));
    ({ observation } = step);
    isOver = step.terminated || step.truncated;
  }
  console.log(`treasure counts ${treasure}: a treasure of ${sums[0].toFixed(1)} after ${-sums[1]} steps`);
}
env.close();
