/** The program `psl`: finds the command, runs it, and turns errors into sentences and exit codes. */
import { ConfigError, twoColumns } from '../config/index.js';
import { VERSION } from '../version.js';
import { isGiven, takeImports } from './arguments.js';
import type { CommandEntry } from './command.js';
import { firstLineOf, InputError, UsageError } from './errors.js';
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
    return await dispatch(args, commands, terminal);
  } catch (error) {
    const message = firstLineOf(error);
    const exitCode = error instanceof InputError || error instanceof ConfigError ? 2 : 1;
    terminal.stderr.write(`psl: ${terminal.debug === true ? stackOf(error) : message}\n`);
    // With --json, standard output has exactly one JSON object, also for an error.
    if (isGiven('--json', args)) terminal.stdout.write(`${JSON.stringify({ error: { message, exitCode } })}\n`);
    return exitCode;
  }
}

async function dispatch(
  args: readonly string[],
  commands: ReadonlyMap<string, CommandEntry>,
  terminal: Terminal,
): Promise<number> {
  const { files, rest: others } = takeImports(args);
  const first = others.at(0);
  const rest = others.slice(1);
  const wantsHelp = first === 'help' || first === '--help' || first === '-h';
  if (first === undefined || (wantsHelp && rest.length === 0)) {
    terminal.stdout.write(help(commands));
    return 0;
  }
  if (first === '--version') {
    terminal.stdout.write(`${VERSION}\n`);
    return 0;
  }
  // `psl help train settings` is `psl train --help settings`.
  const [name, ...commandArgs] = wantsHelp ? [rest[0], '--help', ...rest.slice(1)] : [first, ...rest];
  const entry = commands.get(name);
  if (entry === undefined) throw new UsageError('COMMAND', name, [...commands.keys(), 'help', '--help', '--version']);
  // Only where it is asked for, because most of what psl does needs no environment.
  if (files.length > 0) await (await import('./import-option.js')).importEnvironments(files);
  const command = await entry.load();
  return command.run(commandArgs, { ...entry, name }, terminal);
}

function help(commands: ReadonlyMap<string, CommandEntry>): string {
  const rows = [...commands].map(([name, { summary }]) => [name, summary] as const);
  const more = [
    ['help', 'Show this text; psl help COMMAND, or psl COMMAND --help, shows the flags of a command.'],
    ['--version', 'Show the version.'],
  ] as const;
  return ['usage: psl COMMAND [flags]', '', 'COMMAND is one of:', ...twoColumns([...rows, ...more]), ''].join('\n');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
