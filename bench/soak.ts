// Whether memory stays flat over long trainings: `npm run bench -- soak [--json]`.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { trainRun } from '../src/runs/index.js';
import { planTraining } from '../src/training/index.js';
import type { TrainingRequest } from '../src/training/index.js';

const usage = `usage: npm run bench -- soak [--json] [--tree-steps N] [--robot-steps N] [--checkpoint-every SECONDS]

Trains a tiny network on fruit-tree-d6 for N environment steps (default 1000000) and on mo-halfcheetah-v2 (default 200000),
with few updates, all the evaluations and checkpoints of a real run (one every 10 seconds), and prints the memory of the
process twenty times on the way, after a garbage collection. Flat means: in the last quarter of the samples no more than in
the second, but for 5 %. 0 steps leave a training out. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    'tree-steps': { type: 'string', default: '1000000' },
    'robot-steps': { type: 'string', default: '200000' },
    'checkpoint-every': { type: 'string', default: '10' },
  },
});

function count(name: 'tree-steps' | 'robot-steps' | 'checkpoint-every'): number {
  const value = Number(options[name]);
  if (value >= 0 && options[name] !== '') return value;
  console.error(`--${name} is "${options[name]}", but must be a number of at least 0.`);
  process.exit(2);
}

if (options.help) {
  console.log(usage);
  process.exit();
}
const [treeSteps, robotSteps, checkpointEvery] = [count('tree-steps'), count('robot-steps'), count('checkpoint-every')];

const SAMPLES = 20;
/** How much more may be in use at the end than after everything was used once. */
const GROWTH = 1.05;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory in MiB: of the process as the system sees it, and of what JavaScript holds. */
interface Sample {
  readonly envSteps: number;
  readonly process: number;
  readonly heap: number;
  readonly arrays: number;
}

const MIB = 2 ** 20;

function sample(envSteps: number): Sample {
  collectGarbage();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { envSteps, process: rss / MIB, heap: heapUsed / MIB, arrays: arrayBuffers / MIB };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;

/** The part of the samples from one share of them to another. */
const between = (samples: readonly Sample[], from: number, to: number): readonly Sample[] =>
  samples.slice(Math.floor(from * samples.length), Math.floor(to * samples.length));

async function soak(name: string, { settings = {}, ...request }: TrainingRequest, steps: number) {
  const samples: Sample[] = [];
  const out = mkdtempSync(join(tmpdir(), 'psl-soak-'));
  const began = performance.now();
  const evaluations = SAMPLES;
  await trainRun(planTraining({ ...request, settings: { ...settings, steps, evaluations } }), {
    out: join(out, 'run'),
    checkpointEvery,
    events: {
      progress({ envSteps }) {
        if (envSteps < ((samples.length + 1) * steps) / SAMPLES) return;
        const taken = sample(envSteps);
        samples.push(taken);
        const shown = [taken.process, taken.heap, taken.arrays].map((value) => value.toFixed(1).padStart(8));
        console.log(`${name.padEnd(12)} ${String(envSteps).padStart(9)} steps: ${shown.join('')} MiB`);
      },
    },
  });
  rmSync(out, { recursive: true });
  const seconds = (performance.now() - began) / 1000;
  const growth = Object.fromEntries(
    (['process', 'heap', 'arrays'] as const).map((kind) => {
      const [early, late] = [between(samples, 0.25, 0.5), between(samples, 0.75, 1)].map((part) =>
        mean(part.map((s) => s[kind])),
      );
      return [kind, late / early];
    }),
  );
  const isFlat = growth.process <= GROWTH;
  const shown = Object.entries(growth).map(([kind, factor]) => `${kind} x ${factor.toFixed(3)}`);
  console.log(
    `${name}: ${isFlat ? 'flat' : 'NOT FLAT'} over ${steps} steps in ${seconds.toFixed(0)} s (${shown.join(', ')})`,
  );
  return { name, steps, seconds, isFlat, growth, samples };
}

const machine = { cpu: cpus()[0].model, cores: cpus().length, platform: process.platform, arch: process.arch };
console.log(`node ${process.version}, ${machine.arch}, ${machine.cores} cores (${machine.cpu})`);
console.log('memory of the process, of the JavaScript heap and of arrays, after a garbage collection:');

const tiny = { hidden: [16], hyperHidden: [8], hyperFeatures: 2, batch: 32, groups: 8, evaluationDivisions: 2 };
const soaks = [];
if (treeSteps > 0) {
  const settings = { ...tiny, updatesPerStep: 0.02, capacity: 20_000, learnAfter: 1000, startSteps: 10 };
  soaks.push(await soak('fruit tree', { env: 'fruit-tree-d6', settings, device: 'cpu:1' }, treeSteps));
}
if (robotSteps > 0) {
  const settings = { ...tiny, criticHidden: [16], updatesPerStep: 0.05, capacity: 20_000, learnAfter: 1000 };
  soaks.push(await soak('half-cheetah', { env: 'mo-halfcheetah-v2', settings, device: 'cpu:1' }, robotSteps));
}
if (options.json)
  console.log(JSON.stringify({ bench: 'soak', node: process.version, ...machine, checkpointEvery, soaks }));
if (soaks.some(({ isFlat }) => !isFlat)) process.exitCode = 1;
