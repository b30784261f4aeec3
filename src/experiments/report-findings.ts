/** What of the paper's table came out here and what did not, in sentences that are worked out from the numbers. */
import type { Case } from './case.js';
import type { Entry, Experiment, Report } from './experiment.js';
import type { AverageRank } from './judgement.js';
import { inPaper, named } from './report-parts.js';
import { caseOf, pText } from './report-tables.js';

/** Within this share of the paper's, a hypervolume is the same for what a report says; */
const SAME = 0.01;
/** and within this one where the interval of the seeds holds the paper's. A wide interval shows nothing by itself. */
const NEAR = 0.05;

export interface Findings {
  /** What did not reproduce; a sentence that says so where there is nothing. */
  readonly departures: readonly string[];
  readonly agreements: readonly string[];
}

export function findingsOf(experiment: Experiment, report: Report): Findings {
  const { runs, averageRanks, entries } = report;
  const missing = runs.planned - runs.finished;
  const parts: readonly Findings[] = [
    orderOf(experiment, report),
    ranksOf(averageRanks, entries),
    valuesOf(experiment, report),
  ];
  const departures = [
    ...(missing === 0 ? [] : [`${missing} of ${runs.planned} runs are missing, and with them what they would show.`]),
    ...parts.flatMap((part) => part.departures),
  ];
  return {
    departures: departures.length > 0 ? departures : ['Nothing: all that the paper prints came out here.'],
    agreements: parts.flatMap((part) => part.agreements),
  };
}

/** Whether the methods have the hypervolumes that the paper gives for them. */
function valuesOf({ cases, layout }: Experiment, { entries }: Report): Findings {
  const compared = entries.flatMap((entry) => {
    const { method, published, hypervolume, interval } = entry;
    if (published === null || hypervolume === null) return [];
    const ours = hypervolume.interquartileMean;
    const paper = published.hypervolume;
    const difference = ours / paper - 1;
    const size = Math.abs(difference);
    const isHeld = interval !== null && interval.low <= paper && paper <= interval.high;
    const where = caseOf(cases, entry.env);
    const text = (value: number) => layout.hypervolumeText(value, where);
    const side = difference < 0 ? 'less' : 'more';
    const held = isHeld ? ', though the interval of the seeds holds it' : '';
    const below = entry.unranked === 'below its range' ? ', in a budget below its range' : '';
    const place = layout.caseLabel(where);
    return [
      {
        method,
        place,
        verdict: size <= SAME || (isHeld && size <= NEAR) ? 'same' : side,
        shown: `${place} (${text(ours)} against ${text(paper)}, ${percentText(size)} ${side}${stepsText(entry)}${below}${held})`,
      },
    ];
  });
  const methods = [...new Set(entries.map(({ method }) => method))];
  const sentence = (method: string, verdict: string, word: string) => {
    const places = compared.filter((one) => one.method === method && one.verdict === verdict);
    if (places.length === 0) return [];
    const shown = places.map((one) => one.shown).join(', ');
    return [`The hypervolume of ${named(method)} is ${word} the paper's ${layout.atSome} ${shown}.`];
  };
  const same = compared.filter(({ verdict }) => verdict === 'same');
  return {
    departures: methods.flatMap((one) => [...sentence(one, 'less', 'below'), ...sentence(one, 'more', 'above')]),
    agreements: together(same.map(({ method, place }) => [named(method), place])).map(
      ([names, places]) =>
        `The hypervolume of ${names} is the paper's within ${percentText(SAME)}, or ${percentText(NEAR)} and the interval of the seeds, ${layout.atSome} ${places}.`,
    ),
  };
}

/** Names that belong to the same places, with those places. */
function together(pairs: readonly (readonly [name: string, place: string])[]): [names: string, places: string][] {
  const placesOf = new Map<string, string[]>();
  for (const [name, place] of pairs) placesOf.set(name, [...(placesOf.get(name) ?? []), place]);
  const namesAt = new Map<string, string[]>();
  for (const [name, places] of placesOf) {
    const key = places.join(', ');
    namesAt.set(key, [...(namesAt.get(key) ?? []), name]);
  }
  return [...namesAt].map(([places, names]) => [names.join(', '), places]);
}

/** What share of the steps of the published code a training took, where it is not the same. */
function stepsText({ envSteps, publishedSteps }: Entry): string {
  if (envSteps === null) return '';
  const share = envSteps.mean / publishedSteps;
  return Math.abs(share - 1) <= SAME ? '' : `, with ${percentText(share)} of the published steps`;
}

