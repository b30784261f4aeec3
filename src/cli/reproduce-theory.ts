/** The paper's theorems, checked. */
import { join } from 'node:path';
import { wrap } from '../config/index.js';
import { checkTheory, writeTheoryReport, type Finding, type TheoryReport } from '../experiments/index.js';
import { typedPath } from './result.js';
import { aligned } from './table.js';
import type { Output } from './terminal.js';

/** Checks the theorems, shows what is found, and writes it down. */
export async function showTheory(out: string, output: Output, budget: TheoryReport['budget']): Promise<TheoryReport> {
  output.line("checking the paper's theorems");
  const found = (finding: Finding) => findingLines(finding).forEach((line) => output.line(line));
  const report = await checkTheory(out, found, budget);
  writeTheoryReport(report);
  for (const note of report.notes) ['', ...wrap(note, 96)].forEach((line) => output.line(line));
  const path = typedPath(out);
  output.line();
  output.line(`report: ${join(path, 'report.md')}, ${join(path, 'report.json')}`);
  return report;
}

/** Throws where a statement did not come out true. */
export function mustHold({ findings }: TheoryReport): void {
  const failed = findings.filter(({ holds }) => !holds);
  if (failed.length > 0) throw new Error(`not confirmed: ${failed.map(({ statement }) => statement).join(' ')}`);
}

function findingLines({ theorem, statement, holds, table, explanation }: Finding): string[] {
  return [
    '',
    ...wrap(`Theorem ${theorem}, ${holds ? 'confirmed' : 'NOT CONFIRMED'}: ${statement}`, 96),
    '',
    ...aligned([table.head, ...table.rows], [0]).map((line) => `  ${line}`),
    '',
    ...explanation.flatMap((text) => wrap(text, 96)),
  ];
}
