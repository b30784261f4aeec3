/** A learner and a policy family of a user's own, one file each, work like those of the package. Compiled, as users have it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contentsOf } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('own-learners');
const at = (name: string) => join(folder, name);
const built = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
const SOFT_Q = built('examples/learners/soft-q.js');
const RESIDUAL = built('examples/learners/residual-family.js');

/** In a process of its own, which knows nothing but what comes with the package. */
function psl(...args: string[]) {
  return spawnSync(process.execPath, [built('node/cli/main.js'), ...args], { encoding: 'utf8' });
}

function train(name: string, ...args: string[]) {
  const settings = { learnAfter: 60, batch: 16, groups: 4, capacity: 300, hidden: 8, hyperHidden: 4, hyperFeatures: 2 };
  const set = Object.entries({ ...settings, evaluations: 1, evaluationDivisions: 4 }).flatMap(([setting, value]) => {
    return ['--set', `${setting}=${value}`];
  });
  const run = at(name);
  const tiny = ['--steps', '400', '--device', 'cpu:1', ...set, '--out', run];
  const { status, stderr } = psl('train', 'deep-sea-treasure', ...args, ...tiny);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return run;
}

describe('a learner of its own', () => {
  const own = ['--import', SOFT_Q, '--algo', 'soft-q'];

  it('is listed with its settings', () => {
    const { stdout } = psl('algos', 'soft-q', '--import', SOFT_Q);
    expect(stdout).toContain('temperature=NUMBER');
    expect(psl('algos', '--import', SOFT_Q).stdout).toContain('soft-q: Q-learning with a soft maximum');
  });

  it('is trained with the presets of its kind, repeats itself, and is found again by its run', () => {
    const run = train('first', ...own, '--set', 'temperature=0.5');
    expect(contentsOf(train('second', ...own, '--set', 'temperature=0.5'))).toEqual(contentsOf(run));
    const { modules, settings } = JSON.parse(readFileSync(join(run, 'config.json'), 'utf8')) as Record<string, object>;
    expect(modules).toEqual({ algorithm: SOFT_Q });
    expect(settings).toMatchObject({ temperature: 0.5, family: 'fused' });
    const { hypervolume } = JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as { hypervolume: number };
    const { status, stdout } = psl('eval', run, '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ hypervolume });
  });

  it('cannot have a name that is taken', () => {
    const module = at('twice.mjs');
    const text = readFileSync(SOFT_Q, 'utf8').replace(
      "'psl-morl'",
      JSON.stringify(new URL('../dist/node/index.js', import.meta.url).href),
    );
    writeFileSync(module, text);
    expect(psl('algos', '--import', SOFT_Q, '--import', module)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'name is "soft-q", but must be a word that is not the name of an algorithm yet',
      ) as string,
    });
  });
});

describe('a family of its own', () => {
  it('is a value of the setting of every learner, and is stated by its model as shares', () => {
    const run = train('residual', '--import', RESIDUAL, '--set', 'family=residual', '--set', 'alpha=0.25');
    const { policy } = JSON.parse(readFileSync(join(run, 'model.json'), 'utf8')) as {
      policy: { parameters: { base: object; generated: object } };
    };
    expect(policy.parameters).toMatchObject({ family: 'residual', base: { share: 1 }, generated: { share: 0.25 } });
    expect(psl('eval', run)).toMatchObject({ status: 0 });
    expect(psl('train', 'deep-sea-treasure', '--set', 'family=residual').stderr).toContain(
      'family is "residual", but must be one of: fused, generated, added, conditioned.',
    );
  });
});

it('a module that adds nothing is refused with a sentence', () => {
  const module = at('nothing.mjs');
  writeFileSync(module, 'export const x = 1;\n');
  expect(psl('envs', '--import', module)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('or register an algorithm or a family)') as string,
  });
});
