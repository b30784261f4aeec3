import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openRun, readReturns } from '../runs/index.js';
import { commands } from './commands.js';
import { psl } from './psl.js';
import { capture } from './terminal.js';

const CHEETAH = 'examples/runs/half-cheetah';

/** Answers the questions of `psl elicit`, as a program or as a person at a terminal. */
async function dialogue(answers: readonly string[], { isPerson = false, args = [] as string[] } = {}) {
  const stdin = Readable.from(answers.map((answer) => `${answer}\n`));
  const { terminal, written } = capture({ stdin: Object.assign(stdin, { isTTY: isPerson }) });
  const code = await psl(['elicit', CHEETAH, ...args], commands, terminal);
  return { code, ...written };
}

interface Printed {
  readonly preference: number[];
  readonly return: number[];
  readonly sureness: number;
  readonly importance: Record<string, { mean: number; low: number; high: number }>;
  readonly answers: { a: number[]; b: number[]; choice: string }[];
}

async function printed(answers: readonly string[], ...args: string[]): Promise<Printed> {
  const { code, out } = await dialogue(answers, { args: ['--json', ...args] });
  expect(code).toBe(0);
  return JSON.parse(out) as Printed;
}

describe('psl elicit', () => {
  it('asks until it is sure, and says what to do with the preference', async () => {
    const { code, out, error } = await dialogue(['a', 'B', ' b ', ...new Array<string>(20).fill('b')]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^\d+ outcomes; answer a, b, n \(cannot tell\), u \(undo\) or q \(quit\)$/);
    expect(lines[2]).toMatch(/^question 1 +A +B$/);
    expect(lines[3]).toMatch(/^ {2}Speed(?: \(.*\))? +[\d.]+ {2}[#.]{12} +[\d.]+ {2}[#.]{12}$/);
    expect(lines[5]).toBe('which is better? a');
    expect(out).toMatch(
      /\nafter \d+ answers: preference [\d.]+,[\d.]+, with the return\n {2}Speed +[\d.]+.*, counts \d+ % \(90 % sure: \d+ to \d+ %\)\n/,
    );
    const probability = /\nwithin 2 % of the best that the run has for you with a probability of ([\d.]+) %\n/.exec(
      out,
    );
    expect(Number(probability![1])).toBeGreaterThanOrEqual(90);
    expect(out).toMatch(
      /\nnext:\n {2}psl eval examples\/runs\/half-cheetah --preference [\d.]+,[\d.]+\n {2}psl export .*\n$/,
    );
  });

  it('takes an answer back, and ends with what is known where the answers end', async () => {
    const [once, undone, ended] = await Promise.all([
      printed(['a', 'n', 'q', 'a'], '--sure', '1'),
      printed(['a', 'b', 'u', 'n', 'q'], '--sure', '1'),
      printed(['a', 'n'], '--sure', '1'),
    ]);
    expect(once.answers.map(({ choice }) => choice)).toEqual(['a', 'none']);
    expect(undone).toEqual(once);
    expect(ended).toEqual(once);
    expect(Object.keys(once.importance)).toEqual(['Speed', 'Efficiency']);
  });

  it('finds speed for somebody who wants nothing else', async () => {
    let choices: string[] = [];
    // Each time with what is answered so far, since a question depends on the answers before it.
    for (let i = 0; i < 4; i++) {
      const { answers } = await printed([...choices, 'a'], '--questions', String(i + 1), '--sure', '1');
      choices = answers.map(({ a, b }) => (a[0] > b[0] ? 'a' : 'b'));
    }
    const { importance, sureness, return: achieved } = await printed(choices, '--questions', '4', '--sure', '1');
    const speeds = readReturns(openRun(CHEETAH)).returns.map(([speed]) => speed);
    expect(achieved[0]).toBeGreaterThan(0.98 * Math.max(...speeds));
    expect(importance.Speed.low).toBeGreaterThan(importance.Efficiency.high);
    expect(sureness).toBeGreaterThan(0.9);
  });

  it('asks a person again who mistypes, and refuses what a program mistypes', async () => {
    const sentence = 'the answer is "c", but must be one of: a, b, n, u, q.';
    const person = await dialogue(['c', 'a', 'q'], { isPerson: true });
    expect(person.out).toContain(`which is better? ${sentence}\nwhich is better? \nquestion 2 `);
    expect(person.code).toBe(0);
    const program = await dialogue(['a', 'c']);
    expect(program).toMatchObject({ code: 2, error: `psl: ${sentence}\n` });
  });

  it('refuses a folder that is no run', async () => {
    const { terminal, written } = capture();
    expect(await psl(['elicit', 'no/such/run'], commands, terminal)).toBe(2);
    expect(written.error).toMatch(
      /^psl: RUN is "no\/such\/run", but must be a folder that psl train has finished \(.*\)\.\n$/,
    );
  });
});
