/**
 * What is registered works like what is built in: two environments of a user's own, one file each, go through everything
 * that psl does. All of it is compiled code, because worker threads and modules of environments have no other.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import type { Served } from '../src/explorer/index.js';
import type { RunList } from '../src/explorer/run-list.js';
import { contentsOf } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

type Cli = typeof import('../src/cli/psl.js') &
  typeof import('../src/cli/commands.js') &
  typeof import('../src/cli/terminal.js');
type Library = typeof import('../src/algorithms/index.js') & typeof import('../src/training/index.js');
const compiled = async (...paths: string[]): Promise<unknown> => {
  const modules = paths.map(
    async (path) => (await import(new URL(`../dist/node/${path}`, import.meta.url).href)) as object,
  );
  return Object.assign({}, ...(await Promise.all(modules))) as unknown;
};
const { psl, commands, capture } = (await compiled('cli/psl.js', 'cli/commands.js', 'cli/terminal.js')) as Cli;
const { algorithm, settingsOf } = (await compiled('algorithms/index.js', 'training/index.js')) as Library;
const explorer = (await compiled('explorer/index.js')) as typeof import('../src/explorer/index.js');
const envs = (await compiled('envs/index.js')) as typeof import('../src/envs/index.js');

const folder = temporaryFolder('own');
const at = (...names: string[]) => join(folder, ...names);
const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** @param interrupted at once, as by Ctrl-C */
async function call(args: readonly string[], interrupted = false) {
  const { terminal, written } = capture();
  const onInterrupt = (stop: () => void) => {
    if (interrupted) stop();
    return () => undefined;
  };
  const code = await psl([...args, '--json'], commands, { ...terminal, onInterrupt });
  if (code !== 0) throw new Error(`psl ${args.join(' ')} ended with ${code}: ${written.error}`);
  return JSON.parse(written.out) as Record<string, unknown>;
}

/** As small as a training can be: those of these settings that an algorithm has. */
const TINY: Readonly<Record<string, unknown>> = {
  children: 4,
  startSteps: 2,
  learnAfter: 60,
  updatesPerStep: 0.2,
  batch: 16,
  groups: 4,
  capacity: 300,
  horizon: 16,
  taskDivisions: 1,
  warmup: 1,
  generation: 1,
  hidden: 8,
  criticHidden: 8,
  hyperHidden: 4,
  hyperFeatures: 2,
  evaluations: 1,
  evaluationDivisions: 2,
};

function tiny(name: string): string[] {
  const known = Object.entries(TINY).filter(([setting]) => Object.hasOwn(settingsOf(algorithm(name)), setting));
  return [
    '--algo',
    name,
    '--steps',
    '200',
    '--device',
    'cpu:1',
    ...known.flatMap(([setting, value]) => {
      return ['--set', `${setting}=${String(value)}`];
    }),
  ];
}

const OWN = [
  {
    id: 'orchard',
    learner: 'psl-ddqn',
    others: ['envelope', 'psl-ppo', 'ra'],
    quick: { batch: 256, groups: 8, selection: 'scalarised', steps: 220, learnAfter: 200 },
  },
  {
    id: 'water-reservoir',
    learner: 'psl-td3',
    others: ['pd-td3', 'psl-ppo', 'pg-morl'],
    quick: { batch: 64, criticNorm: 'layer', groups: 8, criticAngle: 0, normalise: true, steps: 220, learnAfter: 200 },
  },
];

