// The browser in which the explorer's page is tested. Plain Node without dependencies, as everything in this folder.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './steps.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe', 'msedge.exe'];
const FOLDERS = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
  'C:\\Program Files\\Google\\Chrome\\Application',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application',
];

/** The path of a Chromium on this machine: what the variable CHROMIUM says, or one that is installed. */
export function findChromium() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM !== undefined) return CHROMIUM;
  const names = [...NAMES, 'Chromium', 'Google Chrome'];
  return FOLDERS.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * What Chromium needs to be told to draw and compute with a graphics card although it has no window, or to do without.
 * @param {boolean} [graphicsCard]
 */
export function chromiumArguments(graphicsCard = false) {
  const card = ['--use-gl=angle', '--use-angle=vulkan', '--enable-features=Vulkan', '--disable-vulkan-surface'];
  const graphics = graphicsCard
    ? [...card, '--enable-unsafe-webgpu', '--ignore-gpu-blocklist']
    : ['--disable-gpu', '--enable-unsafe-swiftshader'];
  return [...graphics, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
}

/**
 * Installs Chromium where that is possible without asking anyone: on Debian and its kin, as root.
 * @returns {Promise<string | undefined>} why there is none, if so
 */
export async function provideChromium() {
  if (findChromium() !== undefined) return undefined;
  const allowed = 'install it, or name it in the variable CHROMIUM.';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return `there is no Chromium here; ${allowed}`;
  const install = ['install', '--yes', '--no-install-recommends', 'chromium'];
  await run('apt-get', install, 'capture').catch(() => undefined);
  return findChromium() === undefined ? `Chromium could not be installed with apt-get; ${allowed}` : undefined;
}
