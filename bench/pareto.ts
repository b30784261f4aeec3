// How long the Pareto metrics take: `npm run bench -- pareto [--json]`. All points of a "front" are non-dominated,
// which is the slowest case; of a "cloud" only a few are. The first call of each case, before the engine has compiled
// the code for it, is reported beside the median.

import { cpus } from 'node:os';
import { envInfo } from '../src/envs/index.js';
import { hypervolume, nonDominatedIndices, sparsity } from '../src/pareto/index.js';
import { Random } from '../src/random/index.js';

const REPEATS = 11;

const random = new Random(1);

/** Points on the positive part of a sphere. */
function front(count: number, objectives: number): number[][] {
  return Array.from({ length: count }, () => {
    const point = Array.from({ length: objectives }, () => Math.abs(random.normal()));
    const length = Math.hypot(...point);
    return point.map((x) => (10 * x) / length);
  });
}

function cloud(count: number, objectives: number): number[][] {
  return Array.from({ length: count }, () => Array.from({ length: objectives }, () => 10 * random.uniform()));
}

const leaves = envInfo('fruit-tree-d7').knownFront!(0.99);

const volumeOf = (points: number[][]) => () => hypervolume(points, new Array<number>(points[0].length).fill(0));
const cases: readonly (readonly [name: string, run: () => unknown])[] = [
  ['hypervolume, fruit tree d7: 128 x 6', volumeOf(leaves)],
  ['hypervolume, front: 128 x 6', volumeOf(front(128, 6))],
  ['hypervolume, front: 100000 x 2', volumeOf(front(100_000, 2))],
  ['hypervolume, cloud: 100000 x 2', volumeOf(cloud(100_000, 2))],
  ['hypervolume, front: 10000 x 3', volumeOf(front(10_000, 3))],
  ['hypervolume, front: 1000 x 4', volumeOf(front(1_000, 4))],
  ['hypervolume, front: 200 x 5', volumeOf(front(200, 5))],
  ...([front(100_000, 2), front(2_000, 6)] as const).map(
    (points) =>
      [`nonDominated, front: ${points.length} x ${points[0].length}`, () => nonDominatedIndices(points)] as const,
  ),
  ...[front(1_001, 2)].map((points) => ['sparsity, front: 1001 x 2', () => sparsity(points)] as const),
];

function milliseconds(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

const results = cases.map(([name, run]) => {
  const firstMs = milliseconds(run);
  const times = Array.from({ length: REPEATS }, () => milliseconds(run)).sort((a, b) => a - b);
  return { name, medianMs: times[(REPEATS - 1) / 2], minMs: times[0], maxMs: times[REPEATS - 1], firstMs };
});

const machine = { cpu: cpus()[0].model, cores: cpus().length, platform: process.platform, arch: process.arch };
console.log(`node ${process.version}, ${machine.arch}, ${machine.cores} cores (${machine.cpu})`);
for (const { name, medianMs, minMs, maxMs, firstMs } of results) {
  const range = `${minMs.toFixed(2)} to ${maxMs.toFixed(2)}`;
  console.log(`${name.padEnd(38)} ${medianMs.toFixed(2).padStart(8)} ms (${range}; first ${firstMs.toFixed(2)})`);
}
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ bench: 'pareto', node: process.version, ...machine, repeats: REPEATS, results }));
}
