/**
 * Writes the files of one run: its configuration, metrics and fronts while it trains, and its model, pictures and
 * result at the end. `directory.ts` reads them.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Learner } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import { checksum, checksummed, jsonText, makeFolder, writeAtomic } from '../files/index.js';
import { ceilingOf, frontOf } from '../fronts/index.js';
import type { ReturnsAt, Score } from '../fronts/index.js';
import type { Model, Precision } from '../model/index.js';
import { svgToPng } from '../plots/png.js';
import { evaluationPreferences, modelOf, protocolOf, returnDiscountOf, trainedBefore } from '../training/index.js';
import type {
  Evaluated,
  Logged,
  Measured,
  ParentRun,
  Progress,
  Protocol,
  ReplicaVariant,
  TrainingPlan,
} from '../training/index.js';
import { VERSION } from '../version.js';
import { openRun } from './directory.js';
import { frontText, learnerFiles, modelFiles } from './file-contents.js';
import {
  CONFIG,
  FINAL,
  FRONTS,
  GROWING,
  KEYS,
  LAST,
  LEARNER,
  LEARNER_WEIGHTS,
  METRICS,
  METRICS_TABLE,
  RESULT,
  RUN_FORMAT,
  TRAINING_LOG,
  WEIGHTS,
} from './file-names.js';
import { numbersIn, tableOf } from './log-table.js';
import { moduleFiles } from './modules.js';
import { frontPicture, hypervolumePicture } from './pictures.js';
import { RunError } from './run-error.js';

/** The numbers of a run, with all it takes to compare them with others. */
export interface RunResult extends Score, Progress {
  /** The folder. */
  readonly run: string;
  /** Hypervolume of the known front; null where there is none. */
  readonly ceiling: number | null;
  /** Environment steps that its evaluations took, which are not among the others; null where nobody counted them. */
  readonly evaluationSteps: number | null;
  /** Environment steps after which the policy set was evaluated that is kept; absent where it was evaluated again. */
  readonly keptAt?: number;
  /** What the policy set achieved that was evaluated last, where the best one is kept. */
  readonly last?: Score & Pick<Progress, 'envSteps'>;
  readonly seconds: number;
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
  /** How the model's numbers are stored, where that is not how they were trained. */
  readonly weights?: Precision;
  /** The run that it began with, whose steps are among its own. */
  readonly from?: ParentRun;
  readonly protocol: Protocol;
}

/** What a checkpoint holds of a run's writer. */
export interface SavedWriter {
  readonly evaluations: readonly Omit<Evaluated, 'returns' | 'preferences'>[];
  readonly seconds: readonly number[];
  /** What updates reported, and when; absent in checkpoints of earlier versions. */
  readonly logged?: readonly Logged[];
  readonly loggedSeconds?: readonly number[];
  /** Checksums of the files that are written already, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Writes one run while it trains. `config.json`, `metrics.jsonl` and everything else that does not measure time are the
 * same, byte for byte, for the same plan on the same machine. `result.json` comes last: a folder that has it is whole.
 */
export class RunWriter {
  private readonly evaluations: Evaluated[] = [];
  private readonly seconds: number[] = [];
  private readonly logged: Logged[] = [];
  private readonly loggedSeconds: number[] = [];
  /** Checksums of what was written, by name: of the contents in memory, not of what arrived on the disk. */
  private readonly files = new Map<string, string>();

  /**
   * @param plan of this run alone: with its own seed, as if no replica had been trained beside it
   * @param lockstep replicas that were trained together, this one among them
   * @param group where they differ in settings: which of them it is, and what each has
   */
  constructor(
    readonly folder: string,
    private readonly plan: TrainingPlan,
    private readonly lockstep: number,
    private readonly group?: { readonly replica: number; readonly variants: readonly ReplicaVariant[] },
  ) {}

  /**
   * A run that goes on keeps the config.json that it began with.
   * @param saved of a run that goes on from a checkpoint
   */
  begin(saved?: SavedWriter): void {
    makeFolder(this.folder);
    const config = join(this.folder, CONFIG);
    const goesOn = existsSync(config);
    if (goesOn) this.files.set(CONFIG, checksum(readFileSync(config)));
    else this.put(CONFIG, checksummed(jsonText(this.configuration())));
    makeFolder(join(this.folder, FRONTS));
    if (!goesOn) return;
    for (const [name, sha256] of Object.entries(saved?.files ?? {})) this.files.set(name, sha256);
    this.evaluations.push(...(saved?.evaluations ?? []).map((evaluated) => ({ ...evaluated, returns: [] })));
    this.seconds.push(...(saved?.seconds ?? []));
    this.logged.push(...(saved?.logged ?? []));
    this.loggedSeconds.push(...(saved?.loggedSeconds ?? []));
    this.keepResult();
    this.writeMetrics();
    this.writeLog();
  }

