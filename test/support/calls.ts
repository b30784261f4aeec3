import { expect } from 'vitest';
import type { commands } from '../../src/cli/commands.js';
import type { psl } from '../../src/cli/psl.js';
import type { capture } from '../../src/cli/terminal.js';
import type { RunResult } from '../../src/runs/index.js';

/** The command line: of the sources, or of the build, whose code worker threads run. */
interface Cli {
  readonly psl: typeof psl;
  readonly commands: typeof commands;
  readonly capture: typeof capture;
}

/** Calls `psl` within this process. */
export function callsOf(cli: Cli) {
  async function call(...args: string[]) {
    const { terminal, written } = cli.capture();
    const code = await cli.psl(args, cli.commands, terminal);
    return { code, ...written };
  }

  /** What a command prints with --json. */
  async function result<T = RunResult>(...args: string[]): Promise<T> {
    const { code, out, error } = await call(...args, '--json');
    expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' });
    return JSON.parse(out) as T;
  }

  return { call, result };
}
