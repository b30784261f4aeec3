/** What a comparison has to know about the training that a run comes from. */
import type { Origin } from '../fronts/index.js';
import { settingsOf } from '../training/index.js';
import { answersAsSetting } from './answers.js';
import type { Run } from './directory.js';

/** Where the front of a run comes from. The device is left out: it is no matter of the method. */
export function originOf({ plan, result }: Pick<Run, 'plan' | 'result'>): Origin {
  const { env, envOptions, algorithm, preset, config, seed, from } = plan;
  const { envSteps, gradientSteps, stopped, answers } = result;
  const fields = settingsOf(algorithm);
  const settings = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, fields[name].show(value)]));
  const typed = Object.fromEntries(Object.entries(envOptions).map(([name, value]) => [name, String(value)]));
  // Seeds whose parents did the same are seeds of one method.
  const parent: Record<string, string> = from === undefined ? {} : { from: `${from.env} after ${from.steps} steps` };
  const asked = { ...settings, ...parent, ...answersAsSetting(answers) };
  const method = { env, envOptions: typed, algorithm: algorithm.name, preset, settings: asked };
  return { ...method, seed, envSteps, gradientSteps, stopped };
}
