/** What of the paper's table came out here and what did not, in sentences that are worked out from the numbers. */
import type { Case } from './case.js';
import type { Entry, Experiment, Report } from './experiment.js';
import { areApart, isDecided } from './judgement.js';
import type { AverageRank } from './judgement.js';
import { caseOf, inPaper, named } from './report-parts.js';
import { pText } from './report-tables.js';

/** Within this share of the paper's, a hypervolume is the same for what a report says; */
const SAME = 0.01;
/** and within this one where the interval of the seeds holds the paper's. A wide interval shows nothing by itself. */
const NEAR = 0.05;

export interface Findings {
  /** What did not reproduce; a sentence that says so where there is nothing. */
  readonly departures: readonly string[];
  /** Orders that could as well be by chance, the paper's and others. */
  readonly undecided: readonly string[];
  readonly agreements: readonly string[];
}

export function findingsOf(experiment: Experiment, report: Report): Findings {
  const { runs } = report;
  const missing = runs.planned - runs.finished;
  const parts: readonly Findings[] = [orderOf(experiment, report), ranksOf(report), valuesOf(experiment, report)];
  const departures = [
    ...(missing === 0 ? [] : [`${missing} of ${runs.planned} runs are missing, and with them what they would show.`]),
    ...parts.flatMap((part) => part.departures),
  ];
  const undecided = parts.flatMap((part) => part.undecided);
  const nothing =
    undecided.length === 0
      ? 'Nothing: all that the paper prints of what was trained came out here.'
      : 'Nothing that these seeds decide.';
  return {
    departures: departures.length > 0 ? departures : [nothing],
    undecided,
    agreements: parts.flatMap((part) => part.agreements),
  };
}

