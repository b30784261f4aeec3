/** What psl export writes acts in other programs as the run does here. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { envInfo } from '../src/envs/index.js';
import { checksum, checksummed, jsonText } from '../src/files/index.js';
import {
  halvesInPlanes,
  observationSize,
  plainPolicy,
  policyAsSafetensors,
  readModel,
  type Model,
} from '../src/model/index.js';
import { uniformSimplex } from '../src/preferences/index.js';
import { Random } from '../src/random/index.js';
import { modelFiles, snapshotFiles } from '../src/runs/file-contents.js';
import { changedFiles, evaluateRun, loadModel, openRun, readReturns, type Run } from '../src/runs/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const ROWS = 24;
const example = (name: string) => fileURLToPath(new URL(`../examples/runs/${name}`, import.meta.url));
const folder = temporaryFolder('export');

async function call(...args: string[]) {
  const { terminal, written } = capture();
  const code = await psl(args, commands, terminal);
  return { code, ...written };
}

/** Exports an example, and gives what --json prints. */
const exported = (name: string, ...args: string[]) => exportedFrom(example(name), ...args);

interface Exported {
  readonly out: string;
  readonly bytes: number;
  readonly weights: string;
  readonly hypervolume: number;
  readonly original: { readonly hypervolume: number };
}

async function exportedFrom(run: string, ...args: string[]) {
  const { code, out, error } = await call('export', run, ...args, '--json');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Exported;
}

/** A copy of an example, whose weights are in half precision, with weights that need single precision. */
function inSinglePrecision(name: string): string {
  const out = join(folder, `single-${name}`);
  cpSync(example(name), out, { recursive: true });
  const { description, tensors } = loadModel(openRun(out));
  const scaled = Array.from(tensors, ([entry, values]) => [entry, values.map((value) => value * 1.0003)] as const);
  const model = modelFiles({ description, tensors: new Map(scaled) });
  for (const [file, content] of model) writeFileSync(join(out, file), content);
  const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as Record<string, unknown>;
  const files = { ...(result.files as object) };
  const checksums = Object.fromEntries(model.map(([file, content]) => [file, checksum(content)]));
  const others = { sha256: undefined, weights: undefined, measured: undefined, original: undefined };
  const text = checksummed(jsonText({ ...result, ...others, files: { ...files, ...checksums } }));
  writeFileSync(join(out, 'result.json'), text);
  return out;
}

interface Evaluation {
  readonly envSteps: number;
  readonly score: Readonly<Record<string, number>>;
  readonly diagnostics: Readonly<Record<string, number>>;
}

function evaluationsIn(run: string): Evaluation[] {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Evaluation);
}

/** When a training was evaluated and when its updates reported, in seconds since it began. */
interface Times {
  readonly evaluations: readonly { readonly seconds: number }[];
  readonly logged: { readonly envSteps: readonly number[]; readonly seconds: readonly number[] };
}

const timesIn = (run: string) => JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as Times;

interface Rows {
  readonly observation: Float32Array;
  readonly preference: Float32Array;
  /** What the model does, one after the other. */
  readonly action: readonly number[];
}

/** @param fixed the preference of all rows, where they have the same */
function rowsOf(model: Model, fixed?: readonly number[]): Rows {
  const random = new Random(3);
  const objectives = model.description.objectives.length;
  const size = observationSize(model.description.policy, objectives);
  const observation = Float32Array.from({ length: ROWS * size }, () => random.normal());
  const preference = new Float32Array(ROWS * objectives);
  const policy = plainPolicy(model);
  const action = Array.from({ length: ROWS }, (_, row) => {
    const w = preference.subarray(row * objectives, (row + 1) * objectives);
    if (fixed === undefined) uniformSimplex(random, w);
    else w.set(fixed);
    policy.prefer(w);
    const chosen = policy.act(observation.subarray(row * size, (row + 1) * size));
    return typeof chosen === 'number' ? [chosen] : Array.from(chosen);
  }).flat();
  return { observation, preference, action };
}

function expectClose(actions: ArrayLike<number>, known: readonly number[]): void {
  expect(actions).toHaveLength(known.length);
  known.forEach((value, i) => expect(Math.abs(value - actions[i])).toBeLessThan(1e-5));
}

