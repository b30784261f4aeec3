import { VERSION } from '../version.js';
import { UsageError, type Command } from './command.js';

/** Where `psl` writes; the process itself, except in tests. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Runs `psl` with these arguments; resolves to the exit code. */
export async function psl(
  args: readonly string[],
  commands: ReadonlyMap<string, Command>,
  terminal: Terminal,
): Promise<number> {
  try {
    return await dispatch(args, commands, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.error(`psl: ${error.message}\n`);
    return 2;
  }
}

async function dispatch(
  args: readonly string[],
  commands: ReadonlyMap<string, Command>,
  terminal: Terminal,
): Promise<number> {
  const first = args.at(0);
  if (first === undefined || first === '--help' || first === '-h') {
    terminal.out(help(commands));
    return 0;
  }
  if (first === '--version') {
    terminal.out(`${VERSION}\n`);
    return 0;
  }
  const command = commands.get(first);
  if (command === undefined) throw new UsageError('COMMAND', first, [...commands.keys(), '--help', '--version']);
  return command.run(args.slice(1));
}

function help(commands: ReadonlyMap<string, Command>): string {
  const rows = [...commands].map(([name, { summary }]) => [name, summary] as const);
  rows.push(['--help', 'show this text'], ['--version', 'show the version']);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
  return ['usage: psl COMMAND [flags]', '', 'COMMAND is one of:', ...lines, ''].join('\n');
}