/** What there is to say, below a title each; what did not reproduce comes first, and is never left out. */
export function findingSections(
  experiment: Experiment,
  report: Report,
): { readonly title: string; readonly sentences: readonly string[] }[] {
  const { departures, undecided, agreements } = findingsOf(experiment, report);
  return [
    { title: 'What did not reproduce', sentences: departures },
    { title: 'Not decided by these seeds', sentences: undecided },
    { title: 'What did', sentences: agreements },
  ].filter(({ sentences }) => sentences.length > 0);
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
    const below = isBelow(entry) ? ', in a budget below its range' : '';
    const place = layout.caseLabel(where);
    return [
      {
        method,
        place,
        // With other steps it is the paper's by chance, as what had no chance.
        isReproduced: !isBelow(entry) && stepsText(entry) === '',
        verdict: size <= SAME || (isHeld && size <= NEAR) ? 'same' : side,
        shown: `${place} (${text(ours)} against ${text(paper)}, ${[`${percentText(size)} ${side}`, stepsText(entry)].filter(Boolean).join(', ')}${below}${held})`,
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
  const same = compared.filter((one) => one.verdict === 'same' && one.isReproduced);
  return {
    departures: methods.flatMap((one) => [...sentence(one, 'less', 'below'), ...sentence(one, 'more', 'above')]),
    undecided: [],
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

/** What share of the steps of the published code a training took; empty where it is the same. */
function stepsText({ envSteps, publishedSteps }: Entry): string {
  if (envSteps === null) return '';
  const share = envSteps.mean / publishedSteps;
  return Math.abs(share - 1) <= SAME ? '' : `with ${percentText(share)} of the published steps`;
}

/** Whether the subject is ahead where the paper says so, and only there. Leads are those of means, as the tests and the ranks. */
function orderOf({ cases, layout }: Experiment, { entries, duels }: Report): Findings {
  const [departures, reversed] = [[] as string[], [] as string[]];
  const [ahead, undecided] = [new Map<string, Pairs>(), new Map<string, Pairs>()];
  for (const duel of duels) {
    const { subject, rival, env, probability, interval, test } = duel;
    if (env === null) continue;
    const where: Case = caseOf(cases, env);
    const [own, other] = [subject, rival].map((method) =>
      entries.find((entry) => entry.env === env && entry.method === method)!,
    );
    // The paper has no method twice, and none that is ahead of another by its settings.
    if (isAside(own) !== isAside(other)) continue;
    const lead = own.hypervolume!.mean - other.hypervolume!.mean;
    const paperLead =
      own.published === null || other.published === null
        ? null
        : own.published.hypervolume - other.published.hypervolume;
    const place = layout.caseLabel(where);
    const at = `${layout.atSome} ${place}`;
    // That the subject is ahead of what is not in the paper agrees with nothing.
    if (lead > 0 && paperLead === null) continue;
    if (Math.sign(lead) === Math.sign(paperLead ?? 0)) {
      const [leader, second] = lead > 0 ? [own, other] : [other, own];
      // One that is ahead of what had no chance is no agreement, and neither is that equal ones are.
      if (lead !== 0 && !isBelow(second)) {
        const chance = interval === null || test === null ? '' : ` (p = ${pText(test.p)})`;
        const found = isDecided(duel) ? ahead : undecided;
        found.set(leader.method, [...(found.get(leader.method) ?? []), [named(second.method), place + chance]]);
      }
      continue;
    }
    if (lead === 0) {
      const leader = paperLead! > 0 ? subject : rival;
      departures.push(
        `${capital(at)} ${named(subject)} and ${named(rival)} are equal; in the paper ${inPaper(leader)} is ahead.`,
      );
      continue;
    }
    const [first, second] = lead > 0 ? [own, other] : [other, own];
    const text = (entry: Entry) => layout.hypervolumeText(entry.hypervolume!.mean, where);
    const paper =
      paperLead === null
        ? `${named(rival)} is not in the paper`
        : `in the paper ${paperLead === 0 ? 'they are equal' : `${inPaper(second.method)} is`}`;
    const chance = `${named(subject)} has more with probability ${probability.toFixed(2)}`;
    const doubt =
      interval === null || test === null
        ? ''
        : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}), p = ${pText(test.p)}`;
    const below = [own, other].filter(isBelow).map(({ method }) => named(method));
    const range =
      below.length === 0 ? '' : ` This budget is below the range of ${below.length === 2 ? 'both' : below.join()}.`;
    (isDecided(duel) ? departures : reversed).push(
      `${capital(at)} ${named(first.method)} is ahead of ${named(second.method)}, ${text(first)} against ${text(second)}; ${paper}. ${chance}${doubt}.${range}`,
    );
  }
  const sentences = (found: ReadonlyMap<string, Pairs>) =>
    [...found].flatMap(([leader, pairs]) =>
      together(pairs).map(([others, places]) => `${named(leader)} is ahead of ${others} ${layout.atSome} ${places}.`),
    );
  return { departures, undecided: [...reversed, ...sentences(undecided)], agreements: sentences(ahead) };
}

type Pairs = readonly (readonly [rival: string, place: string])[];

function isBelow({ unranked }: Entry): boolean {
  return unranked === 'below its range';
}

/** Whether a method is in the table as published, beside tuned settings. */
function isAside({ unranked }: Entry): boolean {
  return unranked === 'its tuned settings are ranked' || unranked === 'others are tuned';
}

/** Whether the same method has the best average rank. */
function ranksOf({ averageRanks: ranks, entries, subject }: Report): Findings {
  const cases = new Set(entries.map(({ env }) => env)).size;
  // In a single case the order of hypervolumes is said already, if anything is compared with all others.
  const metrics = cases > 1 || subject === null ? (['hypervolume', 'sparsity'] as const) : (['sparsity'] as const);
  const rank = cases > 1 ? 'average rank' : 'rank';
  const found: Record<keyof Findings, string[]> = { departures: [], undecided: [], agreements: [] };
  for (const metric of metrics) {
    // Means over different cases do not compare.
    const most = Math.max(...ranks.map(({ sparsity }) => sparsity.comparable));
    const ranked = ranks.filter(
      (one) => one[metric].ours !== null && (metric === 'hypervolume' || one.sparsity.comparable === most),
    );
    const published = best(ranks, (one) => one[metric].published);
    const ours = best(ranked, (one) => one[metric].ours);
    // A rank among one says nothing.
    if (published.count < 2 || ours.count < 2) continue;
    const places = metric === 'sparsity' && most < cases ? ` in ${most} of ${cases} places` : '';
    const here = `${ours.methods.map(named).join(' and ')}, ${ours.least.toFixed(1)}${places}`;
    const isBest = (ofPaper: readonly string[]) =>
      ours.methods.every((one) => ofPaper.every((other) => areApart(metric, [one, other], entries)));
    if (published.methods.join() === ours.methods.join()) {
      const others = ranked.map(({ method }) => method).filter((method) => !ours.methods.includes(method));
      const sentence = `The best ${rank} in ${metric} is that of ${here}, as in the paper.`;
      found[isBest(others) ? 'agreements' : 'undecided'].push(sentence);
      continue;
    }
    const there = `${published.methods.map(inPaper).join(' and ')}, ${published.least.toFixed(1)}`;
    const known = ranks.filter((one) => published.methods.includes(one.method) && one[metric].ours !== null);
    const isShort = entries.some((entry) => published.methods.includes(entry.method) && isBelow(entry));
    const among = best(ranked, (one) => one[metric].publishedAmongOurs);
    const reason = isShort ? 'is trained below its range here' : 'has too little hypervolume here to be ranked';
    const why =
      known.length > 0
        ? `, which has ${known.map((one) => one[metric].ours!.toFixed(1)).join(' and ')} here`
        : `, which ${reason}; among those ranked here it is that of ${among.methods.map(inPaper).join(' and ')}`;
    const rivals = (known.length > 0 ? known.map(({ method }) => method) : among.methods).filter(
      (method) => !ours.methods.includes(method),
    );
    found[rivals.length > 0 && isBest(rivals) ? 'departures' : 'undecided'].push(
      `The best ${rank} in ${metric} is that of ${here}; in the paper it is that of ${there}${why}.`,
    );
  }
  return found;
}

/** Who has the least of something, and of how many. */
function best(ranks: readonly AverageRank[], rankOf: (one: AverageRank) => number | null) {
  const known = ranks.filter((one) => rankOf(one) !== null);
  const least = Math.min(...known.map((one) => rankOf(one)!));
  const methods = known.filter((one) => rankOf(one) === least).map(({ method }) => method);
  return { count: known.length, least, methods };
}

/** With two digits, and more where those would say that all is gone. */
function percentText(share: number): string {
  const percent = 100 * share;
  const rounded = Number(percent.toPrecision(2));
  return `${rounded === 100 && percent < 100 ? Math.min(99.99, Number(percent.toPrecision(4))) : rounded} %`;
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
