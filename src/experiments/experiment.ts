/** What an experiment is: a table of the paper as data, with all that tells it from other tables. */
import type { OptionValues } from '../envs/index.js';
import type { Interval, Statistics } from '../fronts/index.js';
import type { PresetName, Protocol, TrainingPlan } from '../training/index.js';
import type { Case, Published } from './case.js';
import type { FinalProtocol } from './final-score.js';
import type { Method, Outcome } from './job.js';
import type { Judged, Judgement } from './judgement.js';
import type { Unranked } from './standing.js';

/** How much every method may spend on one training, and how many times it is trained. */
export interface Budget {
  /** To complete "budget small: ...". */
  readonly about: string;
  readonly preset: PresetName;
  /** Seeds 1 to this, unless another number is asked for. */
  readonly seeds: number;
  /** Keys of the cases, unless others are asked for; all of the table where absent. */
  readonly cases?: readonly (number | string)[];
  /** The same of the methods. */
  readonly methods?: readonly string[];
  /** How policy sets are played for their score; absent where evaluations during training are no choice by chance. */
  readonly final?: FinalProtocol;
}

/** Seeds that are trained together: this many from `seed` on. */
export interface Seeds {
  readonly seed: number;
  readonly replicas: number;
}

/** How a training is made, besides what is trained. */
export interface TrainedHow extends Seeds {
  readonly device: string;
  /** Values of what the methods that are trained together differ in. */
  readonly vary: Readonly<Record<string, readonly number[]>>;
}

/**
 * A table that can be trained again. A folder beside this file holds one: published numbers, budgets, the plan of each
 * training and the layout of the report; planning, training and reporting are the same for all.
 */
export interface Experiment<C extends Case = Case, E extends Entry = Entry, X extends object = object> {
  readonly name: string;
  /** In the order of the table, as the cases. */
  readonly methods: readonly Method[];
  readonly cases: readonly C[];
  /** What a case is called, such as `depth`; where several are chosen, an s is added. */
  readonly caseName: string;
  readonly budgets: Readonly<Record<string, Budget>>;
  /** The training of a method, and of those that differ in their variant alone. */
  plan(budget: string, method: Method, where: C, how: TrainedHow): TrainingPlan;
  readonly layout: Layout<C, E, X>;
}

/** What a report says that others do not, and how its tables look. */
export interface Layout<C extends Case = Case, E extends Entry = Entry, X extends object = object> {
  /** Of the report. */
  readonly title: string;
  /** Under the table. */
  readonly legend: string;
  /** Which methods are compared with which. */
  readonly judged: Judged;
  /** Parts of sentences about the cases, such as "at every depth" and "at depth" before some of them. */
  readonly atEvery: string;
  readonly atSome: string;
  /** A case in tables, and behind `atSome`. */
  caseLabel(where: C): string;
  /** A hypervolume in sentences, with as many digits as the paper has. */
  hypervolumeText(value: number, where: C): string;
  /** Columns of the table that hold words. */
  readonly words: readonly number[];
  /** What the paper prints; null for a method that is not in it. */
  published(method: Method, where: C): Published | null;
  /** Of an entry, besides what all entries have. */
  entry(where: C, plan: TrainingPlan, outcomes: readonly Outcome[]): Omit<E, keyof Entry>;
  /** Of the report, besides what all reports have. */
  rest(cases: readonly C[], entries: readonly E[]): X;
  /** The protocol of the trainings in sentences, with everything that makes our numbers differ from the paper's. */
  protocol(budget: string, plans: readonly TrainingPlan[]): readonly string[];
  /** What a reader of the table has to know before comparing anything with it. */
  readonly caveats: readonly string[];
  table(report: Report<E, X>): Table;
  /** The same with everything that the table leaves out, to look things up in; absent where it leaves out nothing. */
  readonly full?: { readonly legend: string; table(report: Report<E, X>): Table };
  /** What a table of all seeds says about one, besides what it costs: titles, and a cell for each. */
  readonly seedColumns: readonly string[];
  seedCells(entry: E, seed: SeedResult): readonly string[];
}

/** One entry of a table: what the paper says, and what came out here. */
export interface Entry {
  readonly env: string;
  /** Of the method. */
  readonly key: string;
  readonly method: string;
  readonly algorithm: string;
  /** Null for a method that is not in the paper. */
  readonly published: Published | null;
  /** Why it has no rank; null where it has one. */
  readonly unranked: Unranked | null;
  /** Over the seeds; null where none is finished. */
  readonly hypervolume: Statistics | null;
  /** Of the interquartile mean of the hypervolumes, 95 % of the bootstrap; null for fewer than two seeds. */
  readonly interval: Interval | null;
  /** Mean regret of preferences, over the seeds; null also for methods with a population. */
  readonly regret: Statistics | null;
  /** Environment steps that a run counted. */
  readonly envSteps: Statistics | null;
  /** Those of the published code. */
  readonly publishedSteps: number;
  readonly seeds: readonly SeedResult[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly envOptions: OptionValues;
  /** How the numbers came about; null where no seed is finished. */
  readonly protocol: Protocol | null;
}

/** One seed of an entry: all that is known of its run, so that reports can be merged where the runs are gone. */
export type SeedResult = Pick<
  Outcome,
  | 'seed'
  | 'run'
  | 'hypervolume'
  | 'sparsity'
  | 'chosenBy'
  | 'last'
  | 'expectedUtility'
  | 'regret'
  | 'points'
  | 'coverageF1'
  | 'envSteps'
  | 'gradientSteps'
  | 'evaluationSteps'
  | 'seconds'
  | 'machine'
  | 'device'
  | 'versions'
  | 'front'
  | 'curve'
> &
  // The only part of the protocol that seeds can differ in.
  Pick<Protocol, 'lockstep'>;

/** A reproduction of a table with all it takes to judge it. */
export type Report<E extends Entry = Entry, X extends object = object> = X &
  Judgement & {
    readonly format: 1;
    readonly experiment: string;
    readonly folder: string;
    readonly budget: string;
    readonly preset: PresetName;
    /** Additional ones are finished, too: of seeds that were not planned. */
    readonly runs: { readonly planned: number; readonly finished: number; readonly additional: number };
    /** Whether runs are missing. */
    readonly stopped: boolean;
    /** In the order of the paper's table, a case after the other. */
    readonly entries: readonly E[];
    /** Time of all runs together. */
    readonly seconds: number;
    readonly versions: Readonly<Record<string, readonly string[]>>;
    /** The protocol and what to know about it, in sentences. */
    readonly notes: readonly string[];
  };

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
