// What checkpoints cost: `npm run bench -- checkpoint [--json]`. One training goes on all the time; spells with a checkpoint
// and spells without take turns, so that a busy moment of the machine hits both sides.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { planTraining, train } from '../src/training/index.js';
import { CheckpointStore } from '../src/runs/checkpoint.js';

const usage = `usage: npm run bench -- checkpoint [--json] [--seconds S] [--rounds N] [--fill TRANSITIONS] [--folder FOLDER]

Trains psl-td3 on mo-halfcheetah-v2 as the quick preset does, with a replay that holds many transitions already (default
200000), in spells of S seconds (default 60), N with a checkpoint at their beginning (default 5) and N without, in turns.
Prints how long a checkpoint holds up the training, what it writes, and the share of time that one a minute takes.
Checkpoints go to FOLDER, by default a temporary one: name one on the disk that is of interest.
Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
    fill: { type: 'string', default: '200000' },
    folder: { type: 'string', default: tmpdir() },
  },
});

function positive(name: 'seconds' | 'rounds' | 'fill'): number {
  const value = Number(options[name]);
  if (value > 0) return value;
  console.error(`--${name} is "${options[name]}", but must be a positive number.`);
  process.exit(2);
}

if (options.help) {
  console.log(usage);
  process.exit();
}
const [seconds, rounds, fill] = [positive('seconds'), positive('rounds'), positive('fill')];

/** A spell of the training: iterations in a second, and how long its checkpoint held it up. */
interface Spell {
  readonly hasCheckpoint: boolean;
  readonly rate: number;
  readonly heldUp: number;
}

/** Ends the training when everything is measured. */
class Done extends Error {}

const children = 10;
// Random actions until the replay is filled, which is quick; learning begins with the first spell.
const plan = planTraining({
  env: 'mo-halfcheetah-v2',
  settings: {
    steps: 1_000_000_000,
    evaluations: 1,
    learnAfter: fill,
    startSteps: Math.ceil(fill / children),
    children,
  },
});
const run = mkdtempSync(join(options.folder, 'psl-checkpoint-'));
const store = new CheckpointStore(run);
const spells: Spell[] = [];
let iterations = 0;
let isFilled = false;
let firstSeconds = 0;
let spell = { began: 0, iterations: 0, heldUp: 0, isTaken: true };

/** Spells take turns, and which of the two goes first does too. */
const wantsCheckpoint = (index: number): boolean => (index + (index >> 1)) % 2 === 0;

function begin(): void {
  spell = { began: performance.now(), iterations: 0, heldUp: 0, isTaken: !wantsCheckpoint(spells.length) };
}

function end(): void {
  const elapsed = (performance.now() - spell.began) / 1000;
  const hasCheckpoint = wantsCheckpoint(spells.length);
  spells.push({ hasCheckpoint, rate: spell.iterations / elapsed, heldUp: spell.heldUp / 1000 });
  if (!options.json)
    console.log(`${hasCheckpoint ? 'with' : 'without'} a checkpoint: ${spells.at(-1)!.rate.toFixed(1)} iterations/s`);
  if (spells.length === 2 * rounds) throw new Done();
  begin();
}

/** Bytes of the files that a checkpoint of a number wrote. */
function bytesOf(generation: number): number {
  const folder = join(run, 'checkpoint');
  const names = readdirSync(folder).filter((name) =>
    new RegExp(`-${generation}\\.(?:json|safetensors|bin)$`).test(name),
  );
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

try {
  await train(plan, {
    progress({ envSteps }) {
      iterations++;
      spell.iterations++;
      // A second more, in which learning sets in.
      if (!isFilled) isFilled = envSteps >= fill + 100 * children;
      else if (spell.began > 0 && performance.now() - spell.began >= 1000 * seconds) end();
    },
    checkpointDue: () => isFilled && (spell.began === 0 || !spell.isTaken),
    async checkpoint(snapshot, replays) {
      const began = performance.now();
      await store.write(snapshot, replays);
      if (spell.began === 0) {
        // The first one writes the whole replay, and belongs to no spell.
        await store.flush();
        firstSeconds = (performance.now() - began) / 1000;
        begin();
        return;
      }
      spell.isTaken = true;
      spell.heldUp = performance.now() - began;
    },
  });
} catch (error) {
  if (!(error instanceof Done)) throw error;
}
await store.flush();
const generations = 1 + spells.filter(({ hasCheckpoint }) => hasCheckpoint).length;
const bytes = bytesOf(generations);
rmSync(run, { recursive: true });

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
const withOne = spells.filter(({ hasCheckpoint }) => hasCheckpoint);
const without = spells.filter(({ hasCheckpoint }) => !hasCheckpoint);
const rates = { with: mean(withOne.map(({ rate }) => rate)), without: mean(without.map(({ rate }) => rate)) };
/** Seconds of training that a checkpoint takes. */
const lost = seconds * (1 - rates.with / rates.without);
const heldUp = mean(withOne.map((each) => each.heldUp));
const share = lost / 60;

const machine = { cpu: cpus()[0].model, cores: cpus().length, platform: process.platform, arch: process.arch };
console.log(`node ${process.version}, ${machine.arch}, ${machine.cores} cores (${machine.cpu})`);
console.log(`replay of ${fill} transitions; ${rounds} spells of ${seconds} s each, with a checkpoint and without`);
console.log(`the first checkpoint, with the whole replay: ${firstSeconds.toFixed(2)} s until it is on the disk`);
console.log(
  `a later one: ${(bytes / 2 ** 20).toFixed(1)} MiB, holds up the training for ${(1000 * heldUp).toFixed(0)} ms at once`,
);
console.log(
  `and costs ${lost.toFixed(2)} s in all, ${(100 * share).toFixed(2)} % of the time with one a minute (2 % are allowed)`,
);
if (options.json) {
  const settings = { seconds, rounds, fill };
  const figures = { iterationsPerSecond: rates, lostSeconds: lost, share, heldUpSeconds: heldUp, firstSeconds, bytes };
  console.log(
    JSON.stringify({
      bench: 'checkpoint',
      node: process.version,
      ...machine,
      ...settings,
      iterations,
      ...figures,
      spells,
    }),
  );
}