  /**
   * The result of a stopped run stays readable while the run is continued. Its list of checksums then leaves out what
   * grows from now on.
   */
  private keepResult(): void {
    const path = join(this.folder, RESULT);
    if (!existsSync(path)) return;
    const document = resultToKeep(this.folder);
    if (document === undefined) rmSync(path);
    else writeAtomic(path, checksummed(jsonText(document)));
  }

  private configuration(): object {
    const { plan } = this;
    const modules = moduleFiles(plan);
    return {
      format: RUN_FORMAT,
      versions: { psl: VERSION, node: process.versions.node },
      algorithm: plan.algorithm.name,
      env: plan.env,
      ...(Object.keys(modules).length > 0 && { modules }),
      envOptions: plan.envOptions,
      preset: plan.preset,
      seed: plan.seed,
      device: plan.device,
      ...(plan.keys !== undefined && { keys: plan.keys }),
      // By its name alone: where it lies is no matter of the training.
      ...(plan.from !== undefined && { from: { ...plan.from, run: basename(resolve(plan.from.run)) } }),
      settings: plan.config,
      ...this.group,
      protocol: protocolOf(plan, this.lockstep),
    };
  }

  /** Keeps what updates reported, until the next evaluation is written. */
  log(logged: Logged, seconds: number): void {
    this.logged.push(logged);
    this.loggedSeconds.push(seconds);
  }

  /** Records an evaluation. */
  record(evaluated: Evaluated, seconds: number): void {
    this.evaluations.push(evaluated);
    this.seconds.push(seconds);
    this.writeMetrics();
    this.writeLog();
    const all = this.returnsAt(evaluated);
    this.writeFront(`${FRONTS}/${evaluated.envSteps}.json`, evaluated, frontOf(all));
  }

  private returnsAt({ preferences = evaluationPreferences(this.plan), returns }: Evaluated): ReturnsAt {
    return { preferences, returns };
  }

  /** For a checkpoint; the returns are in the fronts. */
  save(): SavedWriter {
    return {
      evaluations: this.evaluations.map(({ returns: _, preferences: _at, ...rest }) => rest),
      seconds: [...this.seconds],
      logged: [...this.logged],
      loggedSeconds: [...this.loggedSeconds],
      files: Object.fromEntries(this.files),
    };
  }

  /**
   * Writes the model that the run ends with, the pictures and the numbers.
   * @param set the finite set of policies that it ends with, where that is not the learner's own
   * @param kept what the model achieves
   * @param last the policy set that was evaluated last, where the best is kept
   * @param keepLearner whether all that was learned is kept too, so that another training can begin with it
   * @returns the result, and why a picture is missing, if one is
   */
  async finish(
    {
      learner,
      set,
      last,
      keepLearner = true,
    }: {
      readonly learner: Learner;
      readonly set?: Model | undefined;
      readonly last?: Measured;
      readonly keepLearner?: boolean;
    },
    kept: Evaluated,
    outcome: Progress & Pick<RunResult, 'evaluationSteps' | 'seconds' | 'stopped'>,
  ): Promise<{ readonly result: RunResult; readonly problem: string | undefined }> {
    const { plan, folder } = this;
    const all = this.returnsAt(kept);
    // The result of an earlier stop does not belong to what is written now.
    rmSync(join(folder, RESULT), { force: true });
    this.writeLog();
    this.writeFront(FINAL, kept, all);

    this.putModel('', set ?? (await modelOf(plan, learner, kept.replica)));
    // Those of an earlier stop, too.
    for (const name of [LEARNER, LEARNER_WEIGHTS]) rmSync(join(folder, name), { force: true });
    if (keepLearner && set === undefined) {
      const learned = await learner.saveReplica(kept.replica);
      const files = learnerFiles(learned, learner.policy, this.files.get(WEIGHTS)!);
      for (const [name, content] of files) this.put(name, content);
    }
    rmSync(join(folder, LAST), { recursive: true, force: true });
    if (last !== undefined) {
      makeFolder(join(folder, LAST));
      this.putModel(`${LAST}/`, await modelOf(plan, learner, kept.replica, last.policy));
    }

    const keys = learner.keys?.[kept.replica];
    if (keys !== undefined) {
      const { preferences, returns } = keys;
      this.put(KEYS, checksummed(jsonText({ format: RUN_FORMAT, preferences, returns })));
    }

    const front = frontPicture(plan, { ...all, hypervolume: kept.score.hypervolume });
    const problem =
      (await this.putPicture('front', front)) ??
      (await this.putPicture('hypervolume', hypervolumePicture(plan, [this.curve(kept)])));

    // The whole run is counted, also what came after the policy set that was kept.
    const { envSteps } = outcome;
    const { score } = kept;
    const ceiling = ceilingOf(envInfo(plan.env), returnDiscountOf(plan));
    const numbers = {
      ...score,
      ceiling,
      ...outcome,
      keptAt: kept.envSteps,
      ...(last !== undefined && { last: { envSteps: last.evaluated.envSteps, ...last.evaluated.score } }),
    };
    const result = {
      format: RUN_FORMAT,
      ...numbers,
      stepsPerSecond: (envSteps - trainedBefore(plan).envSteps) / outcome.seconds,
      evaluations: this.evaluations.map((evaluated, i) => ({ envSteps: evaluated.envSteps, seconds: this.seconds[i] })),
      logged: { envSteps: this.logged.map(({ envSteps }) => envSteps), seconds: this.loggedSeconds },
      files: Object.fromEntries(this.files),
    };
    writeAtomic(join(folder, RESULT), checksummed(jsonText(result)));
    const from = plan.from !== undefined && { from: plan.from };
    return { result: { run: folder, ...numbers, ...from, protocol: protocolOf(plan, this.lockstep) }, problem };
  }

