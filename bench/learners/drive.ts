/**
 * Drives a learner that ships without environments: a replay of plausible numbers, batches drawn from it as training
 * draws them, and calls of its own `learn`. Benchmarks time these, so that what they measure is what trains.
 */
import { actionSize, randomAction, replicaPart } from '../../src/algorithms/index.js';
import { saveTensors } from '../../src/algorithms/learner.js';
import type { Batch, LearnerOptions, OffPolicyLearner, Problem, SlotBatch } from '../../src/algorithms/index.js';
import { absNormal } from '../../src/preferences/index.js';
import { Random } from '../../src/random/index.js';
import { drawHindsight, Replay } from '../../src/replay/index.js';
import type { Values } from '../../src/tensor/index.js';

/** Batches that updates take in turn: drawing them is no part of an update. */
const BATCHES = 8;
/** Relabelled groups for each that keeps its preference, as published. */
const COPIES = 3;

export interface DrivenLearner {
  /** From nothing to the end of the first update, in milliseconds. */
  readonly startMs: number;
  /** The update of a number, which decides what it consists of; where it has to report, `settled` waits for it. */
  update(number: number, report?: boolean): Promise<void>;
  settled(): Promise<void>;
  /** What a replica has learned so far, by name. */
  learned(replica: number): Promise<ReadonlyMap<string, Values>>;
  /** Ends it, and fails where something that it reported last is not finite. */
  close(): Promise<void>;
}

export interface DriveOptions {
  /** Of the first replica; the others count up. 1 by default. */
  readonly firstSeed?: number;
  /** Transitions in the replay, which lies in the memory of a device that can keep it there. 100,000 by default. */
  readonly capacity?: number;
}

export async function drive(
  make: (options: LearnerOptions) => Promise<OffPolicyLearner>,
  options: Omit<LearnerOptions, 'capacity'>,
  { firstSeed = 1, capacity = 100_000 }: DriveOptions = {},
): Promise<DrivenLearner> {
  const { problem, replicas } = options;
  const replay = filledReplay(problem, capacity, new Random(0));
  const random = Array.from({ length: replicas }, (_, replica) => new Random(firstSeed + replica));

  const start = performance.now();
  const learner = await make({ ...options, capacity });
  random.forEach((generator, replica) => learner.initialise(generator, replica));
  learner.replays?.follow(random.map(() => replay));
  const batches = Array.from({ length: BATCHES }, () =>
    drawBatch(replay, random, options, learner.replays !== undefined),
  );
  let updates = 0;
  const update = (number: number, report = false): Promise<void> =>
    learner.learn(batches[updates++ % BATCHES], { progress: 0, update: number, random, report });
  const settled = async (): Promise<void> => learner.settled?.();
  await update(1, true);
  await settled();
  const startMs = performance.now() - start;

  return {
    startMs,
    update,
    settled,
    learned: (replica) => saveTensors(learner.state, replica),
    close: async () => {
      await settled();
      for (const [name, values] of Object.entries(learner.diagnostics())) {
        if (!Array.from(values).every(Number.isFinite)) throw new Error(`${name} is not finite after the updates`);
      }
      await learner.dispose();
    },
  };
}

function filledReplay({ observation, actionSpace, objectives }: Problem, capacity: number, random: Random): Replay {
  const replay = new Replay({
    capacity,
    observation,
    action: actionSize(actionSpace),
    objectives,
    children: 1,
  });
  const numbers = (): Float32Array => random.fillNormal(new Float32Array(observation), 0, 1);
  for (let i = 0; i < capacity; i++) {
    replay.add({
      observation: numbers(),
      action: randomAction(actionSpace, random),
      reward: random.fillUniform(new Float32Array(objectives), 0, 1),
      next: numbers(),
      terminal: false,
      preference: absNormal(random, new Float32Array(objectives)),
    });
  }
  return replay;
}

function drawBatch(
  replay: Replay,
  random: readonly Random[],
  { problem, replicas, batch, groups }: Omit<LearnerOptions, 'capacity'>,
  isResident: boolean,
): Batch | SlotBatch {
  const { observation, actionSpace, objectives } = problem;
  const rows = replicas * batch;
  const slots = new Int32Array(rows);
  const preferences = new Float32Array(replicas * groups * objectives);
  random.forEach((generator, replica) => {
    const ownSlots = replicaPart(slots, replica, replicas);
    const ownPreferences = replicaPart(preferences, replica, replicas);
    drawHindsight(replay, generator, { groups, copies: COPIES }, ownSlots, ownPreferences);
  });
  if (isResident) return { slots, preferences };
  const columns = {
    observation: new Float32Array(rows * observation),
    action: actionSpace.kind === 'discrete' ? new Int32Array(rows) : new Float32Array(rows * actionSize(actionSpace)),
    reward: new Float32Array(rows * objectives),
    next: new Float32Array(rows * observation),
    terminal: new Float32Array(rows),
  };
  replay.gather(slots, columns, 0);
  return { ...columns, preferences };
}
