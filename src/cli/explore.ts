import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { flag, integer, text } from '../config/index.js';
import { exportPage, exportPreviews, runFinder, serve, type Served, type ServeOptions } from '../explorer/index.js';
import { checkOut, importRunModules, RunError } from '../runs/index.js';
import { ifGiven, repeated } from './arguments.js';
import { defineCommand } from './command.js';
import { checkInput, InputError, UsageError } from './errors.js';
import { ExploredSweeps } from './explored-sweeps.js';
import { counted, typedPath } from './result.js';
import type { Output } from './terminal.js';

/** The folder of this package, wherever it is installed. */
const PACKAGE = dirname(createRequire(import.meta.url).resolve('psl-morl/package.json'));
const PAGE = join(PACKAGE, 'dist', 'src', 'explorer', 'page');
const EXAMPLES = ['half-cheetah', 'walker2d', 'hopper', 'ant', 'swimmer', 'fruit-tree'].map((name) =>
  join(PACKAGE, 'examples', 'runs', name),
);

const DEFAULT_PORT = 4100;

/** `psl explore`: runs in a web page, with physics and policies in the browser. */
export const explore = defineCommand({
  operands: {
    run: repeated(
      text({
        allowed: 'the path of a run',
        about:
          'Folders of runs, also of some that still train, and stores of sweeps. Without any, examples that come with the ' +
          'package.',
      }),
    ),
  },
  options: {
    port: ifGiven(
      integer({ min: 0, max: 65_535, about: 'Where the page is served; 0 takes any that is free.' }),
      `${DEFAULT_PORT}, or another if it is taken`,
    ),
    host: text({
      default: '127.0.0.1',
      placeholder: 'ADDRESS',
      allowed: 'an address or name of this machine',
      about: 'What is listened to; 0.0.0.0 lets everyone in who can reach this machine.',
    }),
    open: flag({ default: true, about: 'Do not open a browser.' }),
    export: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder that is new or empty',
        about: 'Write the page as files that any web server can give out, instead of serving it.',
      }),
    ),
  },

  async run({ run: folders, port, host, open, export: out }, output) {
    if (!existsSync(join(PAGE, 'index.html'))) {
      throw new InputError('the page is not built here; run npm run build first.');
    }
    const sweeps = new ExploredSweeps();
    // What is written as files does not go on: of a sweep that is what is finished.
    const finder = checkInput(() =>
      runFinder(folders.length > 0 ? folders : EXAMPLES, out === undefined ? sweeps.heldBy : undefined),
    );
    const imported = new Set<string>();
    const find = async () => {
      const found = await finder();
      for (const { folder } of found) if (!imported.has(folder)) await importIfBegun(folder, imported, output);
      return found;
    };
    const runs = await find();
    if (out !== undefined) {
      checkInput(() => checkOut(out, '--export'));
      checkInput(() => exportPage(PAGE, runs, out));
      await exportPreviews(runs, out);
      output.report([`wrote ${typedPath(out)}: the page with ${counted(runs.length, 'run')}, for any web server`]);
      return { export: out, runs: runs.map(({ folder }) => folder) };
    }
    const { url, close } = await listen({ page: PAGE, find, sweeps: sweeps.lines, host }, port);
    output.line(`explorer: ${url} with ${counted(runs.length, 'run')} (Ctrl-C ends it)`);
    if (open) openBrowser(url);
    await new Promise<void>((resolve) => output.onInterrupt(resolve));
    await close();
    return { url, runs: runs.map(({ folder }) => folder) };
  },
});

/** The environment of a run, which is shown without it too; once, and not before the run says what it is. */
async function importIfBegun(folder: string, imported: Set<string>, output: Output): Promise<void> {
  if (!existsSync(join(folder, 'config.json'))) return;
  imported.add(folder);
  try {
    await importRunModules(folder);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    output.line(`note: ${typedPath(folder)} is shown without its environment: ${error.problem}`);
  }
}

async function listen(options: Omit<ServeOptions, 'port'>, port: number | undefined): Promise<Served> {
  try {
    return await serve({ ...options, port: port ?? DEFAULT_PORT });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && port === undefined) return serve({ ...options, port: 0 });
    if (code === 'EADDRINUSE') throw new UsageError('--port', port, 'one that no other program uses');
    if (code === 'EACCES') throw new UsageError('--port', port, 'one that this user may take');
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError('--host', options.host, 'an address or name of this machine');
    }
    throw error;
  }
}

/** Where that does not work, the address has been printed. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
