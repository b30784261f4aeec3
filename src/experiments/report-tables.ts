/** The tables that every report has besides the paper's: seeds, comparisons, time, protocol and settings, as text. */
import { relative } from 'node:path';
import { statistics } from '../fronts/index.js';
import type { Statistics } from '../fronts/index.js';
import type { Protocol } from '../training/index.js';
import type { Entry, Experiment, Report, SeedResult, Table } from './experiment.js';
import { DECIDED } from './judgement.js';
import {
  AMONG_OURS,
  caseOf,
  hasOtherRanks,
  inPaper,
  intervalText,
  named,
  settingText,
  sparsityRank,
  unique,
} from './report-parts.js';

/** A table with what it shows and how to read it. */
export interface ReportTable extends Table {
  readonly title: string;
  readonly legend: string;
}

/** Tables that judge the methods. */
export function judgingTables(experiment: Experiment, report: Report): ReportTable[] {
  const isOne = experiment.cases.filter(({ env }) => report.entries.some((entry) => entry.env === env)).length === 1;
  return [
    overSeeds(experiment, report),
    ...(report.duels.length === 0 ? [] : [duels(experiment, report)]),
    ...(isOne ? [] : [overCases(report)]),
    times(experiment, report),
  ];
}

/** Tables to look things up in. */
export function detailTables(experiment: Experiment, report: Report): ReportTable[] {
  const { full } = experiment.layout;
  return [
    ...(full === undefined ? [] : [{ title: 'The table in full', legend: full.legend, ...full.table(report) }]),
    protocols(experiment, report),
    everySeed(experiment, report),
    everySetting(report),
  ];
}

function overSeeds({ cases, caseName, layout }: Experiment, { entries }: Report): ReportTable {
  const rows = entries.map((entry) => {
    const { env, method, published, hypervolume, seeds } = entry;
    const where = caseOf(cases, env);
    const text = (value: number) => layout.hypervolumeText(value, where);
    const lasts = statistics(seeds.flatMap(({ last }) => last ?? []));
    return [
      layout.caseLabel(where),
      method,
      published === null ? '-' : text(published.hypervolume),
      seeds.map((seed) => text(seed.hypervolume)).join(', ') || '-',
      hypervolume === null ? '-' : text(hypervolume.median),
      hypervolume === null ? '-' : text(hypervolume.interquartileMean),
      intervalText(entry, text),
      hypervolume === null ? '-' : withSpread(hypervolume, text),
      lasts === null ? '-' : text(lasts.median),
    ];
  });
  return {
    title: 'Hypervolume over the seeds',
    legend:
      'Every seed is given, in the order of the seeds. The median is the middle one. The interquartile mean (IQM) is the mean of the middle half, which feels outliers less than the mean. The interval holds 95 % of the interquartile means of seeds that are drawn again from those there are (bootstrap); of one seed there is none, and of few it is too narrow: of two or three it reaches from the least to the most, and holds the truth about half and three quarters of the time. "Last" is the median of the policy sets that were evaluated last, where others may have been kept.',
    head: [caseName, 'method', 'paper', 'every seed', 'median', 'IQM', '95 % interval', 'mean ± sd', 'last'],
    rows,
  };
}

function duels({ cases, caseName, layout }: Experiment, { duels: all, entries }: Report): ReportTable {
  const least = new Map<string, number>();
  for (const { env, subject, rival, test } of all) {
    if (env === null || test === null) continue;
    const [own, other] = [subject, rival].map(
      (method) => entries.find((entry) => entry.env === env && entry.method === method)!.seeds.length,
    );
    const [more, fewer] = [Math.max(own, other), Math.min(own, other)];
    least.set(`${seedsOf(more)} ${more === fewer ? 'of each' : `and ${fewer} of the other`}`, test.smallest);
  }
  const bounds = [...least].map(
    ([seeds, p], i) => `${i === 0 ? 'With' : 'with'} ${seeds} it cannot be smaller than ${pText(p)}`,
  );
  const together = all.some(({ env }) => env === null)
    ? '; in all places together it is that of P, with the seeds of each place dealt out anew'
    : '';
  const rows = all.map(({ env, subject, rival, probability, interval, test }) => [
    env === null ? 'all' : layout.caseLabel(caseOf(cases, env)),
    subject,
    rival,
    probability.toFixed(2),
    interval === null ? 'one seed' : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}`,
    test === null ? '-' : pText(test.p),
  ]);
  return {
    title: 'One method against another',
    legend: `P is the probability that a run of the first method has more hypervolume than a run of the second, ties counted half: 1 where it wins all pairs of seeds, 0.5 where neither is better. Its interval is a bootstrap of the seeds of both, within each ${caseName}. p is that of a two-sided permutation test of their means: how often a difference as large comes about if the seeds are dealt out to both by chance${together}. ${bounds.length === 0 ? '' : `${bounds.join(', ')}${together && ' in one place'}. `}An order is decided where P's interval leaves out 0.5 and p is at most ${DECIDED}; the tests are many, and none is corrected for that.`,
    head: [caseName, 'method', 'against', 'P', '95 % interval', 'p'],
    rows,
  };
}

