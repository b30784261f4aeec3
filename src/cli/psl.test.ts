import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ConfigError, integer, text } from '../config/index.js';
import { envIds } from '../envs/index.js';
import { required } from './arguments.js';
import { defineCommand, type Command, type CommandEntry } from './command.js';
import { checkInput, UsageError } from './errors.js';
import { psl } from './psl.js';
import { capture } from './terminal.js';

function failing(error: unknown): Command {
  return defineCommand({
    run() {
      throw error;
    },
  });
}

const add = defineCommand({
  operands: { first: required(integer({ about: 'The first number.' })) },
  options: { more: integer({ default: 1, about: 'What is added.' }) },
  run({ first, more }, output) {
    output.line(`adding ${first} and ${more}`);
    output.report([String(first + more)]);
    return { sum: first + more };
  },
});

const entry = (summary: string, command: Command): CommandEntry => ({ summary, load: () => Promise.resolve(command) });
const commands = new Map<string, CommandEntry>([
  ['add', entry('Adds two numbers.', add)],
  ['usage', entry('Refuses an argument.', failing(new UsageError('--n', '-1', 'a positive integer')))],
  ['config', entry('Refuses a setting.', failing(new ConfigError('alpha', 2, 'a number from 0 to 1')))],
  ['defect', entry('Breaks.', failing(new RangeError('Invalid array length\nsecond line')))],
  ['nothing', entry('Throws something that is no error.', failing('a text'))],
]);

async function call(...args: string[]) {
  const { terminal, written } = capture();
  const code = await psl(args, commands, terminal);
  return { code, ...written };
}

describe('psl', () => {
  it.each([[[]], [['help']], [['--help']], [['-h']]])('lists every command when called with %j', async (args) => {
    const { code, out, error } = await call(...args);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}add +Adds two numbers\.$/m);
    expect(out).toMatch(/^ {2}usage +Refuses an argument\.$/m);
    expect(error).toBe('');
  });

  it('runs a command with the arguments after its name', async () => {
    expect(await call('add', '2', '--more', '3')).toEqual({ code: 0, out: 'adding 2 and 3\n5\n', error: '' });
  });

  it('imports the environments of modules before it runs a command, wherever that is asked for', async () => {
    const seen = defineCommand({ run: () => ({ known: envIds().includes('water-reservoir') }) });
    const file = fileURLToPath(new URL('../../examples/envs/water-reservoir.js', import.meta.url));
    for (const args of [
      ['--import', file, 'seen'],
      ['seen', `--import=${file}`],
    ]) {
      const { terminal, written } = capture();
      expect(await psl([...args, '--json'], new Map([['seen', entry('Sees.', seen)]]), terminal)).toBe(0);
      expect(written.out).toBe('{"known":true}\n');
    }
  });

  it('refuses a module that is none', async () => {
    const allowed = 'the path of a module that exports environments, or registers algorithms or families';
    expect(await call('add', '2', '--import', 'no-such.js')).toMatchObject({
      code: 2,
      error: expect.stringMatching(
        new RegExp(`^psl: --import is "no-such.js", but must be ${allowed} \\(.+\\)\\.\n$`),
      ) as string,
    });
    expect(await call('add', '2', '--import')).toMatchObject({
      code: 2,
      error: `psl: --import is missing, but must be ${allowed}.\n`,
    });
  });

  it('keeps standard output for one JSON object with --json', async () => {
    expect(await call('add', '2', '--json')).toEqual({ code: 0, out: '{"sum":3}\n', error: 'adding 2 and 1\n' });
  });

  it("shows a command's help instead of running it, whatever else is typed", async () => {
    const typed = [['--help'], ['-h'], ['2', '--help'], ['--nonsense', '--help'], ['--help', 'no-topic']];
    for (const args of [['help', 'add'], ['--help', 'add'], ...typed.map((own) => ['add', ...own])]) {
      const { code, out } = await call(...args);
      expect(code).toBe(0);
      expect(out).toBe(
        [
          'usage: psl add FIRST [flags]',
          '',
          'Adds two numbers.',
          '',
          '  FIRST  The first number.',
          '',
          '  --more INTEGER  What is added. (an integer; default: 1)',
          '  --json          Print the result as one line of JSON, alone on standard output; progress goes to',
          '                  standard error.',
          '  --import FILE   Add what a module exports or registers; can be repeated.',
          '  --help          Show this text.',
          '',
        ].join('\n'),
      );
    }
  });

  it('suggests the nearest command', async () => {
    const known = 'add, usage, config, defect, nothing, help, --help, --version';
    const error = `psl: COMMAND is "confg" (did you mean "config"?), but must be one of: ${known}.\n`;
    expect(await call('confg')).toEqual({ code: 2, out: '', error });
    expect(await call('help', 'confg')).toEqual({ code: 2, out: '', error });
  });

  it('gives an error as one JSON object too with --json, whatever is wrong', async () => {
    const typed = await call('usage', '--json');
    expect({ ...typed, out: JSON.parse(typed.out) as unknown }).toEqual({
      code: 2,
      out: { error: { message: '--n is "-1", but must be a positive integer.', exitCode: 2 } },
      error: 'psl: --n is "-1", but must be a positive integer.\n',
    });
    const defect = await call('defect', '--json');
    expect(JSON.parse(defect.out)).toEqual({ error: { message: 'Invalid array length', exitCode: 1 } });
    const unknown = await call('confg', '--nonsense', '--json');
    expect(JSON.parse(unknown.out)).toMatchObject({ error: { exitCode: 2 } });
    expect(unknown.out.match(/\n/g)).toHaveLength(1);
  });

  it('exits with 2 and one sentence after a mistake in the arguments', async () => {
    const error = 'psl: --n is "-1", but must be a positive integer.\n';
    expect(await call('usage')).toEqual({ code: 2, out: '', error });
  });

  it('exits with 2 and one sentence after a mistake in a setting', async () => {
    const error = 'psl: alpha is 2, but must be a number from 0 to 1.\n';
    expect(await call('config')).toEqual({ code: 2, out: '', error });
  });

  it('exits with 1 and one line after any other error', async () => {
    expect(await call('defect')).toEqual({ code: 1, out: '', error: 'psl: Invalid array length\n' });
    expect(await call('nothing')).toEqual({ code: 1, out: '', error: 'psl: a text\n' });
  });

  it('shows the stack when asked to', async () => {
    const { terminal, written } = capture({ debug: true });
    expect(await psl(['defect'], commands, terminal)).toBe(1);
    expect(written.error).toMatch(/^psl: RangeError: Invalid array length\nsecond line\n +at /);
  });
});

