/** All checks of the paper's theorems, and their report. */
import { join } from 'node:path';
import { makeFolder, writeAtomic, writeJson } from '../../files/index.js';
import { checkOut } from '../../runs/index.js';
import { VERSION } from '../../version.js';
import { readObject } from '../marker.js';
import { markdownTable } from '../report-parts.js';
import type { Finding } from './finding.js';
import { distanceIsPseudoMetric, fruitTreeIsSuboptimal, scalarisedContracts, similarityExpands } from './theorem-1.js';
import { fusedIncludesConditioned, fusedIsStrictlyRicher, paperRatio, rademacherDependsOnNorm } from './theorem-2.js';

export interface TheoryReport {
  readonly format: 1;
  readonly experiment: 'theory';
  readonly folder: string;
  /** Whether all statements came out true. */
  readonly holds: boolean;
  readonly findings: readonly Finding[];
  readonly versions: Readonly<Record<string, readonly string[]>>;
}

const REPORT = 'report.json';
const PAIRS = { mdps: 100, pairs: 100, seed: 1 };

const CHECKS: readonly (() => Finding | Promise<Finding>)[] = [
  () => scalarisedContracts(PAIRS),
  distanceIsPseudoMetric,
  () => similarityExpands(PAIRS),
  () => fruitTreeIsSuboptimal([5, 6, 7]),
  () => fusedIncludesConditioned(64, 1),
  fusedIsStrictlyRicher,
  () => rademacherDependsOnNorm({ preferences: 10, states: 20, draws: 2000, seed: 1 }),
  () => paperRatio(1),
];

/** Checks both theorems. @param found is called with each finding, before the next check begins */
export async function checkTheory(folder: string, found: (finding: Finding) => void = () => {}): Promise<TheoryReport> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    const finding = await check();
    findings.push(finding);
    found(finding);
  }
  const holds = findings.every((finding) => finding.holds);
  return { format: 1, experiment: 'theory', folder, holds, findings, versions: { psl: [VERSION] } };
}

/** Throws a RangeError unless the report can go there: the folder is new or empty, or holds an earlier one. */
export function checkTheoryOut(out: string, name = 'out'): void {
  if (readObject(join(out, REPORT))?.experiment === 'theory') return;
  checkOut(out, name);
}

/** What was found earlier by the same version; undefined where there is nothing of the kind. */
export function readTheoryReport(folder: string): TheoryReport | undefined {
  const report = readObject(join(folder, REPORT)) as TheoryReport | undefined;
  if (report?.experiment !== 'theory' || !report.versions.psl.includes(VERSION)) return undefined;
  return { ...report, folder };
}

/** Writes `report.md` and `report.json`, over earlier ones. */
export function writeTheoryReport(report: TheoryReport): void {
  makeFolder(report.folder);
  writeJson(join(report.folder, REPORT), report);
  writeAtomic(join(report.folder, 'report.md'), theoryMarkdown(report));
}

export function theoryMarkdown({ findings }: TheoryReport): string {
  const parts = findings.flatMap(({ theorem, statement, holds, table, explanation }) => [
    `## Theorem ${theorem}: ${statement}`,
    holds ? 'Confirmed.' : '**Not confirmed.**',
    markdownTable(table),
    ...explanation,
  ]);
  return `${["# The paper's theorems, checked: `psl reproduce theory`", ...parts].join('\n\n')}\n`;
}
