/** Writes a comparison of fronts as text: the tables of entries, of pairs and of the union, the protocol and notes. */
import { twoColumns, wrap } from '../config/index.js';
import { envInfo } from '../envs/index.js';
import { bestEntries, type ComparedEntry, type Comparison, shareOf, type Statistics } from '../fronts/index.js';
import { type ScoredPreferences } from '../training/index.js';
import type { FoundFront } from './find-fronts.js';
import { shown } from './format.js';
import { counted, keptOf } from './result.js';
import { aligned } from './table.js';

/** How the numbers of a comparison came about. */
export interface ComparisonProtocol {
  /** Null where all fronts come from files. */
  readonly env: string | null;
  readonly returnDiscount: number | null;
  /** Of the hypervolume, in the units of the returns. */
  readonly referencePoint: readonly number[];
  /** Over which utility is taken. */
  readonly preferences: Extract<ScoredPreferences, { kind: 'simplex grid' }>;
  /** Hypervolume of the known front; null where there is none. */
  readonly ceiling: number | null;
}

/** Beyond this a table of pairs is wider than any window. */
const MOST_COLUMNS = 12;
/** Settings that are shown of an entry. */
const MOST_SETTINGS = 3;

export function comparisonLines(
  comparison: Comparison,
  fronts: readonly FoundFront[],
  protocol: ComparisonProtocol,
): string[] {
  const { entries, isEach } = comparison;
  const runs = entries.flatMap((entry) => entry.runs);
  const count = isEach ? '' : `${counted(entries.length, 'method')}, `;
  return [
    `${protocol.env ?? 'fronts'}: ${count}${counted(runs.length, runs.every(({ seed }) => seed !== null) ? 'run' : 'front')}`,
    '',
    ...tableLines(comparison),
    '',
    ...wrap(legendOf(comparison)),
    ...(entries.length < 2 ? [] : ['', ...pairLines(comparison), '', ...unionLines(comparison)]),
    '',
    ...twoColumns(protocolRows(comparison, fronts, protocol)),
  ];
}

/** A, B, ... Z, AA, AB: short enough to stand over a column. */
export function tagOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : tagOf(Math.floor(index / 26) - 1) + letter;
}

/** A single value, or the mean with the spread. */
export function spreadOf({ mean, standardDeviation }: Statistics): string {
  if (standardDeviation === null) return shown(mean);
  return `${Number(mean.toPrecision(6))}±${Number(standardDeviation.toPrecision(3))}`;
}

/** The same for shares, in percent with one digit behind the point. */
function percentSpreadOf({ mean, standardDeviation }: Statistics): string {
  const deviation = standardDeviation === null ? '' : `±${(100 * standardDeviation).toFixed(1)}`;
  return `${(100 * mean).toFixed(1)}${deviation}`;
}

function tableLines({ entries, isEach }: Comparison): string[] {
  const best = bestEntries(entries);
  const hasSettings = entries.some(({ settings }) => Object.keys(settings).length > 0);
  const words = [...(isEach ? ['run'] : []), 'algorithm', 'preset', ...(hasSettings ? ['settings'] : [])];
  const head = ['', ...words, isEach ? 'seed' : 'seeds'];
  const numbers = ['hypervolume', 'sparsity', 'with copies', 'utility', 'regret %', 'points'];
  const rows = entries.map((entry, i) => {
    const { label, algorithm, preset, hypervolume, sparsity, expectedUtility, regret, points, envSteps, runs } = entry;
    const marked = (value: Statistics | null, name: keyof typeof best, text = spreadOf) =>
      `${value === null ? '-' : text(value)}${best[name].has(label) ? '*' : ' '}`;
    const seed = runs[0].seed ?? '-';
    return [
      tagOf(i),
      ...(isEach ? [label] : []),
      algorithm ?? (isEach ? '-' : label),
      preset ?? '-',
      ...(hasSettings ? [settingsOf(entry)] : []),
      String(isEach || seed === '-' ? seed : runs.length),
      marked(hypervolume, 'hypervolume'),
      marked(sparsity.distinct, 'sparsity'),
      marked(sparsity.published, 'publishedSparsity'),
      marked(expectedUtility, 'expectedUtility'),
      marked(regret?.mean ?? null, 'regret', percentSpreadOf),
      marked(points, 'points'),
      stepsOf(envSteps),
    ];
  });
  // The marks stand behind the numbers, and so behind the ends of their headings.
  const table = [[...head, ...numbers.map((name) => `${name} `), 'steps'], ...rows];
  return aligned(
    table,
    words.map((_, i) => i + 1),
  );
}

