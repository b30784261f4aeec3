/** What a command of `psl` is, and how one is declared. */
import {
  describeSyntax,
  parseArguments,
  wordsAfterHelp,
  type Operands,
  type Options,
  type Syntax,
  type ValuesOf,
} from './arguments.js';
import { outputOf, type Output, type Terminal } from './terminal.js';

/** One command of `psl`. */
export interface CommandEntry {
  /** One line for `psl --help`. */
  readonly summary: string;
  /** Loads the command when it is run, so that `psl --help` loads none. */
  readonly load: () => Promise<Command>;
}

export interface Command {
  /** Throws a UsageError where these are no arguments of it. */
  check(args: readonly string[]): void;
  /** Runs the command, or shows its help, with the arguments after its name. Resolves to the exit code. */
  run(args: readonly string[], entry: CommandEntry & { readonly name: string }, terminal: Terminal): Promise<number>;
}

export interface CommandSpec<P extends Operands, O extends Options, R extends object> extends Partial<Syntax<P, O>> {
  /** Lines for the end of the help. */
  readonly notes?: () => readonly string[];
  /** What is too long for that, by the word after --help that shows it instead. */
  readonly topics?: Readonly<Record<string, () => readonly string[]>>;
  /**
   * Does the work and returns what --json prints. Checks all it was given before it writes anything, with `checkInput`
   * around the library's own checks; what it then throws is shown as one line, and the exit code is 1.
   */
  readonly run: (values: ValuesOf<P, O>, output: Output) => R | Promise<R>;
  /** Whether what was found is bad news, which programs are told by the exit code 1. */
  readonly isBad?: (result: R) => boolean;
}

/** Declares a command: its arguments, from which come the parser and the help, and what it does. */
export function defineCommand<const P extends Operands, const O extends Options, R extends object>(
  spec: CommandSpec<P, O, R>,
): Command {
  const syntax = { operands: spec.operands ?? {}, options: spec.options ?? {} } as Syntax<P, O>;
  return {
    check: (args) => void parseArguments(syntax, args),
    async run(args, { name, summary }, terminal) {
      const helpWords = wordsAfterHelp(args);
      if (helpWords !== undefined) {
        const topic = Object.entries(spec.topics ?? {}).find(([word]) => word === helpWords[0])?.[1];
        const notes = spec.notes === undefined ? [] : ['', ...spec.notes()];
        const lines = topic?.() ?? [...describeSyntax(name, summary, syntax), ...notes];
        terminal.stdout.write([...lines, ''].join('\n'));
        return 0;
      }
      const { values, json } = parseArguments(syntax, args);
      const result = await spec.run(values, outputOf(terminal, json));
      if (json) terminal.stdout.write(`${JSON.stringify(result)}\n`);
      return spec.isBad?.(result) === true ? 1 : 0;
    },
  };
}
