/** A training whose run is handed over in memory, as a page does it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { trainRun } from '../src/runs/index.js';
import { trainInMemory } from '../src/runs/train-in-memory.js';
import { planTraining } from '../src/training/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

it('a training in memory hands over the run that is written to disk, byte for byte but for what measures time', async () => {
  const sizes = { hidden: [16], hyperHidden: [8], batch: 16, groups: 4, learnAfter: 50, startSteps: 5 };
  const settings = { ...sizes, steps: 200, evaluations: 2, evaluationDivisions: 2 };
  const plan = planTraining({ env: 'fruit-tree-d5', device: 'cpu:1', workers: 0, settings });
  const folder = join(temporaryFolder('in-memory'), 'run');
  await trainRun(plan, { out: folder });
  const files = new Map<string, string | Uint8Array>();
  const versions = { node: process.versions.node };
  await trainInMemory(plan, { versions, put: (name, content) => files.set(name, content) });
  const { files: written } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as {
    readonly files: Readonly<Record<string, string>>;
  };
  expect([...files.keys()].at(-1)).toBe('result.json');
  const names = Object.keys(written).filter((name) => !name.endsWith('.png'));
  expect([...files.keys()].sort()).toEqual([...names, 'result.json'].sort());
  for (const name of names) {
    expect(Buffer.from(files.get(name)!).equals(readFileSync(join(folder, name))), name).toBe(true);
  }
});
