import { chromium, type Browser, type Page } from 'playwright-core';

interface Script {
  readonly findChromium: () => string | undefined;
  readonly chromiumArguments: (graphicsCard: boolean) => string[];
}

/** Starts the Chromium of this machine; without one a benchmark of the page ends with a sentence. */
export async function launchChromium(graphicsCard: boolean): Promise<Browser> {
  // This file runs from dist/bench/browser.
  const script = new URL('../../../scripts/chromium.mjs', import.meta.url).href;
  const { findChromium, chromiumArguments } = (await import(script)) as Script;
  const executablePath = findChromium();
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: chromiumArguments(graphicsCard) });
  console.error('There is no Chromium on this machine; Debian has it in its package chromium.');
  process.exit(1);
}

/** The graphics card that a page draws with, as the browser names it. */
export async function renderer(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const context = document.createElement('canvas').getContext('webgl2');
    const names = context?.getExtension('WEBGL_debug_renderer_info');
    return names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : 'nothing';
  })()`);
}
