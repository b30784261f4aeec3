/** The report of a reproduction: the paper's table and ours, with how the numbers came about. */
import { join } from 'node:path';
import { jsonText, writeAtomic } from '../files/index.js';
import { statistics } from '../fronts/index.js';
import { planTraining } from '../training/index.js';
import { VERSION } from '../version.js';
import type { Case } from './case.js';
import type { Entry, Report, SeedResult } from './experiment.js';
import type { FinalProtocol } from './final-score.js';
import { runsOf } from './job.js';
import type { Outcome, PlannedRun } from './job.js';
import { intervalOf, judge } from './judgement.js';
import type { Reproduction } from './plan.js';
import { findingsOf } from './report-findings.js';
import { htmlOf } from './report-html.js';
import { markdownTable, unique } from './report-parts.js';
import { detailTables, judgingTables, type ReportTable } from './report-tables.js';
import { isApart, unrankedBy } from './standing.js';
import { isBelowRange, LEAST_WARMUP } from './working-range.js';

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
      const ofEntry = outcomes.filter(isOf);
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
  return {
    format: 1,
    experiment: experiment.name,
    folder,
    budget,
    preset,
    runs: { planned: planned.length, finished: outcomes.length },
    stopped: outcomes.length < planned.length,
    ...judge(layout.judged, entries),
    ...layout.rest(cases, entries),
    entries,
    seconds: outcomes.reduce((sum, { seconds }) => sum + seconds, 0),
    versions: versionsIn(outcomes),
    notes: notesOf(reproduction, outcomes),
  };
}

function seedResult({ seed, run, sparsity, protocol, ...rest }: Outcome): SeedResult {
  const { hypervolume, chosenBy, last, expectedUtility, regret, points, coverageF1 } = rest;
  const { envSteps, gradientSteps, evaluationSteps, seconds, device, versions, front, curve } = rest;
  const scores = { hypervolume, chosenBy, last, sparsity, expectedUtility, regret, points, coverageF1 };
  const steps = { envSteps, gradientSteps, evaluationSteps };
  return { seed, run, ...scores, ...steps, seconds, device, lockstep: protocol.lockstep, versions, front, curve };
}

function notesOf<C extends Case, E extends Entry, X extends object>(
  { experiment, budget, jobs, methods, firstSeed, seeds }: Reproduction<C, E, X>,
  outcomes: readonly Outcome[],
): string[] {
  const runs = jobs.flatMap(runsOf);
  const below = unique(runs.filter(({ plan }) => isBelowRange(plan)).map(({ method }) => method.label));
  const { budgets, layout } = experiment;
  const { preset, about, final } = budgets[budget];
  const [published, judged] = [true, false].map((want) =>
    runs.filter(({ method }) => isApart(method, methods, preset) === want),
  );
  const devices = unique(outcomes.map(({ device }) => device));
  const versions = Object.entries(versionsIn(outcomes)).map(([name, values]) => `${name} ${values.join(' and ')}`);
  return [
    `Budget ${budget}: ${about}. ${judged.length === 0 ? 'report.md lists all settings.' : `The settings are those of the ${preset} preset with the changes of the budget; report.md lists all of them.`}`,
    `${seeds === 1 ? `Seed ${firstSeed}` : `Seeds ${firstSeed} to ${firstSeed + seeds - 1}`} of every method ${layout.atEvery}; every finished run is counted, also the bad ones. The spread is the standard deviation of the sample (n - 1).`,
    ...layout.protocol(
      budget,
      (judged.length === 0 ? published : judged).map(({ plan }) => plan),
    ),
    ...(final === undefined ? [] : [finalNote(final)]),
    ...(published.length === 0
      ? []
      : [
          'Methods as published have the settings and observations of the paper preset, also its updates for each step; of this budget they have the environment steps, and they are scored as all others are.' +
            (judged.length === 0 ? '' : ' Ranks are those of the tuned settings.'),
        ]),
    ...(below.length === 0
      ? []
      : [
          `Below their range, and without a rank: ${below.join(', ')}. Their first generation has less than ${100 * LEAST_WARMUP} % of the published environment steps; before policies have learned anything there is nothing to choose between them by.`,
        ]),
    `Versions: ${versions.join(', ')}${devices.length === 0 ? '' : `; trained on ${devices.join(' and ')}`}.`,
    ...layout.caveats,
  ];
}

function finalNote({ divisions, episodes, seed }: FinalProtocol): string {
  return `Every score is measured after all choices: the policy set that a run keeps is played again on a grid of preferences with step 1/${divisions} (of a population every policy), ${episodes === 1 ? '1 episode' : `${episodes} episodes`} each from seed ${seed}, which are start states that nothing was chosen by. The policy set of the last evaluation is played so too ("last"). The evaluation that a policy set was chosen by is beside them ("chosen by"): the best of many, on the start states that it was chosen by.`;
}

/** All versions that runs were made with. */
function versionsIn(outcomes: readonly Outcome[]): Record<string, string[]> {
  const all: readonly Readonly<Record<string, string>>[] = [
    { psl: VERSION },
    ...outcomes.map(({ versions }) => versions),
  ];
  const names = unique(all.flatMap((versions) => Object.keys(versions)));
  return Object.fromEntries(names.map((name) => [name, unique(all.map((versions) => versions[name])).filter(Boolean)]));
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
  const { departures, agreements } = findingsOf(experiment, report);
  const parts = [
    `# ${layout.title}: the paper's table and ours, budget ${budget}`,
    ...(missing === 0
      ? []
      : [`**Not complete: ${missing} of ${runs.planned} runs are missing. The same command goes on with them.**`]),
    markdownTable(layout.table(report)),
    layout.legend,
    '## What did not reproduce',
    list(departures),
    ...(agreements.length === 0 ? [] : ['## What did', list(agreements)]),
    ...judgingTables(experiment, report).flatMap(section),
    '## How these numbers came about',
    list(notes),
    ...detailTables(experiment, report).flatMap(section),
  ];
  return `${parts.join('\n\n')}\n`;
}
