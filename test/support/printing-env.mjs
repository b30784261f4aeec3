// An environment whose author is looking for something: it prints wherever it is called, and as it is imported.
import { toyEnv } from './toy.mjs';

/** @type {unknown} */
const compiled = await import(new URL('../../dist/node/envs/index.js', import.meta.url).href);
const { environmentOf } = /** @type {typeof import('../../src/envs/index.js')} */ (compiled);

const print = (/** @type {string} */ what) => console.log(`printed by ${what}`);
const env = toyEnv(environmentOf, 'test-printing', {
  before: () => print('advance'),
  sees({ at }) {
    print('observe');
    return at;
  },
});

print('the module');
export default {
  ...env,
  /** @param {{}} options */
  make(options) {
    print('make');
    return env.make(options);
  },
};
