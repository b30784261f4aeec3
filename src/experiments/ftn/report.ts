import { join, relative } from 'node:path';
import { envInfo } from '../../envs/index.js';
import { writeAtomic, writeJson } from '../../files/index.js';
import { ceilingOf, shareOf, statistics } from '../../fronts/index.js';
import type { Statistics } from '../../fronts/index.js';
import { gridSize } from '../../preferences/index.js';
import { isOffPolicy, protocolOf, returnDiscountOf } from '../../training/index.js';
import type { LoopConfig, PresetName, Protocol, TrainingPlan } from '../../training/index.js';
import { markdownTable, seedResult, settingTableOf, unique, versionsIn } from '../report-parts.js';
import type { SeedResult, Table } from '../report-parts.js';
import { plannedRuns } from '../reproduction.js';
import type { Published } from '../reproduction.js';
import type { Outcome } from '../run.js';
import { budgets } from './budgets.js';
import type { BudgetName } from './budgets.js';
import type { FtnReproduction } from './plan.js';
import { ftnCaveats, ftnEnv, ftnPublished } from './published.js';

/** One entry of the table: what the paper says, and what came out here. */
export interface ReportEntry {
  readonly depth: number;
  readonly env: string;
  readonly method: string;
  readonly algorithm: string;
  readonly published: Published;
  /** Hypervolume of the known front. */
  readonly ceiling: number | null;
  /** Over the seeds; null where none is finished. */
  readonly hypervolume: Statistics | null;
  readonly sparsity: {
    /** Over the seeds that found more than one point. */
    readonly distinct: Statistics | null;
    readonly published: Statistics | null;
  };
  readonly seeds: readonly SeedResult[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly envOptions: Readonly<Record<string, string>>;
  /** How the numbers came about; null where no seed is finished. */
  readonly protocol: Protocol | null;
}

/** A reproduction of a table with all it takes to judge it. */
export interface Report {
  readonly format: 1;
  readonly experiment: 'ftn';
  readonly folder: string;
  readonly budget: BudgetName;
  readonly preset: PresetName;
  readonly runs: { readonly planned: number; readonly finished: number };
  /** Whether runs are missing. */
  readonly stopped: boolean;
  /** In the order of the paper's table, a depth after the other. */
  readonly entries: readonly ReportEntry[];
  /** Time of all runs together. */
  readonly seconds: number;
  readonly versions: Readonly<Record<string, readonly string[]>>;
  /** The protocol and what to know about it, in sentences. */
  readonly notes: readonly string[];
}

/** @param folder of the reproduction */
export function reportOf(reproduction: FtnReproduction, outcomes: readonly Outcome[], folder: string): Report {
  const { experiment, budget, jobs } = reproduction;
  const entries = reproduction.depths.flatMap((depth) =>
    reproduction.methods.map(({ algorithm, label }): ReportEntry => {
      const isOf = (job: Outcome['job']) => job.plan.env === ftnEnv(depth) && job.method.algorithm === algorithm;
      const { plan } = jobs.find(isOf)!;
      const own = outcomes.filter(({ job }) => isOf(job));
      const distinct = own.map(({ sparsity }) => sparsity.distinct).filter((value) => value !== null);
      return {
        depth,
        env: plan.env,
        method: label,
        algorithm,
        published: ftnPublished(algorithm, depth),
        ceiling: ceilingOf(envInfo(plan.env), returnDiscountOf(plan)),
        hypervolume: statistics(own.map(({ hypervolume }) => hypervolume)),
        sparsity: {
          distinct: statistics(distinct),
          published: statistics(own.map(({ sparsity }) => sparsity.published)),
        },
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
    experiment,
    folder,
    budget,
    preset: budgets[budget].preset,
    runs: { planned, finished: outcomes.length },
    stopped: outcomes.length < planned,
    entries,
    seconds: outcomes.reduce((sum, { seconds }) => sum + seconds, 0),
    versions,
    notes: [...protocolNotes(reproduction, entries, versions), ...ftnCaveats],
  };
}

/** Writes `report.md` and `report.json` into the folder of the reproduction, over earlier ones. */
export function writeReport(report: Report): void {
  writeJson(join(report.folder, 'report.json'), report);
  writeAtomic(join(report.folder, 'report.md'), markdownOf(report));
}

/** The protocol in sentences, with everything that makes our numbers differ from the paper's. */
function protocolNotes(
  { budget, jobs, seeds, methods }: FtnReproduction,
  entries: readonly ReportEntry[],
  versions: Readonly<Record<string, readonly string[]>>,
): string[] {
  const { preset } = budgets[budget];
  const plans = jobs.map(({ plan }) => plan);
  const devices = unique(entries.flatMap((entry) => entry.seeds.map(({ device }) => device)));
  const shown = Object.entries(versions).map(([name, values]) => `${name} ${values.join(' and ')}`);
  return [
    `Budget ${budget}: ${budgets[budget].about}. The settings are those of the ${preset} preset with the changes of the budget; report.md lists all of them.`,
    `${seeds === 1 ? 'Seed 1' : `Seeds 1 to ${seeds}`} of every method at every depth; every finished run is counted, also the bad ones. The spread is the standard deviation of the sample (n - 1).`,
    spendingNote(plans),
    ...(budgets[budget].isShared
      ? [
          'Network, step size and exploration are also the same for all methods. They were chosen for PSL-MORL, and the other methods have not been tuned.',
        ]
      : []),
    encodingNote(plans),
    ...evaluationNotes(plans),
    ...interpolatorNotes(
      plans,
      methods.map(({ algorithm }) => algorithm),
    ),
    `Versions: ${shown.join(', ')}${devices.length === 0 ? '' : `; trained on ${devices.join(' and ')}`}.`,
  ];
}

/** Whether all methods spend the same, decided by what they are about to do. */
function spendingNote(plans: readonly TrainingPlan[]): string {
  const spent = ({ config }: { readonly config: LoopConfig }) =>
    `${config.steps} environment steps, ${gradientStepsOf(config)} gradient steps of batch ${config.batch}`;
  // Every method of the table replays.
  const replaying = plans.filter(isOffPolicy);
  const byEnv = unique(replaying.map(({ env }) => env)).map((env) => {
    const own = replaying.filter((plan) => plan.env === env);
    const all = unique(own.map(spent));
    if (all.length === 1) return { isSame: true, text: `${env}: ${all[0]}` };
    const each = unique(own.map((plan) => `${plan.algorithm.name} ${spent(plan)}`));
    return { isSame: false, text: `${env}: ${each.join('; ')}` };
  });
  const claim = byEnv.every(({ isSame }) => isSame)
    ? 'All methods have the same budget in every run'
    : 'The methods do not have the same budget, as published, so that differences between them are not of the methods alone';
  return `${claim} (${byEnv.map(({ text }) => text).join('. ')}). Environment steps are counted over all children.`;
}

/** What the training loop will take: updates begin with the iteration that finds enough in the replay. */
function gradientStepsOf({ steps, children, learnAfter, updatesPerStep }: LoopConfig): number {
  const iterations = Math.ceil(steps / children);
  const before = Math.ceil(learnAfter / children);
  return Math.floor(Math.max(0, iterations - before) * children * updatesPerStep + 1e-9);
}

function encodingNote(plans: readonly TrainingPlan[]): string {
  const used = unique(plans.map(({ envOptions }) => envOptions.encoding));
  const differs = used.some((encoding) => encoding !== 'row-column');
  return differs
    ? `All methods observe the node as ${used.join(' and ')}: one entry of -1, 0 or +1 for each level. This is not the published encoding, raw row and column, which is much harder to learn from; our numbers say how the methods compare with each other, not that the published ones were too low. The budget paper has the published encoding.`
    : 'All methods observe the raw row and column of the node, as published.';
}

function evaluationNotes(plans: readonly TrainingPlan[]): string[] {
  const [{ env, config }] = plans;
  const { objectives, referencePoint } = envInfo(env);
  const discounts = unique(plans.map(returnDiscountOf));
  const grids = unique(plans.map((plan) => plan.config.evaluationDivisions));
  const grid = grids.map((divisions) => {
    const { preferences } = protocolOf(
      plans.find((plan) => plan.config.evaluationDivisions === divisions)!,
      1,
    );
    const all = gridSize(objectives.length, divisions);
    return `step 1/${divisions} (${preferences.count} of its ${all} preferences`;
  });
  return [
    `All methods are evaluated alike: ${config.episodes} greedy episode at every preference of the simplex grid with ${grid.join(' and ')}: those that sum to exactly 1 in floating point, as published). The returns are discounted by ${discounts.join(' and ')}.`,
    keptNote(plans),
    `Hypervolume is exact, with the reference point (${referencePoint.join(',')}). Its ceiling is that of the known front. Sparsity is given with every copy of a return, as the published code counts it, and over distinct points.`,
  ];
}

function keptNote(plans: readonly TrainingPlan[]): string {
  const kept = unique(plans.map(({ config: { keep, evaluations } }) => (keep === 'best' ? evaluations : 0)));
  if (kept.every((evaluations) => evaluations === 0)) return 'The policy set after the last step is scored.';
  const many = kept.map((evaluations) => (evaluations === 0 ? 'the last alone' : `${evaluations}`)).join(' or ');
  return `Of each run the policy set with the largest hypervolume at one of its evaluations (${many}, evenly spread) is scored, by all methods alike, and the whole run is counted as its cost; the values of the last step are in metrics.jsonl of each run. Episodes of evaluations are not counted as environment steps.`;
}

function interpolatorNotes(plans: readonly TrainingPlan[], methods: readonly string[]): string[] {
  const selections = unique(plans.map(({ config }) => config.selection).filter((value) => value !== undefined));
  if (!methods.some((name) => name.endsWith('-ddqn'))) return [];
  const fact =
    "The published interpolator of PD-MORL, which the paper's method takes over, is fitted to the known front of the fruit tree: it lets the answer into the training.";
  return [
    selections.includes('angle')
      ? `${fact} It is used here as published, by PD-MORL and PSL-MORL; Envelope does without.`
      : `${fact} It is not used here: all methods choose actions by the scalarised value alone, and none sees the known front.`,
  ];
}

const SPARSITY_DIGITS = 4;

/** The table itself, a row for each entry. */
export function tableOf({ entries }: Pick<Report, 'entries'>): Table {
  const head = [
    'depth',
    'method',
    'HV paper',
    'HV ours (mean ± sd)',
    'min to max',
    'of ceiling',
    'seeds',
    'SP paper',
    'SP ours',
    'SP distinct',
  ];
  const rows = entries.map(({ depth, method, published, hypervolume, sparsity, ceiling }) => [
    String(depth),
    method,
    published.hypervolume.toFixed(2),
    hypervolume === null ? '-' : withSpread(hypervolume, 2),
    hypervolume === null ? '-' : `${hypervolume.min.toFixed(2)} to ${hypervolume.max.toFixed(2)}`,
    hypervolume === null || ceiling === null ? '-' : shareOf(hypervolume.mean, ceiling),
    String(hypervolume?.count ?? 0),
    published.sparsity === null ? 'N/A' : published.sparsity.toFixed(2),
    sparsity.published?.mean.toFixed(SPARSITY_DIGITS) ?? '-',
    sparsity.distinct?.mean.toFixed(SPARSITY_DIGITS) ?? '-',
  ]);
  return { head, rows };
}

function seedTableOf({ entries, folder }: Report): Table {
  const head =
    'depth,method,seed,hypervolume,of ceiling,points,SP ours,SP distinct,env steps,gradient steps,seconds,run';
  const rows = entries.flatMap(({ depth, method, ceiling, seeds }) =>
    seeds.map(({ seed, hypervolume, points, sparsity, envSteps, gradientSteps, seconds, run }) => [
      String(depth),
      method,
      String(seed),
      hypervolume.toFixed(2),
      ceiling === null ? '-' : shareOf(hypervolume, ceiling),
      String(points),
      sparsity.published.toFixed(SPARSITY_DIGITS),
      sparsity.distinct?.toFixed(SPARSITY_DIGITS) ?? '-',
      String(envSteps),
      String(gradientSteps),
      seconds.toFixed(0),
      relative(folder, run),
    ]),
  );
  return { head: head.split(','), rows };
}

/** The whole report as Markdown. */
export function markdownOf(report: Report): string {
  const { budget, runs, notes } = report;
  const missing = runs.planned - runs.finished;
  const parts = [
    `# Fruit tree navigation: the paper's table and ours, budget ${budget}`,
    ...(missing === 0
      ? []
      : [`**Not complete: ${missing} of ${runs.planned} runs are missing. The same command goes on with them.**`]),
    markdownTable(tableOf(report)),
    'HV: hypervolume, larger is better. SP: sparsity, smaller is better, and only comparable between fronts of about the same hypervolume.',
    '## How these numbers came about',
    notes.map((note) => `- ${note}`).join('\n'),
    '## Every seed',
    markdownTable(seedTableOf(report)),
    '## Every setting',
    markdownTable(settingTableOf(report.entries)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function withSpread({ mean, standardDeviation }: Statistics, digits: number): string {
  return standardDeviation === null
    ? mean.toFixed(digits)
    : `${mean.toFixed(digits)} ± ${standardDeviation.toFixed(digits)}`;
}
