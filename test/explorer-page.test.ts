/** The page of `psl explore` in a real browser. It is skipped where there is no Chromium. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumArguments, findChromium } from '../scripts/chromium.mjs';
import { envInfo, makeEnv, prepareEnv } from '../src/envs/index.js';
import { exportPage, findRuns, runFinder, serve, type Served } from '../src/explorer/index.js';
import { frontCsv, frontOf } from '../src/fronts/index.js';
import { dominates, hypervolumeShares } from '../src/pareto/index.js';
import { plainPolicy, readModel, type PlainPolicy } from '../src/model/index.js';
import { formatNumber } from '../src/plots/scale.js';
import { Random } from '../src/random/index.js';
import { exportRun, loadModel, openRun, readReturns, trainRun } from '../src/runs/index.js';
import { lockRun } from '../src/runs/lock.js';
import { RunWriter } from '../src/runs/writer.js';
import { evaluationPreferences } from '../src/training/definition.js';
import { createLearner, planTraining } from '../src/training/index.js';
import { plainServer } from './support/plain-server.js';
import { temporaryFolder } from './support/temporary-folder.js';

const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const PAGE = inRepository('dist/src/explorer/page');
const ARTEFACTS = inRepository('test-artefacts');
const EXAMPLES = ['half-cheetah', 'fruit-tree'].map((name) => inRepository(`examples/runs/${name}`));
const browserPath = findChromium();

const folder = temporaryFolder('page');
const growing = join(folder, 'growing');
const begun = join(folder, 'begun');
const conditioned = join(folder, 'conditioned');
/** A folder that has no run yet. */
const later = join(folder, 'later');
const damaged = join(folder, 'damaged');
const population = join(folder, 'population');
const rival = join(folder, 'rival');
/** The fruit tree, with preferences that are answered by others. */
const answered = join(folder, 'answered');
let browser: Browser;
let served: Served;
let page: Page;
/** Addresses that the page asked for, and what went wrong in it. */
const requests: string[] = [];
const errors: string[] = [];

/** A run on the three objectives of the hopper whose policy has learned nothing, written as a training writes it. */
async function writer(out = growing, algorithm = 'psl-td3') {
  const settings = { steps: 1000, evaluationDivisions: 4, hidden: [16, 16], criticHidden: [8], batch: 8, groups: 8 };
  const angles = { criticAngle: 0, actorAngle: 0, keyUpdates: null };
  const plan = planTraining({ env: 'mo-hopper-v3', algorithm, settings: { ...settings, ...angles } });
  const learner = await createLearner(plan);
  learner.initialise(new Random(1), 0);
  const writes = new RunWriter(out, plan, 1);
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
async function trainPopulation(out: string, seed: number): Promise<void> {
  const tasks = { taskDivisions: 2, children: 2, horizon: 16, batch: 16, epochs: 2, warmup: 2, generation: 1 };
  const settings = { ...tasks, steps: 384, hidden: [8], criticHidden: [8], evaluations: 1, evaluationDivisions: 4 };
  // Of seed 2 three policies remain that are far from each other; of seed 1 it is one, which dominates all others.
  const request = { env: 'mo-swimmer-v2', algorithm: 'pg-morl', seed, device: 'cpu:1', workers: 0, settings };
  await trainRun(planTraining(request), { out });
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
  // Another algorithm, which writes other numbers, and a run of it that has not been evaluated.
  for (const out of [conditioned, begun]) {
    const other = await writer(out, 'pd-td3');
    other.writes.begin();
    if (out === conditioned) other.writes.record({ ...other.evaluated(250), diagnostics: { alignment: 1 } }, 1);
    await other.learner.dispose();
  }
  mkdirSync(later);
  await trainPopulation(population, 2);
  await trainPopulation(rival, 1);
  const folders = [...EXAMPLES, growing, damaged, population, rival, conditioned, begun, later];
  served = await serve({ page: PAGE, find: runFinder(folders), host: '127.0.0.1', port: 0 });
  // As on a machine without a graphics card.
  browser = await chromium.launch({ executablePath: browserPath, args: chromiumArguments() });
  page = await open(served.url);
}, 180_000);

