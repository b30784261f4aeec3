/**
 * Compares fronts, of runs or from files: all are scored the same way, seeds of one method are summarised, every pair is
 * compared by dominance, and the union shows what each entry contributes.
 */
import { hypervolumeShares, nonDominatedIndices, setCoverage } from '../pareto/index.js';
import type { PreferenceRegret } from '../pareto/index.js';
import { methodKeyOf, methodLabel, type Origin } from './method.js';
import { score } from './score.js';
import type { Score, Scoring } from './score.js';
import { statistics } from './statistics.js';
import type { Statistics } from './statistics.js';

/** A front that is compared with others. */
export interface Contender {
  /** No two have the same. */
  readonly name: string;
  /** All evaluated returns, duplicates included; larger is better. */
  readonly returns: readonly (readonly number[])[];
  /** The preference that each return was played at, where policies belong to preferences. */
  readonly preferences?: readonly (readonly number[])[];
  /** What the own policies of these preferences return, where others answer. */
  readonly own?: readonly (readonly number[])[];
  /** Absent where the front is from a file. */
  readonly origin?: Origin;
}

/** How all fronts are scored. */
export interface Yardstick extends Scoring {
  /** Of the returns. */
  readonly discount: number;
  /** Over which utility is taken. */
  readonly preferences: readonly (readonly number[])[];
}

/** A front, measured. What only runs have is null for others. */
export interface MeasuredFront extends Score {
  readonly name: string;
  readonly seed: number | null;
  readonly envSteps: number | null;
  readonly gradientSteps: number | null;
  readonly stopped: boolean | null;
  /** Its distinct non-dominated returns, as they were evaluated. */
  readonly front: readonly (readonly number[])[];
}

/** What is compared: one front, or all seeds of one method. */
export interface ComparedEntry {
  /** No two have the same. */
  readonly label: string;
  readonly algorithm: string | null;
  readonly preset: string | null;
  /** What tells it from entries of the same algorithm and preset, as it is typed. */
  readonly settings: Readonly<Record<string, string>>;
  /** One of each seed. */
  readonly runs: readonly MeasuredFront[];
  /** Runs of seeds that are among these already, such as copies: they count no second time. */
  readonly repeats: readonly { readonly name: string; readonly seed: number }[];
  /** Over the runs. */
  readonly hypervolume: Statistics;
  readonly sparsity: {
    /** Of the runs that found more than one point; null where none did. */
    readonly distinct: Statistics | null;
    readonly published: Statistics;
  };
  readonly expectedUtility: Statistics;
  /** Of the runs whose policies belong to preferences; null where there are none. */
  readonly regret: Readonly<Record<keyof PreferenceRegret, Statistics>> | null;
  readonly points: Statistics;
  readonly envSteps: Statistics | null;
}

/** How one entry fares against the front of another: over every run of the one and every run of the other. */
export interface ComparedPair {
  readonly of: string;
  readonly by: string;
  /** Pairs of runs. */
  readonly pairs: number;
  /** Points of all these pairs, and those of them that a point of the other dominates, or dominates or equals. */
  readonly points: number;
  readonly dominated: number;
  readonly covered: number;
  /** Means over the pairs of what is dominated, or covered (Zitzler and Thiele's C-metric), in a pair. */
  readonly dominatedShare: number;
  readonly coveredShare: number;
}

/** What all fronts reach together. */
export interface FrontUnion {
  readonly hypervolume: number;
  /** Distinct points that none dominates. */
  readonly points: number;
  /** Null where nothing lies above the reference point. */
  readonly entries: readonly {
    readonly label: string;
    /** Hypervolume of the entry, in the mean of its runs, over that of the union. */
    readonly share: number | null;
    /** Part of the union that no other entry reaches, with all runs of the entry together. */
    readonly alone: number | null;
  }[];
}

export interface Comparison {
  /** Whether each entry is one front: always so where no method has several. */
  readonly isEach: boolean;
  readonly entries: readonly ComparedEntry[];
  /** Both directions of every pair of entries. */
  readonly pairs: readonly ComparedPair[];
  readonly union: FrontUnion;
}

/** @param each whether seeds of one method are entries of their own */
export function compareFronts(contenders: readonly Contender[], by: Yardstick, each = false): Comparison {
  const methods = groupsOf(contenders);
  const isEach = each || methods.every(({ members }) => members.length === 1);
  const groups = isEach
    ? contenders.map((contender) => {
        const method = methods.find(({ members }) => members.includes(contender))!;
        return { ...method, label: contender.name, members: [contender] };
      })
    : methods;
  const entries = groups.map((group) => entryOf(group, by));
  const fronts = entries.map(({ runs }) => runs.map(({ front }) => front));
  return { isEach, entries, pairs: pairsOf(entries, fronts), union: unionOf(entries, fronts, by) };
}

/** Contenders that are the same but for their seeds. */
interface Group extends Pick<ComparedEntry, 'label' | 'algorithm' | 'preset' | 'settings'> {
  readonly members: readonly Contender[];
}

function groupsOf(contenders: readonly Contender[]): Group[] {
  const groups = new Map<string, Contender[]>();
  for (const contender of contenders) {
    const key = contender.origin === undefined ? contender.name : methodKeyOf(contender.origin);
    groups.set(key, [...(groups.get(key) ?? []), contender]);
  }
  const origins = [...groups.values()].flatMap(([{ origin }]) => origin ?? []);
  return [...groups.values()].map((members) => {
    const [{ name, origin }] = members;
    if (origin === undefined) return { label: name, algorithm: null, preset: null, settings: {}, members };
    const { algorithm, preset } = origin;
    return { algorithm, preset, ...methodLabel(origin, origins), members };
  });
}

