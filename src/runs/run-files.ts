/**
 * The files of one run, made of what its training tells: its configuration, metrics and fronts while it trains, and its
 * model, pictures and result at the end. Where they are kept is up to those who extend this: `writer.ts` writes them to disk,
 * and a page that trains holds them in memory.
 */
import type { Learner } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import { checksum } from '../files/checksum.js';
import { checksummed } from '../files/checksummed.js';
import { jsonText } from '../files/json-text.js';
import { frontOf, type ReturnsAt } from '../fronts/front.js';
import { ceilingOf, type Score } from '../fronts/score.js';
import type { Model, Precision } from '../model/index.js';
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
import type { Answers } from './answers.js';
import { frontText, learnerFiles, modelFiles } from './file-contents.js';
import {
  CONFIG,
  FINAL,
  FRONTS,
  KEYS,
  LAST,
  METRICS,
  METRICS_TABLE,
  RESULT,
  RUN_FORMAT,
  TRAINING_LOG,
  WEIGHTS,
} from './file-names.js';
import { numbersIn, tableOf } from './log-table.js';
import { frontPicture, hypervolumePicture } from './pictures.js';

/** What a run was trained on, without which nobody can judge the time that it took. */
export interface Machine {
  /** Model of the CPU. */
  readonly cpu: string;
  /** Cores that the process may use. */
  readonly cores: number;
  /** Name of the GPU; null where none was used. */
  readonly gpu: string | null;
}

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
  /** On which it ended; null where nobody looked. */
  readonly machine: Machine | null;
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
  /** How the model's numbers are stored, where that is not how they were trained. */
  readonly weights?: Precision;
  /** How the model came to answer preferences by policies of others, where it does. */
  readonly answers?: Answers;
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

/** What a training is made with and begins with, besides its plan. */
interface Surroundings {
  /** Of what runs it, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** Where those parts come from that were imported. */
  readonly modules?: Readonly<Record<string, unknown>>;
  readonly from?: ParentRun;
}

/** What a run ends with. */
export interface Policies {
  readonly learner: Learner;
  /** The finite set of policies that it ends with, where that is not the learner's own. */
  readonly set?: Model | undefined;
  /** The policy set that was evaluated last, where the best is kept. */
  readonly last?: Measured;
  /** Whether all that was learned is kept too, so that another training can begin with it. */
  readonly keepLearner?: boolean;
}

export type Outcome = Progress & Pick<RunResult, 'evaluationSteps' | 'seconds' | 'machine' | 'stopped'>;

/** The result, and why a picture is missing, if one is. */
export interface Finished {
  readonly result: Omit<RunResult, 'run'>;
  readonly problem: string | undefined;
}

/**
 * The files of a run. `config.json`, `metrics.jsonl` and everything else that does not measure time are the same, byte for
 * byte, for the same plan on the same machine. `result.json` comes last: a run that has it is whole.
 */
export abstract class RunFiles {
  protected readonly evaluations: Evaluated[] = [];
  protected readonly seconds: number[] = [];
  protected readonly logged: Logged[] = [];
  protected readonly loggedSeconds: number[] = [];
  /** Checksums of what was written, by name: of the contents in memory, not of what arrived on the disk. */
  protected readonly files = new Map<string, string>();

  /**
   * @param plan of this run alone: with its own seed, as if no replica had been trained beside it
   * @param lockstep replicas that were trained together, this one among them
   * @param group where they differ in settings: which of them it is, and what each has
   */
  constructor(
    protected readonly plan: TrainingPlan,
    private readonly lockstep: number,
    private readonly group?: { readonly replica: number; readonly variants: readonly ReplicaVariant[] },
  ) {}

  /** Keeps a file, in place of an earlier one of that name. */
  protected abstract write(name: string, content: string | Uint8Array): void;

  /** Writes config.json: everything that was decided before the training. */
  protected writeConfig({ versions, modules = {}, from }: Surroundings): void {
    const { plan } = this;
    const configuration = {
      format: RUN_FORMAT,
      versions: { psl: VERSION, ...versions },
      algorithm: plan.algorithm.name,
      env: plan.env,
      ...(Object.keys(modules).length > 0 && { modules }),
      envOptions: plan.envOptions,
      preset: plan.preset,
      seed: plan.seed,
      device: plan.device,
      ...(plan.keys !== undefined && { keys: plan.keys }),
      ...(from !== undefined && { from }),
      settings: plan.config,
      ...this.group,
      protocol: protocolOf(plan, this.lockstep),
    };
    this.put(CONFIG, checksummed(jsonText(configuration)));
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
    { learner, set, last, keepLearner = true }: Policies,
    kept: Evaluated,
    outcome: Outcome,
  ): Promise<Finished> {
    const { plan } = this;
    const all = this.returnsAt(kept);
    this.writeLog();
    this.writeFront(FINAL, kept, all);

    this.putModel('', set ?? (await modelOf(plan, learner, kept.replica)));
    if (keepLearner && set === undefined) {
      const learned = await learner.saveReplica(kept.replica);
      const files = learnerFiles(learned, learner.policy, this.files.get(WEIGHTS)!);
      for (const [name, content] of files) this.put(name, content);
    }
    if (last !== undefined) this.putModel(`${LAST}/`, await modelOf(plan, learner, kept.replica, last.policy));

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
    this.write(RESULT, checksummed(jsonText(result)));
    const from = plan.from !== undefined && { from: plan.from };
    return { result: { ...numbers, ...from, protocol: protocolOf(plan, this.lockstep) }, problem };
  }

  /**
   * For a picture of several runs.
   * @param kept what it ended with, in case it was stopped before its first evaluation
   */
  curve(kept: Evaluated): readonly Evaluated[] {
    return this.evaluations.length > 0 ? this.evaluations : [kept];
  }

  protected writeMetrics(): void {
    const lines = this.evaluations.map(({ envSteps, gradientSteps, evaluationSteps, score, diagnostics }) => {
      return `${JSON.stringify({ envSteps, gradientSteps, evaluationSteps, score, diagnostics })}\n`;
    });
    this.put(METRICS, lines.join(''));
    const evaluations = this.evaluations.map(({ envSteps, gradientSteps, evaluationSteps, score, diagnostics }) => {
      return numbersIn({ envSteps, gradientSteps, evaluationSteps, score, diagnostics }, '/');
    });
    this.put(METRICS_TABLE, tableOf(evaluations));
  }

  protected writeLog(): void {
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

  /** Writes a picture; returns why a part of it is missing, if one is. */
  protected putPicture(name: string, svg: string): Promise<string | undefined> {
    this.put(`${name}.svg`, svg);
    return Promise.resolve(undefined);
  }

  protected put(name: string, content: string | Uint8Array): void {
    this.write(name, content);
    this.files.set(name, checksum(content));
  }
}
