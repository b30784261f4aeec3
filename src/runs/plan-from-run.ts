/** Plans a training that begins with what a run has learned: to extend it, or to fine-tune it in another environment. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refusal } from '../config/index.js';
import { envInfo, envOptions, makeEnv, prepareEnv } from '../envs/index.js';
import type { EnvOptions, OptionValues } from '../envs/index.js';
import {
  isElsewhere,
  isPopulation,
  planTraining,
  presetFor,
  settingsOf,
  trainedBefore,
  wantsKeys,
} from '../training/index.js';
import type { ParentRun, TrainingPlan, TrainingRequest } from '../training/index.js';
import { loadLearned, openRun, readKeys } from './directory.js';
import type { Run } from './directory.js';
import { KEYS } from './file-names.js';

/**
 * The plan of a training that begins with a finished or stopped run, for `trainRun`. Everything is as in that run but for
 * what is asked for otherwise; `steps` are those of the new training alone, as many as the run's by default, and
 * evaluations come as often. Throws a RunError where the run cannot be read or did not keep what it learned, and a
 * RangeError where that would not fit: another algorithm or other networks, an environment of another shape, a population.
 * @param folder of the run, which is not changed
 */
export async function planFromRun(folder: string, changes: Partial<TrainingRequest> = {}): Promise<TrainingPlan> {
  const run = openRun(folder);
  const { plan: parent } = run;
  const method = parent.algorithm.name;
  if (isPopulation(parent)) {
    throw new RangeError(refusal('from', folder, `a run of one learner, and ${method} trains a population`));
  }
  mustBeThatOf(folder, 'algorithm', changes.algorithm, method);
  mustBeThatOf(folder, 'preset', changes.preset, parent.preset);
  const from = parentRunOf(run);

  const { env = parent.env, settings = {} } = changes;
  const options = optionsIn(env, parent, changes.envOptions);
  await checkShapes(parent, env, options, changes.envOptions);
  const planned = planTraining({
    ...changes,
    env,
    algorithm: method,
    preset: parent.preset,
    seed: changes.seed ?? parent.seed,
    device: changes.device ?? parent.device,
    envOptions: options,
    settings: { ...parent.config, ...asOften(parent, settings.steps), ...settings },
  });
  checkNetworks(folder, parent, planned);

  const plan = { ...planned, from };
  const hasKeys = plan.keys === undefined && !isElsewhere(plan) && existsSync(join(folder, KEYS));
  const withKeys = hasKeys ? { ...plan, keys: readKeys(folder) } : plan;
  if (wantsKeys(withKeys)) {
    const allowed =
      'known in a training that begins with another run; take those of a run in this environment (--keys)';
    throw new RangeError(refusal('keys', 'trained', allowed));
  }
  return withKeys;
}

function parentRunOf(run: Run): ParentRun {
  const { folder, plan, result } = run;
  const { sha256 } = loadLearned(run);
  const { envSteps, gradientSteps, evaluationSteps } = result;
  const earlier = trainedBefore(plan);
  return {
    run: folder,
    sha256,
    env: plan.env,
    envOptions: plan.envOptions,
    trainings: earlier.trainings + 1,
    // Of a run that was stopped, those that it took.
    steps: earlier.steps + Math.min(plan.config.steps, envSteps - earlier.envSteps),
    envSteps,
    gradientSteps,
    evaluationSteps: evaluationSteps ?? 0,
  };
}

function mustBeThatOf(folder: string, name: string, asked: string | undefined, own: string): void {
  if (asked === undefined || asked === own) return;
  throw new RangeError(refusal(name, asked, `"${own}", as in ${folder}, which the training begins with`));
}

/** Evaluations as far apart as the run's. */
function asOften({ config }: TrainingPlan, steps: unknown): { readonly evaluations?: number } {
  if (typeof steps !== 'number' || !(steps > 0)) return {};
  return { evaluations: Math.max(1, Math.round((config.evaluations * steps) / config.steps)) };
}

/** Throws a RangeError where a setting says that networks are others than the run's. */
function checkNetworks(folder: string, parent: TrainingPlan, plan: TrainingPlan): void {
  const fields = settingsOf(parent.algorithm);
  const configs = [plan.config, ...(plan.variants ?? []).map(({ settings }) => settings)];
  for (const name of Object.keys(fields).filter((field) => fields[field].network === true)) {
    const field = fields[name];
    for (const config of configs.filter((settings) => Object.hasOwn(settings, name))) {
      mustBeThatOf(folder, name, field.show(config[name]), field.show(parent.config[name]));
    }
  }
}

/** Options of an environment: those that are asked for, those that it shares with the run's, and those of the preset. */
function optionsIn(env: string, { preset, algorithm, envOptions: own }: TrainingPlan, asked: EnvOptions = {}) {
  const info = envInfo(env);
  const shared = Object.entries(own).filter(([name]) => Object.hasOwn(info.options, name));
  const ofPreset = presetFor(preset, algorithm, info, Object.keys(settingsOf(algorithm))).env;
  return envOptions(env, { ...ofPreset, ...Object.fromEntries(shared), ...asked });
}

/** Throws a RangeError unless an environment has the shape of the run's; it names the options that were asked for where they change it. */
async function checkShapes(
  parent: TrainingPlan,
  env: string,
  options: OptionValues,
  asked: EnvOptions = {},
): Promise<void> {
  const [learned, given] = [await shapeOf(parent.env, parent.envOptions), await shapeOf(env, options)];
  if (learned === given) return;
  const texts = Object.entries(asked).map(([name, value]) => `${name}=${String(value)}`);
  if (texts.length > 0 && (await shapeOf(env, optionsIn(env, parent))) === learned) {
    const allowed = `such that ${env} has the shape that was learned, ${learned}, and it has ${given}`;
    throw new RangeError(refusal('envOptions', texts.join(), allowed));
  }
  const allowed = `one of the shape that ${parent.env} has, ${learned}, and it has ${given}`;
  throw new RangeError(refusal('environment', env, allowed));
}

/** What has to be alike in two environments so that the same networks fit both. */
async function shapeOf(id: string, options: OptionValues): Promise<string> {
  await prepareEnv(id);
  const env = makeEnv(id, options);
  const { observationSpace, actionSpace, objectives } = env;
  env.close();
  const actions =
    actionSpace.kind === 'discrete' ? `${actionSpace.n} actions` : `actions of ${counted(actionSpace.low.length)}`;
  return `observations of ${counted(observationSpace.low.length)}, ${actions} and ${objectives.length} objectives`;
}

function counted(numbers: number): string {
  return `${numbers} ${numbers === 1 ? 'number' : 'numbers'}`;
}
