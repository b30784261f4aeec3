import { join, relative } from 'node:path';
import { envInfo } from '../../envs/index.js';
import { writeAtomic, writeJson } from '../../files/index.js';
import { ranksOf, statistics } from '../../fronts/index.js';
import type { Statistics } from '../../fronts/index.js';
import { protocolOf, returnDiscountOf } from '../../training/index.js';
import type { PresetName, Protocol, TrainingPlan } from '../../training/index.js';
import { markdownTable, seedResult, settingTableOf, unique, versionsIn } from '../report-parts.js';
import type { SeedResult, Table } from '../report-parts.js';
import { plannedRuns } from '../reproduction.js';
import type { Published } from '../reproduction.js';
import type { Outcome } from '../run.js';
import { mujocoBudgets } from './budgets.js';
import type { MujocoBudgetName } from './budgets.js';
import type { MujocoReproduction } from './plan.js';
import { mujocoCaveats, mujocoPublished } from './published.js';
import type { MujocoEnv } from './published.js';

/** One entry of the table: what the paper says, and what came out here. */
export interface MujocoEntry {
  readonly env: string;
  readonly method: string;
  readonly algorithm: string;
  /** Null for a method that is not in the paper. */
  readonly published: Published | null;
  /** Over the seeds; null where none is finished. */
  readonly hypervolume: Statistics | null;
  /** Over distinct points and the seeds that found more than one. */
  readonly sparsity: Statistics | null;
  /** Environment steps that a run counted. */
  readonly envSteps: Statistics | null;
  readonly seeds: readonly SeedResult[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly envOptions: Readonly<Record<string, string>>;
  /** How the numbers came about; null where no seed is finished. */
  readonly protocol: Protocol | null;
}

/** Mean ranks over the robots; null where an entry is missing, or for a method that is not in the paper. */
export interface AverageRank {
  readonly method: string;
  readonly hypervolume: { readonly published: number | null; readonly ours: number | null };
  readonly sparsity: { readonly published: number | null; readonly ours: number | null };
}

/** A reproduction of the table with all it takes to judge it. */
export interface MujocoReport {
  readonly format: 1;
  readonly experiment: 'mujoco';
  readonly folder: string;
  readonly budget: MujocoBudgetName;
  readonly preset: PresetName;
  readonly runs: { readonly planned: number; readonly finished: number };
  /** Whether runs are missing. */
  readonly stopped: boolean;
  readonly envs: readonly MujocoEnv[];
  /** In the order of the paper's table, a robot after the other. */
  readonly entries: readonly MujocoEntry[];
  readonly averageRanks: readonly AverageRank[];
  /** Time of all runs together. */
  readonly seconds: number;
  readonly versions: Readonly<Record<string, readonly string[]>>;
  /** The protocol and what to know about it, in sentences. */
  readonly notes: readonly string[];
}

/** @param folder of the reproduction */
export function mujocoReportOf(
  reproduction: MujocoReproduction,
  outcomes: readonly Outcome[],
  folder: string,
): MujocoReport {
  const { budget, envs, methods, jobs } = reproduction;
  const entries = envs.flatMap((where) =>
    methods.map(({ algorithm, label }): MujocoEntry => {
      const isOf = ({ plan, method }: Outcome['job']) => plan.env === where.env && method.algorithm === algorithm;
      const { plan } = jobs.find(isOf)!;
      const own = outcomes.filter(({ job }) => isOf(job));
      return {
        env: where.env,
        method: label,
        algorithm,
        published: mujocoPublished(algorithm, where) ?? null,
        hypervolume: statistics(own.map(({ hypervolume }) => hypervolume)),
        sparsity: statistics(own.map(({ sparsity }) => sparsity.distinct).filter((value) => value !== null)),
        envSteps: statistics(own.map(({ envSteps }) => envSteps)),
        seeds: own.map(seedResult),
        settings: plan.config,
        envOptions: plan.envOptions,
        protocol: own.at(0)?.protocol ?? null,
      };
    }),
  );
  const versions = versionsIn(outcomes);
  const planned = plannedRuns(reproduction);
  return {
    format: 1,
    experiment: 'mujoco',
    folder,
    budget,
    preset: mujocoBudgets[budget].preset,
    runs: { planned, finished: outcomes.length },
    stopped: outcomes.length < planned,
    envs,
    entries,
    averageRanks: averageRanksOf(envs, entries),
    seconds: outcomes.reduce((sum, { seconds }) => sum + seconds, 0),
    versions,
    notes: [...protocolNotes(reproduction, entries, versions), ...mujocoCaveats],
  };
}

/** Ranks among the methods of the paper, as it prints them: means of the ranks on every robot. */
function averageRanksOf(envs: readonly MujocoEnv[], entries: readonly MujocoEntry[]): AverageRank[] {
  const methods = unique(entries.map(({ method }) => method));
  type Pick = (entry: MujocoEntry) => number | null | undefined;
  const ranks = (pick: Pick, isLargerBetter: boolean) => {
    const sums = new Map<string, number>();
    for (const { env } of envs) {
      const own = entries.filter((entry) => entry.env === env && entry.published !== null);
      const values = own.map(pick);
      // Undefined is what is not known yet; null is a front without a gap, which is known.
      if (values.some((value) => value === undefined)) return new Map<string, number>();
      const found = ranksOf(values as (number | null)[], isLargerBetter);
      own.forEach(({ method }, i) => sums.set(method, (sums.get(method) ?? 0) + found[i] / envs.length));
    }
    return sums;
  };
  const known = (entry: MujocoEntry) => entry.hypervolume !== null;
  const found = {
    hypervolume: {
      published: ranks((entry) => entry.published?.hypervolume, true),
      ours: ranks((entry) => entry.hypervolume?.mean, true),
    },
    sparsity: {
      published: ranks((entry) => entry.published?.sparsity, false),
      ours: ranks((entry) => (known(entry) ? (entry.sparsity?.mean ?? null) : undefined), false),
    },
  };
  return methods.map((method) => ({
    method,
    hypervolume: {
      published: found.hypervolume.published.get(method) ?? null,
      ours: found.hypervolume.ours.get(method) ?? null,
    },
    sparsity: {
      published: found.sparsity.published.get(method) ?? null,
      ours: found.sparsity.ours.get(method) ?? null,
    },
  }));
}

/** Writes `report.md` and `report.json` into the folder of the reproduction, over earlier ones. */
export function writeMujocoReport(report: MujocoReport): void {
  writeJson(join(report.folder, 'report.json'), report);
  writeAtomic(join(report.folder, 'report.md'), mujocoMarkdownOf(report));
}

/** The table as the paper prints it: a column for each method, and for each robot the paper's rows and ours. */
export function mujocoTableOf({ envs, entries, averageRanks }: MujocoReport): Table {
  const methods = averageRanks.map(({ method }) => method);
  const row = (where: string, what: string, cell: (method: string) => string) => [where, what, ...methods.map(cell)];
  const rows = envs.flatMap(({ env, label, hypervolumeUnit, sparsityUnit }) => {
    const entryOf = (method: string) => entries.find((entry) => entry.env === env && entry.method === method)!;
    const hypervolume = `HV (x ${powerOf(hypervolumeUnit)})`;
    const sparsity = `SP (x ${powerOf(sparsityUnit)})`;
    return [
      row(label, `${hypervolume} paper`, (method) => scaled(entryOf(method).published?.hypervolume, hypervolumeUnit)),
      row(label, `${hypervolume} ours`, (method) => spread(entryOf(method).hypervolume, hypervolumeUnit)),
      row(label, `${sparsity} paper`, (method) => scaled(entryOf(method).published?.sparsity, sparsityUnit)),
      row(label, `${sparsity} ours`, (method) => spread(entryOf(method).sparsity, sparsityUnit)),
      row(label, 'steps', (method) => stepsOf(entryOf(method).envSteps)),
      row(label, 'seeds', (method) => String(entryOf(method).seeds.length)),
    ];
  });
  const rankOf = (method: string) => averageRanks.find((entry) => entry.method === method)!;
  const rank = (value: number | null) => value?.toFixed(1) ?? '-';
  return {
    head: ['', 'metric', ...methods],
    rows: [
      ...rows,
      row('Average rank', 'HV paper', (method) => rank(rankOf(method).hypervolume.published)),
      row('Average rank', 'HV ours', (method) => rank(rankOf(method).hypervolume.ours)),
      row('Average rank', 'SP paper', (method) => rank(rankOf(method).sparsity.published)),
      row('Average rank', 'SP ours', (method) => rank(rankOf(method).sparsity.ours)),
    ],
  };
}

function powerOf(unit: number): string {
  return `1e${Math.round(Math.log10(unit))}`;
}

function scaled(value: number | null | undefined, unit: number): string {
  return value === null || value === undefined ? '-' : digits(value / unit);
}

function spread(value: Statistics | null, unit: number): string {
  if (value === null) return '-';
  const { mean, standardDeviation } = value;
  return standardDeviation === null ? scaled(mean, unit) : `${scaled(mean, unit)}±${digits(standardDeviation / unit)}`;
}

/** As many digits as the paper has, and more where those would say nothing. */
function digits(value: number): string {
  return value === 0 || Math.abs(value) >= 0.01 ? value.toFixed(2) : value.toExponential(1);
}

function stepsOf(steps: Statistics | null): string {
  if (steps === null) return '-';
  return steps.min === steps.max ? String(steps.min) : `${steps.min} to ${steps.max}`;
}

function seedTableOf({ entries, folder }: MujocoReport): Table {
  const head = 'env,method,seed,hypervolume,points,SP distinct,SP with copies,env steps,gradient steps,seconds,run';
  const rows = entries.flatMap(({ env, method, seeds }) =>
    seeds.map(({ seed, hypervolume, points, sparsity, envSteps, gradientSteps, seconds, run }) => [
      env,
      method,
      String(seed),
      hypervolume.toPrecision(6),
      String(points),
      sparsity.distinct?.toPrecision(4) ?? '-',
      sparsity.published.toPrecision(4),
      String(envSteps),
      String(gradientSteps),
      seconds.toFixed(0),
      relative(folder, run),
    ]),
  );
  return { head: head.split(','), rows };
}

/** The whole report as Markdown. */
export function mujocoMarkdownOf(report: MujocoReport): string {
  const { budget, runs, notes } = report;
  const missing = runs.planned - runs.finished;
  const parts = [
    `# MO-MuJoCo: the paper's table and ours, budget ${budget}`,
    ...(missing === 0
      ? []
      : [`**Not complete: ${missing} of ${runs.planned} runs are missing. The same command goes on with them.**`]),
    markdownTable(mujocoTableOf(report)),
    MUJOCO_LEGEND,
    '## How these numbers came about',
    notes.map((note) => `- ${note}`).join('\n'),
    '## Every seed',
    markdownTable(seedTableOf(report)),
    '## Every setting',
    markdownTable(settingTableOf(report.entries)),
  ];
  return `${parts.join('\n\n')}\n`;
}

export const MUJOCO_LEGEND =
  'HV: hypervolume, larger is better. SP: sparsity over distinct points, smaller is better, and only comparable between fronts of about the same hypervolume. Means over the seeds ± their standard deviation; steps are environment steps of one training, everything that was used for learning counted.';

/** The protocol in sentences, with everything that makes our numbers differ from the paper's. */
function protocolNotes(
  { budget, jobs, seeds }: MujocoReproduction,
  entries: readonly MujocoEntry[],
  versions: Readonly<Record<string, readonly string[]>>,
): string[] {
  const { preset } = mujocoBudgets[budget];
  const plans = jobs.map(({ plan }) => plan);
  const devices = unique(entries.flatMap((entry) => entry.seeds.map(({ device }) => device)));
  const shown = Object.entries(versions).map(([name, values]) => `${name} ${values.join(' and ')}`);
  return [
    `Budget ${budget}: ${mujocoBudgets[budget].about}. The settings are those of the ${preset} preset with the changes of the budget; report.md lists all of them.`,
    `${seeds === 1 ? 'Seed 1' : `Seeds 1 to ${seeds}`} of every method on every robot; every finished run is counted, also the bad ones. The spread is the standard deviation of the sample (n - 1).`,
    spendingNote(plans),
    ...evaluationNotes(plans),
    `Ranks are among the methods of the paper that are in this table, means over its robots; equal ones share theirs, and a front of a single point has the worst sparsity.`,
    `Versions: ${shown.join(', ')}${devices.length === 0 ? '' : `; trained on ${devices.join(' and ')}`}.`,
  ];
}

/** Whether all methods may spend the same, decided by what they are about to do. */
function spendingNote(plans: readonly TrainingPlan[]): string {
  const byEnv = unique(plans.map(({ env }) => env)).map((env) => {
    const own = plans.filter((plan) => plan.env === env);
    const all = unique(own.map(({ config }) => config.steps));
    const each = unique(own.map(({ algorithm, config }) => `${algorithm.name} ${config.steps}`));
    return { isSame: all.length === 1, text: `${env}: ${all.length === 1 ? all[0] : each.join(', ')}` };
  });
  const claim = byEnv.every(({ isSame }) => isSame)
    ? 'All methods may take the same number of environment steps'
    : 'The methods do not take the same number of environment steps, as published, so that differences between them are not of the methods alone';
  const keys = plans.some(
    ({ config }) =>
      config.keys === 'known' && [config.criticAngle, config.actorAngle].some((weight) => (weight as number) > 0),
  )
    ? ' Where the angle is used, it starts from the published key solutions, whose millions of steps are in no budget.'
    : '';
  return `${claim} (${byEnv.map(({ text }) => text).join('; ')}). Methods that learn from rollouts take as many whole ones as fit. Gradient steps differ by nature: they are in the table of seeds.${keys}`;
}

function evaluationNotes(plans: readonly TrainingPlan[]): string[] {
  const [{ env, envOptions }] = plans;
  const { referencePoint } = envInfo(env);
  const { preferences } = protocolOf(plans[0], 1);
  const episodes = unique(plans.map(({ config }) => config.episodes));
  const populations = plans.filter(({ algorithm }) => algorithm.kind === 'population');
  const others = plans.filter(({ algorithm }) => algorithm.kind !== 'population');
  const discounts = unique(plans.map(returnDiscountOf));
  const kept = unique(others.map(({ config }) => config.keep));
  return [
    `All play the same robots (reset noise ${envOptions.resetNoise}, inertials ${envOptions.inertials}); ${discounts.every((discount) => discount === 1) ? 'returns are plain sums' : `returns are discounted by ${discounts.join(' and ')}`} and the reference point is (${referencePoint.join(',')}). The first episode of every evaluation starts from the same seed, with deterministic actions; episodes for each policy: ${episodes.join(' or ')}.`,
    ...(others.length === 0
      ? []
      : [
          `Methods with one model for all preferences are played at ${preferences.count} of them; ${kept.includes('best') ? 'the model with the largest hypervolume at one of its evaluations is scored' : 'the last model is scored'}.`,
        ]),
    ...(populations.length === 0
      ? []
      : [
          'Methods with a population are scored by their archive: every policy that was not dominated in the one episode that each of its iterations is played for, without playing it again. That flatters what is noisy, as it does in the published numbers. Episodes of evaluations are not counted as environment steps of any method.',
        ]),
  ];
}
