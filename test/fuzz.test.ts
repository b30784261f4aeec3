/** A hundred thousand broken inputs for everything that reads what comes from outside: a sentence each time, or a valid result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { algorithm } from '../src/algorithms/index.js';
import { InputError } from '../src/cli/errors.js';
import { ConfigError, numbers, parseSettings, resolveConfig } from '../src/config/index.js';
import { checksummed } from '../src/files/index.js';
import { parseFront } from '../src/fronts/index.js';
import { decodeSafetensors, encodeSafetensors, plainPolicy, readModel } from '../src/model/index.js';
import { assertPreference } from '../src/preferences/index.js';
import { Random } from '../src/random/index.js';
import { decodeManifest, encodeManifest } from '../src/runs/checkpoint.js';
import { openRun, readKeys, readReturns, trainRun } from '../src/runs/index.js';
import { decodeState, encodeState } from '../src/runs/state-json.js';
import { planTraining, settingsOf } from '../src/training/index.js';
import { mutatedBytes, mutatedData, mutatedText } from './support/mutate.js';
import { filesBelow } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const INPUTS = 100_000;
/** Milliseconds that one input may take, on a busy machine. */
const LONGEST = 5000;

const folder = temporaryFolder('fuzz');
const run = join(folder, 'run');
const files = new Map<string, Uint8Array>();

beforeAll(async () => {
  const settings = { steps: 20, children: 2, evaluations: 1, evaluationDivisions: 2, startSteps: 100, hidden: [3] };
  const own = { criticHidden: [3], hyperHidden: [2], hyperFeatures: 2, keyUpdates: null, criticAngle: 1, capacity: 20 };
  const request = { env: 'mo-swimmer-v2', device: 'cpu:1', workers: 0, settings: { ...settings, ...own } };
  await trainRun(planTraining(request), { out: run });
  for (const name of filesBelow(run)) files.set(name, readFileSync(join(run, name)));
});

/** Feeds a parser; every input must be read or refused by one sentence of the project's own, soon. */
function feed(seed: number, makeInput: (random: Random) => unknown, parse: (input: never) => unknown): void {
  const random = new Random(seed);
  // Where an error came from is known here, and finding out takes longer than to throw it.
  Error.stackTraceLimit = 0;
  let accepted = 0;
  for (let i = 0; i < INPUTS; i++) {
    const input = makeInput(random);
    const began = performance.now();
    try {
      parse(input as never);
      accepted++;
    } catch (error) {
      if (!isRefusal(error))
        throw new Error(`input ${i} of seed ${seed} is met with ${String(error)}`, { cause: error });
    }
    const took = performance.now() - began;
    if (took > LONGEST) throw new Error(`input ${i} of seed ${seed} takes ${took} ms`);
  }
  Error.stackTraceLimit = 10;
  // Some inputs are still valid, most are not: otherwise nothing is tested.
  expect(accepted).toBeLessThan(0.9 * INPUTS);
}

