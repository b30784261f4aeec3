/**
 * Runs a training while somebody watches: progress, warnings, Ctrl-C, and the report at the end. `psl train` and `psl
 * resume` share it.
 */
import { envInfo } from '../envs/index.js';
import { ceilingOf } from '../fronts/index.js';
import type { PreferenceRegret } from '../pareto/index.js';
import {
  lastCheckpoint,
  LockedError,
  RunError,
  type ResumeOptions,
  type RunResult,
  type TrainedRuns,
} from '../runs/index.js';
import {
  budgetNotes,
  CheckpointError,
  DIVERGED,
  returnDiscountOf,
  NonFiniteError,
  replicasText,
  stepsTaken,
  StoppedError,
  type TrainingPlan,
} from '../training/index.js';
import { oneLineOf } from '../text/index.js';
import { InputError } from './errors.js';
import { percent, shown } from './format.js';
import { duration, ProgressLine } from './progress.js';
import { counted, ofCeiling, resultLines, typedPath } from './result.js';
import type { Output } from './terminal.js';

/** Callbacks that a training has to be started with, so that it can be watched. */
type Watched = Required<Pick<ResumeOptions, 'events' | 'opened' | 'warn'>>;
type Start = (watched: Watched) => Promise<TrainedRuns>;

/**
 * Runs a training, reports on it, and returns its result for --json.
 * @param doing such as "training", to begin the first line with
 */
export async function watchTraining(plan: TrainingPlan, doing: string, start: Start, output: Output): Promise<object> {
  const { trained, stoppedDuring, taken, folder } = await training(plan, doing, start, output);
  if (trained === undefined) {
    const how =
      stoppedDuring === 'key solutions' ? 'stopped while its key solutions are trained' : stoppedAfter(plan, taken);
    output.report([`${how}; go on with ${resumeOf(folder)}`, `run: ${folder}`]);
    return { run: folder, stopped: true };
  }
  output.report(reportOf(plan, trained, taken));
  return resultOf(plan, trained);
}

/** How a training ended; without a result where it was stopped before there was a policy. */
interface Ending {
  readonly trained: TrainedRuns | undefined;
  readonly stoppedDuring?: StoppedError['during'];
  readonly folder: string;
  readonly taken: number;
}

