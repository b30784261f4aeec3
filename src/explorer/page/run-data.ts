/** Runs as the page knows them, read from their files. */
import { envIds, envInfo, importEnvs, type EnvInfo, type OptionValues } from '../../envs/index.js';
import type { ReturnsAt } from '../../fronts/front.js';
import type { Method } from '../../fronts/method.js';
import type { PreferenceRegret } from '../../pareto/index.js';
import { keyPreferences } from '../../preferences/key.js';
import { answersAsSetting, isAnswers, type Answers } from '../../runs/answers.js';
import type { ListedRun } from '../run-list.js';
import { addressOf } from './address.js';
import { fetchFile } from './held-files.js';

/** One evaluation while the run trained. */
export interface Metric {
  readonly envSteps: number;
  /** Numbers by name: hypervolume, sparsity, losses and whatever else was written. */
  readonly values: Readonly<Record<string, number>>;
}

/** What the page shows of an environment. */
type ShownEnv = Pick<EnvInfo, 'id' | 'summary' | 'objectives' | 'referencePoint' | 'knownFront' | 'view'> &
  Partial<Pick<EnvInfo, 'actionSpace'>>;

/** The policy set that a run keeps: what is played, plotted and scored. While it trains, the one that it would keep now. */
export interface Kept {
  /** When it was evaluated; undefined where a run of an earlier version does not say. */
  readonly envSteps: number | undefined;
  /** Its scores, and what else was written when it was evaluated. */
  readonly values: Metric['values'];
  /** What it achieves. */
  readonly evaluated: ReturnsAt;
}

export interface RunData extends Omit<ListedRun, 'env' | 'view' | 'stamp'> {
  readonly url: string;
  readonly env: ShownEnv;
  /** Why the environment cannot be played here, to complete a sentence, where it cannot. */
  readonly unplayable?: string;
  readonly envOptions: OptionValues;
  readonly algorithm: string;
  readonly method: Method;
  readonly seed: number;
  /** Environment steps that the whole run takes, with those of the run that it began with and of its key solutions. */
  readonly steps: number;
  /** How returns are measured. */
  readonly returnDiscount: number;
  readonly episodes: number;
  /** Whether its model is a finite set of policies, of which a preference chooses one. */
  readonly isFiniteSet: boolean;
  /** Of the hypervolume, in the units of the returns. */
  readonly referencePoint: readonly number[];
  /** Where the numbers of its networks were rounded after the training. */
  readonly weights?: 'float16';
  /** How its model came to answer preferences by policies of others, where it does. */
  readonly answers?: Answers;
  readonly metrics: readonly Metric[];
  /** Whether it keeps the best policy set of all evaluations, instead of the last. */
  readonly keepsBest: boolean;
  /** Undefined before the first evaluation. */
  readonly kept: Kept | undefined;
  /** Whether it is over, or was stopped and does not go on. */
  readonly isFinished: boolean;
  /** Whether it ended before all its steps were taken. */
  readonly isStopped: boolean;
  /** One that goes on after it was stopped has that of where it was. */
  readonly hasModel: boolean;
  /** Environment steps after which its model was written, which differ where another one has taken its place. */
  readonly modelSteps?: number;
}

/** What preferences lose by their own policies, as shares of the best utility. */
export const REGRET = {
  mean: 'mean regret',
  worst: 'worst regret',
  below80: 'share of preferences below 80 % of the best utility',
} as const satisfies Record<keyof PreferenceRegret, string>;

/** A run that cannot be shown, and why. */
export interface BrokenRun extends ListedRun {
  readonly problem: string;
}

export function isBroken(run: RunData | BrokenRun): run is BrokenRun {
  return 'problem' in run;
}

