// Makes the pictures of fans in docs/images, as the explorer's download makes them. Needs a build and Chromium; the episode goes on
// while it is loaded, so that no two pictures are the same: node scripts/fan-pictures.mjs

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';

/** What each picture shows. */
const PICTURES = { 'fan.png': 'run=half-cheetah&fan=7', 'fan-walker.png': 'run=walker2d&fan=5' };
/** Long enough for a gait to have begun. */
const RUNNING_MS = 6000;

const server = spawn(process.execPath, ['dist/src/cli/main.js', 'explore', '--no-open', '--port', '0']);
const said = /** @type {Buffer[]} */ (await once(server.stdout, 'data'));
const address = /http:\S+/.exec(said.join(''))?.[0];
const args = ['--disable-gpu', '--enable-unsafe-swiftshader', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
const browser = await chromium.launch({ executablePath: findChromium(), args });
try {
  for (const [name, hash] of Object.entries(PICTURES)) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: 'light' });
    await page.goto(`${address}#${hash}`);
    await page.waitForSelector('.robot[data-seen="true"]');
    await page.waitForTimeout(RUNNING_MS);
    await page.locator('.menu summary').click();
    const button = page.getByRole('menuitem', { name: 'Picture of the robot (PNG)' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    copyFileSync(await download.path(), `docs/images/${name}`);
    console.log(`wrote docs/images/${name}`);
    await page.close();
  }
} finally {
  await browser.close();
  server.kill();
}
