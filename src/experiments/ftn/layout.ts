/** How the report of the fruit-tree table looks, and what it says. */
import { envInfo } from '../../envs/index.js';
import { ceilingOf, shareOf, statistics } from '../../fronts/index.js';
import type { Statistics } from '../../fronts/index.js';
import { gridSize } from '../../preferences/index.js';
import { isOffPolicy, protocolOf, returnDiscountOf } from '../../training/index.js';
import type { LoopConfig, TrainingPlan } from '../../training/index.js';
import type { Published } from '../case.js';
import type { Entry, Layout, Table } from '../experiment.js';
import { CELLS, methodRowsTable } from '../method-rows.js';
import type { Measured } from '../method-rows.js';
import {
  estimateText,
  INTERVAL,
  intervalText,
  percent,
  REGRET,
  regretText,
  SPARSITY,
  spendingOf,
  unique,
} from '../report-parts.js';
import { ftnBudgets } from './budgets.js';
import { ftnCaveats, ftnPublished } from './published.js';
import type { FtnCase } from './published.js';

export interface FtnEntry extends Entry {
  readonly depth: number;
  readonly published: Published;
  /** Hypervolume of the known front. */
  readonly ceiling: number | null;
  readonly sparsity: {
    /** Over the seeds that found more than one point. */
    readonly distinct: Statistics | null;
    readonly published: Statistics | null;
  };
}

const SPARSITY_DIGITS = 4;

export const ftnLayout: Layout<FtnCase, FtnEntry> = {
  title: 'Fruit tree navigation',
  legend: `HV: hypervolume, larger is better. SP: sparsity with every copy, as published, smaller is better. ${CELLS}`,
  atEvery: 'at every depth',
  atSome: 'at depth',
  judged: {
    subject: ['psl-ddqn', 'psl-ddqn-published'],
    pairs: [['psl-ddqn-published', 'pd-ddqn-published']],
  },
  caseLabel: ({ key }) => String(key),
  hypervolumeText: (value) => value.toFixed(2),
  words: [0],
  published: ftnPublished,
  entry: ({ key, env }, plan, outcomes) => {
    const distinct = outcomes.map(({ sparsity }) => sparsity.distinct).filter((value) => value !== null);
    return {
      depth: key,
      ceiling: ceilingOf(envInfo(env), returnDiscountOf(plan)),
      sparsity: {
        distinct: statistics(distinct),
        published: statistics(outcomes.map(({ sparsity }) => sparsity.published)),
      },
    };
  },
  rest: () => ({}),
  protocol: (budget, plans) => [
    spendingNote(plans),
    ...(ftnBudgets[budget].isShared && plans.every(({ preset }) => preset === ftnBudgets[budget].preset)
      ? [
          'Network, step size and exploration are also the same for all methods. They were chosen for PSL-MORL, and the other methods have not been tuned.',
        ]
      : []),
    encodingNote(plans),
    ...evaluationNotes(plans),
    ...interpolatorNotes(plans),
    SPARSITY,
  ],
  caveats: ftnCaveats,
  table: ({ entries }) => methodRowsTable(entries, columnsOf(entries)),
  full: {
    legend:
      'HV: hypervolume, larger is better, with the mean ± the standard deviation of the sample. SP: sparsity, with every copy as published and over distinct points; smaller is better. Our sparsities and regrets are IQMs with their intervals. ' +
      INTERVAL +
      ' ' +
      REGRET,
    table: ({ entries }) => fullTable(entries),
  },
  seedColumns: ['hypervolume', 'of ceiling', 'points', 'SP ours', 'SP distinct', 'regret', 'worst regret'],
  seedCells: ({ ceiling }, { hypervolume, points, sparsity, regret }) => [
    hypervolume.toFixed(2),
    ceiling === null ? '-' : shareOf(hypervolume, ceiling),
    String(points),
    sparsity.published.toFixed(SPARSITY_DIGITS),
    sparsity.distinct?.toFixed(SPARSITY_DIGITS) ?? '-',
    percent(regret?.mean),
    percent(regret?.worst),
  ],
};