async function training(plan: TrainingPlan, doing: string, start: Start, output: Output): Promise<Ending> {
  const line = new ProgressLine(output.human, plan, ceilingOf(envInfo(plan.env), returnDiscountOf(plan)));
  const is = { stopping: false, diverging: false };
  let folder: string | undefined;
  let taken = 0;
  const ignoreInterrupts = output.onInterrupt(() => {
    is.stopping = true;
    line.say('stopping: saving what there is; once more ends at once, and leaves the last checkpoint');
  });
  try {
    const trained = await start({
      opened: (path) => (folder = path),
      warn: (warning) => line.say(`warning: ${warning}`),
      events: {
        started() {
          output.line(
            `${doing} ${plan.algorithm.name} on ${plan.env}: ${plan.preset} preset, ${replicasText(plan)}, ${plan.device}`,
          );
          for (const note of budgetNotes(plan)) output.line(`note: ${note}`);
        },
        shouldStop: () => is.stopping,
        progress(progress) {
          taken = progress.envSteps;
          line.progress(progress);
        },
        evaluating: (share) => line.evaluating(share),
        keyProgress: (done, all) => line.keyProgress(done, all),
        evaluated(evaluated) {
          line.evaluated(evaluated);
          const problem = problemIn(evaluated.diagnostics);
          if (problem === undefined || is.diverging) return;
          is.diverging = true;
          line.say(`warning: ${problem}`);
        },
      },
    });
    return { trained, folder: trained.folder, taken };
  } catch (error) {
    if (folder === undefined) throw asInput(error);
    if (error instanceof StoppedError) return { trained: undefined, stoppedDuring: error.during, folder, taken };
    throw new Error(failureOf(error, plan, folder), { cause: error });
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}

/** Settings that only the learner finds not to fit together are the user's mistake: nothing has been written yet. */
function asInput(error: unknown): unknown {
  const isAboutFolder = error instanceof LockedError || error instanceof CheckpointError || error instanceof RunError;
  return error instanceof RangeError && !isAboutFolder ? new InputError(error.message, { cause: error }) : error;
}

/** What ended a training, and how it goes on. */
export function failureOf(error: unknown, plan: TrainingPlan, folder: string): string {
  const reason = oneLineOf(error).replace(/\.?$/, '.');
  const last = lastCheckpoint(folder);
  const after = last?.envSteps === undefined ? '' : ` after ${last.envSteps} of ${stepsTaken(plan)} environment steps`;
  // Without the command to resume it, since the training would fail in the same way again.
  if (error instanceof NonFiniteError) {
    return last === undefined
      ? `${reason} Nothing was saved yet.`
      : `${reason} Its last good checkpoint${after} is in ${typedPath(folder)}.`;
  }
  if (last !== undefined) return `${reason} There is a checkpoint${after}: go on with ${resumeOf(folder)}`;
  // A run that begins with another one cannot begin anew by itself.
  const anew = plan.from === undefined ? `${resumeOf(folder)} begins anew` : 'train anew';
  return `${reason} Nothing was saved yet: ${anew}`;
}

/** A warning, if the diagnostics of an evaluation show that the critic has diverged. */
function problemIn({ valueRatio }: Readonly<Record<string, number>>): string | undefined {
  if (!(valueRatio > DIVERGED)) return undefined;
  const times = shown(Number(valueRatio.toPrecision(3)));
  return `this training diverges: its critic expects ${times} times what its policies earn; try targetCritics=actor or a smaller learningRate`;
}

function reportOf(plan: TrainingPlan, { folder, runs, problem }: TrainedRuns, taken: number): string[] {
  const [{ envSteps, gradientSteps, seconds, stopped }] = runs;
  const path = typedPath(folder);
  const lines = [
    stopped ? `${stoppedAfter(plan, taken)}; go on with ${resumeOf(folder)}` : `trained in ${duration(seconds)}`,
    `run: ${folder}`,
  ];
  const first = runs.length === 1 ? path : typedPath(runs[0].run);
  const pictures =
    problem === undefined ? 'front.svg, front.png, hypervolume.svg, hypervolume.png' : 'front.svg, hypervolume.svg';
  if (runs.length === 1) lines.push(...resultLines(runs[0]));
  else {
    lines.push(
      ...runs.map(({ run, ceiling, ...metrics }) => `  ${run}: ${shortly(metrics, ceiling)}`),
      // A mean over different settings says nothing about any of them.
      ...(plan.variants === undefined ? [`  mean: ${shortly(meanOf(runs), runs[0].ceiling)}`] : []),
      `  each after ${counted(envSteps, 'environment step')} and ${counted(gradientSteps, 'gradient step')}`,
    );
    lines.push('', `${runs[0].run} in full:`, ...resultLines(runs[0]));
  }
  if (problem !== undefined) lines.push(`note: ${problem}`);
  return [...lines, '', `pictures: ${pictures}`, `next: psl eval ${first} --preference ${somePreference(plan)}`];
}

function stoppedAfter(plan: TrainingPlan, taken: number): string {
  return `stopped early, after ${taken} of ${stepsTaken(plan)} environment steps`;
}

/** The main numbers of a run on one line. */
function shortly({ hypervolume, regret }: Pick<RunResult, 'hypervolume' | 'regret'>, ceiling: number | null): string {
  const lost = regret === null ? '' : `, mean regret ${percent(regret.mean)}`;
  return `hypervolume ${ofCeiling(hypervolume, ceiling)}${lost}`;
}

function resumeOf(folder: string): string {
  return `psl resume ${typedPath(folder)}`;
}

/** One that favours the first objective. */
function somePreference({ env }: TrainingPlan): string {
  const rest = envInfo(env).objectives.length - 1;
  const weights =
    rest < 10 ? [(10 - rest) / 10, ...new Array<number>(rest).fill(0.1)] : [1, ...new Array<number>(rest).fill(0)];
  return weights.map((weight) => shown(weight)).join(',');
}

function resultOf({ variants }: TrainingPlan, { folder, runs }: TrainedRuns): object {
  if (runs.length === 1) return runs[0];
  return { run: folder, ...(variants === undefined && { mean: meanOf(runs) }), runs };
}

function meanOf(runs: readonly RunResult[]) {
  const mean = (valueOf: (run: RunResult) => number) => runs.reduce((sum, run) => sum + valueOf(run), 0) / runs.length;
  const distinct = runs.every(({ sparsity }) => sparsity.distinct !== null);
  const regrets = runs.flatMap(({ regret }) => regret ?? []);
  const meanRegret = (valueOf: (regret: PreferenceRegret) => number) =>
    regrets.reduce((sum, regret) => sum + valueOf(regret), 0) / regrets.length;
  return {
    hypervolume: mean((run) => run.hypervolume),
    sparsity: {
      distinct: distinct ? mean(({ sparsity }) => sparsity.distinct ?? 0) : null,
      published: mean(({ sparsity }) => sparsity.published),
    },
    expectedUtility: mean((run) => run.expectedUtility),
    regret:
      regrets.length < runs.length
        ? null
        : {
            mean: meanRegret((regret) => regret.mean),
            worst: meanRegret((regret) => regret.worst),
            below80: meanRegret((regret) => regret.below80),
          },
  };
}