describe('checkInput', () => {
  const refuse = () => {
    throw new RangeError('depth is 9, but must be 5.');
  };

  it('makes a RangeError a mistake of the user, in promises too', async () => {
    const sync = new Map([['check', entry('', defineCommand({ run: () => checkInput(refuse) }))]]);
    const promised = new Map([
      ['check', entry('', defineCommand({ run: () => checkInput(() => Promise.resolve().then(refuse)) }))],
    ]);
    for (const table of [sync, promised]) {
      const { terminal, written } = capture();
      expect(await psl(['check'], table, terminal)).toBe(2);
      expect(written.error).toBe('psl: depth is 9, but must be 5.\n');
    }
  });

  it('leaves results and other errors as they are', async () => {
    expect(checkInput(() => 3)).toBe(3);
    expect(await checkInput(() => Promise.resolve(3))).toBe(3);
    const defect = new TypeError('x is not a function');
    expect(() =>
      checkInput(() => {
        throw defect;
      }),
    ).toThrow(defect);
    await expect(checkInput(() => Promise.reject(defect))).rejects.toBe(defect);
  });
});

describe('defineCommand', () => {
  it('adds notes to the end of the help', async () => {
    const command = defineCommand({
      options: { set: required(text({ about: 'A setting.' })) },
      notes: () => ['settings:', '  alpha=NUMBER'],
      run: () => ({}),
    });
    const { terminal, written } = capture();
    await psl(['x', '--help'], new Map([['x', entry('Does x.', command)]]), terminal);
    expect(written.out).toMatch(/^usage: psl x --set TEXT \[flags\]\n\nDoes x\.\n\n/);
    expect(written.out).toMatch(/\n {2}--help +Show this text\.\n\nsettings:\n {2}alpha=NUMBER\n$/);
  });

  it('shows a topic of the help alone', async () => {
    const command = defineCommand({ topics: { settings: () => ['alpha=NUMBER'] }, run: () => ({}) });
    const table = new Map([['x', entry('Does x.', command)]]);
    for (const args of [
      ['x', '--help', 'settings'],
      ['help', 'x', 'settings'],
    ]) {
      const { terminal, written } = capture();
      expect(await psl(args, table, terminal)).toBe(0);
      expect(written.out).toBe('alpha=NUMBER\n');
    }
  });
});
