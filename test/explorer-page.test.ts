/** The page of `psl explore` in a real browser. It is skipped where there is no Chromium. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { makeEnv, prepareEnv } from '../src/envs/index.js';
import { exportPage, findRuns, runFinder, serve, type Served } from '../src/explorer/index.js';
import { frontCsv, frontOf } from '../src/fronts/index.js';
import { plainPolicy, readModel, type PlainPolicy } from '../src/model/index.js';
import { Random } from '../src/random/index.js';
import { openRun, readReturns, trainRun } from '../src/runs/index.js';
import { lockRun } from '../src/runs/lock.js';
import { RunWriter } from '../src/runs/writer.js';
import { evaluationPreferences } from '../src/training/definition.js';
import { createLearner, planTraining } from '../src/training/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const PAGE = inRepository('dist/src/explorer/page');
const ARTEFACTS = inRepository('test-artefacts');
const EXAMPLES = ['half-cheetah', 'fruit-tree'].map((name) => inRepository(`examples/runs/${name}`));
const browserPath = findChromium();

const folder = temporaryFolder('page');
const growing = join(folder, 'growing');
const damaged = join(folder, 'damaged');
const population = join(folder, 'population');
let browser: Browser;
let served: Served;
let page: Page;
/** Addresses that the page asked for, and what went wrong in it. */
const requests: string[] = [];
const errors: string[] = [];

/** A run on the three objectives of the hopper whose policy has learned nothing, written as a training writes it. */
async function writer() {
  const settings = { steps: 1000, evaluationDivisions: 4, hidden: [16, 16], criticHidden: [8], batch: 8, groups: 8 };
  const angles = { criticAngle: 0, actorAngle: 0, keyUpdates: null };
  const plan = planTraining({ env: 'mo-hopper-v3', settings: { ...settings, ...angles } });
  const learner = await createLearner(plan);
  learner.initialise(new Random(1), 0);
  const writes = new RunWriter(growing, plan, 1);
  const evaluated = (envSteps: number) => ({
    envSteps,
    gradientSteps: envSteps,
    replica: 0,
    evaluationSteps: 0,
    score: {
      hypervolume: envSteps,
      sparsity: { distinct: 1, published: 1 },
      expectedUtility: 1,
      points: 3,
      coverageF1: null,
      regret: null,
    },
    returns: evaluationPreferences(plan).map((w) => w.map((weight) => Math.sqrt(weight) * envSteps)),
    diagnostics: { criticLoss: 1 / envSteps },
  });
  return { writes, learner, evaluated };
}

/** A run whose model is a finite set of policies: three tasks of 32 steps an iteration, and four iterations. */
async function trainPopulation(): Promise<void> {
  const tasks = { taskDivisions: 2, children: 2, horizon: 16, batch: 16, epochs: 2, warmup: 2, generation: 1 };
  const settings = { ...tasks, steps: 384, hidden: [8], criticHidden: [8], evaluations: 1, evaluationDivisions: 4 };
  // Of this seed three policies remain that are far from each other; of seed 1 it is one, which dominates all others.
  const request = { env: 'mo-swimmer-v2', algorithm: 'pg-morl', seed: 2, device: 'cpu:1', workers: 0, settings };
  await trainRun(planTraining(request), { out: population });
}

beforeAll(async () => {
  if (browserPath === undefined) return;
  mkdirSync(ARTEFACTS, { recursive: true });
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'config.json'), '{"env": "fruit-tr');
  const { writes, learner, evaluated } = await writer();
  writes.begin();
  writes.record(evaluated(250), 1);
  await learner.dispose();
  await trainPopulation();
  const folders = [...EXAMPLES, growing, damaged, population];
  served = await serve({ page: PAGE, find: runFinder(folders), host: '127.0.0.1', port: 0 });
  // As on a machine without a graphics card.
  const args = ['--disable-gpu', '--enable-unsafe-swiftshader', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  browser = await chromium.launch({ executablePath: browserPath, args });
  page = await open(served.url);
}, 90_000);

afterAll(async () => {
  if (browserPath === undefined) return;
  await browser.close();
  await served.close();
});

