import { expect, test } from 'vitest';
import { UsageError, type Command } from './command.js';
import { psl } from './psl.js';

const commands = new Map<string, Command>([
  ['count', { summary: 'exits with the number of its arguments', run: (args) => Promise.resolve(args.length) }],
  ['refuse', { summary: 'refuses', run: () => Promise.reject(new UsageError('--n', '-1', 'a positive integer')) }],
]);

async function call(...args: string[]) {
  let out = '';
  let error = '';
  const terminal = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
  return { code: await psl(args, commands, terminal), out, error };
}

test.each([[[]], [['--help']], [['-h']]])('%j lists every command', async (args) => {
  const { code, out } = await call(...args);
  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}count +exits with the number of its arguments$/m);
  expect(out).toMatch(/^ {2}refuse +refuses$/m);
});

test('a command gets the arguments after its name and gives the exit code', async () => {
  expect(await call('count', 'a', '--b', 'c')).toEqual({ code: 3, out: '', error: '' });
});

test('an unknown command is one sentence that names it and what is allowed', async () => {
  const error = 'psl: COMMAND is "coutn", but must be one of: count, refuse, --help, --version.\n';
  expect(await call('coutn')).toEqual({ code: 2, out: '', error });
});

test("a command's usage error is one sentence", async () => {
  expect(await call('refuse')).toEqual({
    code: 2,
    out: '',
    error: 'psl: --n is "-1", but must be a positive integer.\n',
  });
});
