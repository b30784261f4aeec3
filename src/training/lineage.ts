/**
 * The population of one seed, in methods such as PG-MORL: its current tasks, the history of all policies that were
 * measured, the policies that may be trained further, and the archive of the best.
 */
import { performanceBuffers } from '../algorithms/index.js';
import type {
  HistoryEntry,
  OnPolicyLearner,
  SavedReplica,
  Schedule,
  SelectionRule,
  Task,
} from '../algorithms/index.js';
import { replicaPart } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import type { StateValue } from '../envs/index.js';
import { Archive } from '../pareto/index.js';
import { Random, type RandomState } from '../random/index.js';
import type { Values } from '../tensor/index.js';
import type { PopulationPlan } from './definition.js';
import type { Member } from './model.js';
import type { NamedTensor } from '../model/index.js';

export interface LineageOptions {
  readonly rule: SelectionRule;
  readonly schedule: Schedule;
  /** Of the first tasks. */
  readonly weights: readonly (readonly number[])[];
  /** The learner's replica that is the first task. */
  readonly firstReplica: number;
}

export class Lineage {
  /** Random streams for actions, and for the order in which rollouts are learned from: one for each task. */
  acting: readonly Random[];
  learning: readonly Random[];
  private choosing: Random;
  private seeding: Random;
  private readonly initialisation: Random;

  private current: readonly Task[];
  private history: HistoryEntry[] = [];
  /** Where each task is in the history. */
  private latest: number[] = [];
  /** By place in the history. */
  private population: number[] = [];
  private readonly policies = new Map<number, SavedReplica>();
  private meta: SavedReplica | undefined;
  private archive: Archive<Member>;

  constructor(
    private readonly plan: PopulationPlan,
    private readonly options: LineageOptions,
    seed: number,
  ) {
    const { weights } = options;
    const [initialisation, choosing, acting, learning, seeding] = new Random(seed).streams(5);
    this.initialisation = initialisation;
    this.choosing = choosing;
    this.acting = acting.substreams(weights.length);
    this.learning = learning.substreams(weights.length);
    this.seeding = seeding;
    this.archive = this.emptyArchive();
    // Where the first tasks come from is decided by `begin`.
    this.current = this.firstWeights().map((weight) => ({ from: 'meta', weight }));
  }

  /** The current tasks. */
  get tasks(): readonly Task[] {
    return this.current;
  }

  get populationSize(): number {
    return this.population.length;
  }

  /** The returns of the policies in the archive. */
  get returns(): readonly (readonly number[])[] {
    return this.members.map(({ returns }) => returns);
  }

  /** The archive: never empty after `consider`. */
  get members(): readonly Member[] {
    return this.archive.entries.map(({ payload }) => payload);
  }

  /** Seeds for the environments of all tasks. */
  drawSeeds(): number[] {
    const { weights } = this.options;
    return Array.from({ length: weights.length * this.plan.config.children }, () => this.seeding.uint32());
  }

  /** Gives every task a policy that has learned nothing: one of its own, or all the same where it is a meta-policy. */
  initialise(learner: OnPolicyLearner): void {
    const { rule, weights } = this.options;
    const randoms = this.initialisation.substreams(weights.length);
    weights.forEach((_, task) => {
      learner.initialise(rule.meta === undefined ? randoms[task] : randoms[0].clone(), this.replicaOf(task));
    });
  }

  /** @param returns of the policies that the tasks begin with */
  async begin(learner: OnPolicyLearner, returns: readonly (readonly number[])[]): Promise<void> {
    if (this.options.rule.meta !== undefined) this.meta = await learner.saveReplica(this.replicaOf(0));
    const points = this.above(returns);
    this.latest = this.current.map(({ weight }, task) => this.enter(null, weight, points[task]));
  }

  /** Offers the current policies of the tasks to the archive. */
  async consider(learner: OnPolicyLearner, returns: readonly (readonly number[])[]): Promise<void> {
    const points = this.above(returns);
    for (const [task, point] of points.entries()) {
      const isGood = (one: readonly number[]) => one.every((value) => value >= 0);
      const hasGood = this.archive.points.some(isGood);
      // Policies that are below the reference point are kept only as long as there is nothing else.
      if (hasGood && !isGood(point)) continue;
      if (!hasGood && isGood(point)) this.archive = this.emptyArchive();
      const policy = new Map<string, Values>();
      if (this.archive.add(point, { policy, returns: returns[task] })) {
        const { state, policy: names } = learner;
        for (const name of names) {
          policy.set(name, replicaPart(await state.read(name), this.replicaOf(task), state.replicas ?? 1).slice());
        }
      }
    }
  }

  /** Adds the current policies of the tasks to the history, as policies that may be trained further. */
  async record(learner: OnPolicyLearner, returns: readonly (readonly number[])[]): Promise<void> {
    const points = this.above(returns);
    const isFirst = this.latest.length === 0;
    for (const [task, { weight }] of this.current.entries()) {
      const place = this.enter(isFirst ? null : this.latest[task], weight, points[task]);
      this.policies.set(place, await learner.saveReplica(this.replicaOf(task)));
      this.latest[task] = place;
    }
  }

  /** Chooses the next tasks and puts their policies into the learner. */
  nextGeneration(learner: OnPolicyLearner, done: number): void {
    const { rule, schedule, weights } = this.options;
    if (rule.meta !== undefined && this.meta !== undefined) {
      const trained = this.latest.map((place) => this.policies.get(place)!);
      this.meta = rule.meta.update(this.meta, trained, done, schedule) ?? this.meta;
    }
    if (rule.meta === undefined) this.select();
    const { history, latest, population } = this;
    const archive = this.archive.points;
    this.current = rule.next({
      schedule,
      done,
      weights,
      history,
      latest,
      population,
      archive,
      random: this.choosing,
    });
    this.current.forEach(({ from }, task) => {
      learner.loadReplica(this.replicaOf(task), from === 'meta' ? this.meta! : this.policies.get(from)!);
    });
    this.latest = this.current.flatMap(({ from }) => (from === 'meta' ? [] : [from]));
    this.forget();
  }