/** Bit for bit, and faster than a comparison that could show a difference. */
function expectSame(tensors: Model['tensors'], known: Model['tensors']): void {
  expect([...tensors.keys()]).toEqual([...known.keys()]);
  const bytes = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  for (const [name, values] of known) expect(bytes(tensors.get(name)!).equals(bytes(values)), name).toBe(true);
}

/** The graphs that are run in other programs: of both examples, whole and at a preference. */
const GRAPHS = [
  ['half-cheetah', undefined],
  ['half-cheetah', [0.3, 0.7]],
  ['fruit-tree', undefined],
  ['fruit-tree', [0.5, 0.5, 0, 0, 0, 0]],
] as const;

async function graphOf(name: string, preference?: readonly number[]) {
  const file = join(folder, `${name}-${preference?.join('-') ?? 'whole'}.onnx`);
  const at = preference === undefined ? [] : ['--preference', preference.join()];
  await exported(name, '--format', 'onnx', '--out', file, '--force', ...at);
  const { observation, preference: w, action } = rowsOf(loadModel(openRun(example(name))), preference);
  return { file, feeds: { observation, ...(preference === undefined && { preference: w }) }, action };
}

const PYTHON = `
import json, sys
import numpy as np
import onnxruntime as ort
file, rows = sys.argv[1], int(sys.argv[2])
feeds = {name: np.array(values, np.float32).reshape(rows, -1) for name, values in json.load(sys.stdin).items()}
print(json.dumps(ort.InferenceSession(file, providers=["CPUExecutionProvider"]).run(["action"], feeds)[0].ravel().tolist()))
`;
const hasPython = spawnSync('python3', ['-c', 'import numpy, onnxruntime']).status === 0;
if (!hasPython) console.warn('SKIPPED: exported graphs in Python, because there is no python3 with onnxruntime');

