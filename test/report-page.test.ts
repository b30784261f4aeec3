/** The report of a reproduction in a real browser, from a file. It is skipped where there is no Chromium. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { htmlOf, mujoco, planReproduction, reportOf } from '../src/experiments/index.js';
import { runsOf } from '../src/experiments/job.js';
import { outcomeOf } from './support/outcome.js';
import { temporaryFolder } from './support/temporary-folder.js';

const browserPath = findChromium();
const file = join(temporaryFolder('report'), 'report.html');
let browser: Browser;

async function opened(width: number, colorScheme: 'light' | 'dark', look: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) problems.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  await look(page);
  expect(problems).toEqual([]);
  await context.close();
}

// Text, because the types of these tests are those of Node.
const COLOURS = `[['body', 'backgroundColor'], ['h1', 'color'], ['svg > rect', 'fill']].map(
  ([selector, name]) => getComputedStyle(document.querySelector(selector))[name])`;
const WIDTH = 'document.documentElement.scrollWidth';
/** Pairs of texts in a picture whose boxes share more than their edges. */
const OVERLAPS = `[...document.querySelectorAll('svg')].flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')].map((node) => [node.textContent, node.getBoundingClientRect()]);
  return texts.flatMap(([name, a], i) => texts.slice(i + 1)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
    .map(([other]) => name + ' / ' + other));
})`;

describe.skipIf(browserPath === undefined)('the report in a browser', () => {
  beforeAll(async () => {
    const reproduction = planReproduction(mujoco, { budget: 'million', cases: ['mo-swimmer-v2'], seeds: 2 });
    const outcomes = reproduction.jobs.flatMap(runsOf).map((run, i) =>
      outcomeOf(run, 20_000 + 100 * i, 5, {
        front: [[100, 50 + i], [50, 100 + i]], // oxfmt-ignore
        curve: [1, 2].map((part) => ({ envSteps: 1000 * part, seconds: 10 * part, hypervolume: 7000 * part + i })),
      }),
    );
    writeFileSync(file, htmlOf(mujoco, reportOf(reproduction, outcomes, 'out')));
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  it('is light or dark as the reader wants it, pictures too', async () => {
    await opened(1200, 'light', async (page) => {
      expect(await page.evaluate(COLOURS)).toEqual(['rgb(255, 255, 255)', 'rgb(27, 31, 36)', 'rgb(255, 255, 255)']);
    });
    await opened(1200, 'dark', async (page) => {
      expect(await page.evaluate(COLOURS)).toEqual(['rgb(16, 18, 20)', 'rgb(230, 233, 236)', 'rgb(22, 25, 29)']);
    });
  });

  it.each([1200, 390, 320])(
    'is no wider than a window of %i pixels: tables and pictures move by themselves',
    async (width) => {
      await opened(width, 'light', async (page) => {
        expect(await page.evaluate(WIDTH)).toBe(width);
      });
    },
  );

  it('has no texts over each other in its pictures', async () => {
    await opened(1200, 'light', async (page) => {
      expect(await page.evaluate(OVERLAPS)).toEqual([]);
    });
  });
});