/** Whether the subject is ahead where the paper says so. */
function orderOf({ cases, layout }: Experiment, { entries, duels }: Report): Findings {
  const departures: string[] = [];
  const ahead = new Map<string, [rival: string, place: string][]>();
  for (const { subject, rival, env, probability, interval, test } of duels) {
    if (env === null) continue;
    const where: Case = caseOf(cases, env);
    const [own, other] = [subject, rival].map((method) =>
      entries.find((entry) => entry.env === env && entry.method === method)!,
    );
    // The paper has no method twice, and none that is ahead of another by its settings.
    if (isAside(own) !== isAside(other)) continue;
    const lead = own.hypervolume!.interquartileMean - other.hypervolume!.interquartileMean;
    const paperLead =
      own.published === null || other.published === null
        ? null
        : own.published.hypervolume - other.published.hypervolume;
    const place = layout.caseLabel(where);
    const at = `${layout.atSome} ${place}`;
    // That the subject is ahead of what is not in the paper agrees with nothing.
    if (lead > 0 && paperLead === null) continue;
    if (lead > 0 && paperLead! > 0) {
      // A rival that had no chance is no agreement.
      if (other.unranked !== 'below its range') {
        const chance = test === null ? '' : ` (p = ${pText(test.p)})`;
        ahead.set(subject, [...(ahead.get(subject) ?? []), [named(rival), place + chance]]);
      }
      continue;
    }
    const isAsPublished = Math.sign(lead) === Math.sign(paperLead ?? 0);
    if (isAsPublished) continue;
    if (lead === 0) {
      const leader = paperLead! > 0 ? subject : rival;
      departures.push(
        `${capital(at)} ${named(subject)} and ${named(rival)} are equal; in the paper ${inPaper(leader)} is ahead.`,
      );
      continue;
    }
    const [first, second] = lead > 0 ? [own, other] : [other, own];
    const text = (entry: Entry) => layout.hypervolumeText(entry.hypervolume!.interquartileMean, where);
    const paper =
      paperLead === null
        ? `${named(rival)} is not in the paper`
        : `in the paper ${paperLead === 0 ? 'they are equal' : `${inPaper(second.method)} is`}`;
    const chance = `${named(subject)} has more with probability ${probability.toFixed(2)}`;
    const doubt =
      interval === null || test === null
        ? ''
        : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}), p = ${pText(test.p)}`;
    departures.push(
      `${capital(at)} ${named(first.method)} is ahead of ${named(second.method)}, ${text(first)} against ${text(second)}; ${paper}. ${chance}${doubt}.`,
    );
  }
  const agreements = [...ahead].flatMap(([subject, pairs]) =>
    together(pairs).map(([rivals, places]) => `${named(subject)} is ahead of ${rivals} ${layout.atSome} ${places}.`),
  );
  return { departures, agreements };
}

/** Whether a method is in the table as published, beside tuned settings. */
function isAside({ unranked }: Entry): boolean {
  return unranked === 'its tuned settings are ranked' || unranked === 'others are tuned';
}

/** Whether the same method has the best average rank. */
function ranksOf(ranks: readonly AverageRank[], entries: readonly Entry[]): Findings {
  const cases = new Set(entries.map(({ env }) => env)).size;
  // In a single case the order of hypervolumes is said already.
  const metrics = cases > 1 ? (['hypervolume', 'sparsity'] as const) : (['sparsity'] as const);
  const rank = cases > 1 ? 'average rank' : 'rank';
  const findings = metrics.map((metric) => {
    const best = (whose: 'published' | 'ours') => {
      const ranked = ranks.filter((one) => one[metric][whose] !== null);
      // Means over different cases do not compare.
      const most = Math.max(...ranked.map(({ sparsity }) => sparsity.comparable));
      const known =
        metric === 'sparsity' && whose === 'ours'
          ? ranked.filter(({ sparsity }) => sparsity.comparable === most)
          : ranked;
      const least = Math.min(...known.map((one) => one[metric][whose]!));
      return {
        count: known.length,
        least,
        methods: known.filter((one) => one[metric][whose] === least).map(({ method }) => method),
      };
    };
    const [published, ours] = [best('published'), best('ours')];
    // A rank among one says nothing.
    if (published.count < 2 || ours.count < 2) return {};
    const here = `${ours.methods.map(named).join(' and ')}, ${ours.least.toFixed(1)}`;
    if (published.methods.join() === ours.methods.join()) {
      return { agreement: `The best ${rank} in ${metric} is that of ${here}, as in the paper.` };
    }
    const there = `${published.methods.map(inPaper).join(' and ')}, ${published.least.toFixed(1)}`;
    const isRanked = ranks.some((one) => published.methods.includes(one.method) && one[metric].ours !== null);
    const isBelow = entries.some(
      ({ method, unranked }) => published.methods.includes(method) && unranked === 'below its range',
    );
    const reason = isBelow ? 'is trained below its range here' : 'has too little hypervolume here to be ranked';
    const why = isRanked ? '' : `, which ${reason}`;
    return {
      departure: `The best ${rank} in ${metric} is that of ${here}; in the paper it is that of ${there}${why}.`,
    };
  });
  return {
    departures: findings.flatMap(({ departure }) => departure ?? []),
    agreements: findings.flatMap(({ agreement }) => agreement ?? []),
  };
}

function percentText(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
