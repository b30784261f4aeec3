import { integer, text, type Described } from '../config/index.js';
import { deviceNames, isDeviceName, openDevice, resolveDevice } from '../tensor/index.js';
import type { Output } from './terminal.js';

/** What a command runs on. */
export const deviceOption: Described<string> = {
  ...text({
    placeholder: 'DEVICE',
    about:
      'What to run on; psl devices lists them. cpu:2 is the CPU with two threads, auto the GPU where there is one.',
  }),
  allowed: [...deviceNames(), 'cpu:THREADS'],
  accepts: (value): value is string => typeof value === 'string' && isDeviceName(value),
};

/** The device that a name stands for on this machine; says which where the name leaves it open. */
export async function chosenDevice(name: string, output: Output): Promise<string> {
  const device = await resolveDevice(name);
  if (device !== name) output.line(`device ${name}: ${device}, ${(await openDevice(device)).description}`);
  return device;
}

/** How many threads step environments; no more are ever stepped at once. */
export const workersOption = integer({
  min: 0,
  max: 256,
  about: 'Threads that step environments, or 0. Changes nothing but the time.',
});
