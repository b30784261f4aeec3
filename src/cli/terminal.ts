/** Where commands write, and where one reads: a terminal or a file, with or without --json. Tests replace it. */
import { Readable, type Writable } from 'node:stream';

/** One of the two streams of a process, as far as `psl` needs it. */
export interface Stream {
  write(text: string | Uint8Array): unknown;
  /** Whether a person looks at it. */
  readonly isTTY?: boolean;
  /** The width of that person's window; 0 where it is not known. */
  readonly columns?: number;
  /** Its height, likewise. */
  readonly rows?: number;
}

/** Characters that fit into a line which can still be rewritten: one that wraps cannot. */
export function lineWidth({ columns }: Stream): number {
  // Some terminals, such as those of a build server, have no size and say 0.
  return Math.max(1, (columns === undefined || columns === 0 ? DEFAULT_COLUMNS : columns) - 1);
}

const DEFAULT_COLUMNS = 80;

/** Standard input, as far as `psl` needs it. */
export type Input = NodeJS.ReadableStream & {
  /** Whether a person types it. */
  readonly isTTY?: boolean;
};

/** Where `psl` writes; the process itself, except in tests. */
export interface Terminal {
  /** Nothing where it is left out. */
  readonly stdin?: Input;
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Show where in the program an error came from. */
  readonly debug?: boolean;
  /** Calls back when the user wants the command to come to an end (Ctrl-C), until what it returns is called. */
  readonly onInterrupt?: OnInterrupt;
}

export type OnInterrupt = (stop: () => void) => () => void;

/** What a command writes to. */
export interface Output {
  /** Text for people: standard output, or standard error with --json, which keeps standard output for its one object. */
  readonly human: Stream;
  /** Writes a line for people while a command works. */
  line(text?: string): void;
  /** Writes the result for people; nothing with --json, which says the same. */
  report(lines: readonly string[]): void;
  /** Writes the result itself, where it is a file; nothing with --json. */
  content(data: string | Uint8Array): void;
  /** Whether a person looks at the result. */
  readonly isTerminal: boolean;
  /** What a person or program answers. */
  readonly input: Input;
  readonly onInterrupt: OnInterrupt;
}

const NEVER: OnInterrupt = () => () => undefined;

export function outputOf(terminal: Terminal, json: boolean): Output {
  const { stdout, stderr, onInterrupt = NEVER } = terminal;
  const human = json ? stderr : stdout;
  const line = (text = '') => void human.write(`${text}\n`);
  return {
    human,
    line,
    report: (lines) => (json ? undefined : lines.forEach((text) => line(text))),
    content: (data) => (json ? undefined : void stdout.write(data)),
    isTerminal: stdout.isTTY === true,
    // Standard input is opened by looking at it.
    get input() {
      return terminal.stdin ?? Readable.from([]);
    },
    onInterrupt,
  };
}

/**
 * Keeps a stream for whoever writes to what is returned: all else that is written to it goes to the other one. With --json
 * that is what modules of users print, also in worker threads, whose output Node passes on through the same method.
 */
export function keepForResults(stream: Writable, other: Writable): Stream {
  const write = stream.write.bind(stream);
  stream.write = (...args: unknown[]) => {
    (other.write as (...args: unknown[]) => boolean).apply(other, args);
    // The stream itself is never full of what it does not get, and would not say so when it no longer is.
    return true;
  };
  return { write, isTTY: (stream as Stream).isTTY };
}

/** A terminal that keeps what is written to it. */
export function capture(options: Pick<Terminal, 'stdin' | 'debug' | 'onInterrupt'> = {}) {
  const written = { out: '', error: '' };
  const terminal: Terminal = {
    stdout: { write: (data) => (written.out += textOf(data)) },
    stderr: { write: (data) => (written.error += textOf(data)) },
    ...options,
  };
  return { terminal, written };
}

/** Bytes as one character each. */
function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
}