/** @param seconds when evaluations of a run that still trains were first seen, by their environment steps */
export async function loadRun(
  listed: ListedRun,
  seconds: ReadonlyMap<number, number> = new Map(),
): Promise<RunData | BrokenRun> {
  try {
    return await read(listed, seconds);
  } catch (error) {
    return { ...listed, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function read({ id, name, module, isTraining }: ListedRun, seen: ReadonlyMap<number, number>): Promise<RunData> {
  const url = `./runs/${id}/`;
  const [config, lines, result] = await Promise.all([
    fetchText(url, 'config.json'),
    fetchText(url, 'metrics.jsonl'),
    fetchText(url, 'result.json'),
  ]);
  if (config === undefined) throw new Error('There is no run in this folder yet: it has no config.json.');
  const { env, envOptions, algorithm, preset, seed, settings, protocol, keys, from } = parsed('config.json', config);
  const known = await environment(env, module, () => described(url, env as string, record(protocol)));
  const { returnDiscount, episodes, referencePoint, preferences } = record(protocol);
  const metrics = (lines ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map(metricIn);
  const ended = result === undefined ? undefined : parsed('result.json', result);
  const answers = isAnswers(ended?.answers) ? ended.answers : undefined;
  const begun = Number(record(from).envSteps ?? 0);
  const seconds = new Map([...seen, ...(ended === undefined ? [] : secondsIn(ended, begun))]);
  const last = metrics.at(-1)?.envSteps;
  const asked = Number(record(settings).steps) + keySteps(record(settings), keys, known.env.objectives.length);
  // One that was stopped and goes on still has what it came to there.
  const goesOn = last !== undefined && last > Number(ended?.envSteps ?? -1);
  const isStopped = ended?.stopped === true;
  const keepsBest = record(settings).keep === 'best';
  const kept = ended === undefined ? keptOf(metrics, keepsBest) : keptAtEnd(ended, metrics);
  const front = ended === undefined ? `fronts/${kept?.envSteps}.json` : 'fronts/final.json';
  return {
    id,
    name,
    ...(isTraining !== undefined && { isTraining }),
    url: new URL(url, location.href).href,
    ...known,
    envOptions: record(envOptions) as OptionValues,
    algorithm: String(algorithm),
    method: {
      env: known.env.id,
      algorithm: String(algorithm),
      preset: String(preset),
      settings: { ...typed(settings), ...answersAsSetting(answers) },
      envOptions: typed(envOptions),
    },
    seed: Number(seed),
    // A training takes whole iterations, so that it may take more or fewer steps than it was asked for.
    steps: ended === undefined || goesOn || isStopped ? Math.max(begun + asked, last ?? 0) : Number(ended.envSteps),
    returnDiscount: typeof returnDiscount === 'number' ? returnDiscount : 1,
    episodes: typeof episodes === 'number' ? episodes : 1,
    isFiniteSet: record(preferences).kind === 'members',
    referencePoint: isRows([referencePoint], known.env.objectives.length)
      ? (referencePoint as number[])
      : known.env.referencePoint,
    ...(ended?.weights === 'float16' && { weights: 'float16' }),
    ...(answers !== undefined && { answers }),
    metrics: withRates(metrics, seconds, begun),
    keepsBest,
    kept: kept && { ...kept, evaluated: frontIn(front, await fetchText(url, front), known.env) },
    isFinished: ended !== undefined && !goesOn,
    isStopped,
    hasModel: ended !== undefined,
    ...(ended !== undefined && { modelSteps: Number(ended.envSteps) }),
  };
}

/**
 * Environment steps for the key solutions that a training begins with, which count in it.
 * @param given those that it was given instead
 */
function keySteps(settings: Readonly<Record<string, unknown>>, given: unknown, objectives: number): number {
  const usesAngle = [settings.criticAngle, settings.actorAngle].some((weight) => Number(weight ?? 0) > 0);
  if (settings.keys !== 'trained' || !usesAngle || given !== undefined) return 0;
  return Number(settings.keySteps) * keyPreferences(objectives).length;
}

/** Settings as they are typed. */
function typed(values: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record(values)).map(([name, value]) => [
      name,
      value === null ? 'none' : String(value as string | number | boolean | readonly number[]),
    ]),
  );
}

/** Of equal ones the later stays, as in a training. */
function keptOf(metrics: readonly Metric[], keepsBest: boolean): Metric | undefined {
  const hypervolume = ({ values }: Metric) => values.hypervolume;
  return keepsBest
    ? metrics.reduce<Metric | undefined>(
        (best, one) => (best !== undefined && hypervolume(one) < hypervolume(best) ? best : one),
        undefined,
      )
    : metrics.at(-1);
}

function keptAtEnd(ended: Readonly<Record<string, unknown>>, metrics: readonly Metric[]): Omit<Kept, 'evaluated'> {
  const { keptAt, hypervolume, sparsity, expectedUtility, points, coverageF1, regret } = ended;
  const scores = scoresIn({ hypervolume, sparsity, expectedUtility, points, coverageF1, regret });
  // Runs of earlier versions do not say when; what was evaluated again in half precision says what it had been before.
  const trained = record(ended.original).hypervolume ?? hypervolume;
  const evaluation = metrics.find(({ envSteps, values }) =>
    keptAt === undefined ? values.hypervolume === trained : envSteps === keptAt,
  );
  // One that was stopped before its first evaluation has one of its end alone.
  const envSteps = evaluation?.envSteps ?? (typeof keptAt === 'number' ? keptAt : undefined);
  return { envSteps, values: { ...evaluation?.values, ...scores } };
}

/** The text of a file of a run; undefined where it is not there. */
export async function fetchText(url: string, name: string): Promise<string | undefined> {
  const response = await fetchFile(url + name, { cache: 'no-store' });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${name} of this run cannot be read (${response.status}).`);
  return response.text();
}

/** What a run achieved at one of its evaluations. */
export async function fetchFront({ url, env }: Pick<RunData, 'url' | 'env'>, envSteps: number): Promise<ReturnsAt> {
  const name = `fronts/${envSteps}.json`;
  return frontIn(name, await fetchText(url, name), env);
}

/** @param describe gives what is known of an environment that the page does not have */
async function environment(
  env: unknown,
  listed: string | undefined,
  describe: () => Promise<ShownEnv>,
): Promise<Pick<RunData, 'env' | 'module' | 'unplayable'>> {
  if (typeof env !== 'string') throw new Error('config.json of this run names no environment.');
  const module = listed && addressOf(listed);
  let unplayable =
    'this page does not have it: psl explore --import FILE adds it, if FILE is JavaScript for browsers too';
  try {
    if (module !== undefined) await importEnvs(module);
  } catch (error) {
    unplayable = `its module cannot be loaded in a browser (${error instanceof Error ? error.message : String(error)})`;
  }
  if (!envIds().includes(env)) return { env: await describe(), unplayable };
  return { env: envInfo(env), ...(module !== undefined && { module }) };
}

/** An environment as the files of a run describe it. */
async function described(url: string, id: string, protocol: Readonly<Record<string, unknown>>): Promise<ShownEnv> {
  const model = await fetchText(url, 'model.json');
  const { objectives } = model === undefined ? {} : parsed('model.json', model);
  const { referencePoint } = protocol;
  const count = Array.isArray(referencePoint) ? referencePoint.length : 0;
  if (count === 0 || !isRows([referencePoint], count)) {
    throw new Error('config.json of this run is damaged: its protocol lacks a reference point.');
  }
  const names = Array.from({ length: count }, (_, k) => {
    return Array.isArray(objectives) ? String(objectives[k]) : `Objective ${k + 1}`;
  });
  return { id, summary: '', objectives: names.map((name) => ({ name })), referencePoint: referencePoint as number[] };
}

function parsed(name: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text));
  } catch {
    throw new Error(`${name} of this run is damaged: it is not valid JSON.`);
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function metricIn(line: string): Metric {
  const { envSteps, score, diagnostics } = parsed('metrics.jsonl', line);
  return { envSteps: Number(envSteps), values: { ...scoresIn(record(score)), ...numbersIn(record(diagnostics)) } };
}

function scoresIn({ sparsity, regret, ...scores }: Readonly<Record<string, unknown>>): Record<string, number> {
  const { mean, worst, below80 } = record(regret);
  return numbersIn({
    ...scores,
    sparsity: record(sparsity).distinct,
    [REGRET.mean]: mean,
    [REGRET.worst]: worst,
    [REGRET.below80]: below80,
  });
}

function numbersIn(values: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

/**
 * When each evaluation was, in seconds from the start. Only a finished run says so.
 * @param begun environment steps at the start
 */
function secondsIn({ evaluations }: Readonly<Record<string, unknown>>, begun: number): Map<number, number> {
  const rows = Array.isArray(evaluations) ? evaluations.map(record) : [];
  return new Map([[begun, 0], ...rows.map(({ envSteps, seconds }) => [Number(envSteps), Number(seconds)] as const)]);
}

function withRates(metrics: readonly Metric[], seconds: ReadonlyMap<number, number>, begun: number): Metric[] {
  return metrics.map((metric, i) => {
    const before = i === 0 ? begun : metrics[i - 1].envSteps;
    const [from, to] = [seconds.get(before), seconds.get(metric.envSteps)];
    if (from === undefined || to === undefined || to === from) return metric;
    return { ...metric, values: { ...metric.values, stepsPerSecond: (metric.envSteps - before) / (to - from) } };
  });
}

function frontIn(name: string, text: string | undefined, { objectives }: ShownEnv): ReturnsAt {
  if (text === undefined) throw new Error(`${name} of this run is missing.`);
  const { preferences, returns, own } = parsed(name, text);
  const all = [preferences, returns, ...(own === undefined ? [] : [own])];
  if (!all.every((rows) => isRows(rows, objectives.length))) {
    throw new Error(`${name} of this run is damaged: it lacks preferences or returns.`);
  }
  return { preferences, returns, ...(own !== undefined && { own }) } as ReturnsAt;
}

function isRows(value: unknown, length: number): value is number[][] {
  const isRow = (row: unknown) => Array.isArray(row) && row.length === length && row.every(Number.isFinite);
  return Array.isArray(value) && value.every(isRow);
}
