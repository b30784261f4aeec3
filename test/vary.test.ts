/** Replicas that differ in settings, trained by the whole program on a robot. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { decodeSafetensors } from '../src/model/safetensors.js';
import { openBegun, resumeRun, trainRun } from '../src/runs/index.js';
import { planTraining, train as trainPlan } from '../src/training/index.js';
import type { TrainingRequest } from '../src/training/index.js';
import { contentsOf } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = temporaryFolder('vary');
const at = (...names: string[]) => join(folder, ...names);

const TINY = [
  'hidden=8,8',
  'criticHidden=8,8',
  'batch=16',
  'groups=4',
  'startSteps=10',
  'learnAfter=100',
  'steps=600',
  'evaluations=2',
  'evaluationDivisions=2',
];
/** Small rates: with 0.03 rounding grows until replicas that differ in their seeds alone are no longer those trained alone. */
const VARY = ['--vary', 'learningRate=0.001,0.0003', '--vary', 'averaging=0,0.2'];

/** Runs `psl train` on the swimmer. */
async function train(name: string, args: readonly string[]): Promise<string> {
  const { terminal, written } = capture();
  const settings = TINY.flatMap((setting) => ['--set', setting]);
  const own = ['--algo', 'psl-td3', '--seed', '5', '--device', 'cpu:1', '--workers', '0', '--out', at(name)];
  const code = await psl(['train', 'mo-swimmer-v2', ...own, ...settings, ...args], commands, terminal);
  expect({ code, error: code === 0 ? '' : written.error }).toEqual({ code: 0, error: '' });
  return written.out;
}

const json = (...names: string[]): unknown => JSON.parse(readFileSync(at(...names), 'utf8'));

/** In the order of the replicas. */
const REPLICAS = [
  [0.001, 0],
  [0.001, 0.2],
  [0.0003, 0],
  [0.0003, 0.2],
].map(([learningRate, averaging]) => ({
  learningRate,
  averaging,
  name: `learningRate-${learningRate}-averaging-${averaging}-seed-5`,
}));

describe('psl train --vary', () => {
  let out: string;
  beforeAll(async () => {
    out = await train('whole', VARY);
  });

  it('writes a run for every combination, with a configuration of its own', () => {
    const pictures = ['hypervolume.png', 'hypervolume.svg'];
    expect(readdirSync(at('whole')).sort()).toEqual([...pictures, ...REPLICAS.map(({ name }) => name)].sort());
    for (const [replica, { name, learningRate, averaging }] of REPLICAS.entries()) {
      expect(json('whole', name, 'config.json')).toMatchObject({
        seed: 5,
        replica,
        settings: { learningRate, averaging, hidden: [8, 8] },
        protocol: { lockstep: 4 },
      });
    }
    expect(out).toContain('seed 5, learningRate 0.001 and 0.0003, averaging 0 and 0.2, cpu:1');
    for (const { name } of REPLICAS) expect(out).toContain(`  ${at('whole', name)}: hypervolume `);
    expect(out).not.toContain('mean: hypervolume');
  });

  it('trains each as it would be trained alone', async () => {
    for (const { name, learningRate, averaging } of REPLICAS) {
      await train(`alone-${name}`, ['--set', `learningRate=${learningRate}`, '--set', `averaging=${averaging}`]);
      const [together, alone] = [at('whole', name), at(`alone-${name}`)].map((run) =>
        decodeSafetensors(readFileSync(join(run, 'model.safetensors'))),
      );
      for (const [tensor, { shape, values }] of alone) {
        // The average has a name of its own beside others that have one.
        const own = together.get(tensor) ?? together.get(tensor.replace(/^actor\b/, 'average'))!;
        expect(own.shape).toEqual(shape);
        expect(Math.max(...Array.from(values, (value, i) => Math.abs(value - own.values[i])))).toBeLessThan(1e-4);
      }
    }
    const models = REPLICAS.map(({ name }) => readFileSync(at('whole', name, 'model.safetensors')).toString('base64'));
    expect(new Set(models).size).toBe(4);
  });

  it('ends with the same bytes where it was stopped and resumed', async () => {
    const { plan } = openBegun(at('whole'));
    expect(plan.variants).toHaveLength(4);
    let steps = 0;
    const stopAfter = (most: number) => ({
      progress: ({ envSteps }: { envSteps: number }) => void (steps = envSteps),
      shouldStop: () => steps >= most,
    });
    await trainRun({ ...plan, workers: 0 }, { out: at('parts'), events: stopAfter(250) });
    expect(json('parts', REPLICAS[3].name, 'result.json')).toMatchObject({ stopped: true });
    await resumeRun(at('parts'), { events: stopAfter(450), workers: 0 });
    await resumeRun(at('parts'), { workers: 0 });
    expect(contentsOf(at('parts'))).toEqual(contentsOf(at('whole')));
  });
});

it('the share of recent transitions differs between replicas, each of which learns as it would alone', async () => {
  // A full replay of which the newest 10,000 are two thirds.
  const settings = { steps: 15_600, learnAfter: 15_000, capacity: 15_000, children: 100, updatesPerStep: 0.05 };
  const small = { hidden: [8], hyperHidden: [4], batch: 32, groups: 4, evaluations: 1, evaluationDivisions: 1 };
  const learned = async (own: Pick<TrainingRequest, 'vary' | 'settings'>) => {
    const request = { env: 'deep-sea-treasure', algorithm: 'psl-ddqn', seed: 3, device: 'cpu:1', workers: 0 };
    const plan = planTraining({ ...request, ...own, settings: { ...settings, ...small, ...own.settings } });
    const { learner } = await trainPlan(plan);
    const name = learner.policy.find((entry) => entry.endsWith('.weight'))!;
    const values = await learner.state.read(name);
    await learner.dispose();
    return Array.from(values);
  };
  const both = await learned({ vary: { recent: [0, 1] } });
  const alone = [await learned({ settings: { recent: 0 } }), await learned({ settings: { recent: 1 } })];
  expect(alone[0]).not.toEqual(alone[1]);
  alone.flat().forEach((value, i) => expect(both[i]).toBeCloseTo(value, 5));
});