/** Whether all methods spend the same, decided by what they are about to do. */
function spendingNote(plans: readonly TrainingPlan[]): string {
  // Every method of the table replays.
  const byEnv = spendingOf(
    plans.filter(isOffPolicy),
    ({ config }) =>
      `${config.steps} environment steps, ${gradientStepsOf(config)} gradient steps of batch ${config.batch}`,
  );
  const claim = byEnv.every(({ alike }) => alike !== undefined)
    ? 'All methods have the same budget in every run'
    : 'The methods do not have the same budget, as published, so that differences between them are not of the methods alone';
  const shown = byEnv.map(({ env, alike, each }) => `${env}: ${alike ?? each.join('; ')}`);
  return `${claim} (${shown.join('. ')}). Environment steps are counted over all children.`;
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
  return `Of each run the policy set with the largest hypervolume at one of its evaluations (${many}, evenly spread) is scored, by all methods alike, and the whole run is counted as its cost; that of the last step is under "last". Episodes of evaluations are not counted as environment steps.`;
}

function interpolatorNotes(plans: readonly TrainingPlan[]): string[] {
  const selections = unique(plans.map(({ config }) => config.selection).filter((value) => value !== undefined));
  if (!plans.some(({ algorithm }) => algorithm.name.endsWith('-ddqn'))) return [];
  const fact =
    "The published interpolator of PD-MORL, which the paper's method takes over, is fitted to the known front of the fruit tree: it lets the answer into the training.";
  return [
    selections.includes('angle')
      ? `${fact} It is used here as published, by PD-MORL and PSL-MORL; Envelope does without.`
      : `${fact} It is not used here: all methods choose actions by the scalarised value alone, and none sees the known front.`,
  ];
}

function columnsOf(entries: readonly FtnEntry[]): Measured[] {
  return unique(entries.map(({ depth }) => depth)).flatMap((depth) => [
    {
      env: entries.find((entry) => entry.depth === depth)!.env,
      title: `d=${depth} HV`,
      printed: ({ hypervolume }) => hypervolume.toFixed(2),
      ours: ({ hypervolume }) => hypervolume,
      text: (value) => value.toFixed(2),
    },
    {
      env: entries.find((entry) => entry.depth === depth)!.env,
      title: `d=${depth} SP`,
      printed: ({ sparsity }) => printedSparsity(sparsity),
      ours: ({ sparsity }) => sparsity.published,
      text: sparsityText,
    },
  ]);
}

/** As the paper prints it. */
function printedSparsity(value: number | null): string {
  return value?.toFixed(2) ?? 'N/A';
}

function sparsityText(value: number): string {
  return value.toFixed(SPARSITY_DIGITS);
}

/** A row for each entry. */
function fullTable(entries: readonly FtnEntry[]): Table {
  const head = [
    'depth',
    'method',
    'HV paper',
    'HV ours (mean ± sd)',
    'median',
    'IQM',
    '95 % interval',
    'of ceiling',
    'seeds',
    'SP paper',
    'SP ours',
    'SP distinct',
    'regret',
  ];
  const rows = entries.map(({ depth, method, published, hypervolume, interval, ceiling, seeds }) => [
    String(depth),
    method,
    published.hypervolume.toFixed(2),
    hypervolume === null ? '-' : withSpread(hypervolume, 2),
    hypervolume?.median.toFixed(2) ?? '-',
    hypervolume?.interquartileMean.toFixed(2) ?? '-',
    intervalText({ hypervolume, interval }, (value) => value.toFixed(2)),
    hypervolume === null || ceiling === null ? '-' : shareOf(hypervolume.interquartileMean, ceiling),
    String(hypervolume?.count ?? 0),
    printedSparsity(published.sparsity),
    estimateText(
      seeds.map(({ sparsity }) => sparsity.published),
      sparsityText,
    ),
    estimateText(
      seeds.map(({ sparsity }) => sparsity.distinct),
      sparsityText,
    ),
    regretText(seeds),
  ]);
  return { head, rows };
}

function withSpread({ mean, standardDeviation }: Statistics, digits: number): string {
  return standardDeviation === null
    ? mean.toFixed(digits)
    : `${mean.toFixed(digits)} ± ${standardDeviation.toFixed(digits)}`;
}