async function open(address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'dark' });
  const opened = await context.newPage();
  opened.setDefaultTimeout(45_000);
  opened.on('request', (request) => requests.push(request.url()));
  opened.on('pageerror', (error) => errors.push(error.message));
  opened.on('console', (message) => {
    const where = message.location().url;
    // A run that still trains has no result yet, and the page asks for it; browsers ask for the icon again offline.
    const isExpected = message.text().includes('404') || where.includes('/icon-');
    if (message.type() === 'error' && !isExpected) errors.push(`${message.text()} ${where}`);
  });
  await opened.goto(address);
  await opened.waitForSelector('.robot[data-seen="true"]');
  return opened;
}

const data = (of: Page, selector: string, name: string) => of.locator(selector).first().getAttribute(`data-${name}`);
const preference = async (of = page) => (await data(of, '.preference', 'preference')) ?? '';
const step = async (of = page) => Number(await data(of, '.clock', 'step'));
const achieved = (of = page) => data(of, '.front', 'achieved');

async function choose(name: string, of = page): Promise<void> {
  const option = of.locator('.run-choice option', { hasText: name });
  await of.locator('.run-choice select').selectOption(await option.getAttribute('value'));
}

/** The policy of a run as the page has it, in this process. */
function policyIn(run: string): PlainPolicy {
  const description: unknown = JSON.parse(readFileSync(join(run, 'model.json'), 'utf8'));
  return plainPolicy(readModel(description, readFileSync(join(run, 'model.safetensors'))));
}

/** Downloads the policy of the preference that is shown, and has it act beside one that should be the same. */
async function expectDownloaded(policy: PlainPolicy): Promise<void> {
  const session = await InferenceSession.create(readFileSync(await download('Policy at this preference (ONNX)')));
  const { env: id } = policy.model.description;
  await prepareEnv(id);
  const env = makeEnv(id);
  let { observation } = env.reset({ seed: 3 });
  for (let i = 0; i < 20; i++) {
    const action = Array.from(policy.act(observation) as Float32Array);
    const result = await session.run({ observation: new Tensor('float32', observation, [1, observation.length]) });
    (result.action.data as Float32Array).forEach((value, k) => expect(Math.abs(value - action[k])).toBeLessThan(1e-5));
    ({ observation } = env.step(action));
  }
  env.close();
  await session.release();
}

/** Drags along a slider from one share of its length to another, as a hand does. */
async function drag(selector: string, from: number, to: number, of = page): Promise<void> {
  const { x, y, width, height } = (await of.locator(selector).first().boundingBox())!;
  const at = (share: number) => x + 14 + (width - 28) * share;
  await of.mouse.move(at(from), y + height / 2);
  await of.mouse.down();
  for (let i = 1; i <= 25; i++) {
    await of.mouse.move(at(from + ((to - from) * i) / 25), y + height / 2);
    await of.waitForTimeout(16);
  }
  await of.mouse.up();
}

async function changed(read: () => Promise<unknown>, from: unknown): Promise<void> {
  await expect.poll(read, { timeout: 10_000, interval: 50 }).not.toEqual(from);
}

/** Has the page ask for the list of runs now, as it does when somebody comes back to it, instead of in some seconds. */
async function askAgain(): Promise<void> {
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
}

async function picture(name: string): Promise<void> {
  await page.screenshot({ path: join(ARTEFACTS, `explorer-${name}.png`) });
}

