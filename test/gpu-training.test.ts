/** Trainings on a GPU, which in software takes a tenth of a second for an update: networks of a few units. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { algorithm } from '../src/algorithms/index.js';
import type { Batch, OffPolicyAlgorithm, OffPolicyLearner, SlotBatch } from '../src/algorithms/index.js';
import { resolveConfig } from '../src/config/index.js';
import { cube } from '../src/envs/index.js';
import { adam, adamSpecs, mlp } from '../src/nn/index.js';
import { Random } from '../src/random/index.js';
import { Replay } from '../src/replay/index.js';
import { compile, float32, grad, openDevice, step } from '../src/tensor/index.js';
import type { Values } from '../src/tensor/index.js';
import type { GpuDevice } from '../src/tensor/webgpu/device.js';
import { resumeRun, trainRun } from '../src/runs/index.js';
import { planTraining, settingsOf, train } from '../src/training/index.js';
import { devices, expectClose } from './tensor/support.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { stopAfter } from './support/stop-after.js';

vi.setConfig({ testTimeout: 300_000 });
const folder = temporaryFolder('gpu');

const REPLICAS = 2;
const [ROWS, GROUPS, CAPACITY] = [6, 3, 24];
const problems = {
  'psl-td3': { observation: 3, actionSpace: cube(2, -1, 1), objectives: 2, discount: 0.9 },
  'psl-sac': { observation: 3, actionSpace: cube(2, -1, 1), objectives: 2, discount: 0.9 },
  'psl-ddqn': { observation: 3, actionSpace: { kind: 'discrete', n: 3 }, objectives: 2, discount: 0.9 },
  envelope: { observation: 3, actionSpace: { kind: 'discrete', n: 3 }, objectives: 2, discount: 0.9 },
} as const;
type Name = keyof typeof problems;

async function learnerOn(device: string, name: Name, capacity?: number): Promise<OffPolicyLearner> {
  const method = algorithm(name) as OffPolicyAlgorithm;
  const given = { hidden: [5], criticHidden: [4], criticAngle: 0, actorAngle: 0, policyDelay: 2, normalise: true };
  const own = { ...given, hyperHidden: [3], hyperFeatures: 2, selection: 'scalarised', target: 'full' };
  const known = Object.entries(own).filter(([field]) => Object.hasOwn(method.fields, field));
  const config = resolveConfig(settingsOf(method), method.settings, Object.fromEntries(known));
  const learner = await method.create(config, {
    problem: problems[name],
    device: await openDevice(device),
    replicas: REPLICAS,
    batch: ROWS,
    groups: GROUPS,
    ...(capacity !== undefined && { capacity }),
  });
  for (let replica = 0; replica < REPLICAS; replica++) learner.initialise(new Random(replica), replica);
  return learner;
}

function replayOf(name: Name): Replay {
  const action = problems[name].actionSpace.kind === 'continuous' ? 2 : 1;
  return new Replay({ capacity: CAPACITY, observation: 3, action, objectives: 2, children: 2 });
}

/** Adds transitions to a replay, also over its end. */
function grow(replay: Replay, count: number, random: Random): void {
  const numbers = (length: number) => Array.from({ length }, () => random.normal());
  for (let i = 0; i < count; i++) {
    replay.add({
      observation: numbers(3),
      action: replay.shape.action === 1 ? random.integer(3) : numbers(2).map(Math.tanh),
      reward: numbers(2),
      next: numbers(3),
      terminal: random.uniform() < 0.2,
      preference: [0.5, 0.5],
    });
  }
}

/** Several updates, between which the replays grow; the learner is told of them in the way that it wants. */
async function taught(learner: OffPolicyLearner, name: Name): Promise<Map<string, Values>> {
  const replays = Array.from({ length: REPLICAS }, () => replayOf(name));
  const random = new Random(7);
  const sampling = replays.map((_, replica) => new Random(100 + replica));
  for (let update = 1; update <= 6; update++) {
    replays.forEach((replay) => grow(replay, 10, random));
    learner.replays?.follow(replays);
    const slots = Int32Array.from({ length: REPLICAS * ROWS }, () => random.integer(replays[0].size));
    const preferences = Float32Array.from({ length: REPLICAS * GROUPS }, () => random.uniform());
    const batch = { preferences: Float32Array.from([...preferences].flatMap((w) => [w, 1 - w])) };
    const drawn: Batch | SlotBatch =
      learner.replays === undefined ? { ...batch, ...transitionsAt(replays, slots) } : { ...batch, slots };
    await learner.learn(drawn, { progress: 0, update, random: sampling });
  }
  await learner.settled?.();
  const entries = new Map<string, Values>();
  for (const entry of learner.state.names.filter((other) => other !== 'replay')) {
    entries.set(entry, await learner.state.read(entry));
  }
  return entries;
}

function transitionsAt(replays: readonly Replay[], slots: Int32Array) {
  const rows = slots.length;
  const { action } = replays[0].shape;
  const columns = {
    observation: new Float32Array(rows * 3),
    action: action === 1 ? new Int32Array(rows) : new Float32Array(rows * action),
    reward: new Float32Array(rows * 2),
    next: new Float32Array(rows * 3),
    terminal: new Float32Array(rows),
  };
  replays.forEach((replay, r) => replay.gather(slots.subarray(r * ROWS, (r + 1) * ROWS), columns, r * ROWS));
  return columns;
}

