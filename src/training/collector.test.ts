import { afterEach, describe, expect, it } from 'vitest';
import { toyEnv } from '../../test/support/toy.mjs';
import type { Problem } from '../algorithms/index.js';
import { cube, environmentOf, register } from '../envs/index.js';
import { simplexGrid, subspaces } from '../preferences/index.js';
import { Random } from '../random/index.js';
import { Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import { Collector } from './collector.js';
import { problemOf } from './create-learner.js';
import type { OffPolicyPlan, Plan } from './definition.js';
import { planTraining } from './plan.js';

/** A clock whose episodes end when they are told to: an action of 1 terminates them, and step 4 truncates them. */
const CLOCK = 'test-clock';
const STOP = 1;
const HORIZON = 4;
register(
  toyEnv(environmentOf, CLOCK, {
    size: 2,
    horizon: HORIZON,
    ends: (_, [first]) => first === STOP,
    earns: ({ time }, [, second]) => [time, -second],
    sees: ({ episode, time }) => [episode, time],
  }),
);

const opened: Workers[] = [];
afterEach(async () => {
  for (const workers of opened.splice(0)) await workers.close();
});

interface Setting {
  readonly collector: Collector;
  readonly pool: EnvPool;
  readonly problem: Problem;
  /** Lets the children take one step, with what each of them does. */
  readonly step: (deeds?: (child: number) => number | Float32Array) => Promise<void>;
}

/** A collector and its environments, which are the rows from `firstRow` of a pool. */
async function collecting(settings: object, { task, firstRow = 0 }: { task?: number[]; firstRow?: number } = {}) {
  const plan = planTraining({ env: CLOCK, settings: { children: 2, ...settings } }) as Plan as OffPolicyPlan;
  const problem = await problemOf(plan);
  const collector = new Collector(plan, problem, 7, firstRow, task);
  const workers = new Workers(0);
  opened.push(workers);
  const others = Array.from({ length: firstRow }, () => 0);
  const pool = await workers.open({ env: CLOCK, seeds: [...others, ...collector.seeds] });
  const setting: Setting = {
    collector,
    pool,
    problem,
    async step(deeds) {
      const before = pool.observations.slice();
      collector.act(pool, deeds && ((child) => deeds(child)));
      pool.begin();
      await pool.finish();
      collector.gather(pool, before);
    },
  };
  return setting;
}

const GO = Float32Array.of(0, 0.5);
const END = Float32Array.of(STOP, 0.25);
const rows = (array: Float32Array, width: number): number[][] =>
  Array.from({ length: array.length / width }, (_, row) => Array.from(array.subarray(row * width, (row + 1) * width)));
const rounded = (preference: readonly number[]) => preference.map((x) => Math.fround(x));

/** All that was stored, in the order in which it was added. */
function stored({ collector: { replay }, problem }: Setting) {
  const size = replay.size;
  const columns = {
    observation: new Float32Array(2 * size),
    action: new Float32Array(2 * size),
    reward: new Float32Array(2 * size),
    next: new Float32Array(2 * size),
    terminal: new Float32Array(size),
  };
  replay.gather(
    Int32Array.from({ length: size }, (_, slot) => slot),
    columns,
    0,
  );
  const preferences = new Float32Array(size * problem.objectives);
  for (let slot = 0; slot < size; slot++) replay.preferenceAt(slot, preferences, slot * problem.objectives);
  return { ...columns, preferences };
}

describe('the preferences that children follow', () => {
  it('come from the part of the grid that each has', async () => {
    const { collector, step } = await collecting({ children: 5, preferenceDivisions: 10 });
    const parts = subspaces(simplexGrid(2, 10, { floatExact: true }), 5).map((part) => part.map(rounded));
    // Child 0 has the smallest weights of the first objective.
    expect(parts.map((part) => part.length)).toEqual([3, 2, 2, 2, 2]);
    expect(parts[0][0]).toEqual([0, 1]);
    const seen = parts.map(() => new Set<string>());
    for (let episode = 0; episode < 60; episode++) {
      rows(collector.preferences, 2).forEach((w, child) => {
        expect(parts[child]).toContainEqual(w);
        seen[child].add(w.join());
      });
      await step(() => END);
    }
    expect(seen.map(({ size }) => size)).toEqual([3, 2, 2, 2, 2]);
  });

  it('come from the whole simplex, drawn as relabelled ones are, where there is no grid', async () => {
    const { collector, step } = await collecting({ preferenceDivisions: 0 });
    const first: number[][] = [[], []];
    for (let episode = 0; episode < 100; episode++) {
      rows(collector.preferences, 2).forEach(([w, other], child) => {
        expect(w + other).toBeCloseTo(1, 6);
        first[child].push(w);
      });
      await step(() => END);
    }
    for (const weights of first) {
      expect(Math.min(...weights)).toBeLessThan(0.2);
      expect(Math.max(...weights)).toBeGreaterThan(0.8);
    }
  });

  it.each([0, 0.05])('are new with every episode and not before, whatever the noise of tasks: %d', async (noise) => {
    const settings = { preferenceDivisions: 1000, preferenceNoise: noise };
    const { collector, step } = await collecting(settings);
    const now = () => rows(collector.preferences, 2);
    const [first, second] = now();
    await step(() => GO);
    await step(() => GO);
    expect(now()).toEqual([first, second]);
    // Child 0 is stopped; the other goes on to the horizon.
    await step((child) => (child === 0 ? END : GO));
    const [afterEnd, same] = now();
    expect(afterEnd).not.toEqual(first);
    expect(same).toEqual(second);
    await step(() => GO);
    expect(now()[0]).toEqual(afterEnd);
    expect(now()[1]).not.toEqual(second);
  });

  it('are the task where there is one', async () => {
    const { collector, step } = await collecting({ children: 2 }, { task: [0.25, 0.75] });
    for (let i = 0; i < 6; i++) {
      expect(rows(collector.preferences, 2)).toEqual([
        [0.25, 0.75],
        [0.25, 0.75],
      ]);
      await step(() => GO);
    }
  });

  it('are the task with new clipped noise at every step, made a preference again', async () => {
    const setting = await collecting({ children: 1, preferenceNoise: 0.05 }, { task: [0, 1] });
    const { collector, step } = setting;
    const [, , random] = new Random(7).streams(3);
    const noisy = (): number[] => {
      const moved = [0, 1].map((weight) => {
        const noise = Math.min(0.05, Math.max(-0.05, 0.05 * random.normal()));
        return Math.abs(weight + noise);
      });
      return moved.map((x) => x / (moved[0] + moved[1]));
    };
    const followed: number[][] = [];
    for (let i = 0; i < 60; i++) {
      const [w] = rows(collector.preferences, 2);
      const expected = noisy();
      // The seed of the environment comes from the same generator, after the first preference.
      if (i === 0) expect(collector.seeds).toEqual([random.uint32()]);
      expect(w[0]).toBeCloseTo(expected[0], 6);
      expect(w[1]).toBeCloseTo(expected[1], 6);
      followed.push(w);
      await step(() => GO);
    }
    // Each transition keeps the one that was followed in it.
    expect(rows(stored(setting).preferences, 2)).toEqual(followed);
    expect(new Set(followed.map(([x]) => x)).size).toBeGreaterThan(30);
    expect(Math.max(...followed.map(([x]) => x))).toBeLessThanOrEqual(0.05 / 0.95 + 1e-6);
  });
});

describe('what is stored', () => {
  it('is every transition, up to the state that ended an episode, with the preference that was followed', async () => {
    const setting = await collecting({ preferenceDivisions: 1000 });
    const { collector, step } = setting;
    const before = rows(collector.preferences, 2);
    await step((child) => (child === 1 ? END : GO));
    const after = rows(collector.preferences, 2);
    await step(() => GO);
    const { observation, action, reward, next, terminal, preferences } = stored(setting);
    // Episodes are counted from 1; child 1 is in its second one by the second step.
    expect(rows(observation, 2)).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
      [2, 0],
    ]);
    expect(rows(next, 2)).toEqual([
      [1, 1],
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    expect(rows(action, 2)).toEqual([GO, END, GO, GO].map((deed) => Array.from(deed)));
    expect(rows(reward, 2)).toEqual([
      [1, -0.5],
      [1, -0.25],
      [2, -0.5],
      [1, -0.5],
    ]);
    expect([...terminal]).toEqual([0, 1, 0, 0]);
    expect(rows(preferences, 2)).toEqual([before[0], before[1], before[0], after[1]]);
  });

  it.each([true, false])(
    'ends at the step limit or not as truncationIsTerminal says, which is %s',
    async (truncationIsTerminal) => {
      const setting = await collecting({ children: 1, truncationIsTerminal });
      for (let i = 0; i < HORIZON; i++) await setting.step(() => GO);
      await setting.step(() => END);
      const { terminal, next } = stored(setting);
      expect([...terminal]).toEqual([0, 0, 0, Number(truncationIsTerminal), 1]);
      expect(rows(next, 2)[3]).toEqual([1, HORIZON]);
    },
  );

  it('is taken from the rows of the collector alone', async () => {
    const setting = await collecting({ children: 2 }, { firstRow: 3 });
    const { pool, step } = setting;
    // The others end an episode with every step.
    pool.actions.fill(STOP);
    await step((child) => Float32Array.of(0, child));
    await step((child) => Float32Array.of(0, child));
    expect(rows(pool.actions as Float32Array, 2)).toEqual([
      [STOP, STOP],
      [STOP, STOP],
      [STOP, STOP],
      [0, 0],
      [0, 1],
    ]);
    const { action, observation, next, reward, terminal } = stored(setting);
    expect(rows(action, 2)).toEqual([
      [0, 0],
      [0, 1],
      [0, 0],
      [0, 1],
    ]);
    expect(rows(observation, 2)).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
      [1, 1],
    ]);
    expect(rows(next, 2).map(([, time]) => time)).toEqual([1, 1, 2, 2]);
    expect(rows(reward, 2).map(([time]) => time)).toEqual([1, 1, 2, 2]);
    expect([...terminal]).toEqual([0, 0, 0, 0]);
  });
});

