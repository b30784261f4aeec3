/** The report of a reproduction: the paper's table and ours, with how the numbers came about. */
import { join } from 'node:path';
import { jsonText, writeAtomic } from '../files/index.js';
import { statistics } from '../fronts/index.js';
import { planTraining } from '../training/index.js';
import type { Case } from './case.js';
import type { Entry, Report, SeedResult } from './experiment.js';
import { runsOf } from './job.js';
import type { Outcome, PlannedRun } from './job.js';
import { intervalOf, judge } from './judgement.js';
import type { Reproduction } from './plan.js';
import { findingSections } from './report-findings.js';
import { htmlOf } from './report-html.js';
import { notesOf, versionsIn } from './report-notes.js';
import { markdownTable } from './report-parts.js';
import { detailTables, judgingTables, type ReportTable } from './report-tables.js';
import { unrankedBy } from './standing.js';

/** @param folder of the reproduction */
export function reportOf<C extends Case, E extends Entry, X extends object>(
  reproduction: Reproduction<C, E, X>,
  outcomes: readonly Outcome[],
  folder: string,
): Report<E, X> {
  const { experiment, budget, cases, methods } = reproduction;
  const { layout } = experiment;
  const { preset } = experiment.budgets[budget];
  const planned = reproduction.jobs.flatMap(runsOf);
  const entries = cases.flatMap((where) =>
    methods.map((method) => {
      const { key, label, algorithm } = method;
      const isOf = (run: PlannedRun) => run.plan.env === where.env && run.method.key === key;
      const { plan } = planned.find(isOf)!;
      const ofEntry = outcomes.filter(isOf).sort((a, b) => a.seed - b.seed);
      const published = layout.published(method, where);
      const entry: Entry = {
        env: where.env,
        key,
        method: label,
        algorithm,
        published,
        unranked: unrankedBy(method, methods, preset, plan, published),
        hypervolume: statistics(ofEntry.map(({ hypervolume }) => hypervolume)),
        interval: intervalOf(ofEntry.map(({ hypervolume }) => hypervolume)),
        regret: statistics(ofEntry.flatMap(({ regret }) => regret?.mean ?? [])),
        envSteps: statistics(ofEntry.map(({ envSteps }) => envSteps)),
        publishedSteps: planTraining({ env: where.env, algorithm, preset: 'paper' }).config.steps,
        seeds: ofEntry.map(seedResult),
        settings: plan.config,
        envOptions: plan.envOptions,
        protocol: ofEntry.at(0)?.protocol ?? null,
      };
      return { ...entry, ...layout.entry(where, plan, ofEntry) } as E;
    }),
  );
  const isPlanned = ({ seed }: Outcome) =>
    seed >= reproduction.firstSeed && seed < reproduction.firstSeed + reproduction.seeds;
  const finished = outcomes.filter(isPlanned).length;
  return {
    format: 1,
    experiment: experiment.name,
    folder,
    budget,
    preset,
    runs: { planned: planned.length, finished, additional: outcomes.length - finished },
    stopped: finished < planned.length,
    ...judge(layout.judged, entries),
    ...layout.rest(cases, entries),
    entries,
    seconds: outcomes.reduce((sum, { seconds }) => sum + seconds, 0),
    versions: versionsIn(outcomes),
    notes: notesOf(reproduction, outcomes, entries),
  };
}

function seedResult({ seed, run, sparsity, protocol, ...rest }: Outcome): SeedResult {
  const { hypervolume, chosenBy, last, expectedUtility, regret, points, coverageF1 } = rest;
  const { envSteps, gradientSteps, evaluationSteps, seconds, machine, device, versions, front, curve } = rest;
  const scores = { hypervolume, chosenBy, last, sparsity, expectedUtility, regret, points, coverageF1 };
  const steps = { envSteps, gradientSteps, evaluationSteps };
  return {
    seed,
    run,
    ...scores,
    ...steps,
    seconds,
    machine,
    device,
    lockstep: protocol.lockstep,
    versions,
    front,
    curve,
  };
}

/** Writes `report.md`, `report.html` and `report.json` into the folder of the reproduction, over earlier ones. */
export function writeReport<C extends Case, E extends Entry, X extends object>(
  reproduction: Reproduction<C, E, X>,
  report: Report<E, X>,
): void {
  for (const [name, text] of Object.entries(reportFiles(reproduction, report))) {
    writeAtomic(join(report.folder, name), text);
  }
}

/** What a report consists of: the text of each file by its name. */
export function reportFiles<C extends Case, E extends Entry, X extends object>(
  reproduction: Reproduction<C, E, X>,
  report: Report<E, X>,
): Readonly<Record<string, string>> {
  return {
    'report.json': jsonText(report),
    'report.md': markdownOf(reproduction, report),
    'report.html': htmlOf(reproduction.experiment, report),
  };
}

/** The whole report as Markdown. */
export function markdownOf<C extends Case, E extends Entry, X extends object>(
  { experiment }: Pick<Reproduction<C, E, X>, 'experiment'>,
  report: Report<E, X>,
): string {
  const { layout } = experiment;
  const { budget, runs, notes } = report;
  const missing = runs.planned - runs.finished;
  const section = ({ title, legend, ...table }: ReportTable) => [`## ${title}`, markdownTable(table), legend];
  const list = (sentences: readonly string[]) => sentences.map((sentence) => `- ${sentence}`).join('\n');
  const parts = [
    `# ${layout.title}: the paper's table and ours, budget ${budget}`,
    ...(missing === 0
      ? []
      : [`**Not complete: ${missing} of ${runs.planned} runs are missing. The same command goes on with them.**`]),
    markdownTable(layout.table(report)),
    layout.legend,
    ...findingSections(experiment, report).flatMap(({ title, sentences }) => [`## ${title}`, list(sentences)]),
    ...judgingTables(experiment, report).flatMap(section),
    '## How these numbers came about',
    list(notes),
    ...detailTables(experiment, report).flatMap(section),
  ];
  return `${parts.join('\n\n')}\n`;
}
