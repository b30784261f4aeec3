import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import * as ort from 'onnxruntime-node';

import { Random } from '../../src/random/index.js';
import { compile, constant, float32, leaf, step } from '../../src/tensor/index.js';
import { CpuDevice } from '../../src/tensor/onnx/device.js';
import { onnxruntimeNode } from '../../src/tensor/onnx/runtime.js';
import { exportOnnx } from '../../src/tensor/onnx/export.js';
import type { DrivenLearner } from '../learners/drive.js';
import { BOTH, CRITIC, driveTd3, published, size } from '../learners/td3.js';
import { jaxjsCriticStep } from '../peers/jaxjs.js';
import { findTorch, measureTorch } from '../peers/torch.js';
import type { TorchFigures } from '../peers/torch.js';
import { bestOfRounds, medianExtraMs, medianMs } from './measure.js';

const usage = `usage: npm run bench -- engine [--json] [--seconds S] [--rounds N] [--threads T]

The update of PSL-TD3 as it trains (observations ${size.observation}, actions ${size.action}, objectives ${size.objectives}, hidden ${size.hidden}-${size.hidden}, batch ${size.batch},
${size.groups} preference groups, twin critics) on the CPU, beside jax-js and PyTorch in the same run. Every figure is the
median of a measurement of S seconds (default 1), the best of N rounds (default 3) in which all take turns.
T is the number of threads of this engine (default: all cores); PyTorch is measured with one and with T and its
better figure counts. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});

if (options.help) console.log(usage);
else await main(positive('seconds'), positive('rounds'), positive('threads'));

function positive(name: 'seconds' | 'rounds' | 'threads'): number {
  const value = Number(options[name]);
  if (!(value > 0)) {
    console.error(`--${name} is "${options[name]}", but must be a positive number.`);
    process.exit(2);
  }
  return value;
}

async function main(seconds: number, rounds: number, threads: number): Promise<void> {
  const say = (text: string): void => console.error(text);
  const device = new CpuDevice(onnxruntimeNode, { threads });
  say(`engine: ${device.description}`);

  const learner = await driveTd3(published, device);
  // The same steps without fused updates: one ONNX graph, everything in it.
  const unfused = await driveTd3(published, new CpuDevice(onnxruntimeNode, { threads, fuseUpdates: false }));
  const random = new Random(1);

  const empty = await compile(
    step({ state: {}, inputs: { x: float32(1) }, body: (_, { x }) => ({ outputs: { y: x.add(1) } }) }),
    { device },
  );
  const one = { x: Float32Array.of(1) };
  const products = await matrixProducts(device, threads, random);

  const jaxjs = await peer('jax-js', () => jaxjsCriticStep(random), say);
  const python = await findTorch();
  if (python === undefined) say('engine: no Python with torch here; that peer is left out');

  const actions = new Map<string, () => Promise<number>>([
    ['critic', () => criticStepMs(learner, seconds)],
    ['actor', () => actorStepMs(learner, seconds)],
    ['unfused', () => criticStepMs(unfused, seconds)],
    ['unfusedActor', () => actorStepMs(unfused, seconds)],
    ['empty', () => medianMs(() => empty.run(one), seconds / 4)],
    ['product', () => medianMs(products.ours, seconds / 2)],
    ['bareProduct', () => medianMs(products.bare, seconds / 2)],
  ]);
  if (jaxjs !== undefined) actions.set('jaxjs', () => medianMs(jaxjs, seconds));
  const torch: TorchFigures[] = [];
  if (python !== undefined) {
    for (const count of new Set([1, threads])) {
      actions.set(`torch ${count}`, async () => {
        const figures = await measureTorch(python, seconds, count);
        torch.push(figures);
        return figures.criticStepMs;
      });
    }
  }
  say(`engine: measuring, ${rounds} rounds`);
  const best = await bestOfRounds(actions, rounds);
  const ms = (name: string): number => best.get(name) ?? Number.NaN;
  const least = (pick: (figures: TorchFigures) => number): number | null =>
    torch.length === 0 ? null : Math.min(...torch.map(pick));

  const criticMs = ms('critic');
  const actorMs = ms('actor');
  const torchCritic = least((f) => f.criticStepMs);
  const torchActor = least((f) => f.actorStepMs);
  const jaxjsMs = best.get('jaxjs') ?? null;
  const ratio = (theirs: number | null, ours: number): number | null => (theirs === null ? null : theirs / ours);
  const figures = {
    threads,
    // The target policy is generated anew in every step, here and in the peers.
    criticStepAnewMs: criticMs,
    actorStepMs: actorMs,
    oneGraph: { criticStepMs: ms('unfused'), actorStepMs: ms('unfusedActor') },
    startMs: learner.startMs,
    emptyProgramMs: ms('empty'),
    matmul: { gflops: products.flops / ms('product') / 1e6, bareGflops: products.flops / ms('bareProduct') / 1e6 },
    peers: {
      jaxjs: jaxjsMs === null ? null : { criticStepMs: jaxjsMs },
      torch:
        torch.length === 0 ? null : { version: torch[0].version, criticStepMs: torchCritic, actorStepMs: torchActor },
    },
    ratios: {
      torchAnew: ratio(torchCritic, criticMs),
      jaxjsAnew: ratio(jaxjsMs, criticMs),
      torchActor: ratio(torchActor, actorMs),
    },
  };
  for (const driven of [learner, unfused]) {
    await driven.update(BOTH, true);
    await driven.close();
  }
  report(figures);
  if (options.json) console.log(JSON.stringify(figures));
}

function criticStepMs(learner: DrivenLearner, seconds: number): Promise<number> {
  return medianMs(() => learner.update(CRITIC), seconds);
}

/** What an update with an actor step takes more than one without. */
function actorStepMs(learner: DrivenLearner, seconds: number): Promise<number> {
  const [both, critic] = [BOTH, CRITIC].map((number) => () => learner.update(number));
  return medianExtraMs(both, critic, seconds);
}

function report(f: {
  readonly criticStepAnewMs: number;
  readonly actorStepMs: number;
  readonly oneGraph: { readonly criticStepMs: number; readonly actorStepMs: number };
  readonly startMs: number;
  readonly emptyProgramMs: number;
  readonly matmul: { readonly gflops: number; readonly bareGflops: number };
  readonly peers: {
    readonly jaxjs: { readonly criticStepMs: number } | null;
    readonly torch: {
      readonly version: string;
      readonly criticStepMs: number | null;
      readonly actorStepMs: number | null;
    } | null;
  };
}): void {
  const number = (value: number | null | undefined): string => (value == null ? '-' : value.toFixed(2)).padStart(10);
  const times = (theirs: number | null | undefined, ours: number): string =>
    (theirs == null ? '' : `${(theirs / ours).toFixed(1)}x`).padStart(8);
  const { torch, jaxjs } = f.peers;
  const row = (name: string, ours: number, t?: number | null, j?: number | null): string =>
    `${name.padEnd(46)}${number(ours)}${number(t)}${times(t, ours)}${number(j)}${times(j, ours)}`;
  const lines = [
    `${'ms per step'.padEnd(46)}${'this'.padStart(10)}${'torch'.padStart(10)}${''.padStart(8)}${'jax-js'.padStart(10)}`,
    row('critic step', f.criticStepAnewMs, torch?.criticStepMs, jaxjs?.criticStepMs),
    row('actor step', f.actorStepMs, torch?.actorStepMs),
    row('critic step, as one ONNX graph', f.oneGraph.criticStepMs),
    row('actor step, as one ONNX graph', f.oneGraph.actorStepMs),
    '',
    `start to the end of the first update: ${f.startMs.toFixed(0)} ms`,
    ...(torch === null ? [] : [`torch ${torch.version}`]),
    `empty program: ${(1000 * f.emptyProgramMs).toFixed(0)} us per run`,
    `matrix products: ${f.matmul.gflops.toFixed(0)} GFLOP/s, bare onnxruntime ${f.matmul.bareGflops.toFixed(0)} GFLOP/s`,
  ];
  console.log(lines.join('\n'));
}

async function peer<T>(name: string, open: () => Promise<T>, say: (text: string) => void): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    say(`engine: ${name} could not be measured and is left out: ${String(error)}`);
    return undefined;
  }
}

/** A chain of square matrix products, in a program and in a bare session of onnxruntime. */
async function matrixProducts(device: CpuDevice, threads: number, random: Random) {
  const [rows, width, count] = [size.batch, size.hidden, 4];
  const chain = (x: ReturnType<typeof constant>, w: ReturnType<typeof constant>): typeof x => {
    let y = x;
    for (let i = 0; i < count; i++) y = y.matmul(w);
    return y;
  };
  const program = await compile(
    step({
      state: { w: float32(width, width) },
      inputs: { x: float32(rows, width) },
      body: ({ w }, { x }) => ({ outputs: { y: chain(x, w).sum() } }),
    }),
    { device },
  );
  const w = random.fillNormal(new Float32Array(width * width), 0, 1 / Math.sqrt(width));
  const x = random.fillNormal(new Float32Array(rows * width), 0, 1);
  program.state.load({ w });
  const [lx, lw] = [leaf('x', [rows, width]), leaf('w', [width, width])];
  const session = await ort.InferenceSession.create(exportOnnx({ x: lx, w: lw }, { y: chain(lx, lw).sum() }), {
    intraOpNumThreads: threads,
  });
  const feeds = { x: new ort.Tensor('float32', x, [rows, width]), w: new ort.Tensor('float32', w, [width, width]) };
  return {
    flops: 2 * count * rows * width * width,
    ours: () => program.run({ x }),
    bare: () => session.run(feeds),
  };
}
