/** How the methods of a table compare, by all their seeds: ranks, shares of the paper's hypervolume, and duels. */
import {
  bootstrapInterval,
  interquartileMean,
  permutationTest,
  probabilityOfImprovement,
  ranksOf,
  statistics,
  stratifiedPermutationTest,
} from '../fronts/index.js';
import type { Interval, PermutationTest, Statistics } from '../fronts/index.js';
import type { Published } from './case.js';
import type { Unranked } from './standing.js';

/** What is judged of an entry of a table. */
export interface JudgedEntry {
  readonly env: string;
  readonly key: string;
  readonly method: string;
  /** Null for a method that is not in the paper. */
  readonly published: Published | null;
  readonly unranked: Unranked | null;
  readonly hypervolume: Statistics | null;
  readonly seeds: readonly {
    readonly seed: number;
    readonly hypervolume: number;
    readonly sparsity: { readonly distinct: number | null };
  }[];
}

/** Seeds decide what chance alone would show in at most this share of cases, by the permutation test. */
export const DECIDED = 0.05;

/** Sparsity is only compared between fronts with at least this share of the best hypervolume. */
export const COMPARABLE = 0.9;

/** Mean ranks over the cases; null where an entry is missing, or for a method that is not in the paper. */
export interface AverageRank {
  readonly method: string;
  readonly hypervolume: Ranks;
  readonly sparsity: Ranks & {
    /** Cases that the method is ranked in: its hypervolume is comparable with the best, and so is another's. */
    readonly comparable: number;
  };
}

export interface Ranks {
  /** Of the paper's numbers, among all methods that are in this table. */
  readonly published: number | null;
  /** Of ours, among those that have a rank here. */
  readonly ours: number | null;
  /** Of the paper's numbers among exactly those that ours are ranked among. */
  readonly publishedAmongOurs: number | null;
}

/** Hypervolumes of all cases and seeds, each as a share of what the paper gives for the subject in that case. */
export interface MethodScore {
  readonly method: string;
  /** Null where a case has no seeds, or the paper no number. */
  readonly share: Statistics | null;
  /** Of the interquartile mean. */
  readonly interval: Interval | null;
}

/** One method against another. */
export interface Duel {
  readonly subject: string;
  readonly rival: string;
  /** Null for all cases together. */
  readonly env: string | null;
  /** That a run of the subject has more hypervolume than one of the rival. */
  readonly probability: number;
  readonly interval: Interval | null;
  /** Of the difference of their means; for all cases together of the probability, within each of them. */
  readonly test: PermutationTest | null;
}

/** What is compared, by the keys of methods. */
export interface Judged {
  /** The first of these that is in the table is compared with every other method. */
  readonly subject: readonly string[];
  /** What is compared besides: methods as published with each other. */
  readonly pairs: readonly (readonly [subject: string, rival: string])[];
}

export interface Judgement {
  /** The method that is compared with every other; null where it is not in the table. */
  readonly subject: string | null;
  readonly averageRanks: readonly AverageRank[];
  readonly scores: readonly MethodScore[];
  readonly duels: readonly Duel[];
}

export function judge({ subject: keys, pairs }: Judged, entries: readonly JudgedEntry[]): Judgement {
  const labelOf = (key: string | undefined) => entries.find((entry) => entry.key === key)?.method ?? null;
  const subject = labelOf(keys.find((key) => labelOf(key) !== null));
  const others = methodsIn(entries).filter((method) => method !== subject);
  const compared = [
    ...(subject === null ? [] : others.map((rival) => [subject, rival] as const)),
    ...pairs.map(([one, other]) => [labelOf(one), labelOf(other)] as const).filter(([one]) => one !== subject),
  ];
  return {
    subject,
    averageRanks: averageRanksOf(entries),
    scores: scoresOf(subject, entries),
    duels: compared.flatMap(([one, other]) => (one === null || other === null ? [] : duelsOf(one, other, entries))),
  };
}