/** Whether somebody meant to throw it: in a sentence about the input, and not what the engine throws by itself. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof RangeError || error instanceof ConfigError || error instanceof InputError)) return false;
  const isEngine = /call stack|Invalid (?:typed )?array|Array buffer|Invalid string|Invalid code point|not a function/;
  return error.message !== '' && error.message.length < 1000 && !isEngine.test(error.message);
}

const text = (name: string) => new TextDecoder().decode(files.get(name));
const json = (name: string): unknown => JSON.parse(text(name));
const pick = <T>(from: readonly T[], random: Random): T => from[random.integer(from.length)];

describe('every broken input is refused in a sentence', () => {
  it('as settings on a command line', () => {
    const methods = ['psl-ddqn', 'psl-td3', 'envelope'].map((name) => settingsOf(algorithm(name)));
    const valid = ['alpha=0.1', 'hidden=256,256', 'learningRate=3e-4', 'keep=best', 'discount=none', 'steps=1000'];
    feed(
      1,
      (random) => [pick(methods, random), mutatedText(pick(valid, random), pick(valid, random), random)],
      ([fields, setting]: [(typeof methods)[number], string]) => parseSettings(fields, [setting]),
    );
  });

  it('as a configuration', () => {
    const fields = settingsOf(algorithm('psl-td3'));
    const { settings } = json('config.json') as Record<string, unknown>;
    feed(
      2,
      (random) => mutatedData({ settings }, random),
      (input: { settings?: unknown }) => resolveConfig(fields, input.settings),
    );
  });

  it('as a file of a run', () => {
    const opened = openRun(run);
    const values = new Map(
      [...files.keys()].filter((name) => name.endsWith('.json')).map((name) => [name, json(name)]),
    );
    type ReadFile = (name: string) => Uint8Array;
    const readers: Readonly<Record<string, (read: ReadFile) => unknown>> = {
      'config.json': (read) => openRun(run, read),
      'result.json': (read) => openRun(run, read),
      'fronts/final.json': (read) => readReturns(opened, read),
      'keys.json': (read) => readKeys(run, read),
    };
    feed(
      3,
      (random) => {
        const name = pick(Object.keys(readers), random);
        const other = files.get(pick([...files.keys()], random))!.subarray(0, 2000);
        // Its bytes, or its values under a checksum that is right.
        const content =
          random.uniform() < 0.5
            ? mutatedBytes(files.get(name)!, other, random)
            : new TextEncoder().encode(checksummed(JSON.stringify(mutatedData(values.get(name), random))));
        return [name, content];
      },
      ([name, content]: [string, Uint8Array]) =>
        readers[name]((asked) => (asked === name ? content : files.get(asked)!)),
    );
  });

  it('as a safetensors file', () => {
    const small = encodeSafetensors(
      new Map([
        ['a', { shape: [2, 3], values: new Float32Array(6) }],
        ['b', { shape: [], values: Int32Array.of(7) }],
      ]),
    );
    feed(5, (random) => mutatedBytes(small, files.get('model.safetensors')!, random), decodeSafetensors);
  });

  it('as a model', () => {
    const weights = files.get('model.safetensors')!;
    const description = json('model.json');
    feed(
      6,
      (random) => {
        const isWeights = random.uniform() < 0.5;
        return [
          isWeights ? description : mutatedData({ description }, random),
          isWeights ? mutatedBytes(weights, weights, random) : weights,
        ];
      },
      ([read, bytes]: [{ description?: unknown }, Uint8Array]) => {
        const policy = plainPolicy(readModel('description' in read ? read.description : read, bytes));
        policy.prefer([0.5, 0.5]);
        policy.act(new Float32Array(8));
      },
    );
  });

  it('as a front in JSON', () => {
    const valid = ['[[1, 2], [3, 4.5]]', '{"points": [[1, 2, 3], [0.5, 1e3, -2]]}', text('fronts/20.json')];
    feed(
      7,
      (random) => mutatedText(pick(valid, random), pick(valid, random), random),
      (input: string) => parseFront(input, 'FILE'),
    );
  });

  it('as a front in lines', () => {
    const valid = [
      'a,b\n1,2\n3,4\n',
      '1;2.5\n3;4\n',
      '# front\n1 2 3\n4 5 6',
      'x,y,preference x,preference y\n1,2,0.5,0.5',
    ];
    feed(
      8,
      (random) => mutatedText(pick(valid, random), pick(valid, random), random),
      (input: string) => parseFront(input, 'FILE'),
    );
  });

  it('as a preference', () => {
    const kind = numbers({ about: 'A preference.' });
    const valid = ['0.5,0.5', '1,0', '0.25,0.75', '1e-3,0.999'];
    feed(
      9,
      (random) => mutatedText(pick(valid, random), pick(valid, random), random),
      (input: string) => {
        const value = kind.read(input);
        if (!kind.accepts(value)) throw new ConfigError('--preference', value, kind.allowed);
        assertPreference(value, 2);
      },
    );
  });

  it('as the state of a checkpoint', () => {
    const state = {
      at: { taken: 3, done: [1, -0, NaN] },
      world: Float64Array.of(1, NaN, -0),
      list: [null, 'a', { b: [] }],
    };
    const valid = encodeState(state);
    expect(decodeState(valid)).toEqual(state);
    const data: unknown = JSON.parse(valid);
    feed(
      10,
      (random) =>
        random.uniform() < 0.5
          ? mutatedText(valid, text('config.json'), random)
          : JSON.stringify(mutatedData(data, random)),
      decodeState,
    );
  });

  it('as the manifest of a checkpoint, which names no file elsewhere', () => {
    const part = (file: string) => ({ file, bytes: 10, sha256: 'ab'.repeat(32) });
    const segment = { ...part('replay-0-3.bin'), replay: 0, from: 0, to: 20 };
    const manifest = {
      format: 2,
      state: part('state-3.json'),
      tensors: part('tensors-3.safetensors'),
      replay: [segment],
    };
    const valid = new TextEncoder().encode(encodeManifest(manifest));
    expect(decodeManifest(valid)).toEqual(manifest);
    feed(
      11,
      (random) => {
        if (random.uniform() < 0.5) return mutatedBytes(valid, valid, random);
        return new TextEncoder().encode(checksummed(JSON.stringify(mutatedData(manifest, random))));
      },
      (bytes: Uint8Array) => {
        const { state, tensors, replay } = decodeManifest(bytes);
        for (const { file } of [state, tensors, ...replay]) expect(file).toMatch(/^[\w.-]+$/);
      },
    );
  });
});
