import { expect, it } from 'vitest';
import { batchScript, sbatchArguments, statesIn } from './slurm.js';

it('batchScript replaces the shell by the command, whatever is in its words', () => {
  expect(batchScript(['node', '/a b/main.js', "it's"])).toBe(`#!/bin/sh\nexec node '/a b/main.js' 'it'\\''s'\n`);
});

it('sbatchArguments asks for an array that is warned of its time limit, and takes what else is wanted', () => {
  const sbatch = { partition: 'gpu', time: '4:00:00', signal: 'B:USR2@600', exclusive: true } as const;
  expect(sbatchArguments('/store/slurm', 40, 'cpu:2', { sbatch, atOnce: 8 })).toEqual([
    '--parsable',
    '--requeue',
    '--job-name=psl-sweep',
    '--array=1-40%8',
    '--ntasks=1',
    '--cpus-per-task=2',
    '--signal=B:USR2@600',
    '--output=/store/slurm/%A_%a.out',
    '--open-mode=append',
    '--partition=gpu',
    '--time=4:00:00',
    '--exclusive',
  ]);
});

it('statesIn reads what squeue and sacct say of the arrays of a store', () => {
  expect(statesIn('17|RUNNING\n17|PENDING\n18|RUNNING\n', ['17'])).toEqual(['RUNNING', 'PENDING']);
  const accounted = '17_1|COMPLETED\n17_2|TIMEOUT\n17_[3-4,8%1]|CANCELLED by 0\n170_1|FAILED\n\n';
  expect(statesIn(accounted, ['17'])).toEqual(['COMPLETED', 'TIMEOUT', ...new Array<string>(3).fill('CANCELLED')]);
});
