import { parseArgs } from 'node:util';

import { openDevice } from '../src/tensor/index.js';
import type { Device, Values } from '../src/tensor/index.js';
import type { DriveOptions, DrivenLearner } from './learners/drive.js';
import { driveTd3, recommended } from './learners/td3.js';

const usage = `usage: npm run bench -- agreement [--json] [--device NAME] [--replicas LIST] [--updates LIST] [--capacity N]

Whether a learner among others on a GPU comes to what it comes to alone on the CPU, at full size: the update of PSL-TD3 as
recommended, from the same parameters and the same batches. For each number of replicas (default 1,3,6,24) and of updates
(default 2,10,100) the largest difference among the first, the middle and the last replica, as a share of the way that the
parameters have come since the first update. What rounding makes grows with the updates, and is the same for any number of replicas.
DEVICE is gpu by default; N transitions (default 1000000) are in each replay. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    device: { type: 'string', default: 'gpu' },
    replicas: { type: 'string', default: '1,3,6,24' },
    updates: { type: 'string', default: '2,10,100' },
    capacity: { type: 'string', default: '1000000' },
  },
});

/** As `best` has them. */
const step = { ...recommended, settings: { ...recommended.settings, hidden: [256, 256], saturation: 0.01 } };

if (options.help) console.log(usage);
else await main(listOf('replicas'), listOf('updates'), Number(options.capacity));

function listOf(name: 'replicas' | 'updates'): number[] {
  const list = options[name].split(',').map(Number);
  if (list.every((value) => Number.isInteger(value) && value > (name === 'updates' ? 1 : 0))) return list;
  console.error(
    `agreement: ${name} is "${options[name]}", but must be whole numbers of at least ${name === 'updates' ? '2, such as 2,10' : '1, such as 1,6'}.`,
  );
  process.exit(2);
}

async function main(counts: readonly number[], updates: readonly number[], capacity: number): Promise<void> {
  const [device, cpu] = [await openDevice(options.device), await openDevice('cpu')];
  const alone = new Map<number, readonly Learned[]>();
  const rows: { replicas: number; differences: number[] }[] = [];
  for (const replicas of counts) {
    const looked = [...new Set([0, Math.floor(replicas / 2), replicas - 1])];
    const together = await learnedBy(device, { capacity }, { replicas, looked, updates });
    const differences = updates.map(() => 0);
    for (const [i, replica] of looked.entries()) {
      if (!alone.has(replica)) {
        const own = await learnedBy(cpu, { capacity, firstSeed: replica + 1 }, { replicas: 1, looked: [0], updates });
        alone.set(replica, own[0]);
      }
      const truth = alone.get(replica)!;
      updates.forEach((_, k) => {
        differences[k] = Math.max(differences[k], differenceOf(together[i][k + 1], truth[k + 1], truth[0]));
      });
    }
    rows.push({ replicas, differences });
    console.error(`agreement: ${replicas} replicas: ${differences.map((x) => x.toExponential(1)).join(', ')}`);
  }
  console.log(`${'replicas'.padEnd(10)}${updates.map((count) => `${count} updates`.padStart(14)).join('')}`);
  for (const { replicas, differences } of rows) {
    console.log(`${String(replicas).padEnd(10)}${differences.map((x) => x.toExponential(1).padStart(14)).join('')}`);
  }
  if (options.json) console.log(JSON.stringify({ device: device.description, updates, rows }));
}

type Learned = ReadonlyMap<string, Values>;

/** What some replicas have learned: by the first update, and by each number of them. */
async function learnedBy(
  device: Device,
  how: DriveOptions,
  { replicas, looked, updates }: { replicas: number; looked: readonly number[]; updates: readonly number[] },
): Promise<Learned[][]> {
  const learner = await driveTd3(step, device, replicas, how);
  const read = (from: DrivenLearner) => Promise.all(looked.map((replica) => from.learned(replica)));
  const found = [await read(learner)];
  // The first update is the end of the start.
  let done = 1;
  for (const count of updates) {
    for (; done < count; done++) await learner.update(done + 1);
    await learner.settled();
    found.push(await read(learner));
  }
  await learner.close();
  return looked.map((_, i) => found.map((at) => at[i]));
}

/** The distance of two sets of parameters, as a share of how far the second is from the start. */
function differenceOf(one: Learned, other: Learned, start: Learned): number {
  let [difference, way] = [0, 0];
  for (const [name, values] of other) {
    if (!/^(actor|critics)\./.test(name)) continue;
    const [mine, before] = [one.get(name)!, start.get(name)!];
    values.forEach((value, i) => {
      difference += (value - mine[i]) ** 2;
      way += (value - before[i]) ** 2;
    });
  }
  return Math.sqrt(difference / way);
}