  /** Keeps the best policies in each direction, of the population and of those that are new. */
  private select(): void {
    const { buffers, bufferSize } = this.plan.config;
    const known = [...this.policies.keys()];
    const points = known.map((place) => this.history[place].objectives);
    const kept = performanceBuffers(points, { count: buffers as number, size: bufferSize as number });
    // As long as no policy is above the reference point, the tasks continue with their own.
    this.population = kept.length > 0 ? kept.map((i) => known[i]) : [...new Set(this.latest)];
  }

  /** Drops policies that no later task can start from. */
  private forget(): void {
    const needed = new Set([...this.population, ...this.latest]);
    for (const place of this.policies.keys()) if (!needed.has(place)) this.policies.delete(place);
  }

  private enter(parent: number | null, weight: readonly number[], objectives: readonly number[]): number {
    this.history.push({ parent, weight, objectives });
    return this.history.length - 1;
  }

  private firstWeights(): readonly (readonly number[])[] {
    const { rule, schedule, weights } = this.options;
    return rule.meta?.first({ schedule, weights, random: this.choosing }) ?? weights;
  }

  private replicaOf(task: number): number {
    return this.options.firstReplica + task;
  }

  /** Returns as objectives: less the reference point. */
  private above(returns: readonly (readonly number[])[]): number[][] {
    const { referencePoint } = envInfo(this.plan.env);
    return returns.map((point) => point.map((value, k) => value - referencePoint[k]));
  }

  private emptyArchive(): Archive<Member> {
    return new Archive(envInfo(this.plan.env).objectives.length);
  }

  save(): { readonly state: StateValue; readonly tensors: ReadonlyMap<string, NamedTensor> } {
    const { archive, policies, meta } = this;
    const places = [...policies.keys()];
    const tensors = new Map<string, NamedTensor>([
      ...stacked(
        'archive.',
        this.members.map(({ policy }) => policy),
      ),
      ...stacked(
        'policies.',
        places.map((place) => policies.get(place)!.tensors),
      ),
      ...stacked('meta.', meta === undefined ? [] : [meta.tensors]),
    ]);
    const state: SavedLineage = {
      randomness: [this.choosing, this.seeding, ...this.acting, ...this.learning].map(({ state: words }) => words),
      tasks: this.current,
      history: this.history,
      latest: this.latest,
      population: this.population,
      archive: { points: archive.points, returns: this.returns },
      places,
      rests: places.map((place) => policies.get(place)!.rest),
      meta: meta?.rest ?? null,
    };
    return { state: structuredClone(state) as unknown as StateValue, tensors };
  }

  /** Goes on from what was saved. */
  load({ state, tensors }: { readonly state: StateValue; readonly tensors: ReadonlyMap<string, NamedTensor> }): void {
    const saved = state as unknown as SavedLineage;
    const [choosing, seeding, ...others] = saved.randomness.map((words) => Random.fromState(words));
    const tasks = this.options.weights.length;
    this.choosing = choosing;
    this.seeding = seeding;
    this.acting = others.slice(0, tasks);
    this.learning = others.slice(tasks);
    this.current = saved.tasks;
    this.history = [...saved.history];
    this.latest = [...saved.latest];
    this.population = [...saved.population];
    this.archive = this.emptyArchive();
    const archived = unstacked('archive.', tensors, saved.archive.points.length);
    saved.archive.points.forEach((point, i) => {
      this.archive.add(point, { policy: archived[i], returns: saved.archive.returns[i] });
    });
    this.policies.clear();
    const policies = unstacked('policies.', tensors, saved.places.length);
    saved.places.forEach((place, i) => this.policies.set(place, { tensors: policies[i], rest: saved.rests[i] }));
    const isMeta = this.options.rule.meta !== undefined;
    this.meta = isMeta ? { tensors: unstacked('meta.', tensors, 1)[0], rest: saved.meta } : undefined;
  }
}

interface SavedLineage {
  readonly randomness: readonly RandomState[];
  readonly tasks: readonly Task[];
  readonly history: readonly HistoryEntry[];
  readonly latest: readonly number[];
  readonly population: readonly number[];
  readonly archive: {
    readonly points: readonly (readonly number[])[];
    readonly returns: readonly (readonly number[])[];
  };
  /** Of the policies, in the order in which their tensors are stacked. */
  readonly places: readonly number[];
  readonly rests: readonly StateValue[];
  readonly meta: StateValue;
}

/** Equal sets of arrays as one array for each name, with a leading axis. */
function stacked(prefix: string, sets: readonly ReadonlyMap<string, Values>[]): [string, NamedTensor][] {
  return [...(sets.at(0)?.keys() ?? [])].map((name) => {
    const parts = sets.map((set) => set.get(name)!);
    const [{ length }] = parts;
    const values = new (parts[0] instanceof Int32Array ? Int32Array : Float32Array)(length * parts.length);
    parts.forEach((part, i) => values.set(part, i * length));
    return [prefix + name, { shape: [parts.length, length], values }];
  });
}

function unstacked(
  prefix: string,
  tensors: ReadonlyMap<string, NamedTensor>,
  count: number,
): ReadonlyMap<string, Values>[] {
  const stacks = [...tensors].filter(([name]) => name.startsWith(prefix));
  return Array.from({ length: count }, (_, i) => {
    return new Map(
      stacks.map(([name, { values }]) => [name.slice(prefix.length), replicaPart(values, i, count).slice()]),
    );
  });
}
