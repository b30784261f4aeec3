/** How the report of the table of robots looks, and what it says. */
import { envInfo } from '../../envs/index.js';
import { statistics } from '../../fronts/index.js';
import type { Statistics } from '../../fronts/index.js';
import { protocolOf, returnDiscountOf } from '../../training/index.js';
import type { TrainingPlan } from '../../training/index.js';
import type { Entry, Layout, Report, Table } from '../experiment.js';
import {
  AMONG_OURS,
  estimateText,
  hasOtherRanks,
  INTERVAL,
  percent,
  REGRET,
  regretText,
  sparsityRank,
  spendingOf,
  SPARSITY,
  unique,
} from '../report-parts.js';
import { mujocoCaveats, mujocoPublished } from './published.js';
import type { MujocoCase } from './published.js';

export interface MujocoEntry extends Entry {
  /** Over distinct points and the seeds that found more than one. */
  readonly sparsity: Statistics | null;
}

export interface MujocoRest {
  readonly envs: readonly MujocoCase[];
}

export const mujocoLayout: Layout<MujocoCase, MujocoEntry, MujocoRest> = {
  title: 'MO-MuJoCo',
  legend:
    'HV: hypervolume, larger is better. SP: sparsity over distinct points, smaller is better. ' +
    INTERVAL +
    ' Means, which the paper gives, are ± the standard deviation of the seeds.' +
    ' Steps are environment steps of one training, everything that was used for learning counted. ' +
    REGRET,
  atEvery: 'on every robot',
  atSome: 'on',
  judged: {
    subject: ['psl-td3', 'psl-td3-published'],
    pairs: [
      ['psl-td3-published', 'pd-td3-published'],
      ['pg-morl', 'random'],
    ],
  },
  caseLabel: ({ label }) => label,
  hypervolumeText: (value, { hypervolumeUnit: unit }) => `${(value / unit).toFixed(2)}${powerOf(unit).slice(1)}`,
  words: [0, 1],
  published: mujocoPublished,
  entry: (_where, _plan, outcomes) => ({
    sparsity: statistics(outcomes.map(({ sparsity }) => sparsity.distinct).filter((value) => value !== null)),
  }),
  rest: (envs) => ({ envs }),
  protocol: (_budget, plans) => [
    spendingNote(plans),
    ...evaluationNotes(plans),
    `Ranks are among the methods of the paper that are in this table, means over its robots; equal ones share theirs, and a front of a single point has the worst sparsity. Where not all of them are ranked here, the paper's numbers are ranked also ${AMONG_OURS}. ` +
      SPARSITY,
  ],
  caveats: mujocoCaveats,
  table: tableOf,
  seedColumns: [
    'hypervolume',
    'last',
    'chosen by',
    'points',
    'SP distinct',
    'SP with copies',
    'regret',
    'worst regret',
  ],
  seedCells: (_entry, { hypervolume, last, chosenBy, points, sparsity, regret }) => [
    hypervolume.toPrecision(6),
    last?.toPrecision(6) ?? '-',
    chosenBy.toPrecision(6),
    String(points),
    sparsity.distinct?.toPrecision(4) ?? '-',
    sparsity.published.toPrecision(4),
    percent(regret?.mean),
    percent(regret?.worst),
  ],
};

