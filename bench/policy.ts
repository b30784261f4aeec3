// How long a trained policy takes to act: `npm run bench -- policy [--json]`. The plain policy and the compiled one take
// turns, so that a busy moment of the machine hits both.

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { compiledPolicy, loadModel, openRun, plainPolicy, Random } from '../src/index.js';

const usage = `usage: npm run bench -- policy [RUN] [--json] [--device DEVICE] [--rows N] [--rounds R]

Acts with the model of a run (default examples/runs/half-cheetah) at N preferences (default 201) and at one: with a plain
policy for each preference, and with a compiled one on DEVICE (default cpu) for all. Prints the fastest of R rounds (default
30) in milliseconds. Last line with --json: one JSON object.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    device: { type: 'string', default: 'cpu' },
    rows: { type: 'string', default: '201' },
    rounds: { type: 'string', default: '30' },
  },
});
if (options.help) {
  console.log(usage);
  process.exit();
}

const model = loadModel(openRun(positionals[0] ?? 'examples/runs/half-cheetah'));
const objectives = model.description.objectives.length;
const { inputs, layers } = model.description.policy;
const observation = inputs.length === 1 ? layers[0] : layers[0] - objectives;
const compiled = await compiledPolicy(model, options.device);

const figures: Record<string, number> = {};
for (const rows of new Set([Number(options.rows), 1])) {
  const random = new Random(1);
  const s = Float32Array.from({ length: rows * observation }, () => random.normal());
  const w = new Float32Array(rows * objectives);
  const policies = Array.from({ length: rows }, (_, row) => {
    const first = rows === 1 ? 0.5 : row / (rows - 1);
    w.fill((1 - first) / (objectives - 1), row * objectives, (row + 1) * objectives);
    w[row * objectives] = first;
    const policy = plainPolicy(model);
    policy.prefer(w.subarray(row * objectives, (row + 1) * objectives));
    return policy;
  });
  const actPlainly = () =>
    policies.forEach((policy, row) => policy.act(s.subarray(row * observation, (row + 1) * observation)));
  const times: { plain: number[]; compiled: number[] } = { plain: [], compiled: [] };
  for (let round = 0; round < Number(options.rounds); round++) {
    times.plain.push(await timed(actPlainly));
    times.compiled.push(await timed(() => compiled.act(s, w)));
  }
  for (const [kind, own] of Object.entries(times)) {
    figures[`${kind}${rows}`] = Math.min(...own);
    console.log(`${kind} policy, ${rows} preferences: ${figures[`${kind}${rows}`].toFixed(3)} ms`);
  }
}
await compiled.dispose();
const [{ model: processor }] = cpus();
if (options.json) console.log(JSON.stringify({ ...figures, device: options.device, processor, cores: cpus().length }));

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
