import { twoColumns } from '../config/index.js';
import { deviceNames, openDevice } from '../tensor/index.js';
import { defineCommand } from './command.js';

/** `psl devices`: what programs can run on here. */
export const devices = defineCommand({
  async run(_values, output) {
    const listed = await Promise.all(deviceNames().map(tryDevice));
    output.report(
      twoColumns(listed.map(({ name, description, problem }) => [name, description ?? `not available: ${problem}`])),
    );
    return { devices: listed };
  },
});

/** A device that does not open here, for want of its package or of the hardware, is listed with the reason. */
async function tryDevice(name: string) {
  try {
    const device = await openDevice(name);
    const description = device.name === name ? device.description : `${device.name} here`;
    return { name, available: true, description, problem: null };
  } catch (error) {
    const problem = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
    return { name, available: false, description: null, problem };
  }
}
