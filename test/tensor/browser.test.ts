/** The GPU backend in a real browser, through navigator.gpu. It is skipped where there is no Chromium. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';

import { findChromium } from '../../scripts/chromium.mjs';
import { openDevice } from '../../src/tensor/index.js';
import { fit } from './browser-fit.js';
import type { fitOnGpu } from './browser-fit.js';
import { expectClose } from './support.js';

const browserPath = findChromium();
if (browserPath === undefined) console.warn('SKIPPED: the GPU backend in a browser, because there is no Chromium');

/** The fixture as one script, which leaves its functions in a global variable. */
async function scriptOf(entry: string): Promise<string> {
  const bundle = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry, formats: ['iife'], name: 'fixture' },
      // Dawn, which is for Node and loaded only there.
      rolldownOptions: { external: ['webgpu'] },
    },
  });
  const [{ output }] = bundle as unknown as [{ output: [{ code: string }] }];
  return output[0].code;
}

describe.runIf(browserPath !== undefined)('in a browser', { timeout: 120_000 }, () => {
  // WebGPU is there only for pages from a server that can be trusted, such as this machine.
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>GPU</title>');
  });
  afterAll(() => server.close());

  it('a browser fits a network as the CPU does', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await chromium.launch({
      executablePath: browserPath!,
      args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.addScriptTag({
        content: await scriptOf(fileURLToPath(new URL('./browser-fit.ts', import.meta.url))),
      });
      const found = await page.evaluate(
        (steps) => (globalThis as unknown as { fixture: { fitOnGpu: typeof fitOnGpu } }).fixture.fitOnGpu(steps),
        20,
      );
      const losses = await fit(await openDevice('cpu:1'), 20);
      expect(found.description).toMatch(/^WebGPU on .*swiftshader/i);
      expect(losses[19]).toBeLessThan(losses[0] / 2);
      expectClose(found.losses, losses, 1e-5);
    } finally {
      await browser.close();
    }
  });
});
