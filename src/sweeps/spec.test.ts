import { describe, expect, it } from 'vitest';
import { parseSpec } from './spec.js';

describe('parseSpec', () => {
  it('fills in what a grid leaves open', () => {
    expect(parseSpec({ environments: ['fruit-tree-d5'] })).toEqual({
      environments: ['fruit-tree-d5'],
      presets: ['quick'],
      seeds: [1],
      overrides: {},
      vary: {},
      envOptions: {},
      device: 'cpu:1',
      lockstep: false,
    });
    expect(parseSpec({ experiment: 'ftn', seeds: 3 })).toEqual({
      experiment: 'ftn',
      seeds: 3,
      device: 'cpu:1',
      lockstep: false,
    });
  });

  it('takes options of sbatch as they are written in a file', () => {
    const slurm = { partition: 'gpu', gpus: 1, time: '4:00:00', exclusive: true };
    expect(parseSpec({ environments, slurm })).toMatchObject({ slurm });
  });

  const environments = ['fruit-tree-d5'];
  it.each([
    [[1], 'sweep is [1], but must be an object with "environments", or with "experiment".'],
    [{ seeds: [1] }, 'environments is missing, but must be a list of names of environments.'],
    [{ environments: [] }, 'environments is [], but must be a list of names of environments.'],
    [{ environments: ['a', 'a'] }, 'environments is ["a", "a"], but must be a list in which nothing is given twice.'],
    [
      { environments, seed: [1] },
      'entry of the sweep is "seed" (did you mean "seeds"?), but must be one of: environments, algorithms, presets, ' +
        'seeds, overrides, vary, envOptions, device, lockstep, slurm.',
    ],
    [{ environments, seeds: 3 }, 'seeds is 3, but must be a list of integers of at least 0.'],
    [{ environments, presets: ['fast'] }, 'presets is ["fast"], but must be a list of some of: paper, best, quick.'],
    [{ environments, overrides: [] }, 'overrides is [], but must be an object.'],
    [{ environments, vary: { alpha: 0.1 } }, 'vary alpha is 0.1, but must be a list of values.'],
    [{ environments, envOptions: { depth: null } }, 'envOptions depth is null, but must be a text or a number.'],
    [
      { environments, device: 'auto' },
      'device is "auto", but must be a device that is the same on every machine, such as cpu:1 or gpu.',
    ],
    [{ environments, lockstep: 1 }, 'lockstep is 1, but must be true or false.'],
    [
      { environments, slurm: { 'wrap=sh': '1' } },
      'slurm is "wrap=sh", but must be the long name of an option of sbatch, such as partition, time or gpus.',
    ],
    [
      { environments, slurm: { gpus: null } },
      'slurm gpus is null, but must be a text, a number, or true for an option without a value.',
    ],
    [{ experiment: 'ftn', seeds: [1] }, 'seeds is [1], but must be an integer of at least 1.'],
  ])('refuses %j in a sentence', (spec, sentence) => {
    expect(() => parseSpec(spec)).toThrow(new RangeError(sentence));
  });
});
