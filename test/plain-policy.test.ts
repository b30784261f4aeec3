import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import {
  algorithm,
  algorithmNames,
  fillPolicySet,
  MEMBER_RETURNS,
  policySet,
  type Acting,
} from '../src/algorithms/index.js';
import { makeEnv } from '../src/envs/index.js';
import { plainPolicy, readModel } from '../src/model/index.js';
import { simplexGrid, uniformSimplex } from '../src/preferences/index.js';
import { Random } from '../src/random/index.js';
import { loadPolicy, openRun } from '../src/runs/index.js';
import { createLearner, planTraining } from '../src/training/index.js';
import { openDevice } from '../src/tensor/index.js';
import { problemOf } from '../src/training/definition.js';
import { encodeModel } from '../src/training/model.js';

const SMALL = {
  hidden: [24, 24],
  criticHidden: [16],
  hyperHidden: [16],
  hyperFeatures: 4,
  alpha: 0.3,
  // Key solutions are not known everywhere.
  criticAngle: 0,
  actorAngle: 0,
  selection: 'scalarised',
  normalise: true,
};
const ROLLOUT = { children: 4, horizon: 32, groups: 4 };
const ENVS = { discrete: 'fruit-tree-d6', continuous: 'mo-hopper-v3' };

/** Every algorithm that learns one network for all preferences, with every family, for every kind of action. */
const cases = algorithmNames()
  .map((name) => algorithm(name))
  .filter(({ kind }) => kind !== 'population')
  .flatMap(({ name, kind, fields, actions, settings: fixed }) => {
    const families = 'family' in fields && !('family' in fixed) ? ['fused', 'generated', 'added', 'conditioned'] : [''];
    const small = Object.fromEntries(Object.entries(SMALL).filter(([setting]) => setting in fields));
    const settings = { ...small, batch: 32, ...(kind === 'on-policy' && ROLLOUT) };
    return families.flatMap((family) =>
      actions.map((action) => {
        return {
          env: ENVS[action],
          algorithm: name,
          family,
          settings: family === '' ? settings : { ...settings, family },
        };
      }),
    );
  });

let learner: Acting | undefined;
afterEach(() => learner?.dispose());

describe('a plain policy', () => {
  it.each(cases)('acts as the learner $algorithm $family does on $env', async ({ family: _, ...request }) => {
    const plan = planTraining(request);
    const fresh = await createLearner(plan);
    learner = fresh;
    const random = new Random(3);
    fresh.initialise(random, 0);
    // Biases and offsets start at zero, which would hide mistakes with them.
    for (const name of fresh.policy.filter((entry) => !entry.startsWith('observations'))) {
      const values = (await fresh.state.read(name)).slice() as Float32Array;
      fresh.state.write(
        name,
        values.map((value) => value + 0.1 * random.normal()),
      );
    }
    const env = makeEnv(plan.env, plan.envOptions);
    const recorded = [env.reset({ seed: 5 }).observation];
    for (let i = 0; i < 5; i++) fresh.observe?.(jittered(recorded[0], random));

    const { weights, description } = await encodeModel(plan, fresh, 0);
    const model = readModel(JSON.parse(JSON.stringify(description)), weights);
    expect(readModel({ ...description, format: 1, policy: undefined }, weights)).toEqual(model);
    const policy = plainPolicy(model);
    const objectives = env.objectives.length;
    for (let step = 0; step < 20; step++) {
      const w = uniformSimplex(random, new Float32Array(objectives));
      policy.prefer(w);
      const mine = policy.act(recorded[step]);
      const theirs = await fresh.act(recorded[step], w);
      expect(distance(mine, theirs)).toBeLessThan(1e-5);
      const { observation, terminated } = env.step(mine);
      recorded.push(terminated ? env.reset().observation : observation);
    }
    env.close();
  });

  it.each(['mo-hopper-v2', 'deep-sea-treasure'])('acts as the best policy of a set does on %s', async (id) => {
    const plan = planTraining({ env: id, algorithm: 'pg-morl', settings: { hidden: [24, 24] } });
    const problem = await problemOf(plan);
    const points = [
      [3, 0.6],
      [2, 2],
      [0, 3],
    ];
    const set = policySet({ problem, device: await openDevice('cpu'), members: points.length, hidden: [24, 24] });
    learner = set;
    const random = new Random(3);
    const members = points.map((returns) => {
      const noise = (name: string) => {
        const size = set.state
          .spec(name)
          .shape.slice(1)
          .reduce((product, n) => product * n, 1);
        return Float32Array.from({ length: size }, () => 0.5 * random.normal());
      };
      const names = set.policy.filter((name) => name !== MEMBER_RETURNS);
      return { returns, policy: new Map(names.map((name) => [name, noise(name)])) };
    });
    fillPolicySet(set, members);
    const { weights, description } = await encodeModel(plan, set, 0);
    const model = readModel(JSON.parse(JSON.stringify(description)), weights);
    expect(readModel({ ...description, format: 1, policy: undefined }, weights)).toEqual(model);
    const policy = plainPolicy(model);
    const env = makeEnv(plan.env, plan.envOptions);
    const { observation } = env.reset({ seed: 5 });
    const answers = [];
    for (const w of simplexGrid(2, 10)) {
      policy.prefer(w);
      const mine = policy.act(observation);
      expect(distance(mine, await set.act(observation, Float32Array.from(w)))).toBeLessThan(1e-5);
      answers.push(policy.layers[0].weight[0]);
    }
    // (0, 3) up to a weight of 1/3 on the first objective, (3, 0.6) from 7/12 on.
    expect(new Set(answers.slice(0, 4)).size).toBe(1);
    expect(new Set(answers).size).toBe(3);
    expect(() => policy.act([1])).toThrow(`observation has length 1, but must have ${observation.length}.`);
    env.close();
  });

  it.each(['half-cheetah', 'fruit-tree'])('acts as the learner of the example %s does', async (name) => {
    const folder = fileURLToPath(new URL(`../examples/runs/${name}/`, import.meta.url));
    const run = openRun(folder);
    learner = await loadPolicy(run, 'cpu');
    const description: unknown = JSON.parse(readFileSync(`${folder}model.json`, 'utf8'));
    const policy = plainPolicy(readModel(description, readFileSync(`${folder}model.safetensors`)));
    const env = makeEnv(run.plan.env, run.plan.envOptions);
    const random = new Random(7);
    let { observation } = env.reset({ seed: 1 });
    for (let step = 0; step < 60; step++) {
      const w = uniformSimplex(random, new Float32Array(env.objectives.length));
      policy.prefer(w);
      const mine = policy.act(observation);
      expect(distance(mine, await learner.act(observation, w))).toBeLessThan(1e-5);
      const next = env.step(mine);
      observation = next.terminated ? env.reset().observation : next.observation;
    }
    env.close();
  });
});

function jittered(observation: Float32Array, random: Random): Float32Array {
  return observation.map((value) => value + random.normal());
}

function distance(a: number | ArrayLike<number>, b: ArrayLike<number>): number {
  const mine = typeof a === 'number' ? [a] : Array.from(a);
  expect(mine).toHaveLength(b.length);
  return Math.max(...mine.map((value, i) => Math.abs(value - b[i])));
}
