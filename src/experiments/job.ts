/** One training of a table, and its outcome. */
import type { Score } from '../fronts/index.js';
import type { Machine } from '../runs/index.js';
import { replicaPlan } from '../training/index.js';
import type { PresetName, Progress, Protocol, TrainingPlan } from '../training/index.js';
import type { Case } from './case.js';
import type { FrontAndCurve } from './front-and-curve.js';

/** A method of a table: a row, or a column, of its own. */
export interface Method {
  /** By which it is chosen, and its runs are named: that of the algorithm where no other method has the same one. */
  readonly key: string;
  readonly algorithm: string;
  /** As the paper calls it. */
  readonly label: string;
  /** That its settings are of; the budget's where absent. `paper` for a method as published. */
  readonly preset?: PresetName;
  /** Settings that make it what it is, where the algorithm alone does not. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The same, of numbers that replicas of one program can differ in: methods that differ in them alone are trained together. */
  readonly variant?: Readonly<Record<string, number>>;
}

/** A training: of one method and seed, or of several in one program. */
export interface Job {
  readonly where: Case;
  /** One, or several that differ in what replicas can. */
  readonly methods: readonly Method[];
  /** Its replicas are the seeds of the first method, then those of the next. */
  readonly plan: TrainingPlan;
  /** Of its folder, within that of the reproduction. */
  readonly name: string;
}

/** A run that a job makes, which is one of its replicas. */
export interface PlannedRun {
  readonly method: Method;
  /** As if it were trained alone. */
  readonly plan: TrainingPlan;
}

/** The outcome of a finished run. */
export interface Outcome extends Score, Progress, FrontAndCurve {
  readonly method: Method;
  readonly plan: TrainingPlan;
  readonly seed: number;
  /** Folder of the run; null where only its record is left. */
  readonly run: string | null;
  /** Environment steps of all its evaluations; null where nobody counted them. */
  readonly evaluationSteps: number | null;
  /** Of the training; its share of them where several runs were trained together. */
  readonly seconds: number;
  /** Null where nobody looked. */
  readonly machine: Machine | null;
  readonly device: string;
  /** Of the score. */
  readonly protocol: Protocol;
  /** Hypervolume at the evaluation by which the policy set was chosen; the score itself where it is not played again. */
  readonly chosenBy: number;
  /** Hypervolume of the policy set that was evaluated last, measured as the score is; null where it is not known. */
  readonly last: number | null;
  /** Of what it was trained with. */
  readonly versions: Readonly<Record<string, string>>;
  /** Whether it had been trained before. */
  readonly isReused: boolean;
}

/** The runs of a job, one for each replica. */
export function runsOf({ methods, plan }: Pick<Job, 'methods' | 'plan'>): PlannedRun[] {
  const seeds = plan.replicas / methods.length;
  return Array.from({ length: plan.replicas }, (_, replica) => ({
    method: methods[Math.floor(replica / seeds)],
    plan: replicaPlan(plan, replica),
  }));
}
