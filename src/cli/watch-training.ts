import { envInfo } from '../envs/index.js';
import {
  ceilingOf,
  CheckpointError,
  DIVERGED,
  LockedError,
  returnDiscountOf,
  StoppedError,
  type RunResult,
  type TrainedRuns,
  type TrainingEvents,
  type TrainingPlan,
} from '../training/index.js';
import { InputError } from './errors.js';
import { shown } from './format.js';
import { duration, ProgressLine } from './progress.js';
import { counted, ofCeiling, resultLines, typedPath } from './result.js';
import type { Output } from './terminal.js';

/**
 * Runs a training while people watch: progress, warnings, Ctrl-C, and what it comes to. Returns the result for programs.
 * @param doing such as "training", to begin the first line with
 */
export async function watchTraining(
  plan: TrainingPlan,
  doing: string,
  start: (events: TrainingEvents, say: (text: string) => void) => Promise<TrainedRuns>,
  output: Output,
): Promise<object> {
  const { trained, taken } = await training(plan, doing, start, output);
  output.report(reportOf(plan, trained, taken));
  return resultOf(trained);
}

async function training(
  plan: TrainingPlan,
  doing: string,
  start: (events: TrainingEvents, say: (text: string) => void) => Promise<TrainedRuns>,
  output: Output,
): Promise<{ readonly trained: TrainedRuns; readonly taken: number }> {
  const { replicas, seed, config } = plan;
  const seeds = replicas === 1 ? `seed ${seed}` : `seeds ${seed} to ${seed + replicas - 1}`;
  const line = new ProgressLine(output.human, plan, ceilingOf(envInfo(plan.env), returnDiscountOf(plan)));
  const is = { started: false, stopping: false, broken: false };
  let taken = 0;
  const ignoreInterrupts = output.onInterrupt(() => {
    is.stopping = true;
    line.say('stopping: saving what there is; once more ends at once, and leaves the last checkpoint');
  });
  try {
    const trained = await start(
      {
        started() {
          is.started = true;
          output.line(
            `${doing} ${plan.algorithm.name} on ${plan.env}: ${plan.preset} preset, ${seeds}, ${plan.device}`,
          );
          if (config.learnAfter > config.steps) {
            output.line(
              `note: nothing will be learned, because learnAfter is ${config.learnAfter} and steps is ${config.steps}`,
            );
          }
        },
        shouldStop: () => is.stopping,
        progress(progress) {
          taken = progress.envSteps;
          line.progress(progress);
        },
        keyProgress: (done, all) => line.keyProgress(done, all),
        evaluated(evaluated) {
          line.evaluated(evaluated);
          const problem = problemIn(evaluated.diagnostics);
          if (problem === undefined || is.broken) return;
          is.broken = true;
          line.say(`warning: ${problem}`);
        },
      },
      (text) => line.say(text),
    );
    return { trained, taken };
  } catch (error) {
    // What does not fit together and only the learner could know. Nothing has been written yet.
    const isAboutFolder = error instanceof LockedError || error instanceof CheckpointError;
    const isInput = (error instanceof RangeError && !isAboutFolder) || error instanceof StoppedError;
    if (!is.started && isInput) throw new InputError(error.message, { cause: error });
    throw error;
  } finally {
    line.clear();
    ignoreInterrupts();
  }
}

/** What the numbers of an evaluation say against going on. */
function problemIn(diagnostics: Readonly<Record<string, number>>): string | undefined {
  const broken = Object.entries(diagnostics).find(([, value]) => !Number.isFinite(value));
  if (broken !== undefined) {
    return `${broken[0]} is ${broken[1]}, so nothing more is learned; try a smaller learningRate`;
  }
  const { valueRatio } = diagnostics;
  if (!(valueRatio > DIVERGED)) return undefined;
  const times = shown(Number(valueRatio.toPrecision(3)));
  return `this training diverges: its critic expects ${times} times what its policies earn; try targetCritics=actor or a smaller learningRate`;
}

function reportOf(plan: TrainingPlan, { folder, runs, problem }: TrainedRuns, taken: number): string[] {
  const [{ envSteps, gradientSteps, seconds, stopped }] = runs;
  const path = typedPath(folder);
  const lines = [
    stopped
      ? `stopped early, after ${taken} of ${plan.config.steps} environment steps; go on with psl resume ${path}`
      : `trained in ${duration(seconds)}`,
    `run: ${folder}`,
  ];
  const first = runs.length === 1 ? path : typedPath(runs[0].run);
  const pictures =
    problem === undefined ? 'front.svg, front.png, hypervolume.svg, hypervolume.png' : 'front.svg, hypervolume.svg';
  if (runs.length === 1) lines.push(...resultLines(runs[0]));
  else {
    const { hypervolume } = meanOf(runs);
    lines.push(
      ...runs.map(({ run, hypervolume: value, ceiling }) => `  ${run}: hypervolume ${ofCeiling(value, ceiling)}`),
      `  mean: hypervolume ${ofCeiling(hypervolume, runs[0].ceiling)}`,
      `  each after ${counted(envSteps, 'environment step')} and ${counted(gradientSteps, 'gradient step')}`,
    );
    lines.push('', `${runs[0].run} in full:`, ...resultLines(runs[0]));
  }
  if (problem !== undefined) lines.push(`note: ${problem}`);
  return [...lines, '', `pictures: ${pictures}`, `next: psl eval ${first} --preference ${somePreference(plan)}`];
}

/** One that favours the first objective. */
function somePreference({ env }: TrainingPlan): string {
  const rest = envInfo(env).objectives.length - 1;
  return [(10 - rest) / 10, ...new Array<number>(rest).fill(0.1)].map((weight) => shown(weight)).join(',');
}

function resultOf({ folder, runs }: TrainedRuns): object {
  return runs.length === 1 ? runs[0] : { run: folder, mean: meanOf(runs), runs };
}

function meanOf(runs: readonly RunResult[]) {
  const mean = (valueOf: (run: RunResult) => number) => runs.reduce((sum, run) => sum + valueOf(run), 0) / runs.length;
  const distinct = runs.every(({ sparsity }) => sparsity.distinct !== null);
  return {
    hypervolume: mean((run) => run.hypervolume),
    sparsity: {
      distinct: distinct ? mean(({ sparsity }) => sparsity.distinct ?? 0) : null,
      published: mean(({ sparsity }) => sparsity.published),
    },
    expectedUtility: mean((run) => run.expectedUtility),
  };
}