function settingsOf({ settings }: ComparedEntry): string {
  const typed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [...typed.slice(0, MOST_SETTINGS), ...(typed.length > MOST_SETTINGS ? ['...'] : [])].join(' ');
}

function stepsOf(steps: Statistics | null): string {
  if (steps === null) return '-';
  return steps.min === steps.max ? String(steps.min) : `${steps.min} to ${steps.max}`;
}

function legendOf({ entries, isEach }: Comparison): string {
  return [
    ...(entries.length < 2
      ? []
      : ['* best: hypervolume, expected utility and points are better larger, sparsity and regret smaller.']),
    'Sparsity is over distinct points, then with every copy, as published; it says little where hypervolumes differ.',
    ...(entries.every(({ regret }) => regret === null)
      ? []
      : [
          'Regret is what a preference loses on average by the policy that answers it, of the best utility that a policy of its run has.',
        ]),
    ...(isEach ? [] : ['Numbers of several seeds are means ± standard deviations of the sample.']),
  ].join(' ');
}

function pairLines({ entries, pairs }: Comparison): string[] {
  const title = 'points of the row that the front of the column dominates';
  if (entries.length > MOST_COLUMNS) return [`${title}: ${pairs.length} pairs, which --json shows`];
  const cell = (of: string, by: string) => {
    const pair = pairs.find((one) => one.of === of && one.by === by);
    if (pair === undefined) return '-';
    return pair.pairs === 1 ? `${pair.dominated} of ${pair.points}` : `${(100 * pair.dominatedShare).toFixed(1)} %`;
  };
  const hasMeans = pairs.some((pair) => pair.pairs > 1);
  const rows = entries.map(({ label }, i) => [`  ${tagOf(i)}`, ...entries.map((other) => cell(label, other.label))]);
  return [
    `${title}${hasMeans ? ' (shares are means over all pairs of seeds)' : ''}:`,
    ...aligned([['', ...entries.map((_, i) => tagOf(i))], ...rows], [0]),
  ];
}

function unionLines({ entries, union }: Comparison): string[] {
  const share = (value: number | null) => (value === null ? '-' : shareOf(value, 1));
  const rows = union.entries.map((entry, i) => [
    `  ${tagOf(i)}`,
    share(entry.share),
    share(entry.alone),
    entries[i].label,
  ]);
  return [
    `all fronts together: hypervolume ${shown(union.hypervolume)}, ${counted(union.points, 'point')} that none dominates`,
    ...aligned([['', 'reaches', 'reached by no other', ''], ...rows], [0, 3]),
  ];
}

function protocolRows(
  comparison: Comparison,
  fronts: readonly FoundFront[],
  { env, returnDiscount, referencePoint, preferences, ceiling }: ComparisonProtocol,
): [string, string][] {
  const discounted = returnDiscount === null ? '' : `, returns discounted by ${returnDiscount}`;
  const played = groupedBy(comparison, fronts, playedOf);
  return [
    ...(env === null ? [] : [['protocol', env] as [string, string]]),
    [env === null ? 'protocol' : '', `reference point ${referencePoint.join(',')}${discounted}`],
    ['', `utility over ${preferences.count} preferences on the simplex grid with step 1/${preferences.divisions}`],
    ...(ceiling === null ? [] : [['', `hypervolume of the known front ${shown(ceiling)}`] as [string, string]]),
    ...[...played].map(([how, tags]): [string, string] => ['', played.size === 1 ? how : `${tags.join(', ')}: ${how}`]),
  ];
}

