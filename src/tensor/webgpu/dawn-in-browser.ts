/** What bundles for browsers have in place of dawn.ts, where a browser has no WebGPU of its own: package.json says so. */
export { noAdapter as whyNoAdapter } from './faults.js';

export function openDawn(): Promise<never> {
  return Promise.reject(new Error('this browser has none'));
}
