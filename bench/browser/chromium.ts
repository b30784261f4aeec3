import type { Page } from 'playwright-core';

/** The Chromium of this machine; without one a benchmark of the page ends with a sentence. */
export async function chromiumPath(): Promise<string> {
  // This file runs from dist/bench/browser.
  const script = new URL('../../../scripts/chromium.mjs', import.meta.url).href;
  const { findChromium } = (await import(script)) as { findChromium: () => string | undefined };
  const path = findChromium();
  if (path !== undefined) return path;
  console.error('There is no Chromium on this machine; Debian has it in its package chromium.');
  process.exit(1);
}

/** What Chromium needs to be told to draw and compute with a graphics card although it has no window, or to do without. */
export function chromiumArguments(graphicsCard: boolean): string[] {
  const isRoot = process.getuid?.() === 0;
  const card = ['--use-gl=angle', '--use-angle=vulkan', '--enable-features=Vulkan', '--disable-vulkan-surface'];
  const graphics = graphicsCard
    ? [...card, '--enable-unsafe-webgpu', '--ignore-gpu-blocklist']
    : ['--disable-gpu', '--enable-unsafe-swiftshader'];
  return [...graphics, ...(isRoot ? ['--no-sandbox'] : [])];
}

/** The graphics card that a page draws with, as the browser names it. */
export async function renderer(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const context = document.createElement('canvas').getContext('webgl2');
    const names = context?.getExtension('WEBGL_debug_renderer_info');
    return names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : 'nothing';
  })()`);
}