/** How the points of a policy set were played. */
function playedOf({ run }: FoundFront): string {
  if (run === undefined) return 'points as they are in the file';
  const { preferences, episodes } = run.protocol;
  const what =
    preferences.kind === 'members'
      ? 'every policy of a finite set'
      : `played at ${gridText(run.plan.config.evaluationDivisions, preferences.count)}`;
  const answers = run.result.answers === undefined ? '' : '; preferences answered as psl calibrate found';
  return `${what}, ${counted(episodes, 'episode')} each; ${keptOf(run.protocol)}${answers}`;
}

function gridText(divisions: number, count: number): string {
  return `${count} preferences on the simplex grid with step 1/${divisions}`;
}

/** Tags of the entries by something that all runs of an entry have in common. */
function groupedBy(
  { entries }: Comparison,
  fronts: readonly FoundFront[],
  textOf: (front: FoundFront) => string,
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  entries.forEach(({ runs }, i) => {
    const text = textOf(fronts.find(({ name }) => name === runs[0].name)!);
    groups.set(text, [...(groups.get(text) ?? []), tagOf(i)]);
  });
  return groups;
}

/** What to know before these fronts are judged by their numbers, in sentences. */
export function comparisonNotes(comparison: Comparison, fronts: readonly FoundFront[]): string[] {
  const kinds = groupedBy(comparison, fronts, ({ run }) => {
    if (run === undefined) return 'file';
    const { preferences } = run.protocol;
    return preferences.kind === 'members'
      ? 'members'
      : gridText(run.plan.config.evaluationDivisions, preferences.count);
  });
  const grids = [...kinds].filter(([kind]) => kind !== 'file' && kind !== 'members');
  const episodes = groupedBy(comparison, fronts, ({ run }) => String(run?.protocol.episodes ?? ''));
  episodes.delete('');
  const options = groupedBy(comparison, fronts, ({ run }) =>
    Object.entries(run?.plan.envOptions ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  );
  options.delete('');
  const listed = (groups: Iterable<readonly [string, readonly string[]]>) =>
    [...groups].map(([text, tags]) => `${tags.join(', ')} ${text}`).join('; ');
  return [
    ...(grids.length > 1
      ? [`not played at the same preferences (${listed(grids)}): more of them can show more points of the same set`]
      : []),
    ...(kinds.size > 1
      ? ['sparsity with copies compares only what was played at the same preferences: take that over distinct points']
      : []),
    ...(episodes.size > 1 ? [`not played for the same number of episodes (${listed(episodes)})`] : []),
    ...(options.size > 1 ? [`not the same options of the environment (${listed(options)})`] : []),
    ...comparison.entries.flatMap(runNotes),
    ...nameNotes(fronts),
  ];
}

function runNotes({ runs, repeats }: ComparedEntry, entry: number): string[] {
  return [
    ...runs
      .filter(({ stopped }) => stopped === true)
      .map(({ name, envSteps }) => `${name} was stopped early, after ${envSteps} steps`),
    ...repeats.map(({ name, seed }) => `${name} is seed ${seed} of ${tagOf(entry)} once more, not another seed`),
  ];
}

/** Files whose objectives are called something else than those of the runs, or of the first file. */
function nameNotes(fronts: readonly FoundFront[]): string[] {
  const env = fronts.find(({ run }) => run !== undefined)?.run?.plan.env;
  const ofEnv = env === undefined ? undefined : envInfo(env).objectives.map(({ name }) => name);
  const wanted = ofEnv ?? fronts.find(({ objectives }) => objectives !== undefined)?.objectives;
  return fronts.flatMap(({ name, objectives }) =>
    objectives === undefined || objectives.join() === wanted?.join()
      ? []
      : [`${name} calls its objectives ${objectives.join(', ')}, not ${wanted?.join(', ')}`],
  );
}