it('a collector counts the episodes that every child has finished', async () => {
  const { collector, step } = await collecting({});
  expect(collector.finishedEpisodes).toBe(0);
  await step((child) => (child === 0 ? END : GO));
  await step((child) => (child === 0 ? END : GO));
  expect(collector.finishedEpisodes).toBe(0);
  await step((child) => (child === 1 ? END : GO));
  expect(collector.finishedEpisodes).toBe(1);
  // By now child 0 is at the third step of its third episode, child 1 of its second.
  for (let i = 0; i < HORIZON; i++) await step(() => GO);
  expect(collector.finishedEpisodes).toBe(2);
});

it('a collector acts at random, each child from its own generator, until it is given a policy', async () => {
  const { collector, pool, problem } = await collecting({ children: 3 });
  expect(problem.actionSpace).toEqual(cube(2, -1, 1));
  const children = new Random(7).streams(5).slice(2);
  const grid = subspaces(simplexGrid(2, 20, { floatExact: true }), 3);
  children.forEach((random, child) => [random.integer(grid[child].length), random.uint32()]);
  collector.act(pool, undefined);
  const expected = children.map((random) => [0, 1].map(() => Math.fround(2 * random.uniform() - 1)));
  expect(rows(pool.actions as Float32Array, 2)).toEqual(expected);
  // What a policy draws comes from there too.
  const next = children.map((random) => random.clone().uniform());
  collector.act(pool, (child, random) => Float32Array.of(child / 4, random.uniform()));
  expect(rows(pool.actions as Float32Array, 2)).toEqual(next.map((x, child) => [child / 4, Math.fround(x)]));
});

