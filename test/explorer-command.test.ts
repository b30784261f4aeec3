import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { decodeSafetensors } from '../src/model/index.js';
import { isChanged } from '../src/runs/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('explore');

/** Runs `psl explore`, and asks it to end with what is given as soon as it says something. */
async function explore(args: readonly string[], look: (line: string) => Promise<void> = () => Promise.resolve()) {
  const { terminal, written } = capture({
    onInterrupt: (stop) => {
      void look(written.out).then(stop, stop);
      return () => undefined;
    },
  });
  const code = await psl(['explore', ...args], commands, terminal);
  return { code, ...written };
}

test('psl explore serves all examples, the half-cheetah first, until it is stopped', async () => {
  let names: string[] = [];
  const { code, out } = await explore(['--no-open', '--port', '0'], async (line) => {
    const url = /http:\S+/.exec(line)![0];
    const { runs } = (await (await fetch(`${url}runs.json`)).json()) as { runs: { id: string }[] };
    names = runs.map(({ id }) => id);
  });
  const examples = readdirSync('examples/runs');
  expect(out.replace(/:\d+\//, ':PORT/')).toBe(
    `explorer: http://127.0.0.1:PORT/ with ${examples.length} runs (Ctrl-C ends it)\n`,
  );
  expect(code).toBe(0);
  expect(names).toEqual(['half-cheetah', 'walker2d', 'hopper', 'ant', 'swimmer', 'fruit-tree']);
  expect(names.sort()).toEqual(examples.sort());
});

test('psl explore --export writes files for any web server', async () => {
  const out = join(folder, 'page');
  const first = await explore(['examples/runs/fruit-tree', '--export', out]);
  expect(first).toMatchObject({ code: 0, out: `wrote ${out}: the page with 1 run, for any web server\n` });
  expect(existsSync(join(out, 'index.html'))).toBe(true);
  // In another layout, which compresses better, and with checksums of that.
  const weightsIn = (run: string) => decodeSafetensors(readFileSync(join(run, 'model.safetensors')));
  const run = join(out, 'runs/fruit-tree');
  expect(weightsIn(run)).toEqual(weightsIn('examples/runs/fruit-tree'));
  for (const name of ['model.safetensors', 'result.json']) {
    expect(readFileSync(join(run, name))).not.toEqual(readFileSync(join('examples/runs/fruit-tree', name)));
    expect(isChanged(run, name)).toBe(false);
  }
  // What chats show of a link comes from there.
  const shared = readFileSync(join(out, 'share/fruit-tree.html'), 'utf8');
  expect(shared).toContain('<meta property="og:title" content="fruit-tree · fruit-tree-d6 · Pareto set explorer" />');
  expect(shared).toContain('<meta property="og:image" content="fruit-tree.jpg" />');
  expect(shared).toContain('url=../index.html#run=fruit-tree"');
  expect(readFileSync(join(out, 'share/fruit-tree.jpg')).subarray(6, 10).toString()).toBe('JFIF');
  const again = await explore(['examples/runs/fruit-tree', '--export', out]);
  expect(again.code).toBe(2);
  expect(again.error).toMatch(/^psl: --export is ".*", but must be a folder that is new or empty.*\.\n$/);
});

test('psl explore says in one sentence what cannot be served', async () => {
  const missing = await explore(['no/such/run', '--no-open']);
  expect(missing).toMatchObject({ code: 2, error: 'psl: RUN is "no/such/run", but must be the folder of a run.\n' });

  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const port = String((other.address() as AddressInfo).port);
  const taken = await explore(['--no-open', '--port', port]);
  const allowed = 'but must be one that no other program uses.';
  expect(taken).toMatchObject({ code: 2, error: `psl: --port is ${port}, ${allowed}\n` });
  other.close();

  const foreign = await explore(['--no-open', '--host', '192.0.2.1']);
  expect(foreign.code).toBe(2);
  expect(foreign.error).toContain('--host is "192.0.2.1", but must be an address or name of this machine.');
});
