import { algorithmNames, type KeyReturns } from '../algorithms/index.js';
import { choice, integer, parseSettings, text } from '../config/index.js';
import { envIds, envInfo, prepareEnv } from '../envs/index.js';
import {
  ceilingOf,
  checkOut,
  DIVERGED,
  LARGEST_SEED,
  loopFields,
  openRun,
  planTraining,
  presetNames,
  readKeys,
  returnDiscountOf,
  RunError,
  settingsOf,
  trainRun,
  type RunResult,
  type TrainedRuns,
  type TrainingPlan,
} from '../training/index.js';
import { settingsHelp } from './algos.js';
import { ifGiven, repeated, required } from './arguments.js';
import { defineCommand } from './command.js';
import { deviceOption, workersOption } from './device-option.js';
import { checkInput, InputError, UsageError } from './errors.js';
import { shown } from './format.js';
import { duration, ProgressLine } from './progress.js';
import { counted, ofCeiling, resultLines, typedPath } from './result.js';
import type { Output } from './terminal.js';

/** `psl train`: a training, and the run directory that it leaves. */
export const trainCommand = defineCommand({
  operands: {
    env: required(choice(envIds(), { about: 'The environment; psl envs lists them.' })),
  },
  options: {
    algo: ifGiven(
      choice(algorithmNames(), { about: 'The algorithm; psl algos lists them.' }),
      'the first that fits the environment',
    ),
    preset: choice(presetNames, {
      default: 'quick',
      about: 'Settings that go together: those of the paper, those that win, or those of a few minutes.',
    }),
    steps: ifGiven(loopFields.steps, "the preset's"),
    seed: integer({ default: 1, min: 0, max: LARGEST_SEED, about: 'The same seed gives the same run, bit for bit.' }),
    replicas: integer({
      default: 1,
      min: 1,
      about:
        'Train this many side by side, with seeds that count up from --seed; each gets a run directory of its own.',
    }),
    device: { ...deviceOption, default: 'cpu' },
    workers: ifGiven(workersOption, 'as many as pay'),
    keys: ifGiven(
      text({
        placeholder: 'RUN',
        allowed: 'the path of a run that has key solutions',
        about: 'Start from the key solutions of another run, which cost this one nothing.',
      }),
      'those that the setting keys says',
    ),
    out: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder that is new or empty',
        about: 'The folder of the run, new or empty.',
      }),
      'a new one in runs/',
    ),
    set: repeated(
      text({
        placeholder: 'NAME=VALUE',
        allowed: 'NAME=VALUE',
        about: 'A setting over that of the preset, such as alpha=0.1 or hidden=256,256.',
      }),
    ),
    envSet: repeated(
      text({
        placeholder: 'NAME=VALUE',
        allowed: 'NAME=VALUE',
        about: 'An option of the environment over that of the preset, such as encoding=path.',
      }),
    ),
  },
  notes: settingsHelp,

  async run(values, output) {
    const { out, keys: from } = values;
    const keys = from === undefined ? undefined : keysIn(from, values.env);
    const plan = checkInput(() => planOf(values, keys));
    if (from !== undefined && plan.config.criticAngle === 0 && plan.config.actorAngle === 0) {
      throw new UsageError('--keys', from, 'left out where criticAngle and actorAngle are 0');
    }
    if (out !== undefined) checkInput(() => checkOut(out, '--out'));
    await prepareEnv(plan.env);
    const { trained, taken } = await training(plan, out, output);
    output.report(reportOf(plan, trained, taken));
    return resultOf(trained);
  },
});

interface Values {
  readonly env: string;
  readonly algo: string | undefined;
  readonly preset: (typeof presetNames)[number];
  readonly steps: number | undefined;
  readonly seed: number;
  readonly replicas: number;
  readonly device: string;
  readonly workers: number | undefined;
  readonly set: readonly string[];
  readonly envSet: readonly string[];
}

function planOf(values: Values, keys: KeyReturns | undefined): TrainingPlan {
  const { env, algo, preset, steps, seed, replicas, device, workers, set, envSet } = values;
  const envOptions = envOptionsIn(envSet);
  const request = { env, algorithm: algo, preset, seed, replicas, device, envOptions, workers, keys };
  const { algorithm } = planTraining(request);
  const settings = parseSettings(settingsOf(algorithm), set);
  return planTraining({ ...request, settings: { ...settings, ...(steps !== undefined && { steps }) } });
}

/** The key solutions of another run on an environment. */
function keysIn(folder: string, env: string): KeyReturns {
  const refusal = (problem: string) =>
    new UsageError('--keys', folder, `a finished run on ${env} that has key solutions (${problem})`);
  try {
    const { plan } = openRun(folder);
    if (plan.env !== env) throw refusal(`this one is on ${plan.env}`);
    return readKeys(folder);
  } catch (error) {
    throw error instanceof RunError ? refusal(error.problem) : error;
  }
}

function envOptionsIn(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((given) => {
      const end = given.indexOf('=');
      if (end < 1) throw new UsageError('--env-set', given, 'NAME=VALUE');
      return [given.slice(0, end).trim(), given.slice(end + 1).trim()];
    }),
  );
}

/** Trains; also returns the steps that its loop took, without those of key solutions. */
async function training(
  plan: TrainingPlan,
  out: string | undefined,
  output: Output,
): Promise<{ readonly trained: TrainedRuns; readonly taken: number }> {
  const { replicas, seed, config } = plan;
  const seeds = replicas === 1 ? `seed ${seed}` : `seeds ${seed} to ${seed + replicas - 1}`;
  const line = new ProgressLine(output.human, plan, ceilingOf(envInfo(plan.env), returnDiscountOf(plan)));
  const is = { started: false, stopping: false, broken: false };
  let taken = 0;
  const ignoreInterrupts = output.onInterrupt(() => {
    is.stopping = true;
    line.say('stopping: writing what there is; once more ends at once, and leaves the run unfinished');
  });
  try {
    const trained = await trainRun(plan, {
      ...(out !== undefined && { out }),
      events: {
        started() {
          is.started = true;
          output.line(
            `training ${plan.algorithm.name} on ${plan.env}: ${plan.preset} preset, ${seeds}, ${plan.device}`,
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
    });
    return { trained, taken };
  } catch (error) {
    // What does not fit together and only the learner could know. Nothing has been written yet.
    if (!is.started && error instanceof RangeError) throw new InputError(error.message, { cause: error });
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
      ? `stopped early, after ${taken} of ${plan.config.steps} environment steps; a stopped run cannot be resumed`
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
