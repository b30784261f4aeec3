/** Training in a page, in a real browser, against the same training in Node. It is skipped where there is no Chromium. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { exportPage, findRuns } from '../src/explorer/index.js';
import type { FromTrainer, ToTrainer, TrainRequest } from '../src/explorer/train/messages.js';
import { decodeSafetensors } from '../src/model/index.js';
import { trainInMemory } from '../src/runs/train-in-memory.js';
import { planTraining } from '../src/training/index.js';
import { plainServer } from './support/plain-server.js';
import { temporaryFolder } from './support/temporary-folder.js';

const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const browserPath = findChromium();
if (browserPath === undefined) console.warn('SKIPPED: training in a page, because there is no Chromium');

const SETTINGS = {
  ...{ hidden: [16], hyperHidden: [8], batch: 16, groups: 4, learnAfter: 20, startSteps: 5 },
  ...{ evaluations: 1, evaluationDivisions: 1 },
};

/** A page without a graphics card, and one whose card is SwiftShader: a CPU that takes seconds for every update. */
const CPU = { device: 'cpu', flags: ['--disable-gpu'], description: /^onnxruntime/ };
const GPU = {
  device: 'gpu',
  flags: ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
  description: /^WebGPU on .*swiftshader/i,
};
const tree = { env: 'fruit-tree-d5', seed: 1, digits: 12, within: 1e-4 };
/** Where an action is a number, what differs by rounding in it differs in what is seen, learned and earned after it. */
const swimmer = { env: 'mo-swimmer-v2', seed: 1, digits: 1, within: 1e-3 };
const trainings = [
  // With this seed the third evaluation is the best.
  { ...CPU, ...tree, seed: 11, settings: { ...SETTINGS, steps: 100, evaluations: 5 }, snapshots: [20, 40, 60] },
  { ...GPU, ...tree, settings: { ...SETTINGS, steps: 30 }, snapshots: [30] },
  { ...CPU, ...swimmer, settings: { ...SETTINGS, criticHidden: [16], steps: 60 }, snapshots: [60] },
];

describe.runIf(browserPath !== undefined)('training in a page', () => {
  it.each(trainings)(
    'trains the same numbers of $env on its $device as Node, within rounding, from exported files',
    { timeout: 600_000 },
    async ({ device, env, seed, settings, digits, within, flags, description, snapshots }) => {
      const out = join(temporaryFolder('page-training'), 'exported');
      exportPage(inRepository('dist/src/explorer/page'), findRuns([inRepository('examples/runs/fruit-tree')]), out);
      const script = readdirSync(join(out, 'assets')).find((name) => name.startsWith('training.worker-'))!;
      const request = { env, seed, settings };
      const inPage = await trainInBrowser(out, flags, {
        script: `./assets/${script}`,
        request: { ...request, device },
      });
      const inNode = new Map<string, string | Uint8Array>();
      await trainInMemory(planTraining({ ...request, device: 'cpu', workers: 0 }), {
        versions: {},
        put: (name, content) => inNode.set(name, content),
      });
      expect(inPage.device).toMatch(description);
      expect(Object.keys(inPage.files)).toEqual([...inNode.keys()]);
      const [front, wanted] = [inPage.files['fronts/final.json'], inNode.get('fronts/final.json') as string].map(
        frontIn,
      );
      expect(front.rest).toEqual(wanted.rest);
      expect(front.returns.length).toBe(wanted.returns.length);
      front.returns.forEach((value, i) => expect(value).toBeCloseTo(wanted.returns[i], digits));
      const expected = numbersOf(inNode.get('model.safetensors') as Uint8Array);
      const found = numbersOf(Buffer.from(inPage.files['model.safetensors'], 'base64'));
      expect(found.length).toBe(expected.length);
      found.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(within));
      // What is played while it trains is the policy set that it would keep, in half precision.
      expect(inPage.snapshots.map(({ envSteps }) => envSteps)).toEqual(snapshots);
      const played = numbersOf(Buffer.from(inPage.snapshots.at(-1)!.weights, 'base64'));
      expect(played.length).toBe(found.length);
      played.forEach((value, i) => expect(Math.abs(value - found[i])).toBeLessThan(1e-7 + Math.abs(found[i]) / 1024));
    },
  );

  it(
    'is begun by a person, shows its front, and gives away a run that psl evaluates alike',
    { timeout: 600_000 },
    async () => {
      const folder = temporaryFolder('page-form');
      const out = join(folder, 'exported');
      exportPage(inRepository('dist/src/explorer/page'), findRuns([inRepository('examples/runs/fruit-tree')]), out);
      const archive = join(folder, 'run.tar.gz');
      await inBrowser(out, ['--disable-gpu'], async (page) => {
        const menu = page.locator('.train-menu');
        await menu.locator('summary').click();
        await menu.getByLabel('Environment').selectOption('deep-sea-treasure');
        await menu.getByLabel('Steps').fill('1');
        expect(await menu.textContent()).toContain('As psl train deep-sea-treasure --seed 1 --steps 1 does');
        await menu.getByRole('button', { name: 'Train' }).click();
        await page.waitForSelector('.train-line[data-state="finished"]');
        await page.waitForSelector('.front svg[aria-label*="over Treasure"]');
        // Each of its ten children takes a step.
        expect(await page.locator('.train-line progress').getAttribute('max')).toBe('10');
        await page.getByRole('tab', { name: 'Training' }).click();
        expect(await page.locator('.training-head').textContent()).toContain('finished, 10 of 10 steps');
        const button = page.getByRole('button', { name: 'Download run' });
        const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
        expect(download.suggestedFilename()).toBe('deep-sea-treasure-seed-1-steps-10.tar.gz');
        await download.saveAs(archive);
        // So that it can still be had when another one was trained after it.
        await page.locator('.menu summary').click();
        expect(await page.getByRole('menuitem', { name: 'Run (tar.gz)' }).isEnabled()).toBe(true);
      });
      execFileSync('tar', ['-xzf', archive, '-C', folder]);
      const run = join(folder, 'deep-sea-treasure-seed-1-steps-10');
      const inPage = JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as Evaluated;
      const command = [inRepository('dist/node/cli/main.js'), 'eval', run, '--json'];
      const inNode = JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })) as Evaluated;
      expect([inPage.envSteps, inNode.envSteps]).toEqual([10, 10]);
      expect(inNode.points).toBe(inPage.points);
      expect(inNode.expectedUtility).toBeCloseTo(inPage.expectedUtility, 9);
    },
  );
});

