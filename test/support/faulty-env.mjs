// An environment whose worker fails as TEST_FAULT says, for processes and workers that import it: throw, exit or hang in
// its 60th step.
import { environmentOf, register } from 'psl-morl';
import { breakAt, toyEnv } from './toy.mjs';

const fault = process.env.TEST_FAULT;
const STEP = 60;

register(
  toyEnv(environmentOf, 'test-fault', {
    horizon: 20,
    before(walk) {
      if (fault === 'throw') breakAt(STEP)(walk);
      if (walk.steps !== STEP) return;
      if (fault === 'exit') process.exit(3);
      while (fault === 'hang');
    },
  }),
);
