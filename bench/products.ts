import { parseArgs } from 'node:util';

import { float32, openDevice, step } from '../src/tensor/index.js';
import type { Device, Values } from '../src/tensor/index.js';
import { Random } from '../src/random/index.js';
import { compileFor } from '../src/tensor/program.js';
import type { Step } from '../src/tensor/step.js';
import { openGpu } from '../src/tensor/webgpu/device.js';
import { fragmentShapes, fragmentTilesOf } from '../src/tensor/webgpu/fragment-tile.js';
import type { FragmentChooser, FragmentTile } from '../src/tensor/webgpu/fragment-tile.js';

const usage = `usage: npm run bench -- products [--json] [--device NAME] [--sweep]

Matrix products of the sizes that learners have: how far they are from float64, for numbers that 16 bits hold exactly and for others,
and how long they take beside those of --device gpu. DEVICE is gpu-mixed by default. With --sweep, the times of every tile of
gpu-mixed for three of them instead, from which src/tensor/webgpu/fragment-tile.ts is to choose. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    sweep: { type: 'boolean', default: false },
    device: { type: 'string', default: 'gpu-mixed' },
  },
});

interface Product {
  readonly batch: number;
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly transA: boolean;
  readonly transB: boolean;
}

const natural = { transA: false, transB: false };
const checked: readonly Product[] = [
  { batch: 5, rows: 256, inner: 25, columns: 400 },
  { batch: 5, rows: 256, inner: 400, columns: 400 },
  { batch: 5, rows: 256, inner: 400, columns: 202 },
  { batch: 5, rows: 400, inner: 256, columns: 400 },
  { batch: 8, rows: 32, inner: 256, columns: 256 },
  { batch: 1, rows: 1024, inner: 800, columns: 800 },
  { batch: 5, rows: 37, inner: 50, columns: 61 },
].flatMap((size) => [false, true].flatMap((transA) => [false, true].map((transB) => ({ ...size, transA, transB }))));
const timed: readonly Product[] = [
  { batch: 48, rows: 256, inner: 400, columns: 400, ...natural },
  { batch: 48, rows: 400, inner: 256, columns: 400, ...natural, transA: true },
  { batch: 2, rows: 256, inner: 400, columns: 400, ...natural },
  { batch: 12, rows: 256, inner: 400, columns: 400, ...natural },
  { batch: 48, rows: 256, inner: 400, columns: 400, ...natural, transB: true },
  { batch: 48, rows: 256, inner: 25, columns: 400, ...natural },
  { batch: 48, rows: 256, inner: 400, columns: 202, ...natural },
  { batch: 48, rows: 32, inner: 256, columns: 256, ...natural },
  { batch: 6, rows: 1024, inner: 800, columns: 800, ...natural },
];
/** Of those, the products of which every tile is timed. */
const SWEPT = 3;
/** Entries of a product that are compared with float64, at most. */
const MOST_COMPARED = 20_000;

const random = new Random(1);
const anyNumber = (): number => 2 * random.uniform() - 1;
/** Products of such numbers add up exactly in 32 bits, so that only a mistake makes a difference. */
const exactNumber = (): number => Math.round(64 * anyNumber()) / 64;

if (options.help) console.log(usage);
else if (options.sweep) await sweep();
else await compare();

async function compare(): Promise<void> {
  const [device, plain] = [await openDevice(options.device), await openDevice('gpu')];
  console.log(`${device.description}\nbeside ${plain.description}`);
  const errors: { product: string; exact: number; others: number }[] = [];
  for (const product of checked) {
    const exact = await errorOf(device, product, exactNumber);
    const others = await errorOf(device, product, anyNumber);
    errors.push({ product: nameOf(product), exact, others });
    console.log(
      `${nameOf(product).padEnd(36)} error ${exact.toExponential(1)} of exact numbers, ${others.toExponential(1)}`,
    );
  }
  const times: { product: string; us: number; plainUs: number }[] = [];
  for (const product of timed) {
    const [us, plainUs] = [await timeOf(device, stepOf(product)), await timeOf(plain, stepOf(product))];
    times.push({ product: nameOf(product), us, plainUs });
    console.log(
      `${nameOf(product).padEnd(36)} ${us.toFixed(1)} us, gpu ${plainUs.toFixed(1)}, ratio ${(plainUs / us).toFixed(2)}`,
    );
  }
  if (options.json) console.log(JSON.stringify({ device: options.device, errors, times }));
  process.exit();
}

async function sweep(): Promise<void> {
  const fastest: { product: string; tile: FragmentTile; us: number }[] = [];
  for (const product of timed.slice(0, SWEPT)) {
    const rows: { tile: FragmentTile; us: number }[] = [];
    for (const tile of tilesFor(product)) {
      const fragmentsFor: FragmentChooser = (_, threads) => ({ tile, time: threads === threadsOf(tile) ? 0 : 1 });
      const device = await openGpu(undefined, { tensorCores: true, fragmentsFor });
      rows.push({ tile, us: await timeOf(device, stepOf(product), 60) });
      device.close();
    }
    rows.sort((a, b) => a.us - b.us);
    console.log(`\n${nameOf(product)}: height, width, depth, subgroups down and across, rounds, buffers, run`);
    for (const { tile, us } of rows.slice(0, 30))
      console.log(`${us.toFixed(1).padStart(8)} us  ${Object.values(tile).join(' ')}`);
    fastest.push({ product: nameOf(product), ...rows[0] });
  }
  if (options.json) console.log(JSON.stringify({ fastest }));
  process.exit();
}

function tilesFor({ inner }: Product): FragmentTile[] {
  // Of 48 KB some are for other kernels of a dispatch.
  const bytes = 47_104;
  const limit = { operands: bytes, results: bytes, total: bytes };
  return fragmentShapes.flatMap((shape) =>
    [16, 32, 48, 64, 80].flatMap((depth) =>
      ([1, 2, 4] as const).flatMap((run) => fragmentTilesOf({ inner }, shape, depth, limit, run).slice(0, 1)),
    ),
  );
}

function threadsOf({ down, across }: FragmentTile): number {
  return 32 * down * across;
}

/** Operands are state, so that runs are not held up by what is uploaded. */
function stepOf({ batch, rows, inner, columns, transA, transB }: Product) {
  return step({
    state: {
      x: float32(batch, ...(transA ? [inner, rows] : [rows, inner])),
      y: float32(batch, ...(transB ? [columns, inner] : [inner, columns])),
      b: float32(batch, 1, columns),
    },
    inputs: {},
    body: ({ x, y, b }) => ({ outputs: { z: x.matmul(y, { transA, transB }).add(b).relu() } }),
  });
}

/** The largest error of a product, relative to its largest entry. */
async function errorOf(device: Device, product: Product, draw: () => number): Promise<number> {
  const { batch, rows, inner, columns, transA, transB } = product;
  const program = await compileFor(device, stepOf(product));
  const [x, y, b] = [batch * rows * inner, batch * inner * columns, batch * columns].map((size) =>
    Float32Array.from({ length: size }, draw),
  );
  program.state.load({ x, y, b });
  const { z } = await program.run({});
  const total = batch * rows * columns;
  const count = Math.min(total, MOST_COMPARED);
  let [worst, largest] = [0, 0];
  for (let i = 0; i < count; i++) {
    const entry = count === total ? i : random.integer(total);
    const [one, row, column] = [
      Math.floor(entry / (rows * columns)),
      Math.floor(entry / columns) % rows,
      entry % columns,
    ];
    let sum = b[one * columns + column];
    for (let k = 0; k < inner; k++) {
      const left = x[one * rows * inner + (transA ? k * rows + row : row * inner + k)];
      sum += left * y[one * inner * columns + (transB ? column * inner + k : k * columns + column)];
    }
    largest = Math.max(largest, Math.abs(sum));
    worst = Math.max(worst, Math.abs(z[entry] - Math.max(0, sum)));
  }
  await program.dispose();
  program.state.dispose();
  return worst / largest;
}

/** Microseconds of a run: the fastest of five rounds, after one that warms the GPU up. */
async function timeOf(device: Device, body: Step, runs = 200): Promise<number> {
  const program = await compileFor(device, body);
  for (const name of program.state.names) {
    const { length }: Values = await program.state.read(name);
    program.state.write(name, Float32Array.from({ length }, anyNumber));
  }
  let best = Infinity;
  for (let round = 0; round < 6; round++) {
    const start = performance.now();
    for (let i = 0; i < runs; i++) await program.run({}, { read: [] });
    // Reading waits for all that was asked for before.
    await program.state.read('b');
    if (round > 0) best = Math.min(best, ((performance.now() - start) * 1000) / runs);
  }
  await program.dispose();
  program.state.dispose();
  return best;
}

function nameOf({ batch, rows, inner, columns, transA, transB }: Product): string {
  return `${batch} x ${rows} x ${inner} x ${columns}${transA ? ' transA' : ''}${transB ? ' transB' : ''}`;
}
