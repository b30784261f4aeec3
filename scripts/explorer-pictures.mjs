// Takes pictures of every panel of the explorer, in all sizes and colours, into a folder, to be looked at; and with --docs those of
// docs/images. Needs a build and Chromium: node scripts/explorer-pictures.mjs [FOLDER | --docs] [PART]
// PART chooses pictures whose names have it in them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArguments, findChromium } from './chromium.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ hash: string, then?: (page: Page) => Promise<unknown> }} Shown */

const SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
];
const COLOURS = /** @type {const} */ (['light', 'dark']);
/** Long enough for a gait to have begun. */
const RUNNING_MS = 1500;
/** After so many steps the robots of a fan are apart. */
const FAN_STEPS = 180;
/** @param {string} name */
const open = (name) => (/** @type {Page} */ page) => page.locator(`${name} summary`).click();

/** @type {Record<string, Shown>} */
const PICTURES = {
  front: { hash: 'run=half-cheetah' },
  compare: { hash: 'run=half-cheetah&w=0.7,0.3&w=0.15,0.85' },
  ghost: { hash: 'run=half-cheetah&w=0.7,0.3&w=0.15,0.85&ghost=yes' },
  fan: { hash: 'run=half-cheetah&fan=7' },
  preferences: { hash: 'run=half-cheetah&view=preferences' },
  parameters: { hash: 'run=half-cheetah&view=parameters' },
  methods: { hash: 'run=half-cheetah&view=methods' },
  training: { hash: 'run=half-cheetah&view=training' },
  find: { hash: 'run=half-cheetah&view=find' },
  hopper: { hash: 'run=hopper' },
  walker: { hash: 'run=walker2d&fan=5' },
  'tree-front': { hash: 'run=fruit-tree' },
  'tree-preferences': { hash: 'run=fruit-tree&view=preferences' },
  'tree-find': { hash: 'run=fruit-tree&view=find' },
  help: { hash: 'run=half-cheetah', then: (page) => page.keyboard.press('?') },
  train: { hash: 'run=fruit-tree', then: open('.train-menu') },
  download: { hash: 'run=half-cheetah', then: open('.menu') },
  missing: { hash: 'run=gone' },
};

const [place = 'test-artefacts/explorer', part = ''] = process.argv.slice(2);
const examples = readdirSync('examples/runs').map((name) => `examples/runs/${name}`);
// Without a run the examples are explored; one of them is there twice, so that there are methods to be compared.
const runs = place === '--docs' ? [] : [...examples, 'examples/runs/half-cheetah'];
const command = ['dist/node/cli/main.js', 'explore', ...runs, '--no-open', '--port', '0'];
const server = spawn(process.execPath, command);
const said = /** @type {Buffer[]} */ (await once(server.stdout, 'data'));
const address = /http:\S+/.exec(said.join(''))?.[0];
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArguments() });

/**
 * @param {string} path of the picture
 * @param {Shown} shown
 * @param {{ width: number, height: number }} viewport
 * @param {'light' | 'dark'} colorScheme
 */
async function take(path, { hash, then }, viewport, colorScheme) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(`${address}#${hash}`);
  await page.waitForSelector('.robot[data-seen="true"], .tree .lit path, .notice', { state: 'attached' });
  // Until a busy processor has drawn the first picture of a robot, there is nothing else.
  await page.waitForSelector(':root:not([data-picture-first])', { state: 'attached' });
  await page.waitForTimeout(RUNNING_MS);
  await then?.(page);
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
  await page.screenshot({ path, fullPage: viewport.width < 500 && then === undefined });
  console.log(`wrote ${path}${wide > viewport.width ? `, which is ${wide} pixels wide` : ''}`);
  await page.close();
}

/**
 * Takes the picture of a fan that the page gives away.
 * @param {string} path of the picture
 * @param {Shown} shown
 */
async function takeFan(path, { hash }) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  await page.goto(`${address}#${hash}`);
  const clock = page.locator('.clock[data-step]');
  while (Number(await clock.getAttribute('data-step')) < FAN_STEPS) await page.waitForTimeout(50);
  await page.locator('.menu summary').click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Picture of the robot (PNG)' }).click(),
  ]);
  await file.saveAs(path);
  console.log(`wrote ${path}`);
  await page.close();
}

try {
  if (place === '--docs') {
    const docs = {
      explorer: (/** @type {string} */ path) => take(path, PICTURES.compare, { width: 1440, height: 900 }, 'light'),
      fan: (/** @type {string} */ path) => takeFan(path, PICTURES.fan),
      'fan-walker': (/** @type {string} */ path) => takeFan(path, PICTURES.walker),
    };
    for (const [name, draw] of Object.entries(docs)) if (name.includes(part)) await draw(`docs/images/${name}.png`);
  } else {
    mkdirSync(place, { recursive: true });
    for (const [name, shown] of Object.entries(PICTURES)) {
      for (const [width, height] of SIZES) {
        for (const colours of COLOURS) {
          const file = `${name}-${width}-${colours}.png`;
          if (file.includes(part)) await take(join(place, file), shown, { width, height }, colours);
        }
      }
    }
  }
} finally {
  await browser.close();
  server.kill();
}