afterAll(async () => {
  if (browserPath === undefined) return;
  await browser.close();
  await served.close();
});

async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    colorScheme: 'dark',
    ...options,
  });
  const opened = await context.newPage();
  opened.setDefaultTimeout(100_000);
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

/** What a run had achieved, and when. */
interface Evaluated {
  readonly envSteps: number;
  readonly score: { readonly hypervolume: number; readonly points: number };
}

/** What the files of a run say of it: its last scores, all evaluations, the best of them, and the returns of each preference. */
function recordsOf(run: string) {
  const read = (name: string) => readFileSync(join(run, name), 'utf8');
  const result = JSON.parse(read('result.json')) as Evaluated['score'];
  const lines = read('metrics.jsonl').trimEnd().split('\n');
  const evaluations = lines.map((line) => JSON.parse(line) as Evaluated);
  const hypervolumes = evaluations.map(({ score }) => score.hypervolume);
  const best = hypervolumes.indexOf(Math.max(...hypervolumes));
  return { result, evaluations, best, ...readReturns(openRun(run)) };
}

/** The preference that loses most by its own policy, and which share of the best utility of the set that is; above zero returns. */
function worstAnswer({ preferences, returns }: Pick<ReturnType<typeof recordsOf>, 'preferences' | 'returns'>) {
  const utility = (w: readonly number[], point: readonly number[]) => w[0] * point[0] + w[1] * point[1];
  const losses = preferences.map(
    (w, i) => 1 - utility(w, returns[i]) / Math.max(...returns.map((point) => utility(w, point))),
  );
  const loss = Math.max(...losses);
  return { loss, preference: preferences[losses.indexOf(loss)] };
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
  await expect.poll(read, { interval: 50 }).not.toEqual(from);
}

/** Has the page ask for the list of runs now, as it does when somebody comes back to it, instead of in some seconds. */
async function askAgain(): Promise<void> {
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
}

async function picture(name: string): Promise<void> {
  await page.screenshot({ path: join(ARTEFACTS, `explorer-${name}.png`) });
}

