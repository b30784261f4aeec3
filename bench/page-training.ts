// Training in the page of `psl explore`, in Chromium: `npm run bench -- page-training [--json]`.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { findRuns, serve } from '../src/explorer/index.js';
import { launchChromium } from './browser/chromium.js';

const usage = `usage: npm run bench -- page-training [--json] [--env ENV] [--steps N] [--device cpu|gpu|auto] [--graphics-card]

Opens the page of the explorer in Chromium, has it train ENV (default fruit-tree-d5) with seed 1 as a person would, for N steps
(default: as many as the page offers), and prints the seconds from the click to the end, and the hypervolume. --graphics-card
lets a browser without a window use one. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    env: { type: 'string', default: 'fruit-tree-d5' },
    steps: { type: 'string' },
    device: { type: 'string', default: 'auto' },
    'graphics-card': { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit();
}

// This file runs from dist/bench.
const inRepository = (path: string) => new URL(`../../${path}`, import.meta.url);

const runs = findRuns([fileURLToPath(inRepository('examples/runs/fruit-tree'))]);
const folder = fileURLToPath(new URL('../src/explorer/page', import.meta.url));
const served = await serve({ page: folder, find: () => runs, host: '127.0.0.1', port: 0 });
const browser = await launchChromium(options['graphics-card']);
const page = await browser.newPage();
await page.goto(served.url);
await page.locator('.train-menu summary').click();
const form = page.locator('.train-menu');
await form.getByLabel('Environment').selectOption(options.env);
await form.getByLabel('Computes on').selectOption(options.device);
if (options.steps !== undefined) await form.getByLabel('Steps').fill(options.steps);
const began = performance.now();
await form.getByRole('button', { name: 'Train' }).click();
const words = page.locator('.train-line p');
const progress = setInterval(() => void words.textContent().then(console.error, () => undefined), 10_000);
await page.waitForSelector('.train-line[data-state="finished"]', { timeout: 0 });
clearInterval(progress);
const seconds = (performance.now() - began) / 1000;
const text = (await words.textContent()) ?? '';
await browser.close();
await served.close();
console.log(`${options.env}: ${seconds.toFixed(0)} s. ${text}`);
if (options.json) console.log(JSON.stringify({ env: options.env, device: options.device, seconds, text }));
