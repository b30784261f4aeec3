import { parseArgs } from 'node:util';

import { openDevice } from '../../src/tensor/index.js';
import type { Device } from '../../src/tensor/index.js';
import { driveDdqn } from '../learners/ddqn.js';
import type { DrivenLearner } from '../learners/drive.js';
import { BOTH, CRITIC, driveTd3, published, recommended, size } from '../learners/td3.js';
import type { Td3Step } from '../learners/td3.js';
import { measureTorchGraph } from '../peers/torch-cuda.js';
import type { TorchGraphFigures } from '../peers/torch-cuda.js';

const usage = `usage: npm run bench -- gpu [--json] [--seconds S] [--replicas LIST] [--device NAME]

The update of PSL-TD3 as it trains (observations ${size.observation}, actions ${size.action}, objectives ${size.objectives}, hidden ${size.hidden}-${size.hidden}, batch ${size.batch} in ${size.groups}
preference groups, twin critics) on the GPU for a number of learners side by side, its batch gathered from a replay on the
GPU: as published, and as recommended (normalised critics that classify scaled returns, an averaged actor, no angle); and
a DDQN update with the paper's discrete settings. Beside PyTorch as a CUDA graph where there is a PyTorch with CUDA.
Figures are medians over S seconds (default 1) of milliseconds per step, all learners together.
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

/** Updates between two that report, as when one logs. */
const CHUNK = 50;

if (options.help) console.log(usage);
else await main(Number(options.seconds), options.replicas.split(',').map(Number));

interface Figures {
  readonly replicas: number;
  readonly criticMs: number;
  readonly actorMs: number;
  /** One gradient step of training: a critic step, and a share of the actor's. */
  readonly iterationMs: number;
  /** From nothing to the end of the first update. */
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
  const measure = async (step: Td3Step): Promise<Figures[]> => {
    const figures: Figures[] = [];
    for (const replicas of counts) {
      figures.push(await measureTd3(step, device, replicas, seconds));
      say(`gpu: ${JSON.stringify(figures.at(-1))}`);
    }
    return figures;
  };
  const ours = { published: await measure(published), recommended: await measure(recommended) };
  const ddqnMs = await measureDdqn(device, seconds);
  say('gpu: measuring PyTorch');
  const torch = await measureTorchGraph(counts, seconds);
  if (torch === undefined) say('gpu: no PyTorch with CUDA here; that peer is left out');

  const lines = [
    `${'ms per step'.padEnd(54)}${'this'.padStart(10)}${'torch'.padStart(10)}`,
    'as published',
    ...rowsOf(published, ours.published, torch?.figures),
    'as recommended',
    ...rowsOf(recommended, ours.recommended, torch?.recommended),
    row('DDQN update, paper settings, 1 learner', ddqnMs),
    ...(torch === undefined ? [] : [`torch ${torch.version} as a CUDA graph, float32`]),
  ];
  console.log(lines.join('\n'));
  const report = {
    device: device.description,
    figures: ours.published,
    recommended: {
      figures: ours.recommended,
      ratios: ratiosOf(ours.recommended, torch?.recommended),
    },
    ddqnMs,
    peers: { torch: torch ?? null },
    ratios: ratiosOf(ours.published, torch?.figures),
  };
  if (options.json) console.log(JSON.stringify(report));
  // Dawn's threads would keep the process alive.
  process.exit(0);
}

async function measureTd3(step: Td3Step, device: Device, replicas: number, seconds: number): Promise<Figures> {
  const learner = await driveTd3(step, device, replicas);
  const criticMs = await msPerUpdate(learner, () => CRITIC, seconds);
  const actorMs = (await msPerUpdate(learner, () => BOTH, seconds)) - criticMs;
  const iterationMs = await msPerUpdate(learner, (i) => (i % step.policyDelay === 0 ? BOTH : CRITIC), seconds);
  await learner.close();
  return { replicas, criticMs, actorMs, iterationMs, startMs: learner.startMs };
}

async function measureDdqn(device: Device, seconds: number): Promise<number> {
  const learner = await driveDdqn(device);
  const ms = await msPerUpdate(learner, (i) => i + 1, seconds);
  await learner.close();
  return ms;
}

/** Median over chunks of updates, each ended by reading its report; before that a warm-up, because clocks ramp. */
async function msPerUpdate(learner: DrivenLearner, numberOf: (i: number) => number, seconds: number): Promise<number> {
  const chunk = async (): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < CHUNK; i++) await learner.update(numberOf(i), i === CHUNK - 1);
    await learner.settled();
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

type TheirFigures = TorchGraphFigures['figures'];

function ratiosOf(ours: readonly Figures[], theirs: TheirFigures = []) {
  return ours.map(({ replicas, criticMs, actorMs }) => {
    const peer = theirs.find((figures) => figures.replicas === replicas);
    const times = (ms: number | undefined, our: number): number | null => (ms === undefined ? null : ms / our);
    return { replicas, critic: times(peer?.criticMs, criticMs), actor: times(peer?.actorMs, actorMs) };
  });
}

function rowsOf({ policyDelay }: Td3Step, ours: readonly Figures[], theirs: TheirFigures = []): string[] {
  return ours.flatMap(({ replicas, criticMs, actorMs, iterationMs }) => {
    const peer = theirs.find((figures) => figures.replicas === replicas);
    const learners = replicas === 1 ? '1 learner' : `${replicas} learners`;
    const theirIterationMs = peer && peer.criticMs + peer.actorMs / policyDelay;
    return [
      row(`critic step, ${learners}`, criticMs, peer?.criticMs),
      row(`actor step, ${learners}`, actorMs, peer?.actorMs),
      row(`iteration (1 actor step to ${policyDelay} of critics), ${learners}`, iterationMs, theirIterationMs),
    ];
  });
}

function row(name: string, our: number, theirs?: number): string {
  const cell = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3)).padStart(10);
  const times = theirs === undefined ? '' : `${(theirs / our).toFixed(1)}x`.padStart(8);
  return `${name.padEnd(54)}${cell(our)}${cell(theirs)}${times}`;
}
