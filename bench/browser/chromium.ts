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