function frontIn(text: string) {
  const { returns, sha256: _, ...rest } = JSON.parse(text) as { readonly returns: number[][]; readonly sha256: string };
  return { returns: returns.flat(), rest };
}

function numbersOf(weights: Uint8Array): number[] {
  return [...decodeSafetensors(weights).values()].flatMap(({ values }) => [...values]);
}

/** What a training in a page handed over; bytes are in base 64. */
interface TrainedInPage {
  device: string;
  readonly files: Record<string, string>;
  readonly snapshots: { readonly envSteps: number; readonly weights: string }[];
}

interface Asked {
  /** The address of the worker that trains. */
  readonly script: string;
  readonly request: TrainRequest;
}

/** What `psl eval` and the result of a run have in common. */
interface Evaluated {
  readonly envSteps: number;
  readonly points: number;
  readonly expectedUtility: number;
}

function trainInBrowser(root: string, flags: readonly string[], asked: Asked): Promise<TrainedInPage> {
  return inBrowser(root, flags, (page) => page.evaluate(trainedBy, asked));
}

/** Opens exported files in a browser, and closes both. */
async function inBrowser<T>(root: string, flags: readonly string[], use: (page: Page) => Promise<T>): Promise<T> {
  const { server, address } = await plainServer(root);
  const args = [...flags, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const browser = await chromium.launch({ executablePath: browserPath!, args });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(address);
    return await use(page);
  } finally {
    await browser.close();
    server.close();
  }
}

/** What is used of a worker of a page, which Node does not declare. */
interface PageWorker {
  onerror: (event: { readonly message: string }) => void;
  onmessage: (event: { readonly data: FromTrainer }) => void;
  postMessage(message: ToTrainer): void;
}

/** In a page: has a worker train, and returns the files of the run, those of bytes in base64. */
function trainedBy({ script, request }: Asked) {
  return new Promise<TrainedInPage>((resolve, reject) => {
    const { Worker } = globalThis as unknown as {
      Worker: new (url: string, options: { type: 'module' }) => PageWorker;
    };
    const trainer = new Worker(script, { type: 'module' });
    const trained: TrainedInPage = { device: '', files: {}, snapshots: [] };
    const textOf = (content: string | Uint8Array) =>
      typeof content === 'string' ? content : btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join(''));
    trainer.onerror = ({ message }) => reject(new Error(message));
    trainer.onmessage = ({ data: told }) => {
      if (told.kind === 'failed') reject(new Error(told.reason));
      if (told.kind === 'done') resolve(trained);
      if (told.kind === 'begun') trained.device = told.device;
      if (told.kind === 'file') trained.files[told.name] = textOf(told.content);
      if (told.kind !== 'snapshot') return;
      const [, weights] = told.files.find(([name]) => name === 'model.safetensors')!;
      trained.snapshots.push({ envSteps: told.envSteps, weights: textOf(weights) });
    };
    trainer.postMessage({ kind: 'train', request });
  });
}
