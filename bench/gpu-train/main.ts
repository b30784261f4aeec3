import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { parseSettings } from '../../src/config/index.js';
import { openDevice } from '../../src/tensor/index.js';
import { trainRun } from '../../src/runs/index.js';
import { planTraining, settingsOf } from '../../src/training/index.js';
import { watchGpu } from './nvidia-smi.js';
import { Stopwatch } from './stopwatch.js';

const usage = `usage: npm run bench -- gpu-train [ENV] [--json] [--seconds S] [--replicas R] [--device NAME] [--set NAME=VALUE]...

Trains ENV (mo-halfcheetah-v2 by default) with the preset best and R replicas (6) as psl train does, checkpoints and
evaluations included, and says how fast that was and where the time went. It stops after S seconds (60 by default) and says
how long all steps would take; 0 trains to the end. Last line with --json: one JSON object.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    replicas: { type: 'string', default: '6' },
    device: { type: 'string', default: 'gpu' },
    set: { type: 'string', multiple: true, default: [] },
  },
});

if (options.help) console.log(usage);
else await main(positionals.at(0) ?? 'mo-halfcheetah-v2', Number(options.seconds), Number(options.replicas));

async function main(env: string, seconds: number, replicas: number): Promise<void> {
  if (!(seconds >= 0)) {
    console.error(`--seconds is "${options.seconds}", but must be a number of at least 0.`);
    process.exit(2);
  }
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1000;
  const { device } = options;
  const request = { env, preset: 'best', device, replicas } as const;
  const { algorithm } = planTraining(request);
  const plan = planTraining({ ...request, settings: parseSettings(settingsOf(algorithm), options.set) });
  const { config } = plan;
  const { description } = await openDevice(device);
  console.error(`gpu-train: ${algorithm.name} on ${env}, ${replicas} replicas, ${config.steps} steps; ${description}`);

  const stopwatch = new Stopwatch();
  const gpu = watchGpu();
  const out = mkdtempSync(join(tmpdir(), 'psl-gpu-train-'));
  const memory: { readonly envSteps: number; readonly megabytes: number; readonly gpuMegabytes: number | null }[] = [];
  const reached = { firstStep: 0, firstUpdate: 0, envSteps: 0, gradientSteps: 0 };
  const every = Math.max(1, Math.floor(config.steps / 10));
  try {
    const { runs } = await trainRun(stopwatch.watching(plan), {
      out: join(out, 'run'),
      events: {
        progress({ envSteps, gradientSteps }) {
          stopwatch.iterated();
          reached.firstStep ||= elapsed();
          if (gradientSteps > 0) reached.firstUpdate ||= elapsed();
          if (Math.floor(envSteps / every) > Math.floor(reached.envSteps / every)) {
            const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20);
            memory.push({ envSteps, megabytes, gpuMegabytes: gpu.latest()?.megabytes ?? null });
            console.error(`gpu-train: ${envSteps} steps after ${elapsed().toFixed(0)} s, ${megabytes} MB`);
          }
          Object.assign(reached, { envSteps, gradientSteps });
        },
        shouldStop: () => seconds > 0 && elapsed() > seconds,
      },
    });
    const total = elapsed();
    const { ms, evaluations, iterations } = stopwatch;
    // What all steps and all evaluations take at the pace of those that were made.
    const paced = Object.values(ms).reduce((sum, part) => sum + part, 0) / Math.max(1, iterations);
    const whole =
      (paced * (config.steps / plan.config.children) + stopwatch.evaluationMs * config.evaluations) / 1000 +
      reached.firstStep;
    const utilisation = gpu.close();
    const report = {
      env,
      device: description,
      replicas,
      envSteps: reached.envSteps,
      gradientSteps: reached.gradientSteps,
      seconds: total,
      secondsForAll: reached.envSteps >= config.steps ? total : whole,
      firstStepSeconds: reached.firstStep,
      msPerIteration: Object.fromEntries(
        Object.entries(ms).map(([name, sum]) => [name, sum / Math.max(1, iterations)]),
      ),
      evaluations,
      secondsPerEvaluation: stopwatch.evaluationMs / 1000,
      gpuUtilisation: utilisation,
      memory,
      hypervolumes: runs.map(({ hypervolume }) => hypervolume),
    };
    console.log(tableOf(report).join('\n'));
    if (options.json) console.log(JSON.stringify(report));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  // Dawn's threads would keep the process alive.
  process.exit(0);
}

interface Report {
  readonly envSteps: number;
  readonly gradientSteps: number;
  readonly seconds: number;
  readonly secondsForAll: number;
  readonly firstStepSeconds: number;
  readonly msPerIteration: Readonly<Record<string, number>>;
  readonly evaluations: number;
  readonly secondsPerEvaluation: number;
  readonly gpuUtilisation: number | null;
  readonly hypervolumes: readonly number[];
}

function tableOf(report: Report): string[] {
  const { envSteps, gradientSteps, seconds, secondsForAll, firstStepSeconds, gpuUtilisation: share } = report;
  const parts = Object.entries(report.msPerIteration);
  const all = parts.reduce((sum, [, ms]) => sum + ms, 0);
  const minutes = (s: number): string => `${(s / 60).toFixed(1)} min`;
  return [
    `${envSteps} environment steps and ${gradientSteps} gradient steps of each replica in ${minutes(seconds)}`,
    `all steps: ${minutes(secondsForAll)}; start to first step ${firstStepSeconds.toFixed(1)} s`,
    `GPU busy ${share === null ? 'unknown (no nvidia-smi)' : `${share.toFixed(0)} % of the time`}`,
    `${all.toFixed(2)} ms per iteration on the host, of which`,
    ...parts.map(
      ([name, ms]) => `  ${name.padEnd(32)}${ms.toFixed(3).padStart(8)} ${((100 * ms) / all).toFixed(0).padStart(4)} %`,
    ),
    `${report.evaluations} evaluations of all replicas, ${report.secondsPerEvaluation.toFixed(1)} s each`,
    `hypervolumes: ${report.hypervolumes.map((value) => value.toPrecision(4)).join(', ')}`,
  ];
}
