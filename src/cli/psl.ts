import { ConfigError, twoColumns } from '../config/index.js';
import { VERSION } from '../version.js';
import type { CommandEntry } from './command.js';
import { InputError, UsageError } from './errors.js';
import type { Terminal } from './terminal.js';

/**
 * Runs `psl` with these arguments; resolves to the exit code: 0 for success, 2 for a mistake in what was typed or in a
 * file that was named, before anything was written, and 1 for whatever else went wrong.
 */
export async function psl(
  args: readonly string[],
  commands: ReadonlyMap<string, CommandEntry>,
  terminal: Terminal,
): Promise<number> {
  try {
    await dispatch(args, commands, terminal);
    return 0;
  } catch (error) {
    terminal.stderr.write(`psl: ${terminal.debug === true ? stackOf(error) : firstLineOf(error)}\n`);
    return error instanceof InputError || error instanceof ConfigError ? 2 : 1;
  }
}

async function dispatch(
  args: readonly string[],
  commands: ReadonlyMap<string, CommandEntry>,
  terminal: Terminal,
): Promise<void> {
  const name = args.at(0);
  if (name === undefined || name === '--help' || name === '-h') {
    terminal.stdout.write(help(commands));
    return;
  }
  if (name === '--version') {
    terminal.stdout.write(`${VERSION}\n`);
    return;
  }
  const entry = commands.get(name);
  if (entry === undefined) throw new UsageError('COMMAND', name, [...commands.keys(), '--help', '--version']);
  const command = await entry.load();
  await command.run(args.slice(1), { ...entry, name }, terminal);
}

function help(commands: ReadonlyMap<string, CommandEntry>): string {
  const rows = [...commands].map(([name, { summary }]) => [name, summary] as const);
  const flags = [
    ['--help', 'Show this text; psl COMMAND --help shows the flags of a command.'],
    ['--version', 'Show the version.'],
  ] as const;
  return ['usage: psl COMMAND [flags]', '', 'COMMAND is one of:', ...twoColumns([...rows, ...flags]), ''].join('\n');
}

function firstLineOf(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  return message.split('\n', 1)[0];
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
