// What a sweep costs and survives: `npm run bench -- sweep [--json]`. Parts whose engine is not installed are left out, and said so.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { whyNoS3 } from '../../test/support/s3.js';
import { whyNoSlurm } from '../../test/support/slurm.js';
import { emptyJobs, overhead } from './cost.js';
import { disturbedQueue } from './disturbed-queue.js';
import { disturbedS3 } from './disturbed-s3.js';
import { disturbedSlurm } from './disturbed-slurm.js';
import { checkpointBytes, scale } from './scale.js';
import { Redis, sentence } from './support.js';

const PARTS = ['overhead', 'empty', 'scale', 'queue', 'slurm', 's3'] as const;
type Part = (typeof PARTS)[number];

const usage = `usage: npm run bench -- sweep [--json] [--only PART[,PART...]] [--empty N] [--scale-runs N]
       [--queue-runs N] [--slurm-runs N] [--s3-runs N]

Parts:
  overhead  what one run by psl sweep takes more than by psl train
  empty     how long N empty jobs of a queue take (default 1000)
  scale     what it takes to plan a sweep of N runs (default 10000), to put it into a queue, to claim and finish every run by
            a hundred workers that do not train, and to read how it stands; and what a checkpoint has of bytes
  queue     N small runs (default 200) over four workers on a queue, two of which are killed and one suspended past its
            lease, while Redis is started again
  slurm     N small runs (default 40) as array jobs of Slurm, tasks of which are killed or come to their time limit, while
            the controller is started again
  s3        N small runs (default 60) over four workers on a store in object storage, two of which are killed and one
            suspended past its lease
The last three print whether every run was finished once, with the bytes of the same sweep on this machine alone.
Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: PARTS.join(',') },
    empty: { type: 'string', default: '1000' },
    'scale-runs': { type: 'string', default: '10000' },
    'queue-runs': { type: 'string', default: '200' },
    'slurm-runs': { type: 'string', default: '40' },
    's3-runs': { type: 'string', default: '60' },
  },
});
if (options.help) {
  console.log(usage);
  process.exit();
}
const asked = options.only.split(',');
const unknown = asked.find((part) => !(PARTS as readonly string[]).includes(part));
if (unknown !== undefined) {
  console.error(`--only is "${options.only}", but must be some of: ${PARTS.join(', ')}.`);
  process.exit(2);
}
const wants = (part: Part) => asked.includes(part);

const folder = mkdtempSync(join(tmpdir(), 'psl-bench-sweep-'));
const port = 61_000 + (process.pid % 4000);
const measured: Record<string, unknown> = {};

async function withRedis(): Promise<void> {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    console.log('redis-server is not installed, so that queues are not measured');
    return;
  }
  const redis = new Redis(folder, port);
  try {
    await wait(1000);
    if (wants('empty')) {
      const jobs = Number(options.empty);
      const seconds = await emptyJobs(redis.url, jobs);
      console.log(`${jobs} empty jobs of a queue take ${seconds.toFixed(2)} s`);
      measured.empty = { jobs, seconds };
    }
    if (wants('scale')) {
      const result = await scale(folder, Number(options['scale-runs']), redis);
      const { runs, planSeconds, enqueueSeconds, queueBytes, claimSeconds, statusSeconds } = result;
      console.log(
        `${runs} runs are planned in ${planSeconds.toFixed(1)} s, in a queue of ${(queueBytes / 2 ** 20).toFixed(1)} MB after ` +
          `${enqueueSeconds.toFixed(1)} s, claimed and finished in ${claimSeconds.toFixed(1)} s without a training, and ` +
          `their status is read in ${statusSeconds.toFixed(1)} s`,
      );
      const checkpoints = {
        tree: await checkpointBytes(folder, 'fruit-tree-d6', 'quick'),
        robot: await checkpointBytes(folder, 'mo-halfcheetah-v2', 'best'),
      };
      const sizes = Object.entries(checkpoints).map(([name, bytes]) => `${(bytes / 1e6).toFixed(1)} MB (${name})`);
      console.log(`a checkpoint has ${sizes.join(', ')}`);
      measured.scale = { ...result, checkpoints };
    }
    if (wants('queue')) {
      const result = await disturbedQueue(folder, Number(options['queue-runs']), redis);
      console.log(`by a queue: ${sentence(result)}`);
      measured.queue = result;
    }
  } finally {
    await redis.stop();
  }
}

async function withSlurm(): Promise<void> {
  const reason = whyNoSlurm();
  if (reason !== undefined) {
    console.log(`Slurm is not measured: ${reason}`);
    return;
  }
  const result = await disturbedSlurm(folder, Number(options['slurm-runs']), port);
  console.log(`on Slurm: ${sentence(result)}`);
  measured.slurm = result;
}

async function withS3(): Promise<void> {
  const reason = await whyNoS3();
  if (reason !== undefined) {
    console.log(`object storage is not measured: ${reason}`);
    return;
  }
  const result = await disturbedS3(folder, Number(options['s3-runs']), port);
  console.log(`on object storage: ${sentence(result)}`);
  measured.s3 = result;
}

try {
  if (wants('overhead')) {
    const seconds = await overhead(folder);
    console.log(`one run by psl sweep takes ${seconds.toFixed(2)} s more than by psl train`);
    measured.overheadSeconds = seconds;
  }
  if (wants('empty') || wants('scale') || wants('queue')) await withRedis();
  if (wants('slurm')) await withSlurm();
  if (wants('s3')) await withS3();
  const machine = { cores: cpus().length, processor: cpus()[0].model, node: process.versions.node };
  if (options.json) console.log(JSON.stringify({ ...measured, machine }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