  /**
   * For a picture of several runs.
   * @param kept what it ended with, in case it was stopped before its first evaluation
   */
  curve(kept: Evaluated): readonly Evaluated[] {
    return this.evaluations.length > 0 ? this.evaluations : [kept];
  }

  private writeMetrics(): void {
    const lines = this.evaluations.map(({ envSteps, gradientSteps, evaluationSteps, score, diagnostics }) => {
      return `${JSON.stringify({ envSteps, gradientSteps, evaluationSteps, score, diagnostics })}\n`;
    });
    this.put(METRICS, lines.join(''));
    const evaluations = this.evaluations.map(({ envSteps, gradientSteps, evaluationSteps, score, diagnostics }) => {
      return numbersIn({ envSteps, gradientSteps, evaluationSteps, score, diagnostics }, '/');
    });
    this.put(METRICS_TABLE, tableOf(evaluations));
  }

  private writeLog(): void {
    const logged = this.logged.map(({ replica: _, ...rest }) => numbersIn(rest, '/'));
    this.put(TRAINING_LOG, tableOf(logged));
  }

  /** The final file has the returns at all preferences, earlier ones only the non-dominated returns. */
  private writeFront(name: string, progress: Progress, returnsAt: ReturnsAt): void {
    this.put(name, frontText(progress, returnsAt));
  }

  private putModel(prefix: string, model: Model): void {
    for (const [name, content] of modelFiles(model)) this.put(`${prefix}${name}`, content);
  }

  private async putPicture(name: string, svg: string): Promise<string | undefined> {
    return writePicture(name, svg, (file, content) => this.put(file, content));
  }

  private put(name: string, content: string | Uint8Array): void {
    writeAtomic(join(this.folder, name), content);
    this.files.set(name, checksum(content));
  }
}

/** The result of a run without what grows; undefined where it cannot be read, or is damaged. */
function resultToKeep(folder: string): object | undefined {
  try {
    openRun(folder);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
  const {
    sha256: _,
    files,
    ...result
  } = JSON.parse(readFileSync(join(folder, RESULT), 'utf8')) as {
    readonly sha256?: string;
    /** Runs of the first format have none. */
    readonly files?: Readonly<Record<string, string>>;
  };
  if (files === undefined) return result;
  return { ...result, files: Object.fromEntries(Object.entries(files).filter(([name]) => !GROWING.includes(name))) };
}

/** Writes a picture as SVG and PNG; returns why there is no PNG, if so. A run does not fail for want of one. */
export async function writePicture(
  name: string,
  svg: string,
  put: (file: string, content: string | Uint8Array) => void,
): Promise<string | undefined> {
  put(`${name}.svg`, svg);
  let png: Uint8Array;
  try {
    png = await svgToPng(svg);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  put(`${name}.png`, png);
  return undefined;
}
