/**
 * Trains several seeds and prints every one of them: what came out, what it cost.
 * usage: npm run bench -- learning [ENV] [--algo A] [--preset P] [--seeds 1,2,3] [--jobs N] [--set k=v]... [--json]
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { algorithm, defaultAlgorithm } from '../src/algorithms/index.js';
import { parseSettings, resolveConfig } from '../src/config/index.js';
import { envInfo } from '../src/envs/index.js';
import { loopFields } from '../src/training/fields.js';
import { presetFor, presetNames } from '../src/training/presets.js';
import { ceilingOf } from '../src/training/score.js';
import { discountOf, train } from '../src/training/train.js';

interface Outcome {
  readonly seed: number;
  readonly hypervolume: number;
  readonly best: number;
  readonly share: number | null;
  readonly points: number;
  readonly envSteps: number;
  readonly gradientSteps: number;
  readonly seconds: number;
  /** Seconds until the hypervolume was first at 99 % of the ceiling at an evaluation. */
  readonly secondsTo99: number | null;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    algo: { type: 'string' },
    preset: { type: 'string', default: 'quick' },
    seeds: { type: 'string', default: '1,2,3,4,5' },
    jobs: { type: 'string', default: '1' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    /** Internal: train this one seed and send the outcome to the parent. */
    one: { type: 'string' },
    device: { type: 'string' },
  },
});
const env = positionals.at(0) ?? 'fruit-tree-d6';
const algo = options.algo === undefined ? defaultAlgorithm(envInfo(env)) : algorithm(options.algo);
const preset = presetNames.find((name) => name === options.preset) ?? 'quick';
const jobs = Number(options.jobs);
const device = options.device ?? (jobs > 1 ? 'cpu:1' : 'cpu');

async function trainSeed(seed: number): Promise<Outcome> {
  const fields = { ...loopFields, ...algo.fields };
  const { settings, env: envOptions } = presetFor(preset, algo.name, env, Object.keys(fields));
  const config = resolveConfig(fields, algo.settings, settings, parseSettings(fields, options.set));
  const plan = { env, envOptions, algorithm: algo, config, device, seed, replicas: 1 };
  const ceiling = ceilingOf(envInfo(env), discountOf(plan));
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  let secondsTo99: number | null = null;
  let best = 0;
  const { results, envSteps, gradientSteps, learner } = await train(plan, {
    evaluated: ({ score, envSteps: at }) => {
      best = Math.max(best, score.hypervolume);
      if (ceiling !== null && score.hypervolume >= 0.99 * ceiling) secondsTo99 ??= elapsed();
      if (options.verbose) {
        const share = ceiling === null ? '' : ` ${((100 * score.hypervolume) / ceiling).toFixed(2)} %`;
        console.error(`seed ${seed}: ${at} steps, ${elapsed().toFixed(0)} s: ${score.hypervolume.toFixed(1)}${share}`);
      }
    },
  });
  await learner.dispose();
  const [{ score }] = results;
  return {
    seed,
    hypervolume: score.hypervolume,
    best,
    share: ceiling === null ? null : score.hypervolume / ceiling,
    points: score.points,
    envSteps,
    gradientSteps,
    seconds: elapsed(),
    secondsTo99,
  };
}

/** The same program once more, for one seed. */
function inProcess(seed: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const args = [...process.argv.slice(2), '--one', String(seed), '--device', device];
    const child = fork(fileURLToPath(import.meta.url), args);
    child.on('message', (message) => resolve(message as Outcome));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code !== 0) reject(new Error(`the training of seed ${seed} ended with code ${code}`));
    });
  });
}

async function main(): Promise<void> {
  const waiting = options.seeds.split(',').map(Number);
  const outcomes: Outcome[] = [];
  const worker = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const outcome = await (jobs > 1 ? inProcess(seed) : trainSeed(seed));
      outcomes.push(outcome);
      console.log(line(outcome));
    }
  };
  console.log(`${algo.name} on ${env}, preset ${preset} ${options.set.join(' ')}, device ${device}, ${jobs} at a time`);
  await Promise.all(Array.from({ length: jobs }, worker));
  outcomes.sort((a, b) => a.seed - b.seed);
  const volumes = outcomes.map(({ hypervolume }) => hypervolume);
  const mean = volumes.reduce((sum, x) => sum + x, 0) / volumes.length;
  const least = Math.min(...volumes);
  console.log(`mean ${mean.toFixed(2)}, least ${least.toFixed(2)} of ${outcomes.length} seeds`);
  if (options.json) console.log(JSON.stringify({ env, algorithm: algo.name, preset, mean, least, outcomes }));
}

function line({ seed, hypervolume, share, points, envSteps, gradientSteps, seconds, secondsTo99 }: Outcome): string {
  const percent = share === null ? '' : ` (${(100 * share).toFixed(3)} % of the ceiling)`;
  const first = secondsTo99 === null ? '' : `, 99 % after ${secondsTo99.toFixed(0)} s`;
  const cost = `${envSteps} env steps, ${gradientSteps} gradient steps, ${seconds.toFixed(0)} s${first}`;
  return `seed ${seed}: hypervolume ${hypervolume.toFixed(3)}${percent}, ${points} points; ${cost}`;
}

if (options.one === undefined) await main();
else process.send?.(await trainSeed(Number(options.one)));
