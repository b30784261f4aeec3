#!/usr/bin/env node
import { isGiven } from './arguments.js';
import { commands } from './commands.js';
import { psl } from './psl.js';
import { keepForResults, type OnInterrupt } from './terminal.js';

// A reader that left, as in `psl envs | head -1`, is no reason for a stack, nor for a training run to end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** What a shell expects of a command that a signal ended; 0 as long as none came. */
let signalCode = 0;

const onInterrupt: OnInterrupt = (stop) => {
  const handlers = Object.entries({ SIGINT: 2, SIGTERM: 15 }).map(([signal, number]) => {
    const handle = () => {
      // The first one asks the command to come to an end, the second one does not wait for it.
      if (signalCode !== 0) {
        process.stderr.write('\n');
        process.exit(128 + number);
      }
      signalCode = 128 + number;
      stop();
    };
    process.on(signal, handle);
    return () => process.off(signal, handle);
  });
  return () => handlers.forEach((remove) => remove());
};

const args = process.argv.slice(2);
const code = await psl(args, commands, {
  get stdin() {
    return process.stdin;
  },
  stdout: isGiven('--json', args) ? keepForResults(process.stdout, process.stderr) : process.stdout,
  stderr: process.stderr,
  debug: process.env.PSL_DEBUG === '1',
  onInterrupt,
});
process.exitCode = code === 0 ? signalCode : code;
