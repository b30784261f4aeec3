import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { StateValue } from '../envs/index.js';
import { CheckpointStore } from '../runs/checkpoint.js';
import { NonFiniteError, planTraining } from '../training/index.js';
import { failureOf } from './watch-training.js';

const folder = mkdtempSync(join(tmpdir(), 'psl-failed-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plan = planTraining({ env: 'fruit-tree-d5', settings: { steps: 1000 } });
const fault = new Error('orchard failed at step 3 of an episode:\n  no licence');
const nonFinite = new NonFiniteError('loss', NaN);

async function runWith(name: string, ...states: StateValue[]): Promise<string> {
  const run = join(folder, name);
  const store = new CheckpointStore(run);
  for (const state of states) await store.write({ state, tensors: new Map() }, []);
  await store.flush();
  return run;
}

describe('failureOf', () => {
  it('says that nothing was saved where there is no checkpoint', async () => {
    const run = await runWith('new');
    expect(failureOf(fault, plan, run)).toBe(
      `orchard failed at step 3 of an episode: no licence. Nothing was saved yet: psl resume ${run} begins anew`,
    );
    expect(failureOf(nonFinite, plan, run)).toBe('loss is NaN, so nothing more can be learned. Nothing was saved yet.');
    const taken = { steps: 0, envSteps: 0, gradientSteps: 0, evaluationSteps: 0 };
    const from = { run: 'other', sha256: '', env: plan.env, envOptions: {}, trainings: 0, ...taken };
    expect(failureOf(fault, { ...plan, from }, run)).toMatch(/ Nothing was saved yet: train anew$/);
  });

  it('says how far the last checkpoint is', async () => {
    const run = await runWith('saved', { envSteps: 400 }, { envSteps: 600 });
    expect(failureOf(fault, plan, run)).toBe(
      'orchard failed at step 3 of an episode: no licence. ' +
        `There is a checkpoint after 600 of 1000 environment steps: go on with psl resume ${run}`,
    );
    expect(failureOf(nonFinite, plan, run)).toBe(
      `loss is NaN, so nothing more can be learned. Its last good checkpoint after 600 of 1000 environment steps is in ${run}.`,
    );
  });

  it('does not say how far one is that an earlier version took', async () => {
    const run = await runWith('earlier', {});
    expect(failureOf(fault, plan, run)).toMatch(/ There is a checkpoint: go on with psl resume /);
  });
});
