// The page of `psl explore` in Chromium: `npm run bench -- explorer [--json] [--graphics-card]`.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import type { Page } from 'playwright-core';

import { findRuns, serve } from '../src/explorer/index.js';
import { launchChromium, renderer } from './browser/chromium.js';

const usage = `usage: npm run bench -- explorer [--json] [--loads N] [--graphics-card]

Opens the half-cheetah that ships with the package N times (default 5), each time in a new browser that has had two seconds
to start, at 1280 x 720 and drawn by the processor or, if asked for, a graphics card. Prints for each: milliseconds from the
navigation to the first frame of the robot by the page's own clock, frames drawn in a second some time later, and, while the
preference is dragged, milliseconds until the screen answers, until the policy's action is another, and that the worker needs
for a step. Last line with --json: one JSON object.`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    loads: { type: 'string', default: '5' },
    'graphics-card': { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit();
}
const loads = Number(options.loads);
if (!Number.isInteger(loads) || loads < 1) {
  console.error(`--loads is "${options.loads}", but must be a positive whole number.`);
  process.exit(2);
}

// This file runs from dist/bench.
const inRepository = (path: string) => new URL(`../../${path}`, import.meta.url);

/** How long a browser is left alone before it opens the page. */
const STARTING_MS = 2000;
/** Milliseconds from the beginning of the navigation, by the clock of the page: one beside it counts its own delays too. */
const firstFrameIn = (page: Page) =>
  page.waitForFunction(() => performance.getEntriesByName('first frame of a robot').at(0)?.startTime);
/** How long the page is left alone after its first frame: by then it has found the quality that it can draw in. */
const SETTLING_MS = 8000;

async function statistics(page: Page): Promise<Record<string, number>> {
  const shown = page.locator('.statistics');
  const names = ['fps', 'quality', 'drag', 'action', 'worker'];
  const values = await Promise.all(names.map((name) => shown.getAttribute(`data-${name}`)));
  return Object.fromEntries(names.map((name, i) => [name, Number(values[i])]));
}

async function measure(url: string): Promise<Record<string, number>> {
  const browser = await launchChromium(options['graphics-card']);
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  // A browser is open before somebody opens a page, and what it does at its own start is not the page's time.
  await page.waitForTimeout(STARTING_MS);
  await page.goto(url);
  const firstFrame = (await (await firstFrameIn(page)).jsonValue())!;
  await page.waitForTimeout(SETTLING_MS);
  const { fps, quality } = await statistics(page);
  const { x, y, width, height } = (await page.locator('.slider-two input').boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 40; i++) {
    await page.mouse.move(x + width * (0.5 + 0.01 * i), y + height / 2);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await page.waitForTimeout(500);
  const { drag, action, worker } = await statistics(page);
  drawnBy = await renderer(page);
  await browser.close();
  return { firstFrame, fps, quality, drag, action, worker };
}

const runs = findRuns([fileURLToPath(inRepository('examples/runs/half-cheetah'))]);
const page = fileURLToPath(new URL('../src/explorer/page', import.meta.url));
const served = await serve({ page, find: () => runs, host: '127.0.0.1', port: 0 });
let drawnBy = '';
const all: Record<string, number>[] = [];
for (let i = 0; i < loads; i++) {
  const one = await measure(served.url);
  all.push(one);
  const { firstFrame, fps, quality, drag, action, worker } = one;
  console.log(
    `first frame ${firstFrame.toFixed(0)} ms, then ${fps.toFixed(0)} frames a second in quality level ${quality + 1}; drag ` +
      `answered in ${drag.toFixed(0)} ms, another action in ${action.toFixed(1)} ms, a step ${worker.toFixed(1)} ms`,
  );
}
await served.close();
console.log(`drawn by ${drawnBy}`);
if (options.json) console.log(JSON.stringify({ drawnBy, loads: all }));
