/**
 * Trains several seeds and prints every one of them: what came out, what it cost.
 * usage: npm run bench -- learning [ENV] [--algo A] [--preset P] [--seeds 1,2,3] [--jobs N] [--lockstep] [--set k=v]... [--json]
 * --jobs trains seeds in processes of their own, that many at a time; --lockstep all of them in one program, which needs
 * seeds that count up.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { parseSettings } from '../src/config/index.js';
import { envInfo } from '../src/envs/index.js';
import { ceilingOf } from '../src/fronts/index.js';
import { planTraining, returnDiscountOf, settingsOf, train } from '../src/training/index.js';
import type { PresetName } from '../src/training/index.js';

interface Outcome {
  readonly seed: number;
  readonly hypervolume: number;
  readonly share: number | null;
  readonly points: number;
  readonly envSteps: number;
  readonly gradientSteps: number;
  readonly seconds: number;
  /** Every evaluation. */
  readonly curve: readonly { readonly envSteps: number; readonly seconds: number; readonly hypervolume: number }[];
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
    lockstep: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    /** Internal: train this one seed and send the outcome to the parent. */
    one: { type: 'string' },
    device: { type: 'string' },
  },
});
const env = positionals.at(0) ?? 'fruit-tree-d6';
const preset = options.preset as PresetName;
const jobs = Number(options.jobs);
const device = options.device ?? (jobs > 1 ? 'cpu:1' : 'cpu');
const request = { env, algorithm: options.algo, preset, device };
const { algorithm } = planTraining(request);
const settings = parseSettings(settingsOf(algorithm), options.set);
const ceiling = ceilingOf(envInfo(env), returnDiscountOf(planTraining({ ...request, settings })));

/** Trains seeds that count up, all in one program. */
async function trainSeeds(seed: number, replicas: number): Promise<Outcome[]> {
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  const curves = Array.from({ length: replicas }, (): Outcome['curve'][number][] => []);
  const plan = planTraining({ ...request, settings, seed, replicas });
  const { results, envSteps, gradientSteps, learner } = await train(plan, {
    evaluated: ({ replica, score: { hypervolume }, envSteps: at, diagnostics }) => {
      const seconds = elapsed();
      curves[replica].push({ envSteps: at, seconds, hypervolume });
      if (!options.verbose) return;
      const numbers = Object.entries(diagnostics).map(([name, value]) => `${name} ${value.toPrecision(3)}`);
      const where = `seed ${seed + replica}: ${at} steps, ${seconds.toFixed(0)} s`;
      console.error(`${where}: ${shown(hypervolume)}; ${numbers.join(', ')}`);
    },
  });
  await learner.dispose();
  return results.map(({ score: { hypervolume, points } }, replica) => ({
    seed: seed + replica,
    hypervolume,
    share: ceiling === null ? null : hypervolume / ceiling,
    points,
    envSteps,
    gradientSteps,
    seconds: elapsed(),
    curve: curves[replica],
  }));
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
      const others = options.lockstep ? waiting.splice(0).length : 0;
      const finished = jobs > 1 ? [await inProcess(seed)] : await trainSeeds(seed, 1 + others);
      outcomes.push(...finished);
      for (const outcome of finished) console.log(line(outcome));
    }
  };
  console.log(
    `${algorithm.name} on ${env}, preset ${preset} ${options.set.join(' ')}, device ${device}, ${jobs} at a time`,
  );
  await Promise.all(Array.from({ length: jobs }, worker));
  outcomes.sort((a, b) => a.seed - b.seed);
  const volumes = outcomes.map(({ hypervolume }) => hypervolume);
  const mean = volumes.reduce((sum, x) => sum + x, 0) / volumes.length;
  const least = Math.min(...volumes);
  console.log(`mean ${mean.toFixed(2)}, least ${least.toFixed(2)} of ${outcomes.length} seeds`);
  if (options.json) console.log(JSON.stringify({ env, algorithm: algorithm.name, preset, mean, least, outcomes }));
}

function line({ seed, hypervolume, points, envSteps, gradientSteps, seconds, curve }: Outcome): string {
  const cost = `${envSteps} env steps, ${gradientSteps} gradient steps, ${seconds.toFixed(0)} s`;
  const way = curve.map((point) => `${point.seconds.toFixed(0)} s ${shown(point.hypervolume)}`).join(', ');
  return `seed ${seed}: hypervolume ${shown(hypervolume)}, ${points} points; ${cost}\n  ${way}`;
}

/** With its share of the ceiling, where there is one. */
function shown(hypervolume: number): string {
  const digits = Number(hypervolume.toPrecision(7));
  return ceiling === null ? String(digits) : `${digits} (${((100 * hypervolume) / ceiling).toFixed(3)} %)`;
}

if (options.one === undefined) await main();
else process.send?.((await trainSeeds(Number(options.one), 1))[0]);
