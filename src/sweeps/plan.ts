/** Decides every training of a sweep, and gives each the id by which all machines know it. */
import { planReproduction, tables, type Experiment, type Reproduction } from '../experiments/index.js';
import { checksum } from '../files/index.js';
import { unknownName } from '../text/index.js';
import {
  identityOf,
  planTraining,
  replicaPlan,
  type PresetName,
  type TrainingPlan,
  type TrainingRequest,
} from '../training/index.js';
import { VERSION } from '../version.js';
import { isTable, MOST_RUNS, type GridSpec, type SweepSpec, type TableSpec } from './spec.js';

/** A training of a sweep: one run, or several that share a program. */
export interface SweepJob {
  /** Follows from the resolved configuration of its runs and the version, and from nothing else. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly plan: TrainingPlan;
}

/** A sweep, fully decided. */
export interface Sweep {
  /** Of psl, that it was begun with. */
  readonly version: string;
  readonly spec: SweepSpec;
  readonly jobs: readonly SweepJob[];
  /** Of a table of the paper. */
  readonly reproduction?: Reproduction;
}

/** Decides everything that a specification leaves open, and checks all of it. */
export function planSweep(spec: SweepSpec, version = VERSION): Sweep {
  if (isTable(spec)) {
    const reproduction = reproductionOf(spec);
    const jobs = reproduction.jobs.map(({ name, plan }) => ({ id: jobId(plan, version), name, plan }));
    return { version, spec, jobs, reproduction };
  }
  return { version, spec, jobs: gridJobs(spec, version) };
}

const ID_LENGTH = 20;
export const JOB_ID = new RegExp(`^[0-9a-f]{${ID_LENGTH}}$`);

/** The id of a training. Its device is no part of it: a sweep that moves to another one keeps what is finished. */
export function jobId(plan: TrainingPlan, version: string): string {
  const runs = Array.from({ length: plan.replicas }, (_, replica) => identityOf(replicaPlan(plan, replica)));
  return checksum(JSON.stringify([version, ...runs])).slice(0, ID_LENGTH);
}

/** Whether runs that one version began can be trained by another: before 1.0.0 a minor version may change everything. */
export function isCompatible(a: string, b: string): boolean {
  const [major, minor] = a.split('.');
  const [otherMajor, otherMinor] = b.split('.');
  return major === otherMajor && (major !== '0' || minor === otherMinor);
}

function reproductionOf({ experiment: name, ...request }: TableSpec): Reproduction {
  const names = Object.keys(tables);
  if (!names.includes(name)) throw new RangeError(unknownName('experiment', name, names));
  const experiment: Experiment = tables[name as keyof typeof tables];
  return planReproduction(experiment, request);
}

function gridJobs(spec: GridSpec, version: string): SweepJob[] {
  const { environments, algorithms = [undefined], presets, lockstep } = spec;
  const combinations = lockstep ? [{}] : combinationsOf(spec.vary);
  const seeds = lockstep ? rangesOf(spec.seeds) : spec.seeds.map((seed) => ({ seed, replicas: 1 }));
  const runs = environments.length * algorithms.length * presets.length * combinations.length * seeds.length;
  if (runs > MOST_RUNS) throw new RangeError(`The sweep has ${runs} runs, but must have at most ${MOST_RUNS}.`);
  const jobs: SweepJob[] = [];
  // A seed of everything before the next seed, so that a sweep that ends early compares what there is.
  for (const these of seeds) {
    for (const env of environments) {
      for (const algorithm of algorithms) {
        for (const preset of presets) {
          for (const combination of combinations) {
            jobs.push(jobOf(spec, version, { env, algorithm, preset, combination, ...these }));
          }
        }
      }
    }
  }
  return jobs;
}

interface Place {
  readonly env: string;
  readonly algorithm: string | undefined;
  readonly preset: PresetName;
  readonly combination: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly replicas: number;
}

function jobOf({ overrides, vary, envOptions, device, lockstep }: GridSpec, version: string, place: Place): SweepJob {
  const { env, algorithm, preset, combination, seed, replicas } = place;
  const request: TrainingRequest = {
    env,
    ...(algorithm !== undefined && { algorithm }),
    preset,
    settings: { ...overrides, ...combination },
    envOptions,
    seed,
    replicas,
    // The plan refuses what is no number, or cannot differ within a program.
    ...(lockstep && { vary: vary as Readonly<Record<string, readonly number[]>> }),
    device,
  };
  const plan = planTraining(request);
  const settings = Object.entries(combination).map(([name, value]) => `${name}-${String(value)}`);
  const varied = lockstep ? Object.keys(vary) : settings;
  const seeds = replicas === 1 ? `seed${seed}` : `seeds${seed}-${seed + replicas - 1}`;
  const name = [env, plan.algorithm.name, preset, ...varied, seeds].join('-').replace(/[^\w.+-]+/g, '_');
  return { id: jobId(plan, version), name, plan };
}

/** Every combination of the values of some settings. */
function combinationsOf(vary: Readonly<Record<string, readonly unknown[]>>): Record<string, unknown>[] {
  return Object.entries(vary).reduce<Record<string, unknown>[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

/** Seeds that follow each other, which replicas of one program can have. */
function rangesOf(seeds: readonly number[]): { readonly seed: number; readonly replicas: number }[] {
  const ranges: { seed: number; replicas: number }[] = [];
  for (const seed of [...seeds].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last.seed + last.replicas === seed) last.replicas++;
    else ranges.push({ seed, replicas: 1 });
  }
  return ranges;
}