/** In every case that both are in, and in all where those are all. */
function duelsOf(subject: string, rival: string, entries: readonly JudgedEntry[]): Duel[] {
  const valuesOf = (method: string, env: string) =>
    hypervolumesOf(entries.find((entry) => entry.method === method && entry.env === env));
  const envs = envsIn(entries);
  const known = envs.filter((env) => valuesOf(subject, env).length > 0 && valuesOf(rival, env).length > 0);
  const duel = (env: string | null): Duel => {
    const over = env === null ? known : [env];
    const [x, y] = [subject, rival].map((method) => over.map((one) => valuesOf(method, one)));
    return {
      subject,
      rival,
      env,
      probability: probabilityOfImprovement(x, y),
      interval: bootstrapInterval([x, y], ([a, b]) => probabilityOfImprovement(a, b)),
      test: env === null ? stratifiedPermutationTest(x, y) : permutationTest(x[0], y[0]),
    };
  };
  return [...known.map(duel), ...(known.length > 1 && known.length === envs.length ? [duel(null)] : [])];
}

/**
 * Whether the seeds tell who is ahead: the interval of the probability of improvement has no 0.5 in it, and the test agrees.
 * Of three seeds or fewer the interval alone leaves 0.5 out in every fifth comparison of a method with itself.
 */
export function isDecided({ interval, test }: Pick<Duel, 'interval' | 'test'>): boolean {
  return interval !== null && (interval.low > 0.5 || interval.high < 0.5) && test !== null && test.p <= DECIDED;
}

/** Whether the seeds tell two ranked methods apart, over the cases in which a metric ranks both. */
export function areApart(
  metric: 'hypervolume' | 'sparsity',
  [one, other]: readonly [string, string],
  entries: readonly JudgedEntry[],
): boolean {
  const ranked = byCase(entries, isRanked).map((ofEnv) => (metric === 'sparsity' ? comparable(ofEnv) : ofEnv));
  const valuesOf = metric === 'sparsity' ? sparsitiesOf : hypervolumesOf;
  const cases = ranked
    .map((ofEnv) => [one, other].map((method) => valuesOf(ofEnv.find((entry) => entry.method === method))))
    .filter((values) => values.every(({ length }) => length > 0));
  if (cases.length === 0) return false;
  const test = stratifiedPermutationTest(
    cases.map(([x]) => x),
    cases.map(([, y]) => y),
  );
  return test !== null && test.p <= DECIDED;
}

/** The interval of the interquartile mean of hypervolumes; null for fewer than two. */
export function intervalOf(hypervolumes: readonly number[]): Interval | null {
  return bootstrapInterval([[hypervolumes]], ([[drawn]]) => interquartileMean(drawn));
}

function envsIn(entries: readonly JudgedEntry[]): string[] {
  return [...new Set(entries.map(({ env }) => env))];
}

function methodsIn(entries: readonly JudgedEntry[]): string[] {
  return [...new Set(entries.map(({ method }) => method))];
}

function hypervolumesOf(entry: JudgedEntry | undefined): number[] {
  return entry?.seeds.map(({ hypervolume }) => hypervolume) ?? [];
}

/** Over distinct points, of the seeds that found more than one. */
function sparsitiesOf(entry: JudgedEntry | undefined): number[] {
  return entry?.seeds.flatMap(({ sparsity }) => sparsity.distinct ?? []) ?? [];
}

function scoresOf(subject: string | null, entries: readonly JudgedEntry[]): MethodScore[] {
  const unit = new Map(
    entries.filter(({ method }) => method === subject).map(({ env, published }) => [env, published?.hypervolume]),
  );
  return methodsIn(entries).map((method) => {
    const ofMethod = entries.filter((entry) => entry.method === method);
    const tasks = ofMethod.map((entry) => hypervolumesOf(entry).map((value) => value / (unit.get(entry.env) ?? NaN)));
    const isComplete = tasks.every((shares) => shares.length > 0 && shares.every(Number.isFinite));
    return {
      method,
      share: isComplete ? statistics(tasks.flat()) : null,
      interval: isComplete ? bootstrapInterval([tasks], ([drawn]) => interquartileMean(drawn.flat())) : null,
    };
  });
}

