import { integer, text, type Described } from '../config/index.js';
import { deviceNames, isDeviceName } from '../tensor/index.js';

/** What a command runs on. */
export const deviceOption: Described<string> = {
  ...text({
    placeholder: 'DEVICE',
    allowed: `one of: ${deviceNames().join(', ')}, or cpu:THREADS`,
    about: 'What to run on; psl devices lists them. cpu:2 is the CPU with two threads.',
  }),
  accepts: (value): value is string => typeof value === 'string' && isDeviceName(value),
};

/** How many threads step environments; no more are ever stepped at once. */
export const workersOption = integer({
  min: 0,
  max: 256,
  about: 'Threads that step environments; 0 does it in the main one. It changes nothing but the time.',
});
