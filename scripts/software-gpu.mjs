// A GPU in software, so that WebGPU is tested on machines without a GPU: SwiftShader, of which Debian ships a build
// inside its package chromium-common. Only three files of it are needed; nothing is installed.

import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root, run } from './steps.mjs';

const DRIVER = 'vk_swiftshader_icd.json';
const cache = join(root, 'node_modules', '.cache', 'swiftshader');

/**
 * What must be in the environment of a process, before it starts, so that it finds the software GPU; nothing where
 * there is none, or where the caller has chosen a driver already.
 * @returns {Record<string, string>}
 */
export function softwareGpu() {
  if (process.env.VK_ICD_FILENAMES !== undefined || process.env.VK_DRIVER_FILES !== undefined) return {};
  const folder = ['/usr/lib/chromium', cache].find((path) => existsSync(join(path, DRIVER)));
  if (folder === undefined) return {};
  const libraries = [folder, process.env.LD_LIBRARY_PATH].filter((path) => path !== undefined);
  return { VK_ICD_FILENAMES: join(folder, DRIVER), LD_LIBRARY_PATH: libraries.join(delimiter) };
}

const FETCH = `
set -e
cd "$1"
apt-get -qq download chromium-common || { apt-get -qq update && apt-get -qq download chromium-common; }
from=./usr/lib/chromium
dpkg-deb --fsys-tarfile chromium-common_*.deb |
  tar -x --strip-components=4 $from/libvk_swiftshader.so $from/libvulkan.so.1 $from/${DRIVER}
rm chromium-common_*.deb
`;

/**
 * Fetches the software GPU where it is missing and can be had.
 * @returns {Promise<string | undefined>} why there is none, where there is none
 */
export async function provideSoftwareGpu() {
  if (process.platform !== 'linux' || Object.keys(softwareGpu()).length > 0) return undefined;
  if (process.env.VK_ICD_FILENAMES !== undefined || process.env.VK_DRIVER_FILES !== undefined) return undefined;
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get to fetch SwiftShader with';
  mkdirSync(cache, { recursive: true });
  const { code, output } = await run('sh', ['-c', FETCH, 'sh', cache], 'capture');
  return code === 0 ? undefined : `fetching SwiftShader failed: ${output.trim().split('\n').at(-1) ?? ''}`;
}