function seedsOf(count: number): string {
  return `${count} ${count === 1 ? 'seed' : 'seeds'}`;
}

function overCases({ subject, scores, averageRanks, entries }: Report): ReportTable {
  const cases = unique(entries.map(({ env }) => env)).length;
  const share = (value: number | undefined) => (value === undefined ? '-' : value.toFixed(3));
  const rank = (value: number | null) => value?.toFixed(1) ?? '-';
  const areOther = {
    hypervolume: hasOtherRanks(averageRanks, 'hypervolume'),
    sparsity: hasOtherRanks(averageRanks, 'sparsity'),
  };
  const rows = scores.map(({ method, share: shares, interval }, i) => {
    const { hypervolume, sparsity } = averageRanks[i];
    return [
      method,
      share(shares?.interquartileMean),
      interval === null ? '-' : `${share(interval.low)} to ${share(interval.high)}`,
      share(shares?.median),
      rank(hypervolume.published),
      ...(areOther.hypervolume ? [rank(hypervolume.publishedAmongOurs)] : []),
      rank(hypervolume.ours),
      rank(sparsity.published),
      ...(areOther.sparsity ? [rank(sparsity.publishedAmongOurs)] : []),
      sparsityRank(averageRanks[i], cases),
    ];
  });
  return {
    title: 'All together',
    legend: `Each hypervolume is a share of what the paper gives for ${inPaper(subject ?? 'the method')} in the same place; IQM and median are over all places and seeds, and the interval draws seeds within each place. Ranks are means over the places, 1 for the best, among the methods of the paper: ours by mean hypervolume over the seeds that all of them have, and by mean sparsity.`,
    head: [
      'method',
      'share, IQM',
      '95 % interval',
      'share, median',
      'rank HV paper',
      ...(areOther.hypervolume ? [`rank HV paper, ${AMONG_OURS}`] : []),
      'rank HV ours',
      'rank SP paper',
      ...(areOther.sparsity ? [`rank SP paper, ${AMONG_OURS}`] : []),
      'rank SP ours',
    ],
    rows,
  };
}

function times({ cases, caseName, layout }: Experiment, { entries }: Report): ReportTable {
  const trained = entries.filter(({ seeds }) => seeds.length > 0);
  const rows = trained.map(({ env, method, seeds }) => {
    const seconds = statistics(seeds.map((seed) => seed.seconds))!;
    const rate = statistics(seeds.map((seed) => seed.envSteps / seed.seconds))!;
    return [
      layout.caseLabel(caseOf(cases, env)),
      method,
      seconds.median.toFixed(0),
      `${seconds.min.toFixed(0)} to ${seconds.max.toFixed(0)}`,
      rate.median.toFixed(0),
      unique(seeds.map(({ device }) => device)).join(', '),
      unique(seeds.map(({ lockstep }) => lockstep)).join(', '),
      unique(seeds.map(({ machine }) => machineText(machine))).join('; '),
    ];
  });
  const all = trained.flatMap((entry) => entry.seeds);
  const uneven = trained.filter(({ seeds }) => {
    const seconds = seeds.map((seed) => seed.seconds);
    return Math.max(...seconds) > UNEVEN * Math.min(...seconds);
  });
  const places = unique(uneven.map(({ env }) => env)).map((env) => {
    const methods = uneven.filter((entry) => entry.env === env).map(({ method }) => named(method));
    return `${methods.join(', ')} ${layout.atSome} ${layout.caseLabel(caseOf(cases, env))}`;
  });
  const [devices, machines] = [
    unique(all.map(({ device }) => device)),
    unique(all.map(({ machine }) => machineText(machine))),
  ];
  const warnings = [
    ...(devices.length > 1
      ? [`They were trained on ${devices.join(' and ')}: between those, times say nothing about the methods.`]
      : []),
    ...(machines.length > 1 ? ['The machines differ, and times between them say nothing about the methods.'] : []),
    ...(machines.includes(UNKNOWN) ? ['A machine is unknown where the run did not record it.'] : []),
    ...(uneven.length > 0
      ? [
          `The longest took more than ${UNEVEN} times as long as the shortest, and the times say little: ${places.join('; ')}.`,
        ]
      : []),
  ];
  return {
    title: 'Time',
    legend:
      `Seconds of one training with its evaluations, over the seeds: the median, and the ends. Where several were trained together, each is given its share. ${warnings.join(' ')}`.trim(),
    head: [
      caseName,
      'method',
      'seconds',
      'min to max',
      'env steps per second',
      'device',
      'trained together',
      'machine',
    ],
    rows,
  };
}

/** From here on the times of one method are not those of the method. */
const UNEVEN = 1.5;
const UNKNOWN = 'unknown';

function machineText(machine: SeedResult['machine']): string {
  if (machine === null) return UNKNOWN;
  const { cpu, cores, gpu } = machine;
  return [cpu, `${cores} ${cores === 1 ? 'core' : 'cores'}`, ...(gpu === null ? [] : [gpu])].join(', ');
}