const TENSORBOARD = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1])
events.Reload()
print(json.dumps([[event.step, event.value] for event in events.Scalars("score/hypervolume")]))
`;
const hasTensorBoard = spawnSync('python3', ['-c', 'import tensorboard']).status === 0;
if (!hasTensorBoard) console.warn('SKIPPED: event files in TensorBoard, because there is no python3 with tensorboard');

/** The events of a file, decoded anew: CRC-32C bit by bit, and the fields of the messages that are used. */
function eventsIn(bytes: Buffer) {
  const mustMatch = (part: Buffer, stored: number) => {
    let crc = 0xffffffff;
    for (const byte of part) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
    const bits = BigInt(~crc >>> 0);
    const masked = (((bits >> 15n) | (bits << 17n)) + 0xa282ead8n) & 0xffffffffn;
    expect(stored).toBe(Number(masked));
  };
  const events: { seconds: number; step: number; version?: string; values: Map<string, number> }[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = Number(bytes.readBigUInt64LE(at));
    mustMatch(bytes.subarray(at, at + 8), bytes.readUInt32LE(at + 8));
    const data = bytes.subarray(at + 12, at + 12 + length);
    mustMatch(data, bytes.readUInt32LE(at + 12 + length));
    at += length + 16;
    const fields = fieldsIn(data);
    const values = fieldsIn((fields.get(5)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).get(1) ?? [];
    events.push({
      seconds: (fields.get(1)![0] as Buffer).readDoubleLE(),
      step: Number(fields.get(2)?.[0] ?? 0),
      ...(fields.has(3) && { version: String(fields.get(3)![0]) }),
      values: new Map(
        values.map((value) => {
          const parts = fieldsIn(value as Buffer);
          return [String(parts.get(1)![0]), (parts.get(2)![0] as Buffer).readFloatLE()];
        }),
      ),
    });
  }
  return events;
}

/** The fields of a protobuf message by number: integers, or bytes. */
function fieldsIn(message: Buffer): Map<number, (number | Buffer)[]> {
  const reader = new BinaryReader(message);
  const fields = new Map<number, (number | Buffer)[]>();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const read = (): number | Buffer => {
      if (type === WireType.Varint) return Number(reader.int64());
      if (type === WireType.LengthDelimited) return Buffer.from(reader.bytes());
      const size = type === WireType.Bit64 ? 8 : 4;
      const value = message.subarray(reader.pos, reader.pos + size);
      reader.skip(type);
      return value;
    };
    fields.set(field, [...(fields.get(field) ?? []), read()]);
  }
  return fields;
}

const browserPath = findChromium();
const webRuntime = resolved('onnxruntime-web/wasm');
const hasWebRuntime = browserPath !== undefined && webRuntime !== undefined;
if (!hasWebRuntime) {
  console.warn('SKIPPED: exported graphs in a browser, which needs Chromium and npm install --no-save onnxruntime-web');
}

function resolved(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

describe.each(GRAPHS)('the ONNX graph of %s at %j', (name, preference) => {
  it('acts in onnxruntime as the run does', async () => {
    const { file, feeds, action } = await graphOf(name, preference);
    const session = await InferenceSession.create(file);
    expect(session.inputNames).toEqual(Object.keys(feeds));
    expect(session.outputNames).toEqual(name === 'fruit-tree' ? ['action', 'utilities'] : ['action']);
    const tensors = Object.entries(feeds).map(([input, values]) => {
      return [input, new Tensor('float32', values, [ROWS, values.length / ROWS])];
    });
    const outputs = await session.run(Object.fromEntries(tensors) as Record<string, Tensor>);
    expectClose(outputs.action.data as Float32Array, action);
    await session.release();
  });

  it.skipIf(!hasPython)('acts in Python as the run does', async () => {
    const { file, feeds, action } = await graphOf(name, preference);
    const input = JSON.stringify(Object.fromEntries(Object.entries(feeds).map(([key, values]) => [key, [...values]])));
    const text = execFileSync('python3', ['-c', PYTHON, file, String(ROWS)], { input, encoding: 'utf8' });
    expectClose(JSON.parse(text) as number[], action);
  });

  it.skipIf(!hasWebRuntime)('acts in a browser as the run does', async () => {
    const { file, feeds, action } = await graphOf(name, preference);
    const scripts = dirname(webRuntime!);
    const types: Record<string, string> = { '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
    const server = createServer((request, response) => {
      const path = request.url === '/policy.onnx' ? file : join(scripts, request.url!.slice(1));
      const isFile = request.url !== '/' && existsSync(path);
      response.setHeader('content-type', isFile ? (types[extname(path)] ?? 'application/octet-stream') : 'text/html');
      response.end(isFile ? readFileSync(path) : '<!doctype html><title>ONNX</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const lists = Object.fromEntries(Object.entries(feeds).map(([key, values]) => [key, [...values]]));
      const script = `(async () => {
        const ort = await import('/ort.wasm.min.mjs');
        ort.env.wasm.numThreads = 1;
        const session = await ort.InferenceSession.create('/policy.onnx');
        const feeds = Object.entries(${JSON.stringify(lists)}).map(([name, values]) => {
          return [name, new ort.Tensor('float32', Float32Array.from(values), [${ROWS}, values.length / ${ROWS}])];
        });
        const { action } = await session.run(Object.fromEntries(feeds));
        return Array.from(action.data);
      })()`;
      expectClose(await page.evaluate<number[]>(script), action);
    } finally {
      await browser.close();
      server.close();
    }
  });
});

describe('psl export', () => {
  it('writes all parameters with their description as safetensors and as JSON', async () => {
    const model = loadModel(openRun(example('fruit-tree')));
    const { out } = await exported('fruit-tree', '--format', 'safetensors', '--out', join(folder, 'all.safetensors'));
    const bytes = readFileSync(out);
    const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString()) as {
      __metadata__: { description: string };
    };
    const { description: read, tensors: numbers } = readModel(JSON.parse(header.__metadata__.description), bytes);
    expect(read).toEqual(model.description);
    expectSame(numbers, model.tensors);

    const { out: file } = await exported('fruit-tree', '--format', 'json', '--out', join(folder, 'all.json'));
    const { tensors, ...description } = JSON.parse(readFileSync(file, 'utf8')) as {
      tensors: Record<string, { shape: number[]; values: number[] }>;
    };
    expect(description).toEqual(JSON.parse(JSON.stringify(model.description)));
    const values = Object.entries(tensors).map(([name, tensor]) => [name, Float32Array.from(tensor.values)] as const);
    expectSame(new Map(values), model.tensors);
  });

  it('writes the network of a preference as layers that anyone can compute', async () => {
    const preference = [0.25, 0.75];
    const args = ['--preference', preference.join(), '--out'];
    const { out } = await exported('half-cheetah', '--format', 'json', ...args, join(folder, 'layers.json'));
    const { layers, normalisation, activation, output, actionSpace } = JSON.parse(readFileSync(out, 'utf8')) as {
      layers: { weight: number[][]; bias: number[] }[];
      normalisation: { mean: number[]; scale: number[]; limit: number };
      activation: string;
      output: string;
      actionSpace: { high: number[] };
    };
    expect({ activation, output }).toEqual({ activation: 'relu', output: 'tanh' });
    const { observation, action } = rowsOf(loadModel(openRun(example('half-cheetah'))), preference);
    const { mean, scale, limit } = normalisation;
    const seen = mean.map((centre, i) => Math.max(-limit, Math.min(limit, (observation[i] - centre) * scale[i])));
    let x = [...seen, ...preference];
    layers.forEach(({ weight, bias }, i) => {
      const y = bias.map((start, j) => weight.reduce((sum, row, k) => sum + x[k] * row[j], start));
      x = i === layers.length - 1 ? y : y.map((value) => Math.max(0, value));
    });
    expectClose(
      x.map((value, i) => Math.tanh(value) * actionSpace.high[i]),
      action.slice(0, 6),
    );
  });

  it('halves the file of a model, whose actions then differ by less than 0.01', async () => {
    const run = inSinglePrecision('half-cheetah');
    const { description } = loadModel(openRun(run));
    const inFile = (name: string) => ['--format', 'safetensors', '--out', join(folder, `${name}.safetensors`)];
    const whole = await exportedFrom(run, ...inFile('whole'));
    const half = await exportedFrom(run, ...inFile('half'), '--half');
    expect(half.bytes / whole.bytes).toBeLessThan(0.501);
    const read = (file: string) => rowsOf(readModel({ ...description }, readFileSync(file))).action;
    const [known, rounded] = [read(whole.out), read(half.out)];
    const distance = Math.max(...known.map((value, i) => Math.abs(value - rounded[i])));
    expect(distance).toBeGreaterThan(0);
    expect(distance).toBeLessThan(1e-2);
  });

  it('writes a run with half its bytes that is read like any other, with the scores of what it holds', async () => {
    const out = join(folder, 'half-run');
    const single = inSinglePrecision('fruit-tree');
    const result = await exportedFrom(single, '--format', 'run', '--half', '--out', out);
    const [original, half] = [openRun(single), openRun(out)];
    expect(statSync(join(out, 'model.safetensors')).size).toBeLessThan(
      0.51 * statSync(join(original.folder, 'model.safetensors')).size,
    );
    expect(half.result.weights).toBe('float16');
    expect(changedFiles(half)).toEqual([]);
    const stored = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as {
      hypervolume: number;
      weights: string;
      measured: { device: string };
      original: { hypervolume: number };
    };
    const { hypervolume } = JSON.parse(readFileSync(join(original.folder, 'result.json'), 'utf8')) as typeof stored;
    expect(stored).toMatchObject({ weights: 'float16', measured: { device: 'cpu' }, original: { hypervolume } });
    expect(result).toMatchObject({ hypervolume: stored.hypervolume, original: { hypervolume } });

    const evaluated = await evaluateRun(half);
    expect(evaluated).toMatchObject({ hypervolume: stored.hypervolume, weights: 'float16' });
    expect(readReturns(half).returns).toEqual(evaluated.returns);
    const { objectives } = envInfo('fruit-tree-d6');
    expect(evaluated.returns[0]).toHaveLength(objectives.length);
    expect((await call('eval', out, '--preference', '1,0,0,0,0,0')).code).toBe(0);
  });

  it('writes a run that compresses better with --head-bits, in which the heads of the hypernetwork alone are rounded', async () => {
    const out = join(folder, 'coarse-run');
    const asRun = ['--format', 'run', '--head-bits', '8', '--out'];
    const { hypervolume } = await exported('fruit-tree', ...asRun, out);
    const [original, coarse] = [openRun(example('fruit-tree')), openRun(out)];
    expect(changedFiles(coarse)).toEqual([]);
    const stored: unknown = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'));
    expect(stored).toMatchObject({ weights: 'float16', headBits: 8, hypervolume });
    const [known, { tensors }] = [loadModel(original).tensors, loadModel(coarse)];
    const isHead = (name: string) => name.includes('.heads.');
    const without = (all: Model['tensors']) => new Map([...all].filter(([name]) => !isHead(name)));
    expectSame(without(tensors), without(known));
    // Eight significant bits leave sixteen of single precision empty.
    const isCoarse = (values: Float32Array) =>
      new Uint32Array(values.slice().buffer).every((bits) => bits % 2 ** 16 === 0);
    expect([...tensors].filter(([name]) => isHead(name)).every(([, values]) => isCoarse(values))).toBe(true);
    const compressed = (run: Run) =>
      gzipSync(halvesInPlanes(readFileSync(join(run.folder, 'model.safetensors')))).length;
    expect(compressed(coarse)).toBeLessThan(0.9 * compressed(original));
    const single = inSinglePrecision('fruit-tree');
    expect((await exportedFrom(single, ...asRun, join(folder, 'coarse-single'))).weights).toBe('float16');
  });

  it('copies a run as it is without --half', async () => {
    const out = join(folder, 'whole-run');
    await exported('fruit-tree', '--format', 'run', '--out', out);
    const [original, copy] = [openRun(example('fruit-tree')), openRun(out)];
    expectSame(loadModel(copy).tensors, loadModel(original).tensors);
    expect(readReturns(copy)).toEqual(readReturns(original));
    expect(copy.result).toEqual(original.result);
  });

  it('does not call a file whole that has changed since it was written', async () => {
    const damaged = join(folder, 'damaged');
    cpSync(example('fruit-tree'), damaged, { recursive: true });
    writeFileSync(
      join(damaged, 'metrics.jsonl'),
      readFileSync(join(damaged, 'metrics.jsonl'), 'utf8').replace('1', '2'),
    );
    const { code, error } = await call('export', damaged, '--format', 'run', '--out', join(folder, 'from-damaged'));
    expect(code).toBe(2);
    expect(error).toContain('metrics.jsonl is not what was written');
    expect(existsSync(join(folder, 'from-damaged'))).toBe(false);
  });

  it('writes the curves of a training as an event file, with the checksums that TensorFlow has', async () => {
    const { out } = await exported('half-cheetah', '--format', 'tensorboard', '--out', join(folder, 'events'));
    const [version, ...events] = eventsIn(readFileSync(out));
    expect(version.version).toBe('brain.Event:2');
    const evaluations = evaluationsIn(example('half-cheetah'));
    const timed = timesIn(example('half-cheetah'));
    const evaluated = events.slice(0, evaluations.length);
    expect(evaluated.map(({ step }) => step)).toEqual(evaluations.map(({ envSteps }) => envSteps));
    expect(events.slice(evaluations.length).map(({ step }) => step)).toEqual(timed.logged.envSteps);
    const times = timed.evaluations.map(({ seconds }) => seconds);
    expect(evaluated.map(({ seconds }) => seconds)).toEqual(times);
    const { score, diagnostics } = evaluations[3];
    const { values } = events[3];
    expect(values.get('score/hypervolume')).toBe(Math.fround(score.hypervolume));
    expect(values.get('score/sparsity/distinct')).toBeGreaterThan(0);
    expect(values.get('diagnostics/criticLoss')).toBe(Math.fround(diagnostics.criticLoss));
    const steps = evaluations[3].envSteps - evaluations[2].envSteps;
    expect(values.get('stepsPerSecond')).toBe(Math.fround(steps / (times[3] - times[2])));
  });

  it('counts no steps in a second that another run has taken', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const few = ['--steps', '200', '--set', 'evaluations=1'];
    expect((await call('train', 'fruit-tree-d5', ...few, '--out', first)).code).toBe(0);
    expect((await call('train', '--from', first, ...few, '--out', second)).code).toBe(0);
    const { out } = await call('export', second, '--format', 'tensorboard', '--out', join(folder, 'more'), '--json');
    const [, ...events] = eventsIn(readFileSync((JSON.parse(out) as { out: string }).out));
    const evaluated = events.filter(({ values }) => values.has('score/hypervolume'));
    // The first one is made before anything is learned, at what the other run has learned.
    expect(evaluated.map(({ step }) => step)).toEqual([200, 400]);
    expect(evaluated.map(({ values }) => values.has('stepsPerSecond'))).toEqual([false, true]);
  });

  it('keeps the policy set of an evaluation in single precision where its weights are too large for half', () => {
    const { description, tensors } = loadModel(example('half-cheetah'));
    const large = new Map(Array.from(tensors, ([name, values]) => [name, values.map((value) => 1e6 * value)] as const));
    for (const [factor, precision] of [
      [1, 'F16'],
      [1e6, 'F32'],
    ] as const) {
      // oxfmt-ignore
      const [[, weights]] = snapshotFiles({ description, tensors: factor === 1 ? tensors : large });
      expect(Buffer.from(weights).toString('latin1')).toContain(`"dtype":"${precision}"`);
    }
  });

  it('refuses half precision where a weight of a policy is too large for it', () => {
    const { description, tensors } = loadModel(example('half-cheetah'));
    const large = new Map(tensors);
    const name = [...tensors.keys()].find((one) => one.endsWith('layer0.bias') && !one.includes('trunk'))!;
    large.set(
      name,
      tensors.get(name)!.map(() => 1e7),
    );
    const policy = plainPolicy({ description, tensors: large });
    expect(() => policyAsSafetensors(policy, 'float16')).toThrow('which is too large for half precision.');
    expect(() => policyAsSafetensors(policy)).not.toThrow();
  });

  it('writes what updates reported between evaluations into an event file too', async () => {
    const run = join(folder, 'logged');
    const train = ['train', 'fruit-tree-d5', '--steps', '400', '--set', 'evaluations=1', '--out', run];
    expect((await call(...train, '--set', 'learnAfter=64')).code).toBe(0);
    const { code, out } = await call('export', run, '--format', 'tensorboard', '--out', join(folder, 'log'), '--json');
    expect(code).toBe(0);
    const [, evaluation, ...log] = eventsIn(readFileSync((JSON.parse(out) as { out: string }).out));
    expect(evaluation.values.has('score/hypervolume')).toBe(true);
    expect(log.length).toBeGreaterThan(20);
    const { logged } = timesIn(run);
    expect(log.map(({ step }) => step)).toEqual(logged.envSteps);
    expect(log.map(({ seconds }) => seconds)).toEqual(logged.seconds);
    expect(log.at(-1)!.values.get('training/diagnostics/loss')).toBeGreaterThan(0);
  });

  it.skipIf(!hasTensorBoard)('writes an event file that TensorBoard reads', async () => {
    const { out } = await exported(
      'half-cheetah',
      '--format',
      'tensorboard',
      '--out',
      join(folder, 'events'),
      '--force',
    );
    const text = execFileSync('python3', ['-c', TENSORBOARD, dirname(out)], { encoding: 'utf8' });
    const curve = eventsIn(readFileSync(out)).flatMap(({ step, values }) => {
      const value = values.get('score/hypervolume');
      return value === undefined ? [] : [[step, value]];
    });
    expect(curve).toHaveLength(evaluationsIn(example('half-cheetah')).length);
    expect(JSON.parse(text)).toEqual(curve);
  });

  it('refuses to replace what is there, and what does not go together, in one sentence', async () => {
    const there = join(folder, 'there.onnx');
    writeFileSync(there, 'mine');
    const refused = async (...args: string[]) => {
      const { code, out, error } = await call('export', example('half-cheetah'), ...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      return error;
    };
    const onnx = ['--format', 'onnx', '--out', there];
    expect(await refused(...onnx)).toBe(
      `psl: --out is "${there.slice(0, 80)}", but must be a file that is not there yet, unless --force is given.\n`,
    );
    expect(readFileSync(there, 'utf8')).toBe('mine');
    expect(await refused(...onnx, '--force', '--preference', '0.5,0.6')).toBe(
      'psl: --preference is [0.5, 0.6], which sums to 1.1, but must sum to 1.\n',
    );
    for (const force of [[], ['--force']]) {
      expect(await refused('--format', 'onnx', '--out', folder, ...force)).toBe(
        `psl: --out is "${folder}", but must be the path of a file, and it is a folder.\n`,
      );
    }
    expect(await refused(...onnx, '--half')).toBe('psl: --half is given, but must be left out with --format onnx.\n');
    expect(await refused(...onnx, '--head-bits', '8')).toBe(
      'psl: --head-bits is given, but must be left out with --format onnx.\n',
    );
    expect(await refused('--format', 'run', '--out', folder)).toContain('a folder that is new or empty');
    expect(await refused('--format', 'run', '--out', join(folder, 'new'), '--force')).toBe(
      'psl: --force is given, but must be left out with --format run, whose folder must be new or empty.\n',
    );
    expect(await refused('--format', 'json', '--out', join(folder, 'no-such-folder', 'a.json'))).toContain(
      'a file that can be written (no such file or directory)',
    );
    expect(readFileSync(there, 'utf8')).toBe('mine');
  });
});