const TINY = {
  hidden: [5],
  hyperHidden: [3],
  hyperFeatures: 2,
  batch: 6,
  groups: 3,
  learnAfter: 20,
  capacity: 60,
  updatesPerStep: 0.2,
  evaluations: 2,
  evaluationDivisions: 1,
};
const planOn = (device: string, settings: object = {}, request: object = {}) =>
  planTraining({
    env: 'deep-sea-treasure',
    device,
    workers: 0,
    settings: { ...TINY, steps: 200, ...settings },
    ...request,
  });

describe.runIf(devices.includes('gpu'))('on a GPU', () => {
  it.each(Object.keys(problems) as Name[])('%s learns the same from a replay there as from rows', async (name) => {
    const [rows, slots, cpu] = [
      await learnerOn('gpu', name),
      await learnerOn('gpu', name, CAPACITY),
      await learnerOn('cpu:1', name, CAPACITY),
    ];
    expect([rows, slots, cpu].map(({ replays }) => replays !== undefined)).toEqual([false, true, false]);
    const learned = await taught(slots, name);
    expect(learned).toEqual(await taught(rows, name));
    for (const [entry, values] of await taught(cpu, name)) expectClose(learned.get(entry)!, values, 1e-4, entry);
    for (const [what, values] of Object.entries(cpu.diagnostics())) {
      expectClose(slots.diagnostics()[what], values, 1e-4, what);
    }
    for (const learner of [rows, slots, cpu]) await learner.dispose();
  });

  it('a network is trained to the same loss as on the CPU', async () => {
    const network = mlp({ inputs: 2, hidden: [8], outputs: 1 });
    const body = step({
      state: { network: network.specs, adam: adamSpecs(network.specs) },
      inputs: { x: float32(32, 2) },
      body: (state, { x }) => {
        const target = x
          .slice(1, 0, 1)
          .mul(x.slice(1, 1, 1))
          .tanh();
        const loss = network.apply(state.network, x).sub(target).square().mean();
        const next = adam(state.network, grad(loss, state.network), state.adam, { learningRate: 0.02 });
        return { state: { network: next.parameters, adam: next.state }, outputs: { loss } };
      },
    });
    const losses: number[][] = [];
    for (const device of ['cpu:1', 'gpu']) {
      const program = await compile(body, { device });
      const random = new Random(1);
      program.state.load({ network: network.init(random) });
      const ends: number[] = [];
      for (let i = 0; i < 200; i++) {
        const { loss } = await program.run({ x: random.fillNormal(new Float32Array(64), 0, 1) });
        if (i === 0 || i === 199) ends.push(loss[0]);
      }
      losses.push(ends);
      await program.dispose();
    }
    const [[first, last], onGpu] = losses;
    expect(last).toBeLessThan(first / 10);
    expectClose(onGpu, [first, last], 1e-5);
  });

  it('a training comes to what it comes to on the CPU, and a replica to what it comes to alone', async () => {
    // Random actions throughout, so that the transitions are the same everywhere.
    const settings = { startSteps: 1000 };
    const end = async (plan: ReturnType<typeof planOn>) => {
      const { results, learner } = await train(plan);
      const entries = new Map<string, Values>();
      for (const name of learner.policy) entries.set(name, await learner.state.read(name));
      await learner.dispose();
      return { results, entries };
    };
    const cpu = await end(planOn('cpu:1', settings, { seed: 3 }));
    const alone = await end(planOn('gpu', settings, { seed: 3 }));
    const both = await end(planOn('gpu', settings, { seed: 2, replicas: 2 }));
    for (const [name, values] of alone.entries) {
      expectClose(cpu.entries.get(name)!, values, 1e-4, name);
      expectClose(both.entries.get(name)!.subarray(values.length), values, 1e-5, name);
    }
    expect(alone.results[0].diagnostics.loss).toBeGreaterThan(0);
    for (const { diagnostics } of [cpu.results[0], both.results[1]]) {
      for (const [what, value] of Object.entries(alone.results[0].diagnostics)) {
        expectClose([diagnostics[what]], [value], 1e-3, what);
      }
    }
  });

  it('a run that was stopped goes on as if it had not been', async () => {
    const whole = join(folder, 'whole');
    const parts = join(folder, 'parts');
    const [{ hypervolume, expectedUtility }] = (await trainRun(planOn('gpu'), { out: whole })).runs;
    const events = stopAfter(12);
    expect((await trainRun(planOn('gpu'), { out: parts, events })).runs[0].stopped).toBe(true);
    const [again] = (await resumeRun(parts)).runs;
    expect(again).toMatchObject({ hypervolume, expectedUtility, stopped: false });
  });

  // The last one: nothing runs on the device afterwards.
  it('a run ends with a sentence and its last checkpoint when the GPU is lost', async () => {
    const out = join(folder, 'lost');
    const device = (await openDevice('gpu')) as GpuDevice;
    let iterations = 0;
    const training = trainRun(planOn('gpu'), {
      out,
      checkpointEvery: 0,
      events: {
        progress() {
          if (++iterations === 12) device.close();
        },
      },
    });
    await expect(training).rejects.toThrow('go on from the last checkpoint with psl resume RUN');
    expect(iterations).toBeLessThan(20);
    expect(existsSync(join(out, 'checkpoint'))).toBe(true);
    expect(readdirSync(join(out, 'checkpoint')).length).toBeGreaterThan(0);
  });
});
