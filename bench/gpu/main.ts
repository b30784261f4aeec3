import { parseArgs } from 'node:util';

import { Random } from '../../src/random/index.js';
import { compile, openDevice } from '../../src/tensor/index.js';
import type { Device } from '../../src/tensor/index.js';
import { size } from '../engine/td3-step.js';
import { measureTorchGraph } from '../peers/torch-cuda.js';
import type { TorchGraphFigures } from '../peers/torch-cuda.js';
import {
  criticStep,
  ddqnStep,
  gatheredActorStep,
  initialiseDdqn,
  initialiseReplicas,
  randomDiscreteInputs,
  randomInputs,
} from './steps.js';

const usage = `usage: npm run bench -- gpu [--json] [--seconds S] [--replicas LIST] [--device NAME]

The PSL-TD3 update (observations ${size.observation}, actions ${size.action}, objectives ${size.objectives}, hidden ${size.hidden}-${size.hidden}, batch ${size.batch} in ${size.groups} preference groups,
twin critics, target policy generated anew) on the GPU for a number of learners side by side, its batch gathered from a
replay on the GPU, and a DDQN step with the paper's discrete settings; beside PyTorch as a CUDA graph where there is a
PyTorch with CUDA. Figures are medians over S seconds (default 1) of milliseconds per step, all learners together.
LIST is 1,6,24 by default. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '1' },
    replicas: { type: 'string', default: '1,6,24' },
    device: { type: 'string', default: 'gpu' },
  },
});

/** Steps between two reads of a loss, as when one logs. */
const CHUNK = 50;

if (options.help) console.log(usage);
else await main(Number(options.seconds), options.replicas.split(',').map(Number));

interface Figures {
  readonly replicas: number;
  readonly criticMs: number;
  readonly actorMs: number;
  /** One gradient step of training: a critic step, and a share of the actor's, which comes every tenth. */
  readonly iterationMs: number;
  /** From nothing to the end of the first critic step. */
  readonly startMs: number;
}

async function main(seconds: number, counts: readonly number[]): Promise<void> {
  if (!(seconds > 0) || !counts.every((count) => Number.isInteger(count) && count > 0)) {
    console.error('--seconds must be a positive number and --replicas a list of positive whole numbers.');
    process.exit(2);
  }
  const say = (text: string): void => console.error(text);
  const device = await openDevice(options.device);
  say(`gpu: ${device.description}`);
  const ours: Figures[] = [];
  for (const replicas of counts) {
    ours.push(await measureTd3(device, replicas, seconds));
    say(`gpu: ${JSON.stringify(ours.at(-1))}`);
  }
  const ddqnMs = await measureDdqn(device, seconds);
  say('gpu: measuring PyTorch');
  const torch = await measureTorchGraph(counts, seconds);
  if (torch === undefined) say('gpu: no PyTorch with CUDA here; that peer is left out');

  console.log(tableOf(ours, ddqnMs, torch).join('\n'));
  const ratios = ours.map(({ replicas, criticMs, actorMs }) => {
    const theirs = torch?.figures.find((figures) => figures.replicas === replicas);
    const times = (ms: number | undefined, our: number): number | null => (ms === undefined ? null : ms / our);
    return { replicas, critic: times(theirs?.criticMs, criticMs), actor: times(theirs?.actorMs, actorMs) };
  });
  const report = { device: device.description, figures: ours, ddqnMs, peers: { torch: torch ?? null }, ratios };
  if (options.json) console.log(JSON.stringify(report));
  // Dawn's threads would keep the process alive.
  process.exit(0);
}

async function measureTd3(device: Device, replicas: number, seconds: number): Promise<Figures> {
  const start = performance.now();
  const critic = await compile(criticStep, { device, replicas });
  const { state } = critic;
  const random = new Random(1);
  initialiseReplicas(state, replicas);
  const inputs = Array.from({ length: 8 }, () => randomInputs(replicas, random));
  const first = await critic.run(inputs[0]);
  const startMs = performance.now() - start;
  const actor = await compile(gatheredActorStep, { state, replicas });
  const criticRun: Run = (i, read) => critic.run(inputs[i % inputs.length], { read });
  const actorRun: Run = (i, read) => {
    const { rows, w, direction } = inputs[i % inputs.length];
    return actor.run({ rows, w, direction }, { read });
  };
  const criticMs = await msPerStep(criticRun, seconds);
  const actorMs = await msPerStep(actorRun, seconds);
  const iterationMs = await msPerStep(async (i, read) => {
    if (i % size.delay === 0) await actorRun(i, []);
    return criticRun(i, read);
  }, seconds);
  const { loss } = await critic.run(inputs[0]);
  if (![...first.loss, ...loss].every(Number.isFinite)) throw new Error('gpu: the loss is not a number');
  await Promise.all([critic.dispose(), actor.dispose()]);
  return { replicas, criticMs, actorMs, iterationMs, startMs };
}

async function measureDdqn(device: Device, seconds: number): Promise<number> {
  const program = await compile(ddqnStep, { device });
  const random = new Random(1);
  initialiseDdqn(program.state, random);
  const inputs = randomDiscreteInputs(random);
  const ms = await msPerStep((_, read) => program.run(inputs, { read }), seconds);
  await program.dispose();
  return ms;
}

type Run = (i: number, read: 'loss'[]) => Promise<unknown>;

/** Median over chunks of steps, each ended by reading the loss; before that a warm-up, because clocks ramp. */
async function msPerStep(run: Run, seconds: number): Promise<number> {
  const chunk = async (): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < CHUNK; i++) await run(i, i === CHUNK - 1 ? ['loss'] : []);
    return (performance.now() - start) / CHUNK;
  };
  const warm = performance.now() + 300;
  while (performance.now() < warm) await chunk();
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end || times.length < 3) times.push(await chunk());
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}

function tableOf(ours: readonly Figures[], ddqnMs: number, torch: TorchGraphFigures | undefined): string[] {
  const cell = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3)).padStart(10);
  const row = (name: string, our: number, theirs?: number): string =>
    `${name.padEnd(44)}${cell(our)}${cell(theirs)}${theirs === undefined ? '' : `${(theirs / our).toFixed(1)}x`.padStart(8)}`;
  return [
    `${'ms per step'.padEnd(44)}${'this'.padStart(10)}${'torch'.padStart(10)}`,
    ...ours.flatMap(({ replicas, criticMs, actorMs, iterationMs }) => {
      const theirs = torch?.figures.find((figures) => figures.replicas === replicas);
      const learners = replicas === 1 ? '1 learner' : `${replicas} learners`;
      return [
        row(`critic step, ${learners}`, criticMs, theirs?.criticMs),
        row(`actor step, ${learners}`, actorMs, theirs?.actorMs),
        row(`iteration (actor every ${size.delay}th), ${learners}`, iterationMs),
      ];
    }),
    row('DDQN step, paper settings, 1 learner', ddqnMs),
    ...(torch === undefined ? [] : [`torch ${torch.version} as a CUDA graph, float32`]),
  ];
}
