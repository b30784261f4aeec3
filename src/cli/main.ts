#!/usr/bin/env node
import { commands } from './commands.js';
import { psl } from './psl.js';

// A reader that left, as in `psl envs | head -1`, is no reason for a stack, nor for a training run to end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await psl(process.argv.slice(2), commands, {
  stdout: process.stdout,
  stderr: process.stderr,
  debug: process.env.PSL_DEBUG === '1',
});