describe.skipIf(browserPath === undefined)('the page of the explorer', { timeout: 180_000 }, () => {
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
    // Also where the slider has the focus, which it keeps after it was dragged; a tab has keys of its own, but not all.
    const tab = page.getByRole('tab', { name: 'Front' });
    await tab.press('ArrowUp');
    expect(Number.parseFloat(await preference())).toBeCloseTo(Number.parseFloat(before) + 0.04, 4);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { name: 'Preferences' }).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.slider-two input').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await preference()).toBe(before);
    await page.keyboard.press('Space');
    await page.keyboard.press('r');
    // The pause comes before the start in what is asked of the worker, so that nothing moves once it is there.
    await expect.poll(() => step()).toBe(0);
    await page.waitForTimeout(200);
    expect(await step()).toBe(0);
    await page.keyboard.press('.');
    await expect.poll(() => step()).toBe(1);
    await page.keyboard.press('.');
    await expect.poll(() => step()).toBe(2);
    await page.getByRole('button', { name: 'Play' }).click();
    await changed(() => step(), 2);
  });

  it('explains itself, and while it does no other key is meant for it', async () => {
    const before = await preference();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog');
    const { preferences } = recordsOf(EXAMPLES[0]);
    const protocol = `${preferences.length} preferences, one episode each, returns as plain sums`;
    expect(await help.textContent()).toContain(protocol);
    await page.keyboard.press('ArrowRight');
    expect(await preference()).toBe(before);
    await page.keyboard.press('Escape');
    await expect.poll(() => help.count()).toBe(0);
  });

  it('closes a menu when something beside it is clicked, and leaves it open for a click in it', async () => {
    const [train, download] = ['.train-menu', '.menu'].map((name) => page.locator(name));
    const isOpen = (menu: typeof train) => menu.getAttribute('open').then((value) => value !== null);
    await train.locator('summary').click();
    await train.getByLabel('Seed').click();
    expect(await isOpen(train)).toBe(true);
    await download.locator('summary').click();
    expect([await isOpen(train), await isOpen(download)]).toEqual([false, true]);
    await page.locator('.clock').click();
    expect(await isOpen(download)).toBe(false);
  });

  it('shows how each preference is answered, where most is lost, and where its parameters are', async () => {
    await page.getByRole('tab', { name: 'Preferences' }).click();
    const records = recordsOf(EXAMPLES[0]);
    const dominated = records.returns.filter((point) => records.returns.some((other) => dominates(other, point)));
    expect(await data(page, '.gaps', 'dominated')).toBe(String(dominated.length));
    const worst = worstAnswer(records);
    const named = ['Speed', 'Efficiency']
      .map((name, k) => ({ name, weight: worst.preference[k] }))
      .filter(({ weight }) => weight > 0)
      .map(({ name, weight }) => `${name} ${Math.round(100 * weight)} %`);
    const name = `${(100 * worst.loss).toFixed(1)} % at ${named.join(', ')}`;
    await page.getByRole('button', { name, exact: true }).click();
    expect(await preference()).toBe(worst.preference.map((weight) => Number(weight.toFixed(4))).join());
    await picture('preferences');
    await page.getByRole('tab', { name: 'Parameters' }).click();
    await page.waitForSelector('.layer');
    // The tab was clicked, and does not keep the arrows for itself.
    const place = await data(page, '.here', 'place');
    const moved = await data(page, '.layer', 'moved');
    await page.keyboard.press('ArrowLeft');
    await changed(() => data(page, '.here', 'place'), place);
    await changed(() => data(page, '.layer', 'moved'), moved);
    await picture('parameters');
    await page.getByRole('tab', { name: 'Front' }).click();
  });

  it('shows the front as it was at an evaluation', async () => {
    const label = () => page.locator('.front svg').getAttribute('aria-label');
    const slider = page.getByLabel('Evaluation', { exact: true });
    const { result, evaluations, best } = recordsOf(EXAMPLES[0]);
    expect(await slider.inputValue()).toBe(String(best));
    // One that was not the best, with another after it.
    const past = best === 0 ? 1 : 0;
    const { envSteps, score } = evaluations[past];
    await slider.fill(String(past));
    await expect.poll(label).toContain(`Pareto front with ${score.points} points`);
    const kept = `after ${envSteps.toLocaleString('en')} steps; ${formatNumber(result.hypervolume)} is kept and played`;
    expect(await page.locator('.kept-line').textContent()).toContain(kept);
    const before = await preference();
    await slider.press('ArrowRight');
    expect([await slider.inputValue(), await preference()]).toEqual([String(past + 1), before]);
    await page.getByRole('button', { name: 'Kept' }).click();
    await expect.poll(label).toContain(`Pareto front with ${result.points} points`);
    expect(await slider.inputValue()).toBe(String(best));
    // Space is for the page again, and not for the tab.
    await page.locator('h1').click();
  });

  it('pushes the robot away from where it is clicked, pulls at it where it is dragged, and lets go', async () => {
    await page.keyboard.press('Space');
    const speedOfFirstStep = async (
      disturb?: (at: (right: number, down: number) => [number, number]) => Promise<void>,
    ) => {
      await page.keyboard.press('r');
      await expect.poll(() => step()).toBe(0);
      const { x, y, width, height } = (await page.locator('.robot canvas').boundingBox())!;
      await disturb?.((right, down) => [x + right * width, y + down * height]);
      await page.keyboard.press('.');
      await expect.poll(() => step()).toBe(1);
      return Number.parseFloat((await page.locator('.reward .numbers').first().textContent())!);
    };
    const before = await speedOfFirstStep();
    expect(await speedOfFirstStep()).toBe(before);
    expect(await speedOfFirstStep((at) => page.mouse.click(...at(0.95, 0.6)))).toBeLessThan(before - 0.3);
    const address = page.url();
    const pulled = await speedOfFirstStep(async (at) => {
      // The camera comes to rest, and then the torso is there.
      await page.waitForTimeout(600);
      await page.mouse.move(...at(0.5, 0.447));
      await page.mouse.down();
      await page.mouse.move(...at(0.3, 0.4), { steps: 4 });
      await page.waitForTimeout(200);
    });
    await picture('pull');
    await page.mouse.up();
    expect(pulled).toBeLessThan(before - 0.3);
    expect(await speedOfFirstStep()).toBe(before);
    expect(page.url()).toBe(address);
    await page.keyboard.press('Space');
  });

  it('turns the camera where the ground is dragged, says so in the address, and puts it back', async () => {
    const { x, y, width, height } = (await page.locator('.robot canvas').boundingBox())!;
    await page.mouse.move(x + 0.1 * width, y + 0.9 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.2 * width, y + 0.9 * height, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => page.url()).toMatch(/&camera=-0\.\d+,0,1$/);
    await page.keyboard.press('l');
    expect(await page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('v');
    expect(await page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => page.url()).not.toContain('camera');
  });

  it('compares two preferences that differ, also where all objectives weigh alike', async () => {
    await page.goto(`${served.url}#run=half-cheetah&w=0.5,0.5`);
    await expect.poll(() => preference()).toBe('0.5,0.5');
    await page.keyboard.press('c');
    await expect.poll(() => preference()).toBe('0.5,0.5;0,1');
    await page.keyboard.press('c');
    await page.goto(`${served.url}#run=half-cheetah&w=0.3,0.7`);
    await expect.poll(() => preference()).toBe('0.3,0.7');
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
    await page.keyboard.press('g');
    await expect.poll(() => page.locator('.behind').textContent()).toMatch(/^\d+\.\d m (?:ahead|behind)$/);
    await expect.poll(() => page.url()).toContain('&ghost=yes');
    await picture('ghost');
    await page.keyboard.press('g');
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect.poll(() => page.locator('.pane-label').count()).toBe(1);
  });

  it('finds a preference by asking which of two outcomes is better, and plays both beside each other', async () => {
    await page.getByRole('tab', { name: 'Find' }).click();
    await page.getByRole('button', { name: 'Begin' }).click();
    await expect.poll(() => page.locator('.pane-label').count()).toBe(2);
    const asked = await preference();
    const choices = page.locator('.outcomes thead button');
    await page.getByRole('button', { name: 'Cannot tell' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await preference()).toBe(asked);
    // Somebody who wants speed and nothing else.
    for (let i = 0; i < 20 && (await choices.count()) > 0; i++) {
      const row = page.locator('.outcomes tbody tr').first().locator('td');
      const [a, b] = (await row.allTextContents()).map((text) => Number(text.replaceAll(',', '')));
      await choices.nth(a > b ? 0 : 1).click();
    }
    expect(await page.locator('.find').textContent()).toMatch(
      /^After \d+ answers your preference is set: Speed \d+ %, /,
    );
    expect(Number(await data(page, '.find', 'sureness'))).toBeGreaterThanOrEqual(0.9);
    await expect.poll(() => page.locator('.pane-label').count()).toBe(1);
    expect(Number.parseFloat(await preference())).toBeGreaterThan(0.5);
    await picture('find');
    await page.getByRole('tab', { name: 'Front' }).click();
  });

  it('shows policies of the whole front in one picture, to be taken away as a picture and as a video', async () => {
    await page.keyboard.press('f');
    await expect.poll(() => page.locator('.fan-label').count()).toBe(7);
    // The first label names the objectives for all.
    expect(await page.locator('.fan-label small:not(.unseen)').count()).toBe(2);
    const returns = () => page.locator('.fan-label').first().textContent();
    await changed(returns, await returns());
    await expect.poll(() => page.url()).toMatch(/#run=half-cheetah&fan=7$/);
    expect(await page.title()).toContain('7 policies of half-cheetah');
    await picture('fan');
    const { width, height } = (await page.locator('.robot canvas').boundingBox())!;
    const png = readFileSync(await download('Picture of the robot (PNG)'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(Math.abs(png.readUInt32BE(16) - 2 * width)).toBeLessThan(4);
    expect(Math.abs(png.readUInt32BE(20) - 2 * height)).toBeLessThan(4);
    await page.getByRole('button', { name: 'Record' }).click();
    await page.waitForTimeout(500);
    const stop = page.getByRole('button', { name: 'Stop and save' });
    const [started] = await Promise.all([page.waitForEvent('download'), stop.click()]);
    expect(started.suggestedFilename()).toMatch(/^half-cheetah-video\.(?:webm|mp4)$/);
    expect(statSync(await started.path()).size).toBeGreaterThan(5000);
    // Whoever chooses one of them goes on with it.
    const last = (await preference()).split(';').at(-1);
    await page.locator('.fan-label').last().click();
    await page.getByRole('button', { name: 'Fan' }).click();
    expect(await preference()).toBe(last);
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
      await expect.poll(isBest).toBe(true);
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

  it('compares runs of one environment on one front, and plays two of them at one preference', async () => {
    await page.getByRole('tab', { name: 'Methods' }).click();
    const rows = page.locator('.contenders tbody tr');
    expect(await rows.count()).toBe(2);
    const runs = [population, rival].map((out) => openRun(out));
    const fronts = runs.map((one) => frontOf(readReturns(one)).returns);
    const { total, alone } = hypervolumeShares(fronts, runs[0].protocol.referencePoint);
    const adds = await Promise.all([0, 1].map(async (i) => Number(await rows.nth(i).getAttribute('data-adds'))));
    adds.forEach((share, i) => expect(share).toBeCloseTo(alone[i] / total, 9));
    await page.getByRole('button', { name: 'Play rival as B' }).click();
    await expect
      .poll(() => page.locator('.pane-label').allTextContents())
      .toEqual(['Apopulation · pg-morl', 'Brival · pg-morl']);
    await drag('.slider-two input', 0.02, 0.4);
    const [first, second] = (await preference()).split(';');
    expect(second).toBe(first);
    await expect.poll(() => page.url()).toMatch(/#run=population&view=methods&w=[\d.,]+&rival=rival$/);
    const numbers = page.locator('.reward .numbers').first().locator('span[data-return]');
    await expect.poll(() => numbers.count()).toBe(2);
    await picture('methods');
    await page.getByRole('button', { name: 'Play rival as B' }).click();
    await expect.poll(() => page.locator('.pane-label').count()).toBe(1);
    await page.getByRole('tab', { name: 'Front' }).click();
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

  it('says which leaf is the best for a preference and what the policy loses, and goes to a leaf that is clicked', async () => {
    await page.goto(`${served.url}#run=fruit-tree&w=1,0,0,0,0,0`);
    const leaf = async () => (JSON.parse((await data(page, '.pane', 'path')) ?? '[]') as Place[]).at(-1)?.column;
    // Of all fruits it has the most protein.
    await expect.poll(() => leaf()).toBe(58);
    expect([await data(page, '.tree', 'best'), await data(page, '.tree', 'regret')]).toEqual(['58', '0']);
    const { x, y, width, height } = (await page.locator('.crown svg').boundingBox())!;
    await page.mouse.click(x + (width * 10.5) / 64, y + height - 14);
    await expect.poll(() => leaf()).toBe(10);
    await page.mouse.click(x + (width * 54.5) / 64, y + height - 14);
    const said = () => page.locator('.message').textContent();
    await expect.poll(said).toBe('No preference that was evaluated leads to leaf 55.');
  });

  it('keeps the policies that are in a range of an objective, by pointer and by keys, until it is cleared', async () => {
    const { x, y } = (await page.locator('.front svg').boundingBox())!;
    const brushed = () => page.locator('.brushed').textContent();
    await page.mouse.move(x + 28, y + 40);
    await page.mouse.down();
    await page.mouse.move(x + 28, y + 80, { steps: 3 });
    await page.mouse.up();
    const kept = await page.locator('.front-path.inside').count();
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(61);
    expect(await brushed()).toContain(`${kept} of 61 inside`);
    await picture('brushed');
    await page.mouse.click(x + 28, y + 60);
    expect(await brushed()).not.toContain('inside');
    const axis = page.getByRole('slider', { name: 'Carbs, least value' });
    const inside = async () => Number(/^(\d+) of 61 inside/.exec((await brushed()) ?? '')?.[1] ?? 61);
    const whole = await axis.getAttribute('aria-valuetext');
    for (let i = 0; i < 4; i++) await axis.press('ArrowUp');
    await expect.poll(inside).toBeLessThan(61);
    const upper = await inside();
    for (let i = 0; i < 8; i++) await axis.press('Shift+ArrowDown');
    await expect.poll(inside).toBeLessThan(upper);
    expect(await axis.getAttribute('aria-valuetext')).not.toBe(whole);
    await axis.press('Delete');
    await expect.poll(brushed).not.toContain('inside');
    expect(await axis.getAttribute('aria-valuetext')).toBe(whole);
    await page.locator('h1').click();
  });

  it('says what is wrong with a damaged run, and goes on', async () => {
    await choose('damaged');
    const text = 'config.json of this run is damaged: it is not valid JSON.';
    await expect.poll(() => page.locator('.notice').textContent()).toContain(text);
    await picture('damaged');
  });

  it('plots every number of two algorithms, and a run that has not been evaluated', async () => {
    const failed = () => page.locator('#plots [role="alert"]').count();
    await choose('conditioned');
    await page.getByRole('tab', { name: 'Training' }).click();
    const metric = page.locator('.training select');
    const names = await metric.locator('option').allTextContents();
    expect(names).toEqual(expect.arrayContaining(['hypervolume', 'criticLoss', 'alignment']));
    for (const name of names) {
      await metric.selectOption(name);
      const label = () => page.locator('.curves svg').getAttribute('aria-label');
      await expect.poll(label).toBe(`${name} over environment steps, 3 runs`);
      expect(await failed()).toBe(0);
    }
    // Two algorithms have two colours; runs of the same one share theirs.
    const colours = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.runs .dot')].map((dot) => dot.style.background)",
    );
    expect([colours.length, new Set(colours).size]).toEqual([3, 2]);
    await choose('begun');
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      expect(await failed()).toBe(0);
    }
    await choose('conditioned');
    await page.getByRole('tab', { name: 'Front' }).click();
    await page.waitForSelector('.front svg[aria-label^="Pareto front with"]');
  });

  it('keeps its tabs where they are while a run that was chosen opens', async () => {
    await choose('population');
    const shown = () => data(page, '.parameters canvas', 'sum');
    const before = await shown();
    await page.evaluate(`tops = new Set(), follow = () => {
      tops.add(document.querySelector('.tabs').getBoundingClientRect().top);
      requestAnimationFrame(follow);
    }, follow()`);
    await choose('rival');
    await changed(shown, before);
    expect(await page.evaluate<number>('follow = () => {}, tops.size')).toBe(1);
  });

  it('has curves with values under the pointer, smoothing, logarithmic axes, and a band over seeds', async () => {
    await choose('half-cheetah');
    await page.getByRole('tab', { name: 'Training' }).click();
    await page.locator('.training select').selectOption('hypervolume');
    const curves = page.locator('.curves svg');
    const curve = () => curves.locator('.mean').getAttribute('d');
    const value = () => page.locator('.runs li .muted').first().textContent();
    const kept = await value();
    await curves.hover({ position: { x: 60, y: 60 } });
    await expect.poll(() => curves.locator('.reading text').textContent()).toMatch(/^after [\d,]+ steps$/);
    expect(await value()).not.toBe(kept);
    await page.mouse.move(0, 0);
    await expect.poll(() => curves.locator('.reading').count()).toBe(0);
    expect(await value()).toBe(kept);
    const plain = await curve();
    const smoothing = page.getByLabel('Smoothing');
    await smoothing.fill('0.9');
    await expect.poll(curve).not.toBe(plain);
    await smoothing.fill('0');
    await expect.poll(curve).toBe(plain);
    for (const axis of ['log steps', 'log values']) {
      const box = page.getByLabel(axis);
      await box.check();
      await expect.poll(curve).not.toBe(plain);
      await box.uncheck();
      await expect.poll(curve).toBe(plain);
    }
    await choose('population');
    await expect.poll(() => curves.locator('.band').count()).toBe(1);
    await page.getByRole('tab', { name: 'Front' }).click();
  });

  it('lists a run that is begun in a folder later', async () => {
    cpSync(begun, join(later, 'first'), { recursive: true });
    await askAgain();
    await expect.poll(() => page.locator('.run-choice option', { hasText: 'later first' }).count()).toBe(1);
  });

  it('begins with a still picture where less motion is asked for', async () => {
    const still = await open(served.url, { reducedMotion: 'reduce' });
    expect(await step(still)).toBe(0);
    expect(await still.getByRole('button', { name: 'Play', exact: true }).count()).toBe(1);
    await still.context().close();
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
    expect(await data(page, '.kept-line', 'hypervolume')).toBe('250');
    const { writes, learner, evaluated } = await writer();
    writes.record(evaluated(250), 1);
    writes.record(evaluated(500), 2);
    await expect.poll(() => data(page, '.curves', 'points')).toBe('2');
    // What it is at its last evaluation is played while it trains, where it is told to keep that.
    await writes.keepSnapshot(evaluated(500), learner, 3);
    await askAgain();
    await page.waitForSelector('.robot[data-seen="true"]');
    expect(await page.locator('.caption').textContent()).toContain('As it was after 500 steps.');
    await page.locator('.training select').selectOption('criticLoss');
    await picture('training');
    writes.record(evaluated(1000), 3);
    const outcome = {
      envSteps: 1000,
      gradientSteps: 1000,
      evaluationSteps: 0,
      seconds: 3,
      machine: null,
      stopped: false,
    };
    await writes.finish({ learner }, evaluated(1000), outcome);
    await learner.dispose();
    unlock();
    await expect.poll(() => page.locator('.caption').textContent()).not.toContain('As it was');
    await page.waitForSelector('.robot[data-seen="true"]');
    await page.getByRole('tab', { name: 'Front' }).click();
    await changed(() => achieved(), '[]');
    // The slider plays what is kept of the past.
    await page.getByLabel('Evaluation', { exact: true }).fill('1');
    await expect.poll(() => page.locator('.caption').textContent()).toContain('As it was after 500 steps.');
    await page.getByRole('button', { name: 'Kept' }).click();
    await expect.poll(() => page.locator('.caption').textContent()).not.toContain('As it was');
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
      const tabs = await page.getByRole('tab').all();
      const lines = await Promise.all(tabs.map(async (tab) => (await tab.boundingBox())!.y));
      expect(new Set(lines).size).toBe(1);
    }
    // A tree is still one, instead of a line.
    await choose('fruit-tree');
    await page.waitForSelector('.crown svg');
    expect((await page.locator('.crown').boundingBox())!.height).toBeGreaterThan(100);
    await choose('half-cheetah');
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('breaks no rule of accessibility that can be checked, in dark and light colours', async () => {
    await page.evaluate(readFileSync(inRepository('node_modules/axe-core/axe.min.js'), 'utf8'));
    const found: string[] = [];
    for (const colours of ['Light colours', 'Dark colours']) {
      await page.getByRole('button', { name: colours }).click();
      for (const [run, tab, panes = 'one'] of [
        ['half-cheetah', 'Front'],
        ['half-cheetah', 'Preferences'],
        ['half-cheetah', 'Parameters'],
        ['half-cheetah', 'Front', 'fan'],
        ['population', 'Methods'],
        ['fruit-tree', 'Training'],
        ['fruit-tree', 'Find'],
        ['damaged', 'Front'],
      ]) {
        await choose(run);
        await page.getByRole('tab', { name: tab }).click();
        const begin = page.getByRole('button', { name: 'Begin' });
        if (await begin.isVisible()) await begin.click();
        if (panes === 'fan') await page.keyboard.press('f');
        const { violations } = await page.evaluate<Axe>("axe.run({ resultTypes: ['violations'] })");
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

  it('tries again what could not be loaded, in the page and in its worker', async () => {
    await choose('fruit-tree');
    await page.getByRole('tab', { name: 'Parameters' }).click();
    await page.waitForSelector('.layer');
    const model = '**/half-cheetah/model.json';
    await page.context().route(model, (route) => route.fulfill({ status: 503 }));
    await choose('half-cheetah');
    const failed = [page.locator('.stage.notice'), page.locator('#plots [role="alert"]')];
    for (const one of failed) await expect.poll(() => one.textContent()).toContain('cannot be read (503)');
    await page.context().unroute(model);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.waitForSelector('.robot[data-seen="true"]');
    await page.waitForSelector('.layer');
    errors.splice(0, errors.length, ...errors.filter((text) => !text.includes('503')));
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

  it('says whose policy answers a preference whose own one does worse', async () => {
    await exportRun(EXAMPLES[1], answered, { calibration: { episodes: 2 } });
    const calibrated = await serve({ page: PAGE, find: runFinder([answered]), host: '127.0.0.1', port: 0 });
    const { tensors } = loadModel(openRun(answered));
    const [asked, used] = ['asked', 'used'].map((table) => inRows(tensors.get(`answers.${table}`)!, 6));
    const other = asked.findIndex((weights, row) => weights.join() !== used[row].join());
    const own = asked.findIndex((weights, row) => weights.join() === used[row].join());
    const names = envInfo('fruit-tree-d6').objectives.map(({ name }) => name);
    const shares = used[other].flatMap((weight, k) =>
      weight > 0 ? [`${names[k]} ${Math.round(100 * weight)} %`] : [],
    );
    const said = async () =>
      ((await page.locator('.answered').allTextContents()).at(0) ?? '').replaceAll('\u00a0', ' ');
    await page.goto(`${calibrated.url}#run=answered&w=${asked[other].join()}`);
    await expect.poll(said).toBe(`Answered by the policy of ${shares.join(' · ')}`);
    await picture('answered');
    await page.goto(`${calibrated.url}#run=answered&w=${asked[own].join()}`);
    await expect.poll(said).toBe('');
    await calibrated.close();
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

interface Place {
  readonly row: number;
  readonly column: number;
}

/** What axe found. */
interface Axe {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

function inRows(values: Float32Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]);
}

async function download(name: string): Promise<string> {
  await page.locator('.menu summary').click();
  const [started] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
  return started.path();
}

function findFiles(root: string): string[] {
  return readdirSync(root).map((name) => join(root, name));
}
