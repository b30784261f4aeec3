/** The page of examples/web in a real browser. It is skipped where there is no Chromium. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';

const browserPath = findChromium();
if (browserPath === undefined) console.warn('SKIPPED: the page of examples/web, because there is no Chromium');

const root = resolve(import.meta.dirname, '..');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

describe.runIf(browserPath !== undefined)('the page with a slider', () => {
  const server = createServer(({ url = '' }, response) => {
    try {
      const file = readFileSync(join(root, decodeURIComponent(url)));
      response.setHeader('content-type', TYPES[extname(url)] ?? 'application/octet-stream').end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  afterAll(() => server.close());

  it('runs the half-cheetah, faster where speed counts', async () => {
    await new Promise<void>((started) => server.listen(0, '127.0.0.1', started));
    const browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/examples/web/index.html`);
      /** What the page shows of an objective. */
      const shown = async (objective: string) =>
        Number(new RegExp(`${objective} (\\S+)`).exec((await page.locator('#shown').textContent()) ?? '')?.[1]);
      await page.locator('#speed').fill('1');
      await expect.poll(() => shown('Speed')).toBeGreaterThan(3);
      await page.locator('#speed').fill('0');
      await expect.poll(() => shown('Efficiency')).toBeGreaterThan(2.5);
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
