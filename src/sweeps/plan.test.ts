import { describe, expect, it } from 'vitest';
import { VERSION } from '../version.js';
import { isCompatible, jobId, planSweep } from './plan.js';
import { parseSpec } from './spec.js';

const planned = (spec: object, version?: string) => planSweep(parseSpec(spec), version);
const grid = { environments: ['fruit-tree-d5', 'deep-sea-treasure'], algorithms: ['psl-ddqn', 'envelope'] };

describe('planSweep', () => {
  it('makes every combination a run, a seed of everything before the next seed', () => {
    const { jobs } = planned({ ...grid, seeds: [3, 1], overrides: { steps: 500 } });
    expect(jobs.map(({ name }) => name)).toEqual([
      'fruit-tree-d5-psl-ddqn-quick-seed3',
      'fruit-tree-d5-envelope-quick-seed3',
      'deep-sea-treasure-psl-ddqn-quick-seed3',
      'deep-sea-treasure-envelope-quick-seed3',
      'fruit-tree-d5-psl-ddqn-quick-seed1',
      'fruit-tree-d5-envelope-quick-seed1',
      'deep-sea-treasure-psl-ddqn-quick-seed1',
      'deep-sea-treasure-envelope-quick-seed1',
    ]);
    expect(jobs.every(({ plan }) => plan.config.steps === 500 && plan.device === 'cpu:1')).toBe(true);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(8);
  });

  it('varies settings of any kind', () => {
    const { jobs } = planned({ environments: ['fruit-tree-d5'], vary: { hidden: [[8], [8, 8]], batch: [32, 64] } });
    expect(jobs.map(({ name, plan }) => [name, plan.config.hidden, plan.config.batch])).toEqual([
      ['fruit-tree-d5-psl-ddqn-quick-hidden-8-batch-32-seed1', [8], 32],
      ['fruit-tree-d5-psl-ddqn-quick-hidden-8-batch-64-seed1', [8], 64],
      ['fruit-tree-d5-psl-ddqn-quick-hidden-8_8-batch-32-seed1', [8, 8], 32],
      ['fruit-tree-d5-psl-ddqn-quick-hidden-8_8-batch-64-seed1', [8, 8], 64],
    ]);
  });

  it('trains together in lockstep what can be: seeds that follow each other, and settings that may differ', () => {
    const robots = { environments: ['mo-swimmer-v2'], seeds: [1, 2, 5], vary: { alpha: [0.1, 0.2] }, lockstep: true };
    const { jobs } = planned(robots);
    expect(jobs.map(({ name, plan }) => [name, plan.replicas])).toEqual([
      ['mo-swimmer-v2-psl-td3-quick-alpha-seeds1-2', 4],
      ['mo-swimmer-v2-psl-td3-quick-alpha-seed5', 2],
    ]);
    expect(() => planned({ ...robots, vary: { hidden: [[8]] } })).toThrow(/^vary is "hidden", but must be one of: /);
  });

  it('takes the trainings of a table of the paper as they are', () => {
    const { jobs, reproduction } = planned({ experiment: 'ftn', budget: 'tiny', cases: [5], methods: ['psl-ddqn'] });
    expect(jobs.map(({ name }) => name)).toEqual(['fruit-tree-d5-psl-ddqn-seed1']);
    expect(reproduction?.experiment.name).toBe('ftn');
    expect(() => planned({ experiment: 'ft' })).toThrow(
      'experiment is "ft" (did you mean "ftn"?), but must be one of: ftn, mujoco, ablation, alpha.',
    );
  });

  it('refuses combinations that do not fit, settings that are none, and too many runs', () => {
    expect(() => planned({ environments: ['fruit-tree-d5'], algorithms: ['psl-td3'] })).toThrow(/psl-td3/);
    expect(() => planned({ environments: ['fruit-tree-d5'], overrides: { step: 5 } })).toThrow(
      /^setting is "step" \(did you mean "steps"\?\)/,
    );
    const seeds = Array.from({ length: 1000 }, (_, seed) => seed);
    expect(() => planned({ environments: ['fruit-tree-d5'], seeds, vary: { batch: seeds } })).toThrow(
      'The sweep has 1000000 runs, but must have at most 100000.',
    );
  });
});

describe('the id of a training', () => {
  const [{ id, plan }] = planned({ environments: ['fruit-tree-d5'], overrides: { steps: 500 } }).jobs;

  it('follows from its resolved configuration and the version', () => {
    expect(id).toMatch(/^[0-9a-f]{20}$/);
    // Named or left to the defaults, it is the same configuration.
    const spelled = { environments: ['fruit-tree-d5'], algorithms: ['psl-ddqn'], overrides: plan.config };
    expect(planned(spelled).jobs[0].id).toBe(id);
    expect(jobId({ ...plan, seed: 2 }, VERSION)).not.toBe(id);
    expect(jobId({ ...plan, config: { ...plan.config, steps: 501 } }, VERSION)).not.toBe(id);
    expect(jobId(plan, '99.0.0')).not.toBe(id);
  });

  it('does not follow from the device, so that a sweep can move', () => {
    expect(jobId({ ...plan, device: 'gpu' }, VERSION)).toBe(id);
  });
});

describe('isCompatible', () => {
  it.each([
    ['1.2.3', '1.9.0', true],
    ['1.2.3', '2.0.0', false],
    ['0.1.0', '0.1.7', true],
    ['0.1.0', '0.2.0', false],
  ])('says of %s and %s: %s', (a, b, expected) => expect(isCompatible(a, b)).toBe(expected));
});