describe('a batch', () => {
  const BATCH = 6;
  const columns = () => ({
    observation: new Float32Array(2 * (BATCH + 1)),
    action: new Float32Array(2 * (BATCH + 1)),
    reward: new Float32Array(2 * (BATCH + 1)),
    next: new Float32Array(2 * (BATCH + 1)),
    terminal: new Float32Array(BATCH + 1),
  });

  /** 40 transitions of two children, recognisable by their second action. */
  async function filled(settings: object): Promise<Setting> {
    const setting = await collecting({ preferenceDivisions: 1000, batch: BATCH, ...settings });
    let n = 0;
    for (let i = 0; i < 20; i++) await setting.step(() => Float32Array.of(i % 3 === 2 ? STOP : 0, n++ / 64));
    return setting;
  }

  it('keeps the preference that was followed in each row, where nothing is relabelled', async () => {
    const setting = await filled({ groups: BATCH, hindsight: 0 });
    const all = stored(setting);
    const out = columns();
    const preferences = new Float32Array(2 * BATCH);
    setting.collector.sample(out, 1, preferences);
    expect(rows(out.action, 2)[0]).toEqual([0, 0]);
    rows(out.action, 2)
      .slice(1)
      .forEach(([, mark], row) => {
        const slot = 64 * mark;
        expect(rows(preferences, 2)[row]).toEqual(rows(all.preferences, 2)[slot]);
        expect(rows(out.observation, 2)[row + 1]).toEqual(rows(all.observation, 2)[slot]);
        expect(out.terminal[row + 1]).toBe(all.terminal[slot]);
      });
  });

  it('has a drawn preference in three of four groups', async () => {
    const setting = await filled({ groups: 2, hindsight: 3 });
    const followed = new Set(rows(stored(setting).preferences, 2).map((w) => w.join()));
    const preferences = new Float32Array(4);
    let kept = 0;
    for (let i = 0; i < 400; i++) {
      setting.collector.sample(columns(), 0, preferences);
      kept += rows(preferences, 2).filter((w) => followed.has(w.join())).length;
    }
    expect(kept / 800).toBeCloseTo(0.25, 1);
  });

  it('comes from the newest transitions alone where all of it is to be recent', async () => {
    const { collector } = await collecting({ batch: BATCH, groups: 2, capacity: 40_000, recent: 1 });
    collector.replay.added = 40_000;
    const slots = new Int32Array(100 * BATCH);
    for (let i = 0; i < 100; i++) collector.draw(slots.subarray(i * BATCH, (i + 1) * BATCH), new Float32Array(4));
    expect(Math.min(...slots)).toBeGreaterThanOrEqual(30_000);
  });

  it('is drawn from a generator of its own, the same for the same seed', async () => {
    const drawn: number[][] = [];
    for (let i = 0; i < 2; i++) {
      const { collector } = await filled({ groups: 2 });
      const out = columns();
      collector.sample(out, 0, new Float32Array(4));
      drawn.push([...out.action]);
      expect(collector.sampling.uint32()).not.toBe(collector.initialisation.uint32());
    }
    expect(drawn[0]).toEqual(drawn[1]);
  });
});
