// An environment whose worker fails as TEST_FAULT says, for processes and workers that import it: throw, exit or hang in
// its 60th step. With TEST_INTERRUPT_AT, Ctrl-C is pressed in the step of that number, counted over all environments of the
// thread.
import { breakAt, toyEnv } from './toy.mjs';

// No more of the package than this, since many processes begin with it.
/** @type {unknown} */
const compiled = await import(new URL('../../dist/node/envs/index.js', import.meta.url).href);
const { environmentOf, register } = /** @type {typeof import('../../src/envs/index.js')} */ (compiled);

const fault = process.env.TEST_FAULT;
const STEP = 60;
const interruptAt = Number(process.env.TEST_INTERRUPT_AT ?? 0);
let steps = 0;

register(
  toyEnv(environmentOf, 'test-fault', {
    horizon: 20,
    before(walk) {
      if (++steps === interruptAt) process.kill(process.pid, 'SIGINT');
      if (fault === 'throw') breakAt(STEP)(walk);
      if (walk.steps !== STEP) return;
      if (fault === 'exit') process.exit(3);
      while (fault === 'hang');
    },
  }),
);
