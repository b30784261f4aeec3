/** The report of a sweep: that of its table where it is one of the paper, and otherwise a table of what was trained. */
import { finishedOutcomes, markdownTable, reportFiles, reportOf, type Report } from '../experiments/index.js';
import { jsonText } from '../files/index.js';
import { statistics, type Statistics } from '../fronts/index.js';
import { replicaPlan } from '../training/index.js';
import { atOnce } from './at-once.js';
import { standingOf, type Standing } from './log.js';
import { planSweep, type SweepJob } from './plan.js';
import { RUNS, type SweepStore } from './store.js';
import { isTable, type GridSpec } from './spec.js';

/** Runs that differ in their seed alone. */
export interface GridEntry {
  readonly env: string;
  readonly algorithm: string;
  readonly preset: string;
  /** Of the settings that vary. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly planned: number;
  /** Over the seeds; null where none is finished. */
  readonly hypervolume: Statistics | null;
  readonly seconds: Statistics | null;
  readonly seeds: readonly { readonly seed: number; readonly run: string; readonly hypervolume: number }[];
}

export interface GridReport {
  readonly format: 1;
  readonly store: string;
  readonly version: string;
  readonly spec: GridSpec;
  readonly runs: { readonly planned: number; readonly finished: number };
  readonly entries: readonly GridEntry[];
}

/** Writes `report.md` and `report.json` into the store, and `report.html` of a table of the paper, from what is finished. */
export async function writeSweepReport(store: SweepStore): Promise<GridReport | Report> {
  const { spec, version } = await store.open();
  const sweep = planSweep(spec, version);
  const jobs = await atOnce(sweep.jobs, async (job) => {
    const standing = standingOf(await store.entries(job.id));
    if (standing.is === 'done') await store.publish(job, standing.claim);
    return { ...job, standing };
  });
  if (sweep.reproduction !== undefined) {
    const runs = await store.place.borrow(RUNS);
    try {
      const outcomes = await finishedOutcomes(sweep.reproduction, runs.folder);
      const report = reportOf(sweep.reproduction, outcomes, store.address);
      await put(store, reportFiles(sweep.reproduction, report));
      return report;
    } finally {
      await runs.close();
    }
  }
  if (isTable(spec)) throw new TypeError('A table has a reproduction.');
  const entries = entriesOf(store, spec, jobs);
  const planned = entries.reduce((sum, entry) => sum + entry.planned, 0);
  const finished = entries.reduce((sum, { seeds }) => sum + seeds.length, 0);
  const report: GridReport = { format: 1, store: store.address, version, spec, runs: { planned, finished }, entries };
  await put(store, { 'report.json': jsonText(report), 'report.md': markdownOf(report) });
  return report;
}

async function put({ place }: SweepStore, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await place.replace(name, text);
}

function entriesOf(
  store: SweepStore,
  { vary }: GridSpec,
  jobs: readonly (SweepJob & { readonly standing: Standing })[],
): GridEntry[] {
  const entries = new Map<
    string,
    { about: Pick<GridEntry, 'env' | 'algorithm' | 'preset' | 'settings'>; runs: Run[] }
  >();
  for (const job of jobs) {
    const { standing } = job;
    for (let replica = 0; replica < job.plan.replicas; replica++) {
      const plan = replicaPlan(job.plan, replica);
      const settings = Object.fromEntries(Object.keys(vary).map((name) => [name, plan.config[name]]));
      const about = { env: plan.env, algorithm: plan.algorithm.name, preset: plan.preset, settings };
      const key = JSON.stringify(about);
      const entry = entries.get(key) ?? { about, runs: [] };
      entries.set(key, entry);
      const result = standing.is === 'done' ? standing.results[replica] : undefined;
      entry.runs.push({
        seed: plan.seed,
        ...(result && { result: { ...result, run: store.runAddress(job, result.run) } }),
      });
    }
  }
  return Array.from(entries.values(), ({ about, runs }) => {
    const finished = runs.flatMap(({ seed, result }) => (result === undefined ? [] : { seed, ...result }));
    return {
      ...about,
      planned: runs.length,
      hypervolume: statistics(finished.map(({ hypervolume }) => hypervolume)),
      seconds: statistics(finished.map(({ seconds }) => seconds)),
      seeds: finished.map(({ seed, run, hypervolume }) => ({ seed, run, hypervolume })),
    };
  });
}

interface Run {
  readonly seed: number;
  readonly result?: { readonly run: string; readonly hypervolume: number; readonly seconds: number };
}

/** The rows of a report, for a page or a terminal. */
export function gridTable({ entries, spec }: Pick<GridReport, 'entries' | 'spec'>) {
  const varied = Object.keys(spec.vary);
  const digits = (value: number | null | undefined) =>
    value === null || value === undefined ? '-' : String(Number(value.toPrecision(6)));
  return {
    head: ['environment', 'algorithm', 'preset', ...varied, 'hypervolume', 'deviation', 'IQM', 'runs', 'seconds'],
    rows: entries.map(({ env, algorithm, preset, settings, planned, hypervolume, seconds }) => [
      env,
      algorithm,
      preset,
      ...varied.map((name) => String(settings[name])),
      digits(hypervolume?.mean),
      digits(hypervolume?.standardDeviation),
      digits(hypervolume?.interquartileMean),
      `${hypervolume?.count ?? 0} of ${planned}`,
      digits(seconds?.mean),
    ]),
  };
}

function markdownOf(report: GridReport): string {
  const { runs, version } = report;
  return [
    '# Sweep',
    `${runs.finished} of ${runs.planned} runs are finished, trained with psl ${version}.`,
    markdownTable(gridTable(report)),
    'The hypervolume is the mean over the seeds, with the standard deviation of the sample and the interquartile mean beside it; seconds are those of a training.',
    '',
  ].join('\n\n');
}