describe.each(OWN)('$id', ({ id, learner, others, quick }) => {
  const run = (name: string) => at(id, name);
  const module = inRepository(`examples/envs/${id}.js`);
  const train = (name: string, ...args: string[]) => ['train', module, ...args, '--out', run(name)];
  const best = (name: string, ...args: string[]) => train(name, '--preset', 'best', ...tiny(learner), ...args);

  it('is listed with all others', async () => {
    const { environments } = await call(['envs', '--import', module]);
    expect((environments as { id: string }[]).map((env) => env.id)).toEqual(expect.arrayContaining(['mo-ant-v2', id]));
  });

  it('is named where another one of its module is asked for', async () => {
    await expect(call(['check', `${module}#foo`])).rejects.toThrow(`, but must be one of: ${module}#${id}.`);
  });

  it('is trained by quick with the settings of its kind', async () => {
    const short = ['--steps', String(quick.steps), '--set', `learnAfter=${quick.learnAfter}`, '--set', 'evaluations=1'];
    await call(train('quick', ...short));
    const config = JSON.parse(readFileSync(join(run('quick'), 'config.json'), 'utf8')) as object;
    expect(config).toMatchObject({
      algorithm: learner,
      env: id,
      modules: { environment: module },
      preset: 'quick',
      settings: quick,
    });
  });

  it('is trained by best, and by learners of all kinds', async () => {
    await call(best('best'));
    for (const other of others) await call(train(other, '--preset', 'best', ...tiny(other)));
  });

  it('is learned in worker threads with the same bytes', async () => {
    await call(best('threads', '--workers', '2'));
    await call(best('no-threads', '--workers', '0'));
    expect(contentsOf(run('threads'))).toEqual(contentsOf(run('no-threads')));
  });

  it('is learned with the same bytes when it is interrupted and resumed', async () => {
    expect(await call(best('resumed'), true)).toMatchObject({ stopped: true });
    await call(['resume', run('resumed')]);
    expect(contentsOf(run('resumed'))).toEqual(contentsOf(run('best')));
  });

  it('is evaluated, and has fronts that can be compared', async () => {
    const { hypervolume } = JSON.parse(readFileSync(join(run('best'), 'result.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(await call(['eval', run('best')])).toMatchObject({ hypervolume });
    const { points } = await call(['front', run('best')]);
    expect((points as unknown[]).length).toBeGreaterThan(0);
    const { entries } = await call(['compare', run('best'), run('psl-ppo')]);
    expect(entries).toHaveLength(2);
  });
});

/** In a process of its own, which knows no environment but those of the package. */
function fresh(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inRepository('dist/node/cli/main.js'), ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('a module of environments', () => {
  const copy = (name: string) => {
    mkdirSync(at('modules', 'node_modules'), { recursive: true });
    const link = at('modules', 'node_modules', 'psl-morl');
    if (!existsSync(link)) symlinkSync(inRepository('.'), link, 'junction');
    const path = at('modules', name);
    cpSync(inRepository('examples/envs/water-reservoir.js'), path);
    return path;
  };

  it('is found by the runs of its environment, until it moves', () => {
    const module = copy('moving.mjs');
    const run = at('modules', 'run');
    expect(fresh('train', module, ...tiny('psl-td3'), '--out', run)).toMatchObject({ status: 0 });
    expect(fresh('eval', run, '--preference', '0.5,0.5')).toMatchObject({ status: 0 });
    expect(fresh('front', run)).toMatchObject({ status: 0 });
    const moved = at('modules', 'moved.mjs');
    renameSync(module, moved);
    const gone = `its environment "water-reservoir" is of ${module}, which is not there; name the module where it is now with --import`;
    const { status, stderr } = fresh('front', run);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `psl: RUN is "${run}", but must be a folder that psl train has finished (${gone}).\n`,
    });
    expect(fresh('front', run, '--import', moved)).toMatchObject({ status: 0 });
  });

  it('with several says how each is named', () => {
    const module = copy('both.mjs');
    const both = `export { default } from './list.mjs';\n`;
    writeFileSync(module, both);
    writeFileSync(
      at('modules', 'list.mjs'),
      `import one from './one.mjs';\nexport default [one, { ...one, id: 'other' }];\n`,
    );
    copy('one.mjs');
    expect(fresh('envs', module).stderr).toBe(
      `psl: NAME is "${module}", but must be one of: ${module}#water-reservoir, ${module}#other.\n`,
    );
    expect(fresh('envs', `${module}#other`).stdout).toMatch(/^other: /);
    expect(fresh('envs', `${module}#othr`).stderr).toContain(`(did you mean "${module}#other"?)`);
  });

  it('may be TypeScript, which is trained in worker threads and evaluated like any other', () => {
    const module = inRepository('examples/envs/thermostat.ts');
    expect(fresh('envs', module).stdout).toMatch(/^thermostat: /);
    const run = at('modules', 'typed');
    expect(fresh('train', module, ...tiny('psl-td3'), '--workers', '2', '--out', run)).toMatchObject({ status: 0 });
    expect(fresh('eval', run)).toMatchObject({ status: 0 });
  });

  it('that is TypeScript is refused with a sentence where neither Node nor its project knows that', () => {
    const module = at('modules', 'typed.ts');
    writeFileSync(module, 'export default 1 as number;\n');
    const isKnown = 'typescript' in process.features && process.features.typescript !== false;
    expect(fresh('envs', module).stderr).toContain(
      isKnown
        ? 'must be an environment'
        : 'is TypeScript, which this version of Node does not run: use Node 22.18 or newer, or npm install typescript@6',
    );
  });

  it('that Node reads as CommonJS is refused with a sentence that says what to do', () => {
    const module = at('modules', 'commonjs', 'own.js');
    mkdirSync(dirname(module), { recursive: true });
    writeFileSync(join(dirname(module), 'package.json'), '{ "type": "commonjs" }\n');
    for (const text of ["import { defineEnv } from 'psl-morl';\n", 'export default 1;\n']) {
      writeFileSync(module, text);
      expect(fresh('envs', module).stderr).toContain(
        'is read as CommonJS, because its package.json does not say otherwise: name it .mjs, or add "type": "module" there).',
      );
    }
  });

  it('may have options that are numbers', () => {
    const module = inRepository('dist/examples/envs/thermostat.js');
    expect(fresh('envs', module).stdout).toContain(
      '  outside       a number from -20 to 15, 5 by default. How cold it is outside.\n',
    );
    const run = at('modules', 'cold');
    const train = ['train', module, ...tiny('psl-td3'), '--env-set'];
    expect(fresh(...train, 'outside=-5', '--out', run)).toMatchObject({ status: 0 });
    for (const file of ['config.json', 'model.json']) {
      expect(JSON.parse(readFileSync(join(run, file), 'utf8'))).toMatchObject({ envOptions: { outside: -5 } });
    }
    expect(fresh('eval', run).stdout).toContain('thermostat, outside -5\n');
    expect(fresh(...train, 'outside=mild').stderr).toBe(
      'psl: option outside of thermostat is "mild", but must be a number from -20 to 15.\n',
    );
  });

  it('is checked, and the exit code says whether all is well', () => {
    const module = copy('checked.mjs');
    expect(fresh('check', module)).toMatchObject({
      status: 0,
      stdout: 'water-reservoir keeps all 14 rules of environments\n',
    });
    const text = readFileSync(module, 'utf8');
    writeFileSync(module, text.replace('cube(1, 0, 1)', 'cube(1, 0, 0.5)').replace('random.normal()', 'Math.random()'));
    const { status, stdout } = fresh('check', module, '--json');
    const { problems } = JSON.parse(stdout) as { problems: { rule: string; problem: string }[] };
    expect(status).toBe(1);
    expect(problems.map(({ rule }) => rule)).toEqual(['observations', 'seed']);
    expect(fresh('check', module).stdout).toMatch(/\nwater-reservoir has 2 problems\n$/);
  });

  it.each(['cart-pole', 'thermostat'])('of the example %s keeps the contract', (name) => {
    expect(fresh('check', inRepository(`dist/examples/envs/${name}.js`))).toMatchObject({ status: 0, stderr: '' });
  });

  it('that ends the program as it is imported is refused with a sentence', () => {
    const module = at('ending.mjs');
    writeFileSync(module, 'process.exit(0);\n');
    expect(fresh('check', module)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^psl: ENV is [^\n]* \(the program ended while it was imported\)\.\n$/) as string,
    });
  });

  it('that is not there is refused with a sentence', () => {
    expect(fresh('train', './absent.js')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^psl: ENV is ".\/absent.js", but must be the path of a module whose default export is an environment \(.*absent/,
      ) as string,
    });
  });
});