function entryOf({ members, ...method }: Group, by: Yardstick): ComparedEntry {
  const seeds = members.filter((member) => member === countedLike(member, members));
  const runs = seeds.map((contender) => measured(contender, by));
  const others = members.filter((member) => !seeds.includes(member));
  const repeats = others.flatMap(({ name, origin }) => (origin === undefined ? [] : [{ name, seed: origin.seed }]));
  const over = (pick: (run: MeasuredFront) => number) => statistics(runs.map(pick))!;
  const known = (values: readonly (number | null)[]) => statistics(values.filter((value) => value !== null));
  return {
    ...method,
    runs,
    repeats,
    hypervolume: over(({ hypervolume }) => hypervolume),
    sparsity: {
      distinct: known(runs.map(({ sparsity }) => sparsity.distinct)),
      published: over(({ sparsity }) => sparsity.published),
    },
    expectedUtility: over(({ expectedUtility }) => expectedUtility),
    regret: regretOf(runs),
    points: over(({ points }) => points),
    envSteps: known(runs.map(({ envSteps }) => envSteps)),
  };
}

/** The run that counts for the seed of another: the first one, but for those that were stopped where one was not. */
function countedLike(member: Contender, members: readonly Contender[]): Contender {
  const alike = members.filter(({ origin }) => origin?.seed === member.origin?.seed);
  return alike.find(({ origin }) => origin?.stopped === false) ?? alike[0];
}

function regretOf(runs: readonly MeasuredFront[]): ComparedEntry['regret'] {
  const known = runs.flatMap(({ regret }) => regret ?? []);
  const over = (pick: (regret: PreferenceRegret) => number) => statistics(known.map(pick))!;
  if (known.length === 0) return null;
  return { mean: over(({ mean }) => mean), worst: over(({ worst }) => worst), below80: over(({ below80 }) => below80) };
}

function measured({ name, returns, preferences, own, origin }: Contender, by: Yardstick): MeasuredFront {
  const { seed = null, envSteps = null, gradientSteps = null, stopped = null } = origin ?? {};
  const metrics = score(by, by.discount, by.preferences, returns, preferences, own);
  const { hypervolume, sparsity, expectedUtility } = metrics;
  if (![hypervolume, sparsity.distinct ?? 0, sparsity.published, expectedUtility].every(Number.isFinite)) {
    const allowed = 'scaled so that its metrics are finite';
    throw new RangeError(`${name} has numbers too large to be squared, but must be ${allowed}.`);
  }
  const front = nonDominatedIndices(returns).map((index) => returns[index]);
  return { name, seed, envSteps, gradientSteps, stopped, ...metrics, front };
}

type Fronts = readonly (readonly (readonly number[])[])[];

function pairsOf(entries: readonly ComparedEntry[], fronts: readonly Fronts[]): ComparedPair[] {
  return entries.flatMap(({ label: of }, i) =>
    entries.flatMap(({ label: by }, k) => {
      if (i === k) return [];
      const coverages = fronts[i].flatMap((points) =>
        fronts[k].map((others) => ({ points: points.length, ...setCoverage(points, others) })),
      );
      const sum = (pick: (pair: (typeof coverages)[number]) => number) =>
        coverages.reduce((total, pair) => total + pick(pair), 0);
      return [
        {
          of,
          by,
          pairs: coverages.length,
          points: sum(({ points }) => points),
          dominated: sum(({ dominated }) => dominated),
          covered: sum(({ covered }) => covered),
          dominatedShare: sum(({ dominated, points }) => dominated / points) / coverages.length,
          coveredShare: sum(({ covered, points }) => covered / points) / coverages.length,
        },
      ];
    }),
  );
}

function unionOf(entries: readonly ComparedEntry[], fronts: readonly Fronts[], by: Yardstick): FrontUnion {
  const { total, points, alone } = hypervolumeShares(
    fronts.map((ofEntry) => ofEntry.flat()),
    by.referencePoint,
  );
  const share = (part: number) => (total === 0 ? null : part / total);
  return {
    hypervolume: total,
    points,
    entries: entries.map(({ label, hypervolume }, i) => ({
      label,
      share: share(hypervolume.mean),
      alone: share(alone[i]),
    })),
  };
}

/** The numbers of an entry of which one is better than another. */
export type Judged = 'hypervolume' | 'sparsity' | 'publishedSparsity' | 'expectedUtility' | 'regret' | 'points';

/** The entries with the best mean of each number; none where all have the same, or only one has any. */
export function bestEntries(entries: readonly ComparedEntry[]): Readonly<Record<Judged, ReadonlySet<string>>> {
  const best = (quality: (entry: ComparedEntry) => number | undefined) => {
    const values = entries.map(quality);
    const known = values.filter((value) => value !== undefined);
    const most = Math.max(...known);
    const isTie = values.every((value) => value === most);
    return new Set(
      isTie || known.length < 2 ? [] : entries.filter((_, i) => values[i] === most).map(({ label }) => label),
    );
  };
  return {
    hypervolume: best(({ hypervolume }) => hypervolume.mean),
    sparsity: best(({ sparsity }) => negative(sparsity.distinct?.mean)),
    // A front of one point has no gap, which the published form calls 0 and is nothing to be best in.
    publishedSparsity: best(({ sparsity: { distinct, published }, runs }) =>
      negative(distinct?.count === runs.length ? published.mean : undefined),
    ),
    expectedUtility: best(({ expectedUtility }) => expectedUtility.mean),
    regret: best(({ regret }) => negative(regret?.mean.mean)),
    points: best(({ points }) => points.mean),
  };
}

function negative(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value;
}