/** The table as the paper prints it: a column for each method, and for each robot the paper's rows and ours. */
function tableOf({ envs, entries, averageRanks }: Report<MujocoEntry, MujocoRest>): Table {
  const methods = averageRanks.map(({ method }) => method);
  const row = (where: string, what: string, cell: (method: string) => string) => [where, what, ...methods.map(cell)];
  const rows = envs.flatMap(({ env, label, hypervolumeUnit, sparsityUnit }) => {
    const entryOf = (method: string) => entries.find((entry) => entry.env === env && entry.method === method)!;
    const hypervolume = `HV (x ${powerOf(hypervolumeUnit)})`;
    const sparsity = `SP (x ${powerOf(sparsityUnit)})`;
    return [
      row(label, `${hypervolume} paper`, (method) => scaled(entryOf(method).published?.hypervolume, hypervolumeUnit)),
      row(label, `${hypervolume} ours, IQM`, (method) =>
        estimateText(
          entryOf(method).seeds.map((seed) => seed.hypervolume),
          (value) => scaled(value, hypervolumeUnit),
        ),
      ),
      row(label, `${hypervolume} ours, mean`, (method) => spread(entryOf(method).hypervolume, hypervolumeUnit)),
      row(label, `${sparsity} paper`, (method) => scaled(entryOf(method).published?.sparsity, sparsityUnit)),
      row(label, `${sparsity} ours, IQM`, (method) =>
        estimateText(
          entryOf(method).seeds.map((seed) => seed.sparsity.distinct),
          (value) => scaled(value, sparsityUnit),
        ),
      ),
      row(label, `${sparsity} ours, mean`, (method) => spread(entryOf(method).sparsity, sparsityUnit)),
      row(label, 'regret, IQM', (method) => regretText(entryOf(method).seeds)),
      row(label, 'steps', (method) => stepsOf(entryOf(method).envSteps)),
      row(label, 'seeds', (method) => String(entryOf(method).seeds.length)),
      ...rangeRows(row, label, (method) => entryOf(method).unranked === 'below its range'),
    ];
  });
  const rankOf = (method: string) => averageRanks.find((entry) => entry.method === method)!;
  const rank = (value: number | null) => value?.toFixed(1) ?? '-';
  const amongOurs = (name: string, metric: 'hypervolume' | 'sparsity') =>
    hasOtherRanks(averageRanks, metric)
      ? [
          row('Average rank', `${name} paper, ${AMONG_OURS}`, (method) =>
            rank(rankOf(method)[metric].publishedAmongOurs),
          ),
        ]
      : [];
  return {
    head: ['', 'metric', ...methods],
    rows: [
      ...rows,
      row('Average rank', 'HV paper', (method) => rank(rankOf(method).hypervolume.published)),
      ...amongOurs('HV', 'hypervolume'),
      row('Average rank', 'HV ours', (method) => rank(rankOf(method).hypervolume.ours)),
      row('Average rank', 'SP paper', (method) => rank(rankOf(method).sparsity.published)),
      ...amongOurs('SP', 'sparsity'),
      row('Average rank', 'SP ours', (method) => sparsityRank(rankOf(method), envs.length)),
    ],
  };
}

/** A row that says which methods have no rank because of their budget, if there are any. */
function rangeRows(
  row: (where: string, what: string, cell: (method: string) => string) => string[],
  label: string,
  isBelow: (method: string) => boolean,
): string[][] {
  const cells = row(label, 'range', (method) => (isBelow(method) ? 'below' : '-'));
  return cells.includes('below') ? [cells] : [];
}

export function powerOf(unit: number): string {
  return `1e${Math.round(Math.log10(unit))}`;
}

export function scaled(value: number | null | undefined, unit: number): string {
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

/** Whether all methods may spend the same, decided by what they are about to do. */
function spendingNote(plans: readonly TrainingPlan[]): string {
  const byEnv = spendingOf(plans, ({ config }) => String(config.steps));
  const claim = byEnv.every(({ alike }) => alike !== undefined)
    ? 'All methods may take the same number of environment steps'
    : 'The methods do not take the same number of environment steps, as published, so that differences between them are not of the methods alone';
  const shown = byEnv.map(({ env, alike, each }) => `${env}: ${alike ?? each.join(', ')}`);
  const keys = plans.some(
    ({ config }) =>
      config.keys === 'known' && [config.criticAngle, config.actorAngle].some((weight) => (weight as number) > 0),
  )
    ? ' Where the angle is used, it starts from the published key solutions, whose millions of steps are in no budget.'
    : '';
  return `${claim} (${shown.join('; ')}). Methods that learn from rollouts take as many whole ones as fit. Gradient steps differ by nature: they are in the table of seeds.${keys}`;
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
    `All play the same robots (reset noise ${envOptions.resetNoise}, inertials ${envOptions.inertials}); ${discounts.every((discount) => discount === 1) ? 'returns are plain sums' : `returns are discounted by ${discounts.join(' and ')}`} and the reference point is (${referencePoint.join(',')}). The first episode of every evaluation during training starts from the same seed, with deterministic actions; episodes for each policy: ${episodes.join(' or ')}.`,
    ...(others.length === 0
      ? []
      : [
          `During training, methods with one model for all preferences are played at ${preferences.count} of them; ${kept.includes('best') ? 'the model with the largest hypervolume at one of its evaluations is kept' : 'the last model is kept'}.`,
        ]),
    ...(populations.length === 0
      ? []
      : [
          'Methods with a population keep an archive: every policy that was not dominated in the one episode that each of its iterations is played for. The published numbers are those of that episode, which flatters what is noisy; here they are under "chosen by". Episodes of evaluations are not counted as environment steps of any method.',
        ]),
  ];
}
