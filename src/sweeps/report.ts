/** The report of a sweep: that of its table where it is one of the paper, and otherwise a table of what was trained. */
import { join } from 'node:path';
import { finishedOutcomes, markdownTable, reportOf, writeReport, type Report } from '../experiments/index.js';
import { writeAtomic, writeJson } from '../files/index.js';
import { statistics, type Statistics } from '../fronts/index.js';
import { replicaPlan } from '../training/index.js';
import { standingOf } from './log.js';
import { planSweep, type SweepJob } from './plan.js';
import type { SweepStore } from './store.js';
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
  const { spec, version } = store.open();
  const sweep = planSweep(spec, version);
  for (const job of sweep.jobs) {
    const standing = standingOf(store.entries(job.id));
    if (standing.is === 'done') store.publish(job, standing.claim);
  }
  if (sweep.reproduction !== undefined) {
    const outcomes = await finishedOutcomes(sweep.reproduction, join(store.folder, 'runs'));
    const report = reportOf(sweep.reproduction, outcomes, store.folder);
    writeReport(sweep.reproduction, report);
    return report;
  }
  if (isTable(spec)) throw new TypeError('A table has a reproduction.');
  const entries = entriesOf(store, spec, sweep.jobs);
  const planned = entries.reduce((sum, entry) => sum + entry.planned, 0);
  const finished = entries.reduce((sum, { seeds }) => sum + seeds.length, 0);
  const report: GridReport = { format: 1, store: store.folder, version, spec, runs: { planned, finished }, entries };
  writeJson(join(store.folder, 'report.json'), report);
  writeAtomic(join(store.folder, 'report.md'), markdownOf(report));
  return report;
}

function entriesOf(store: SweepStore, { vary }: GridSpec, jobs: readonly SweepJob[]): GridEntry[] {
  const entries = new Map<
    string,
    { about: Pick<GridEntry, 'env' | 'algorithm' | 'preset' | 'settings'>; runs: Run[] }
  >();
  for (const job of jobs) {
    const standing = standingOf(store.entries(job.id));
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
        ...(result && { result: { ...result, run: join(store.runFolder(job), result.run) } }),
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
