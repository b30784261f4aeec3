/** What bundles for browsers have in place of threads.ts: the field "browser" of package.json says so. */
export { ppo as ppoInThreads } from './ppo.js';
