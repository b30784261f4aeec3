#!/usr/bin/env node
import { commands } from './commands.js';
import { psl } from './psl.js';

process.exitCode = await psl(process.argv.slice(2), commands, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
