/** What every report says of how its numbers came about. */
import { planTraining } from '../training/index.js';
import { VERSION } from '../version.js';
import type { Case } from './case.js';
import { commandFor } from './command.js';
import { differencesOf } from './difference.js';
import type { Entry } from './experiment.js';
import type { FinalProtocol } from './final-score.js';
import { runsOf } from './job.js';
import type { Method, Outcome, PlannedRun } from './job.js';
import { rankedSeeds } from './judgement.js';
import { ofBudget } from './plan.js';
import type { Reproduction } from './plan.js';
import { caseOf, named, settingText, unique } from './report-parts.js';
import { isApart } from './standing.js';
import { isBelowRange, LEAST_WARMUP } from './working-range.js';

/** How the numbers of a report came about, in sentences; first the command. */
export function notesOf<C extends Case, E extends Entry, X extends object>(
  reproduction: Reproduction<C, E, X>,
  outcomes: readonly Outcome[],
  entries: readonly Entry[],
): string[] {
  const { experiment, budget, jobs, methods } = reproduction;
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
    `Command: ${commandFor(reproduction, entries)}`,
    `Budget ${budget}: ${about}. ${judged.length === 0 ? 'report.md lists all settings.' : `The settings are those of the ${preset} preset with the changes of the budget; report.md lists all of them.`}`,
    ...tunedNotes(methods, runs, entries),
    seedsNote(reproduction, entries),
    ...absentNotes(reproduction),
    ...layout.protocol(
      budget,
      (judged.length === 0 ? published : judged).map(({ plan }) => plan),
    ),
    ...rankNotes(reproduction, entries),
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

/** Settings that say how long and how often, which other sentences say. */
const OF_BUDGET = ['steps', 'evaluations', 'evaluationDivisions', 'episodes', 'keep'];

/** What methods of the paper have of a preset that is not the paper's, each with the settings that it would have by that. */
function tunedNotes(methods: readonly Method[], planned: readonly PlannedRun[], entries: readonly Entry[]): string[] {
  const alike = new Map<string, string[]>();
  for (const { key, label, settings, variant } of methods) {
    const ofMethod = entries.filter((entry) => entry.key === key);
    // A budget may have another preset than its methods.
    const { preset } = planned.find(({ method }) => method.key === key)!.plan;
    if (preset === 'paper' || ofMethod.every(({ published }) => published === null)) continue;
    const own = [...OF_BUDGET, ...Object.keys({ ...settings, ...variant })];
    const pairs = ofMethod.map(({ env, algorithm, settings: used }) => ({
      used,
      published: planTraining({ env, algorithm, preset: 'paper' }),
    }));
    const differences = pairs
      .flatMap(({ used, published }) => differencesOf(used, published.config))
      .filter(({ name }) => !own.includes(name));
    const shown = unique(differences.map(({ name }) => name)).map((name) => {
      const ofName = differences.filter((one) => one.name === name);
      const [is, wanted] = (['is', 'wanted'] as const).map((side) =>
        unique(ofName.map((one) => settingText(one[side]))).join(' or '),
      );
      const some = ofName.length < ofMethod.length ? ` (on ${ofName.length} of ${ofMethod.length})` : '';
      return `${name} ${is} for ${wanted}${some}`;
    });
    // Populations have the same settings in all presets, but for those of the budget.
    const how = pairs.every(({ published }) => published.algorithm.kind === 'population')
      ? 'with settings of this budget'
      : `with the tuned settings of the ${preset} preset, and those of this budget,`;
    const text = `${how} in place of the published ones, ${shown.join('; ')}.`;
    if (shown.length > 0) alike.set(text, [...(alike.get(text) ?? []), named(label)]);
  }
  return [...alike].map(([text, names]) => `${names.join(', ')}: ${text}`);
}

/** Which seeds are planned, and how many there are where those are others. */
function seedsNote<C extends Case, E extends Entry, X extends object>(
  { experiment: { layout }, firstSeed, seeds, cases }: Reproduction<C, E, X>,
  entries: readonly Entry[],
): string {
  const rule = 'every finished run is counted, also the bad ones';
  const range = seeds === 1 ? `Seed ${firstSeed}` : `Seeds ${firstSeed} to ${firstSeed + seeds - 1}`;
  const planned = `${range} of every method ${layout.atEvery}`;
  const isAsPlanned = entries.every(
    (entry) => entry.seeds.length === seeds && entry.seeds.every(({ seed }, i) => seed === firstSeed + i),
  );
  const counts = entries.map((entry) => entry.seeds.length).filter((count) => count > 0);
  if (isAsPlanned || counts.length === 0) return `${planned}; ${rule}.`;
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const finished = `${least === most ? '' : `${least} to `}${most} ${most === 1 ? 'seed' : 'seeds'}`;
  const placesOf = (method: string) =>
    cases
      .filter(({ env }) => entries.some((one) => one.env === env && one.method === method && one.seeds.length === 0))
      .map((where) => layout.caseLabel(where));
  const none = unique(entries.map(({ method }) => method))
    .map((method) => ({ method, places: placesOf(method) }))
    .filter(({ places }) => places.length > 0)
    .map(({ method, places }) => `of ${named(method)} ${layout.atSome} ${places.join(', ')}`);
  const lacking = none.length === 0 ? '' : `, and none ${none.join('; ')}`;
  return `${planned} of this report ${seeds === 1 ? 'is' : 'are'} planned. There are ${finished} of each${lacking}; ${rule}.`;
}

/** What the budget has and the report lacks as a whole. */
function absentNotes<C extends Case, E extends Entry, X extends object>({
  experiment,
  budget,
  cases,
  methods,
}: Reproduction<C, E, X>): string[] {
  const { layout } = experiment;
  const own = ofBudget(experiment, budget);
  const places = own.cases.filter((where) => !cases.includes(where)).map((where) => layout.caseLabel(where));
  const names = own.methods.filter((method) => !methods.includes(method)).map(({ label }) => named(label));
  const absent = [
    ...(names.length === 0 ? [] : [`${names.join(', ')} ${layout.atEvery}`]),
    ...(places.length === 0 ? [] : [`every method ${layout.atSome} ${places.join(', ')}`]),
  ];
  return absent.length === 0 ? [] : [`Of this budget, but not in this report: ${absent.join('; ')}.`];
}

/** Which seeds ranks are of, where those are fewer than the table has. */
function rankNotes<C extends Case, E extends Entry, X extends object>(
  { experiment: { layout, cases } }: Reproduction<C, E, X>,
  entries: readonly Entry[],
): string[] {
  const fewer = rankedSeeds(entries).map(({ env, seeds }) => ({ place: layout.caseLabel(caseOf(cases, env)), seeds }));
  if (fewer.length === 0) return [];
  const without = fewer.filter(({ seeds }) => seeds.length === 0).map(({ place }) => place);
  if (without.length > 0) {
    return [
      `Our numbers have no ranks: ${layout.atSome} ${without.join(', ')} no seed is there of all methods that would be ranked.`,
    ];
  }
  const shown = fewer.map(
    ({ place, seeds }) => `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')} ${layout.atSome} ${place}`,
  );
  return [
    `Our ranks are of the seeds that all ranked methods have, and the table's other numbers of all seeds: ${shown.join('; ')}.`,
  ];
}

function finalNote({ divisions, episodes, seed }: FinalProtocol): string {
  return `Every score is measured after all choices: the policy set that a run keeps is played again on a grid of preferences with step 1/${divisions} (of a population every policy), ${episodes === 1 ? '1 episode' : `${episodes} episodes`} each from seed ${seed}, which are start states that nothing was chosen by. The policy set of the last evaluation is played so too ("last"). The evaluation that a policy set was chosen by is beside them ("chosen by"): the best of many, on the start states that it was chosen by.`;
}

/** All versions that runs were made with. */
export function versionsIn(outcomes: readonly Outcome[]): Record<string, string[]> {
  const all: readonly Readonly<Record<string, string>>[] = [
    { psl: VERSION },
    ...outcomes.map(({ versions }) => versions),
  ];
  const names = unique(all.flatMap((versions) => Object.keys(versions)));
  return Object.fromEntries(names.map((name) => [name, unique(all.map((versions) => versions[name])).filter(Boolean)]));
}