const browserPath = findChromium();

describe.skipIf(browserPath === undefined)('the page of the explorer', () => {
  const errors: string[] = [];
  let served: Served;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const runs = explorer.findRuns(OWN.map(({ id }) => at(id, 'best')));
    served = await explorer.serve({
      page: inRepository('dist/src/explorer/page'),
      find: () => runs,
      host: '127.0.0.1',
      port: 0,
    });
    const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
    browser = await chromium.launch({ executablePath: browserPath, args });
  });
  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  /** @param run which of the two */
  async function open(run: number, change: (of: Page) => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    page = await browser.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await change(page);
    await page.goto(`${served.url}#run=${['best', 'best.2'][run]}`);
  }
  const data = (selector: string, name: string) => page.locator(selector).first().getAttribute(`data-${name}`);

  it.each(OWN.map(({ id }, run) => [id, run] as const))('plays %s step by step, as numbers', async (id, run) => {
    await open(run);
    await expect.poll(async () => Number(await data('.clock', 'step'))).toBeGreaterThan(2);
    const observed = await data('.numbers-view', 'observation');
    expect(observed!.split(',')).toHaveLength(envs.makeEnv(id).observationSpace.low.length);
    await expect.poll(() => data('.front', 'achieved')).not.toBe('[]');
    expect(await page.locator('.reward').count()).toBe(envs.envInfo(id).objectives.length);
    await page.locator('h1').click();
    const before = await data('.preference', 'preference');
    await page.keyboard.press('ArrowUp');
    expect(await data('.preference', 'preference')).not.toBe(before);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows what was evaluated, and says why, where a module cannot be loaded in a browser', async () => {
    await open(1, (of) =>
      of.route('**/envs/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: "import 'node:fs'; export default {};" }),
      ),
    );
    await expect
      .poll(() => page.locator('.stage').textContent())
      .toMatch(
        /^There is no live simulation of water-reservoir here.*because its module cannot be loaded in a browser \(.+\)\./,
      );
    await expect.poll(() => page.locator('.evaluated td').count()).toBe(4);
    expect(JSON.parse((await data('.front', 'achieved'))!)).toHaveLength(1);
    await page.close();
  });

  it('shows what was evaluated, and says how it can be played, where it is not told of a module', async () => {
    await open(0, (of) =>
      of.route('**/runs.json', async (route) => {
        const list = (await (await route.fetch()).json()) as RunList;
        await route.fulfill({ json: { ...list, runs: list.runs.map(({ module: _, ...run }) => run) } });
      }),
    );
    await expect.poll(() => page.locator('.stage').textContent()).toContain('psl explore --import FILE adds it');
    await expect.poll(() => page.locator('.evaluated th').allTextContents()).toEqual(['Apples', 'Pears', 'Time']);
    // The page asks for its list again and again, and one of the answers may be on its way.
    await page.unrouteAll({ behavior: 'wait' });
    await page.close();
  });
});

it('an environment of a module is exported with the page', () => {
  const out = at('exported');
  explorer.exportPage(inRepository('dist/src/explorer/page'), explorer.findRuns([at('water-reservoir', 'best')]), out);
  const { runs } = JSON.parse(readFileSync(join(out, 'runs.json'), 'utf8')) as RunList;
  expect(runs).toEqual([{ id: 'best', name: 'best', env: 'water-reservoir', module: 'envs/0/water-reservoir.js' }]);
  const module = readFileSync(join(out, 'envs', '0', 'water-reservoir.js'), 'utf8');
  expect(module).toContain("import { cube, defineEnv } from '../../psl-morl.js';");
});
