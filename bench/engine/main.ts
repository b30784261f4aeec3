import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import * as ort from 'onnxruntime-node';

import { Random } from '../../src/random/index.js';
import { compile, constant, float32, leaf, step } from '../../src/tensor/index.js';
import { CpuDevice } from '../../src/tensor/onnx/device.js';
import { exportOnnx } from '../../src/tensor/onnx/export.js';
import { jaxjsCriticStep } from '../peers/jaxjs.js';
import { findTorch, measureTorch } from '../peers/torch.js';
import type { TorchFigures } from '../peers/torch.js';
import { bestOfRounds, medianMs } from './measure.js';
import { actorStep, freshCriticStep, generateStep, heldCriticStep, initialise, randomBatch, size } from './td3-step.js';

const usage = `usage: npm run bench -- engine [--json] [--seconds S] [--rounds N] [--threads T]

The PSL-TD3 update (observations ${size.observation}, actions ${size.action}, objectives ${size.objectives}, hidden ${size.hidden}-${size.hidden}, batch ${size.batch},
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
  const device = new CpuDevice({ threads });
  say(`engine: ${device.description}`);

  const start = performance.now();
  const fresh = await compile(freshCriticStep, { device });
  const compileMs = { critic: performance.now() - start, actor: 0 };
  const { state } = fresh;
  const held = await compile(heldCriticStep, { state });
  const generate = await compile(generateStep, { state });
  const actorStart = performance.now();
  const actor = await compile(actorStep, { state });
  compileMs.actor = performance.now() - actorStart;

  // The same steps without fused updates: one ONNX graph, everything in it.
  const unfused = await compile(freshCriticStep, { device: new CpuDevice({ threads, fuseUpdates: false }) });
  const unfusedActor = await compile(actorStep, { state: unfused.state });
  const random = new Random(1);
  initialise(state, random);
  initialise(unfused.state, random);
  const batch = randomBatch(random);
  const actorBatch = { s: batch.s, w: batch.w, direction: batch.direction };

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
    ['fresh', () => medianMs(() => fresh.run(batch), seconds)],
    ['held', () => medianMs(() => held.run(batch), seconds)],
    ['generate', () => medianMs(() => generate.run({ w: batch.w }), seconds)],
    ['actor', () => medianMs(() => actor.run(actorBatch), seconds)],
    ['unfused', () => medianMs(() => unfused.run(batch), seconds)],
    ['unfusedActor', () => medianMs(() => unfusedActor.run(actorBatch), seconds)],
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

  // The target policy is generated once per block of `delay` critic steps, when it is held.
  const heldMs = ms('held') + ms('generate') / size.delay;
  const torchCritic = least((f) => f.criticStepMs);
  const torchHeld = least((f) => f.criticStepHeldMs);
  const torchActor = least((f) => f.actorStepMs);
  const jaxjsMs = best.get('jaxjs') ?? null;
  const ratio = (theirs: number | null, ours: number): number | null => (theirs === null ? null : theirs / ours);
  const figures = {
    threads,
    // With the target policy held between updates of the actor, without which it does not change.
    criticStepMs: heldMs,
    criticStepAnewMs: ms('fresh'),
    actorStepMs: ms('actor'),
    generateMs: ms('generate'),
    oneGraph: { criticStepMs: ms('unfused'), actorStepMs: ms('unfusedActor') },
    compileMs,
    emptyProgramMs: ms('empty'),
    matmul: { gflops: products.flops / ms('product') / 1e6, bareGflops: products.flops / ms('bareProduct') / 1e6 },
    peers: {
      jaxjs: jaxjsMs === null ? null : { criticStepMs: jaxjsMs },
      torch:
        torch.length === 0
          ? null
          : {
              version: torch[0].version,
              criticStepMs: torchCritic,
              criticStepHeldMs: torchHeld,
              actorStepMs: torchActor,
            },
    },
    ratios: {
      // This engine holds the target policy; the peers, as they are usually written, generate it in every step.
      torch: ratio(torchCritic, heldMs),
      jaxjs: ratio(jaxjsMs, heldMs),
      // Like for like: both generate the target policy anew, or both hold it.
      torchAnew: ratio(torchCritic, ms('fresh')),
      torchHeld: ratio(torchHeld, heldMs),
      jaxjsAnew: ratio(jaxjsMs, ms('fresh')),
      torchActor: ratio(torchActor, ms('actor')),
    },
  };
  report(figures);
  if (options.json) console.log(JSON.stringify(figures));
}

function report(f: {
  readonly criticStepMs: number;
  readonly criticStepAnewMs: number;
  readonly actorStepMs: number;
  readonly oneGraph: { readonly criticStepMs: number; readonly actorStepMs: number };
  readonly compileMs: { readonly critic: number; readonly actor: number };
  readonly emptyProgramMs: number;
  readonly matmul: { readonly gflops: number; readonly bareGflops: number };
  readonly peers: {
    readonly jaxjs: { readonly criticStepMs: number } | null;
    readonly torch: {
      readonly version: string;
      readonly criticStepMs: number | null;
      readonly criticStepHeldMs: number | null;
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
    row('critic step, target policy generated anew', f.criticStepAnewMs, torch?.criticStepMs, jaxjs?.criticStepMs),
    row(`critic step, target policy held ${size.delay} steps`, f.criticStepMs, torch?.criticStepHeldMs),
    row('actor step', f.actorStepMs, torch?.actorStepMs),
    row('critic step anew, as one ONNX graph', f.oneGraph.criticStepMs),
    row('actor step, as one ONNX graph', f.oneGraph.actorStepMs),
    '',
    `compile: critic ${f.compileMs.critic.toFixed(0)} ms, actor ${f.compileMs.actor.toFixed(0)} ms`,
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