describe.skipIf(browserPath === undefined)('the page of the explorer', { timeout: 60_000 }, () => {
  it('changes policy, robot and plot when the preference is dragged, without resetting the robot', async () => {
    await changed(() => achieved(), '[]');
    const before = { preference: await preference(), achieved: await achieved(), step: await step() };
    const parameters = await data(page, '.parameters canvas', 'sum');
    await drag('.slider-two input', 0.5, 0.9);
    expect(await preference()).toMatch(/^0\.[89]\d*,0\.[01]\d*$/);
    await changed(() => data(page, '.parameters canvas', 'sum'), parameters);
    await changed(() => achieved(), before.achieved);
    expect(await step()).toBeGreaterThan(before.step);
    expect(await page.locator('.clock').textContent()).toContain('episode 1');
    await picture('robot');
  });

  it('measures how long it takes to step, to act and to answer a drag, for the benchmark', async () => {
    await drag('.slider-two input', 0.9, 0.3);
    for (const name of ['worker', 'action', 'drag']) {
      expect(Number(await data(page, '.statistics', name))).toBeGreaterThan(0);
    }
  });

  it('has keys: arrows move the preference, space pauses, a dot steps', async () => {
    await page.locator('h1').click();
    const before = await preference();
    await page.keyboard.press('ArrowRight');
    expect(Number.parseFloat(await preference())).toBeCloseTo(Number.parseFloat(before) + 0.02, 4);
    // Also where the slider has the focus, which it keeps after it was dragged.
    await page.locator('.slider-two input').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await preference()).toBe(before);
    await page.keyboard.press('Space');
    await page.waitForTimeout(150);
    const paused = await step();
    await page.waitForTimeout(200);
    expect(await step()).toBe(paused);
    await page.keyboard.press('.');
    await expect.poll(() => step()).toBe(paused + 1);
    await page.keyboard.press('r');
    await expect.poll(() => step()).toBe(0);
    await page.getByRole('button', { name: 'Play' }).click();
    await changed(() => step(), 0);
  });

  it('pushes the robot away from where it is clicked', async () => {
    await page.keyboard.press('Space');
    const speedOfFirstStep = async (isPushed: boolean) => {
      await page.keyboard.press('r');
      await expect.poll(() => step()).toBe(0);
      const { x, y, width, height } = (await page.locator('.robot canvas').boundingBox())!;
      if (isPushed) await page.mouse.click(x + 0.95 * width, y + 0.6 * height);
      await page.keyboard.press('.');
      await expect.poll(() => step()).toBe(1);
      return Number.parseFloat((await page.locator('.reward .numbers').first().textContent())!);
    };
    const before = await speedOfFirstStep(false);
    expect(await speedOfFirstStep(false)).toBe(before);
    expect(await speedOfFirstStep(true)).toBeLessThan(before - 0.3);
    await page.keyboard.press('Space');
  });

  it('compares two preferences from the same start', async () => {
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect.poll(() => page.locator('.pane-label').count()).toBe(2);
    const [first, second] = (await preference()).split(';');
    expect(second).toBe(first.split(',').reverse().join());
    await expect.poll(() => page.locator('.reached').textContent()).toMatch(/Return of A: Speed .*Return of B: Speed/);
    await expect.poll(() => page.locator('.reward .numbers').first().locator('span').count()).toBe(2);
    await drag('.slider-two input', 0.5, 0.2);
    expect((await preference()).split(';')[0]).toBe(first);
    await picture('compare');
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect.poll(() => page.locator('.pane-label').count()).toBe(1);
  });

  it('gives away a policy that acts as the trained one does', async () => {
    const policy = policyIn(EXAMPLES[0]);
    policy.prefer([0.25, 0.75]);
    // A link to one preference, which ends a comparison too.
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.goto(`${served.url}#run=half-cheetah&w=0.25,0.75`);
    await expect.poll(() => preference()).toBe('0.25,0.75');
    await expectDownloaded(policy);
    const json = JSON.parse(readFileSync(await download('Policy at this preference (JSON)'), 'utf8')) as {
      preference: unknown;
    };
    expect(json.preference).toEqual([0.25, 0.75]);
    const run = openRun(EXAMPLES[0]);
    expect(readFileSync(await download('Front (CSV)'), 'utf8')).toBe(
      frontCsv(['Speed', 'Efficiency'], frontOf(readReturns(run)), run.protocol.referencePoint),
    );
    expect(readFileSync(await download('Front (SVG)'), 'utf8')).toMatch(/^<svg /);
    expect(
      readFileSync(await download('Front (PNG)'))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('plays the policies of a finite set, of which a preference chooses one, and gives them away', async () => {
    await choose('population');
    const { returns } = readReturns(openRun(population));
    expect(returns.length).toBeGreaterThan(1);
    const label = `Pareto front with ${returns.length} points over `;
    await expect.poll(() => page.locator('.front svg').getAttribute('aria-label')).toContain(label);
    await page.waitForSelector('.robot[data-seen="true"]');
    const policy = policyIn(population);
    const parameters = new Set<string | null>();
    for (const [from, to] of [
      [0.5, 0.98],
      [0.98, 0.02],
    ]) {
      const before = await step();
      await drag('.slider-two input', from, to);
      const w = (await preference()).split(',').map(Number);
      policy.prefer(w);
      const utility = (point: readonly number[]) => w[0] * point[0] + w[1] * point[1];
      const most = Math.max(...returns.map(utility));
      // What differs in the last bit comes to percents in an episode of a robot that has hardly learned.
      const isBest = async () => {
        const points = JSON.parse((await achieved()) ?? '[]') as number[][];
        return points.some((point) => Math.abs(utility(point) - most) < 0.05 * Math.abs(most));
      };
      await expect.poll(isBest, { timeout: 10_000 }).toBe(true);
      expect(await step()).toBeGreaterThan(before);
      parameters.add(await data(page, '.parameters canvas', 'sum'));
    }
    // The best of one objective is never the best of the other among policies of which none is better than another.
    expect(parameters.size).toBe(2);
    expect(await page.locator('.clock').textContent()).toContain('episode 1');
    await expectDownloaded(policy);
    const rows = readFileSync(await download('Front (CSV)'), 'utf8')
      .trim()
      .split('\n');
    expect(rows.length).toBe(1 + returns.length);
    await picture('population');
  });

  it('shows the way through the fruit tree, and takes preferences from the front', async () => {
    await choose('fruit-tree');
    const path = () => data(page, '.pane', 'path');
    await expect.poll(async () => (JSON.parse((await path()) ?? '[]') as unknown[]).length).toBe(7);
    await drag('.sliders input', 0.17, 0.95);
    await expect.poll(() => page.locator('.tree .lit path').count()).toBe(6);
    const first = await path();
    await picture('fruit-tree');
    await page.locator('.front svg').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await changed(path, first);
    const taken = await preference();
    const { x, y, width, height } = (await page.locator('.front svg').boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await expect.poll(() => page.locator('.tooltip').textContent()).toContain('Protein');
    await page.mouse.click(x + width / 2, y + height / 2);
    await changed(() => preference(), taken);
  });

  it('says what is wrong with a damaged run, and goes on', async () => {
    await choose('damaged');
    const text = 'config.json of this run is damaged: it is not valid JSON.';
    await expect.poll(() => page.locator('.notice').textContent()).toContain(text);
    await picture('damaged');
  });

  it('follows a run while it trains, and plays it when it is finished', async () => {
    await choose('growing');
    await expect
      .poll(() => page.locator('.notice').textContent())
      .toContain('This run was interrupted250 of 1,000 steps');
    // A process, this one, trains it from here on.
    const unlock = lockRun(growing);
    await askAgain();
    await expect.poll(() => page.locator('.notice').textContent()).toContain('is still training');
    await page.getByRole('tab', { name: 'Training' }).click();
    await expect.poll(() => data(page, '.curves', 'points')).toBe('1');
    const { writes, learner, evaluated } = await writer();
    writes.record(evaluated(250), 1);
    writes.record(evaluated(500), 2);
    expect(await data(page, '.kept-line', 'hypervolume')).toBe('250');
    await expect.poll(() => data(page, '.curves', 'points'), { timeout: 5000 }).toBe('2');
    await page.locator('.training select').selectOption('criticLoss');
    await picture('training');
    writes.record(evaluated(1000), 3);
    const outcome = { envSteps: 1000, gradientSteps: 1000, evaluationSteps: 0, seconds: 3, stopped: false };
    await writes.finish({ learner }, evaluated(1000), outcome);
    await learner.dispose();
    unlock();
    await page.waitForSelector('.robot[data-seen="true"]');
    await page.getByRole('tab', { name: 'Front' }).click();
    await changed(() => achieved(), '[]');
    const before = await preference();
    const corner = (await page.locator('.triangle svg').boundingBox())!;
    await page.mouse.click(corner.x + corner.width / 2, corner.y + 0.3 * corner.height);
    expect(await preference()).not.toBe(before);
    await picture('three-objectives');
  });

  it('has the slider in sight on a tablet, a phone and an enlarged page, and nothing wider than the window', async () => {
    await choose('half-cheetah');
    for (const [width, height] of [
      [768, 1024],
      [390, 844],
      // 1440 x 900 and 1024 x 768 at 200 %.
      [720, 450],
      [512, 384],
    ]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(100);
      await picture(`${width}x${height}`);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
      const { y, height: high } = (await page.locator('.slider-two input').boundingBox())!;
      expect(y + high).toBeLessThanOrEqual(height);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('breaks no rule of accessibility that can be checked, in dark and light colours', async () => {
    await page.evaluate(readFileSync(inRepository('node_modules/axe-core/axe.min.js'), 'utf8'));
    const found: string[] = [];
    for (const colours of ['Light colours', 'Dark colours']) {
      await page.getByRole('button', { name: colours }).click();
      for (const [run, tab] of [
        ['half-cheetah', 'Front'],
        ['fruit-tree', 'Training'],
        ['damaged', 'Front'],
      ]) {
        await choose(run);
        await page.getByRole('tab', { name: tab }).click();
        const { violations } = await page.evaluate<Axe>('axe.run()');
        found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${colours}: ${id} ${html}`)));
      }
    }
    expect(found).toEqual([]);
    const unnamed = await page.evaluate<string[]>(`
      [...document.querySelectorAll('button, select, input, [tabindex]')]
        .filter((element) => !(element.ariaLabel || element.textContent.trim() || element.labels?.length))
        .map((element) => element.outerHTML)`);
    expect(unnamed).toEqual([]);
  });

  it('says that a run is not there, instead of showing another, and knows preferences that are none', async () => {
    await page.goto(`${served.url}#run=gone&w=1e400,0`);
    await expect.poll(() => page.locator('.notice').textContent()).toContain('There is no run “gone” here');
    await page.goto(`${served.url}#run=fruit-tree&w=1e400,0,0,0,0,0`);
    await expect.poll(() => preference()).toMatch(/^(?:0\.1\d*,?){6}$/);
  });

  it('says so where a link cannot be copied, a download fails, and the server is gone', async () => {
    const said = () => page.locator('.message').textContent();
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.getByRole('button', { name: 'Link' }).click();
    await expect.poll(said).toBe('The browser does not let the link be copied; it is in the address bar.');
    expect(await page.locator('.lost').count()).toBe(0);
    await page.context().setOffline(true);
    await page.locator('.menu summary').click();
    await page.getByRole('menuitem', { name: 'ONNX' }).click();
    await expect.poll(said).toContain('The download failed: ');
    await askAgain();
    await expect.poll(() => page.locator('.lost').textContent()).toContain('does not answer');
    await page.context().setOffline(false);
    await askAgain();
    await expect.poll(() => page.locator('.lost').count()).toBe(0);
    errors.splice(0, errors.length, ...errors.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED')));
  });

  it('holds no connection, of which browsers allow six: many tabs of it load', async () => {
    const context = page.context();
    const tabs = await Promise.all(Array.from({ length: 6 }, () => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${served.url}#run=fruit-tree`)));
    await Promise.all(tabs.map((tab) => tab.waitForSelector('.tree .lit path', { state: 'attached' })));
    await Promise.all(tabs.map((tab) => tab.close()));
  });

  it('works as exported files without a server behind it, and offline', async () => {
    await page.context().close();
    const out = join(folder, 'exported');
    exportPage(PAGE, findRuns([...EXAMPLES, population]), out);
    const { server, address } = await plainServer(out);
    const exported = await open(address);
    await exported.waitForLoadState('networkidle');
    const parameters = () => data(exported, '.parameters canvas', 'sum');
    const ofFirst = await parameters();
    await choose('population', exported);
    await changed(parameters, ofFirst);
    await exported.context().setOffline(true);
    server.close();
    await drag('.slider-two input', 0.5, 0.98, exported);
    const before = { parameters: await parameters(), step: await step(exported) };
    await drag('.slider-two input', 0.98, 0.02, exported);
    await changed(parameters, before.parameters);
    await expect.poll(() => step(exported)).toBeGreaterThan(before.step);
    await exported.context().close();
  });

  it('never asks another machine for anything, and breaks no rule of its policy', () => {
    const foreign = requests.filter((address) => !/^(?:blob:)?http:\/\/127\.0\.0\.1:/.test(address));
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('is small enough to load at once', () => {
    const sizes = findFiles(join(PAGE, 'assets'))
      .filter((path) => path.endsWith('.js') && !/mujoco|robot-view/.test(path))
      .map((path) => gzipSync(readFileSync(path)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000_000);
  });
});

/** What axe found. */
interface Axe {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

async function download(name: string): Promise<string> {
  await page.locator('.menu summary').click();
  const [started] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
  return started.path();
}

/** A web server that knows nothing of the explorer. */
async function plainServer(root: string): Promise<{ server: Server; address: string }> {
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.wasm': 'application/wasm',
  };
  const server = createServer((request, response) => {
    const path = join(root, request.url === '/' ? 'index.html' : request.url!.split('?')[0]);
    const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    response.writeHead(isThere ? 200 : 404, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' });
    response.end(isThere ? readFileSync(path) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

function findFiles(root: string): string[] {
  return readdirSync(root).map((name) => join(root, name));
}
