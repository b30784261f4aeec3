/**
 * Drives a learner that ships without environments: a replay of plausible numbers, batches drawn from it as training
 * draws them, and calls of its own `learn`. Benchmarks time these, so that what they measure is what trains.
 */
import { actionSize, randomAction, replicaPart } from '../../src/algorithms/index.js';
import type { Batch, LearnerOptions, OffPolicyLearner, Problem, SlotBatch } from '../../src/algorithms/index.js';
import { absNormal } from '../../src/preferences/index.js';
import { Random } from '../../src/random/index.js';
import { drawHindsight, Replay } from '../../src/replay/index.js';

/** Transitions in the replay, which lies in the memory of a device that can keep it there. */
const CAPACITY = 100_000;
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
  /** Ends it, and fails where something that it reported last is not finite. */
  close(): Promise<void>;
}

export async function drive(
  make: (options: LearnerOptions) => Promise<OffPolicyLearner>,
  options: Omit<LearnerOptions, 'capacity'>,
): Promise<DrivenLearner> {
  const { problem, replicas } = options;
  const replay = filledReplay(problem, new Random(0));
  const random = Array.from({ length: replicas }, (_, replica) => new Random(replica + 1));

  const start = performance.now();
  const learner = await make({ ...options, capacity: CAPACITY });
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
    close: async () => {
      await settled();
      for (const [name, values] of Object.entries(learner.diagnostics())) {
        if (!Array.from(values).every(Number.isFinite)) throw new Error(`${name} is not finite after the updates`);
      }
      await learner.dispose();
    },
  };
}

function filledReplay({ observation, actionSpace, objectives }: Problem, random: Random): Replay {
  const replay = new Replay({
    capacity: CAPACITY,
    observation,
    action: actionSize(actionSpace),
    objectives,
    children: 1,
  });
  const numbers = (): Float32Array => random.fillNormal(new Float32Array(observation), 0, 1);
  for (let i = 0; i < CAPACITY; i++) {
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