/** Ranks among the methods of the paper, as it prints them: means of the ranks in every case, over the seeds that all have. */
function averageRanksOf(entries: readonly JudgedEntry[]): AverageRank[] {
  // What keeps a method of ours from its rank does not keep the published one.
  const inPaper = byCase(entries, ({ unranked }) => unranked === null || unranked === 'below its range');
  const ranked = byCase(entries, isRanked).map(ofCommonSeeds);
  const isComplete = ranked.every((ofEnv) => ofEnv.every(({ seeds }) => seeds.length > 0));
  const ours = isComplete ? ranked : [];
  // Where the paper says N/A for some, it does not rank them.
  const hasSparsity = entries.every(({ published: printed }) => printed?.sparsity !== null);
  const contests = ours.map(comparable).filter(isContest);
  const printed = {
    hypervolume: (cases: Cases) => ranksIn(cases, (entry) => entry.published!.hypervolume, true),
    sparsity: (cases: Cases) => ranksIn(hasSparsity ? cases : [], (entry) => entry.published!.sparsity, false),
  };
  const hypervolume = {
    published: printed.hypervolume(inPaper),
    ours: ranksIn(ours, (entry) => entry.hypervolume!.mean, true),
    publishedAmongOurs: printed.hypervolume(ours),
  };
  const sparsity = {
    published: printed.sparsity(inPaper),
    ours: ranksIn(contests, sparsityOf, false),
    publishedAmongOurs: printed.sparsity(contests),
  };
  const means = ({ published, ours: own, publishedAmongOurs }: typeof hypervolume, method: string): Ranks => ({
    published: mean(published, method),
    ours: mean(own, method),
    publishedAmongOurs: mean(publishedAmongOurs, method),
  });
  return methodsIn(entries).map((method) => ({
    method,
    hypervolume: means(hypervolume, method),
    sparsity: { ...means(sparsity, method), comparable: sparsity.ours.get(method)?.length ?? 0 },
  }));
}

/** Methods of the table, case by case. */
type Cases = readonly (readonly JudgedEntry[])[];

function byCase(entries: readonly JudgedEntry[], isOf: (entry: JudgedEntry) => boolean): JudgedEntry[][] {
  return envsIn(entries).map((env) => entries.filter((entry) => entry.env === env && isOf(entry)));
}

function isRanked({ unranked }: JudgedEntry): boolean {
  return unranked === null;
}

/** Where ranks are of fewer seeds than ranked methods have: the seeds that all of them have. */
export function rankedSeeds(entries: readonly JudgedEntry[]): { readonly env: string; readonly seeds: number[] }[] {
  return byCase(entries, isRanked).flatMap((ofEnv) => {
    const common = ofCommonSeeds(ofEnv);
    const isAll = ofEnv.every(({ seeds }, i) => seeds.length === common[i].seeds.length);
    return isAll ? [] : [{ env: ofEnv[0].env, seeds: common[0].seeds.map(({ seed }) => seed) }];
  });
}

/** Methods with the seeds alone that all of them have: a seed that was bad to all who tried it would count against them otherwise. */
function ofCommonSeeds(ofEnv: readonly JudgedEntry[]): JudgedEntry[] {
  const isCommon = ({ seed }: JudgedEntry['seeds'][number]) =>
    ofEnv.every(({ seeds }) => seeds.some((other) => other.seed === seed));
  return ofEnv.map((entry) => {
    const seeds = entry.seeds.filter(isCommon);
    return { ...entry, seeds, hypervolume: statistics(seeds.map(({ hypervolume }) => hypervolume)) };
  });
}

/** Those of a case whose hypervolume comes near the best. */
export function comparable(ofEnv: readonly JudgedEntry[]): JudgedEntry[] {
  const best = Math.max(...ofEnv.map(({ hypervolume }) => hypervolume?.mean ?? -Infinity));
  return ofEnv.filter(({ hypervolume }) => hypervolume !== null && hypervolume.mean >= COMPARABLE * best);
}

/** A rank among one says nothing. */
function isContest({ length }: readonly JudgedEntry[]): boolean {
  return length > 1;
}

/** Null where no seed found more than one point. */
function sparsityOf(entry: JudgedEntry): number | null {
  return statistics(sparsitiesOf(entry))?.mean ?? null;
}

/** The ranks of each method, one for each case that it is in. */
function ranksIn(
  cases: Cases,
  valueOf: (entry: JudgedEntry) => number | null,
  isLargerBetter: boolean,
): Map<string, number[]> {
  const ranks = new Map<string, number[]>();
  for (const ofCase of cases) {
    ranksOf(ofCase.map(valueOf), isLargerBetter).forEach((rank, i) => {
      const { method } = ofCase[i];
      ranks.set(method, [...(ranks.get(method) ?? []), rank]);
    });
  }
  return ranks;
}

function mean(ranks: ReadonlyMap<string, readonly number[]>, method: string): number | null {
  return statistics(ranks.get(method) ?? [])?.mean ?? null;
}
