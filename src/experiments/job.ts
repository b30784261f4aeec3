/** One training of a table, and its outcome. */
import type { Score } from '../fronts/index.js';
import type { Progress, Protocol, TrainingPlan } from '../training/index.js';

/** A method of a table, by the name of the algorithm that is it here. */
export interface Method {
  readonly algorithm: string;
  /** As the paper calls it. */
  readonly label: string;
}

/** A training of one seed, or of several in lockstep. */
export interface Job {
  readonly method: Method;
  readonly plan: TrainingPlan;
  /** Of its folder, within that of the reproduction. */
  readonly name: string;
}

/** The outcome of a finished training. */
export interface Outcome extends Score, Progress {
  readonly job: Job;
  readonly seed: number;
  /** Folder of the run. */
  readonly run: string;
  /** Of the training; its share of them where several seeds were trained together. */
  readonly seconds: number;
  readonly device: string;
  readonly protocol: Protocol;
  /** Of what it was trained with. */
  readonly versions: Readonly<Record<string, string>>;
  /** Whether it had been trained before. */
  readonly isReused: boolean;
}

export function jobOf(method: Method, plan: TrainingPlan): Job {
  const { env, seed, replicas } = plan;
  const seeds = replicas === 1 ? `seed${seed}` : `seeds${seed}-${seed + replicas - 1}`;
  return { method, plan, name: `${env}-${method.algorithm}-${seeds}` };
}

/** The same training one seed after the other. */
export function seedsOf({ method, plan }: Job): Job[] {
  return Array.from({ length: plan.replicas }, (_, r) => jobOf(method, { ...plan, seed: plan.seed + r, replicas: 1 }));
}
