/**
 * Experience for off-policy learning. A collector belongs to one replica: it chooses the preferences and actions of its
 * environments, fills its replay and draws batches from it, with random streams of its own, so that a replica learns
 * the same alone and beside others.
 */
import { actionSize, randomAction } from '../algorithms/index.js';
import type { Problem } from '../algorithms/index.js';
import { absNormal, uniformFace } from '../preferences/index.js';
import type { StateValue } from '../envs/index.js';
import { Random, type RandomState } from '../random/index.js';
import { drawHindsight, Replay } from '../replay/index.js';
import type { BatchColumns } from '../replay/index.js';
import { End } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import type { LoopConfig, OffPolicyPlan } from './definition.js';
import { gridDraws, type Draw } from './preference-draws.js';

/**
 * One replica's experience: the preferences its children follow, its replay and all its randomness. Its children are the
 * rows of a pool from `firstRow` on.
 */
export class Collector {
  readonly initialisation: Random;
  /** For batches, and for what a learner draws. */
  sampling: Random;
  readonly replay: Replay;
  /** Of each child, below each other. */
  readonly preferences: Float32Array;
  /** Seeds of the children's environments. */
  readonly seeds: readonly number[];
  /** Episodes that every child has finished. */
  get finishedEpisodes(): number {
    return Math.min(...this.episodes);
  }

  private children: readonly Random[];
  private readonly draws: readonly Draw[];
  private readonly episodes: number[];
  private readonly relabel: Draw;
  private readonly slots: Int32Array;
  /** Whether preferences change within an episode too. */
  private readonly isNoisy: boolean;

  /** @param task the preference that all children follow, instead of drawing theirs */
  constructor(
    private readonly plan: OffPolicyPlan,
    private readonly problem: Problem,
    seed: number,
    private readonly firstRow: number,
    task?: readonly number[],
  ) {
    const { config } = plan;
    const { objectives } = problem;
    const [initialisation, sampling, ...children] = new Random(seed).streams(2 + config.children);
    this.initialisation = initialisation;
    this.sampling = sampling;
    this.children = children;
    this.draws =
      task === undefined ? preferenceDraws(objectives, config) : children.map(() => followTask(task, config));
    this.isNoisy = task !== undefined && config.preferenceNoise > 0;
    this.episodes = children.map(() => 0);
    this.preferences = new Float32Array(config.children * objectives);
    children.forEach((_, child) => this.drawPreference(child));
    this.seeds = children.map((random) => random.uint32());
    this.relabel = relabellings[config.relabelling];
    this.slots = new Int32Array(config.batch);
    this.replay = new Replay({
      capacity: config.capacity,
      observation: problem.observation,
      action: actionSize(problem.actionSpace),
      objectives,
      children: config.children,
    });
  }

  /** Writes the children's next actions into the pool; random ones where no policy's are given. */
  act(pool: EnvPool, choose: ((child: number, random: Random) => number | Float32Array) | undefined): void {
    const { action } = pool.shape;
    this.children.forEach((random, child) => {
      const chosen = choose?.(child, random) ?? randomAction(this.problem.actionSpace, random);
      const offset = (this.firstRow + child) * action;
      if (typeof chosen === 'number') pool.actions[offset] = chosen;
      else pool.actions.set(chosen, offset);
    });
  }

  /**
   * Adds the transitions of a step of the pool to the replay.
   * @param before the observations before the step, one row for each environment of the pool
   */
  gather(pool: EnvPool, before: Float32Array): void {
    const { observation, action, objectives } = pool.shape;
    const { truncationIsTerminal } = this.plan.config;
    this.children.forEach((_, child) => {
      const row = this.firstRow + child;
      const end = pool.ends[row];
      this.replay.add({
        observation: rowOf(before, row, observation),
        action: rowOf(pool.actions, row, action),
        reward: rowOf(pool.rewards, row, objectives),
        next: rowOf(pool.next, row, observation),
        terminal: end === End.terminated || (end === End.truncated && truncationIsTerminal),
        preference: rowOf(this.preferences, child, objectives),
      });
      if (end !== End.running) this.episodes[child]++;
      if (end !== End.running || this.isNoisy) this.drawPreference(child);
    });
  }

  /** Draws a batch, into its rows from one on, and the preference of each of its groups. */
  sample(columns: BatchColumns, firstRow: number, preferences: Float32Array): void {
    this.draw(this.slots, preferences);
    const { discount } = this.problem;
    this.replay.gather(this.slots, columns, firstRow, { steps: this.plan.config.nStep, discount });
  }

  /** Draws the slots of a batch alone, and the preference of each of its groups. */
  draw(slots: Int32Array, preferences: Float32Array): void {
    const { groups, hindsight, recent } = this.plan.config;
    const options = { groups, copies: hindsight, recent, draw: this.relabel };
    drawHindsight(this.replay, this.sampling, options, slots, preferences);
  }

  save(): StateValue {
    return {
      sampling: stateOf(this.sampling),
      children: this.children.map(stateOf),
      preferences: Float64Array.from(this.preferences),
      episodes: this.episodes,
    };
  }

  /** Goes on from what was saved; the replay is saved by itself. */
  load(saved: StateValue): void {
    const { sampling, children, preferences, episodes } = saved as unknown as SavedCollector;
    this.sampling = Random.fromState(sampling);
    this.children = children.map((state) => Random.fromState(state));
    this.preferences.set(preferences);
    this.episodes.splice(0, Infinity, ...episodes);
  }

  private drawPreference(child: number): void {
    this.draws[child](this.children[child], rowOf(this.preferences, child, this.problem.objectives));
  }
}

interface SavedCollector {
  readonly sampling: RandomState;
  readonly children: readonly RandomState[];
  readonly preferences: Float64Array;
  readonly episodes: readonly number[];
}

function stateOf({ state: { algorithm, words } }: Random): StateValue {
  return { algorithm, words };
}

function rowOf<A extends { subarray(begin: number, end: number): A }>(array: A, row: number, width: number): A {
  return array.subarray(row * width, (row + 1) * width);
}

/** How relabelled preferences are drawn. */
const relabellings: Readonly<Record<LoopConfig['relabelling'], Draw>> = {
  'abs-normal': absNormal,
  faces: uniformFace,
};

/** How each child draws its preferences: from its part of a grid, or as relabelled ones are. */
function preferenceDraws(
  objectives: number,
  { preferenceDivisions: divisions, children, relabelling }: LoopConfig,
): readonly Draw[] {
  if (divisions === 0) return Array.from({ length: children }, () => relabellings[relabelling]);
  return gridDraws(objectives, divisions, children);
}

/** A task's preference with clipped noise on it, as PD-MORL's single-preference learners have at every step. */
function followTask(task: readonly number[], { preferenceNoise: size }: LoopConfig): Draw {
  return (random, out) => {
    out.set(task);
    if (size === 0) return;
    let sum = 0;
    for (let k = 0; k < out.length; k++) {
      out[k] = Math.abs(task[k] + Math.min(size, Math.max(-size, size * random.normal())));
      sum += out[k];
    }
    for (let k = 0; k < out.length; k++) out[k] /= sum;
  };
}
