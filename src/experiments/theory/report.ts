/** All checks of the paper's theorems, and their report. */
import { join } from 'node:path';
import { makeFolder, writeAtomic, writeJson } from '../../files/index.js';
import { checkOut } from '../../runs/index.js';
import { VERSION } from '../../version.js';
import { readObject } from '../marker.js';
import { markdownTable } from '../report-parts.js';
import type { Finding } from './finding.js';
import {
  distanceIsPseudoMetric,
  fruitTreeIsSuboptimal,
  scalarisedContracts,
  scalarisedIsOptimal,
  similarityExpands,
} from './theorem-1.js';
import { fusedIncludesConditioned, fusedIsStrictlyRicher, paperRatio, rademacherDependsOnNorm } from './theorem-2.js';

export type TheoryBudget = 'full' | 'tiny';

export interface TheoryReport {
  readonly format: 1;
  readonly experiment: 'theory';
  /** `tiny` repeats less of what is drawn; reports of earlier versions have none. */
  readonly budget: TheoryBudget;
  readonly folder: string;
  /** Whether all statements came out true. */
  readonly holds: boolean;
  /** What a reader of the findings has to know, in sentences. */
  readonly notes: readonly string[];
  readonly findings: readonly Finding[];
  readonly versions: Readonly<Record<string, readonly string[]>>;
}

const REPORT = 'report.json';

/** How often the checks repeat what they draw, and on which trees. */
interface Repetitions {
  readonly mdps: number;
  readonly pairs: number;
  readonly depths: readonly number[];
  readonly dataSets: number;
  readonly draws: { readonly linear: number; readonly relu: number };
  readonly starts: number;
}

const REPETITIONS: Readonly<Record<TheoryBudget, Repetitions>> = {
  full: { mdps: 100, pairs: 100, depths: [5, 6, 7], dataSets: 8, draws: { linear: 2000, relu: 60 }, starts: 20 },
  tiny: { mdps: 10, pairs: 50, depths: [5], dataSets: 3, draws: { linear: 200, relu: 10 }, starts: 10 },
};

/** Checks both theorems. @param found is called with each finding, before the next check begins */
export async function checkTheory(
  folder: string,
  found: (finding: Finding) => void = () => {},
  budget: TheoryBudget = 'full',
): Promise<TheoryReport> {
  const findings: Finding[] = [];
  for (const check of checksWith(REPETITIONS[budget])) {
    const finding = await check();
    findings.push(finding);
    found(finding);
  }
  const holds = findings.every((finding) => finding.holds);
  const notes = notesOn(budget);
  return { format: 1, experiment: 'theory', budget, folder, holds, notes, findings, versions: { psl: [VERSION] } };
}

function checksWith({ mdps, pairs, depths, ...capacity }: Repetitions): readonly (() => Finding | Promise<Finding>)[] {
  const random = { mdps, pairs, seed: 1 };
  return [
    () => scalarisedContracts(random),
    () => scalarisedIsOptimal({ mdps, seed: 1 }),
    distanceIsPseudoMetric,
    () => similarityExpands(random),
    () => fruitTreeIsSuboptimal(depths),
    () => fusedIncludesConditioned(64, 1),
    fusedIsStrictlyRicher,
    () => rademacherDependsOnNorm({ preferences: 10, states: 20, seed: 1, ...capacity }),
    () => paperRatio(1),
  ];
}

function notesOn(budget: TheoryBudget): string[] {
  if (budget === 'full') return [];
  const text = ({ mdps, pairs, depths, dataSets, draws, starts }: Repetitions) =>
    `${mdps} random MDPs with ${pairs} pairs of Q each, trees of depth ${depths.join(', ')}, and ${dataSets} data sets ` +
    `with ${draws.linear} draws of signs for linear policies and ${draws.relu} for a hidden layer, from ${starts} starts`;
  return [
    `With the budget ${budget} the checks repeat less of what they draw: ${text(REPETITIONS[budget])}. Without it there ` +
      `are ${text(REPETITIONS.full)}.`,
  ];
}

/** Throws a RangeError unless the report can go there: the folder is new or empty, or holds an earlier one. */
export function checkTheoryOut(out: string, name = 'out'): void {
  if (readObject(join(out, REPORT))?.experiment === 'theory') return;
  checkOut(out, name);
}

/** What was found earlier by the same version, with the same budget; undefined where there is nothing of the kind. */
export function readTheoryReport(folder: string, budget: TheoryBudget = 'full'): TheoryReport | undefined {
  const report = readObject(join(folder, REPORT)) as TheoryReport | undefined;
  if (report?.experiment !== 'theory' || report.budget !== budget) return undefined;
  if (!report.versions.psl.includes(VERSION)) return undefined;
  return { ...report, folder };
}

/** Writes `report.md` and `report.json`, over earlier ones. */
export function writeTheoryReport(report: TheoryReport): void {
  makeFolder(report.folder);
  writeJson(join(report.folder, REPORT), report);
  writeAtomic(join(report.folder, 'report.md'), theoryMarkdown(report));
}

export function theoryMarkdown({ notes, findings }: TheoryReport): string {
  const parts = findings.flatMap(({ theorem, statement, holds, table, explanation }) => [
    `## Theorem ${theorem}: ${statement}`,
    holds ? 'Confirmed.' : '**Not confirmed.**',
    markdownTable(table),
    ...explanation,
  ]);
  return `${["# The paper's theorems, checked: `psl reproduce theory`", ...notes, ...parts].join('\n\n')}\n`;
}
