/** One of the two streams of a process, as far as `psl` needs it. */
export interface Stream {
  write(text: string): unknown;
  /** Whether a person looks at it. */
  readonly isTTY?: boolean;
  /** The width of that person's window. */
  readonly columns?: number;
}

/** Where `psl` writes; the process itself, except in tests. */
export interface Terminal {
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Show where in the program an error came from. */
  readonly debug?: boolean;
}

/** What a command writes to. */
export interface Output {
  /** Text for people: standard output, or standard error with --json, which keeps standard output for its one object. */
  readonly human: Stream;
  /** Writes a line for people while a command works. */
  line(text?: string): void;
  /** Writes the result for people; nothing with --json, which says the same. */
  report(lines: readonly string[]): void;
}

export function outputOf({ stdout, stderr }: Terminal, json: boolean): Output {
  const human = json ? stderr : stdout;
  const line = (text = '') => void human.write(`${text}\n`);
  return { human, line, report: (lines) => (json ? undefined : lines.forEach((text) => line(text))) };
}

/** A terminal that keeps what is written to it. */
export function capture(options: { readonly debug?: boolean } = {}) {
  const written = { out: '', error: '' };
  const terminal: Terminal = {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.error += text) },
    ...options,
  };
  return { terminal, written };
}