function protocols({ cases, caseName, layout }: Experiment, { entries }: Report): ReportTable {
  const rows = unique(entries.map(({ env }) => env)).flatMap((env) =>
    sharedProtocols(entries, env).map(({ cells, methods }) => [
      layout.caseLabel(caseOf(cases, env)),
      methods.join('; '),
      ...cells,
    ]),
  );
  return {
    title: 'The protocol of every number',
    legend: 'How the policy set that a run ends with was measured; the hypervolume is above the reference point.',
    head: [
      caseName,
      'methods',
      'reference point',
      'discount of returns',
      'measured at',
      'episodes',
      'seed',
      'kept',
      'environment',
    ],
    rows,
  };
}

/** The protocols of a case in sentences. */
export function protocolsIn({ entries }: Report, env: string): string[] {
  return sharedProtocols(entries, env).map(({ cells, methods }) => {
    const [reference, discount, measured, episodes, seed, kept, options] = cells;
    const returns = discount === '1' ? 'returns are plain sums' : `returns are discounted by ${discount}`;
    const played = `${episodes} ${episodes === '1' ? 'episode' : 'episodes'} from seed ${seed} on`;
    const env = options === '-' ? '' : `, ${options}`;
    return `Protocol of ${methods.join('; ')}: hypervolume above ${reference}, ${returns}, ${measured}, ${played}, the ${kept} policy set${env}.`;
  });
}

/** Those of a case, each with the methods that share it. */
function sharedProtocols(
  entries: readonly Pick<Entry, 'env' | 'method' | 'protocol'>[],
  env: string,
): { readonly cells: readonly string[]; readonly methods: string[] }[] {
  const found = new Map<string, { readonly cells: readonly string[]; readonly methods: string[] }>();
  for (const { method, protocol } of entries.filter((entry) => entry.env === env)) {
    if (protocol === null) continue;
    const cells = protocolCells(protocol);
    const shared = found.get(cells.join()) ?? { cells, methods: [] };
    shared.methods.push(method);
    found.set(cells.join(), shared);
  }
  return [...found.values()];
}

function protocolCells(protocol: Protocol): string[] {
  const { referencePoint, returnDiscount, preferences, episodes, evaluationSeed, keep, envOptions } = protocol;
  const options = Object.entries(envOptions).map(([name, value]) => `${name}=${value}`);
  return [
    `(${referencePoint.join(', ')})`,
    String(returnDiscount),
    preferences.kind === 'members' ? 'each policy of the archive' : `${preferences.count} preferences`,
    String(episodes),
    String(evaluationSeed),
    keep,
    options.join(' ') || '-',
  ];
}

function everySeed({ cases, caseName, layout }: Experiment, { entries, folder }: Report): ReportTable {
  const rows = entries.flatMap((entry) =>
    entry.seeds.map((result) => {
      const { seed, envSteps, gradientSteps, evaluationSteps, seconds, run } = result;
      return [
        layout.caseLabel(caseOf(cases, entry.env)),
        entry.method,
        String(seed),
        ...layout.seedCells(entry, result),
        String(envSteps),
        String(gradientSteps),
        String(evaluationSteps ?? '-'),
        seconds.toFixed(0),
        run === null ? '-' : relative(folder, run),
      ];
    }),
  );
  const isRecorded = entries.some(({ seeds }) => seeds.some(({ run }) => run === null));
  const recorded = isRecorded
    ? ' Of a seed without a run only its record is left, from the report of an earlier reproduction.'
    : '';
  const costs = ['env steps', 'gradient steps', 'steps of evaluations', 'seconds', 'run'];
  return {
    title: 'Every seed',
    legend: `Steps of evaluations are not among the environment steps.${recorded}`,
    head: [caseName, 'method', 'seed', ...layout.seedColumns, ...costs],
    rows,
  };
}

/** Every setting of every method; several values are those of the environments. */
function everySetting({ entries }: Report): ReportTable {
  const methods = unique(entries.map(({ method }) => method));
  const names = unique(entries.flatMap(({ settings }) => Object.keys(settings)));
  const rows = names.map((name) => [
    name,
    ...methods.map((method) => {
      const ofMethod = entries.filter((entry) => entry.method === method && name in entry.settings);
      return unique(ofMethod.map(({ settings }) => settingText(settings[name]))).join(' / ') || '-';
    }),
  ]);
  return {
    title: 'Every setting',
    legend: 'Several values are those of different places.',
    head: ['setting', ...methods],
    rows,
  };
}

function withSpread({ mean, standardDeviation }: Statistics, text: (value: number) => string): string {
  return standardDeviation === null ? text(mean) : `${text(mean)} ± ${text(standardDeviation)}`;
}

/** A p-value with two digits that say something. */
export function pText(p: number): string {
  return p >= 0.1 ? p.toFixed(2) : String(Number(p.toPrecision(2)));
}
