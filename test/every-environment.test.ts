/**
 * Every method learns every environment whose actions and objectives it can do with, from the first step to a model. Those of
 * MO-Gymnasium that take long are no different to a method from others here, and are learned by one each.
 */
import { describe, expect, it, vi } from 'vitest';
import { algorithm, algorithmNames, checkFit } from '../src/algorithms/index.js';
import { envIds, envInfo } from '../src/envs/index.js';
import type { Task } from '../src/envs/mujoco/locomotion.js';
import { planTraining, settingsOf, train } from '../src/training/index.js';

// Episodes of robots are short, so that evaluations are, and that several end within a training.
vi.mock('../src/envs/mujoco/locomotion.js', async (original) => {
  const module = await original<typeof import('../src/envs/mujoco/locomotion.js')>();
  const short = (task: Task) => ({ ...task, horizon: 25 });
  return {
    ...module,
    locomotion: (task: Task) => module.locomotion(short(task)),
    gymnasiumLocomotion: (task: Task) => module.gymnasiumLocomotion(short(task)),
  };
});

/** Some of each method: a hundred steps, tiny networks, one evaluation of few preferences. */
const TINY = {
  steps: 96,
  children: 2,
  startSteps: 10,
  learnAfter: 32,
  batch: 8,
  groups: 4,
  capacity: 256,
  updatesPerStep: 0.2,
  criticAngle: 0,
  actorAngle: 0,
  horizon: 8,
  epochs: 1,
  taskDivisions: 2,
  buffers: 4,
  warmup: 1,
  generation: 1,
  hidden: [8],
  criticHidden: [8],
  hyperHidden: [4],
  hyperFeatures: 2,
  preferenceDivisions: 4,
  evaluations: 1,
  evaluationDivisions: 1,
  episodes: 1,
};

function fits(name: string, env: string): boolean {
  try {
    checkFit(algorithm(name), envInfo(env));
    return true;
  } catch {
    return false;
  }
}

function takesLong(env: string): boolean {
  const { family, view, horizon } = envInfo(env);
  return family === 'mo-gymnasium' && (view?.kind === 'robot' || horizon > 500);
}

describe.each(envIds())('%s', (env) => {
  const all = algorithmNames().filter((name) => fits(name, env));
  // In turn, so that each method has some.
  const fitting = takesLong(env) ? [all[envIds().indexOf(env) % all.length]] : all;

  it.each(fitting)('is learned by %s', async (name) => {
    const known = Object.keys(settingsOf(algorithm(name)));
    const settings = Object.fromEntries(Object.entries(TINY).filter(([setting]) => known.includes(setting)));
    const { horizon, objectives } = envInfo(env);
    const { length } = objectives;
    const perChild = TINY.steps / TINY.children;
    // Whole rollouts of all tasks, of which three objectives have twice as many; and whole episodes where twice is enough.
    const isLonger = length === 3 || (horizon > perChild && horizon <= 2 * perChild);
    const steps = isLonger ? 2 * TINY.steps : TINY.steps;
    const request = { env, algorithm: name, device: 'cpu:1', workers: 0, settings: { ...settings, steps } };
    const { learner, results, envSteps, stopped } = await train(planTraining(request));
    await learner.dispose();
    expect({ envSteps, stopped }).toEqual({ envSteps: steps, stopped: false });
    const [{ returns }] = results;
    expect(returns.length).toBeGreaterThan(0);
    for (const point of returns) {
      expect(point).toHaveLength(length);
      expect(point.every(Number.isFinite)).toBe(true);
    }
  });
});

it('every environment of two objectives is learned by all methods with a population', () => {
  const two = envIds().filter((env) => envInfo(env).objectives.length === 2);
  expect(two.length).toBeGreaterThan(6);
  const populations = algorithmNames().filter((name) => algorithm(name).kind !== 'off-policy');
  for (const env of two) expect([env, populations.filter((name) => !fits(name, env))]).toEqual([env, []]);
});
