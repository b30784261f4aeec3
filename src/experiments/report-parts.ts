/** What the reports of all reproductions have in common. */
import { VERSION } from '../version.js';
import type { Outcome } from './run.js';

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One seed of an entry. */
export interface SeedResult {
  readonly seed: number;
  readonly run: string;
  readonly hypervolume: number;
  readonly sparsity: { readonly distinct: number | null; readonly published: number };
  readonly expectedUtility: number;
  /** Distinct non-dominated returns. */
  readonly points: number;
  readonly envSteps: number;
  readonly gradientSteps: number;
  readonly seconds: number;
  readonly device: string;
}

export function seedResult({ seed, run, sparsity, ...rest }: Outcome): SeedResult {
  const { hypervolume, expectedUtility, points, envSteps, gradientSteps, seconds, device } = rest;
  const numbers = { hypervolume, sparsity, expectedUtility, points, envSteps, gradientSteps, seconds, device };
  return { seed, run, ...numbers };
}

/** All versions that runs were made with. */
export function versionsIn(outcomes: readonly Outcome[]): Record<string, string[]> {
  const all = [{ psl: VERSION }, ...outcomes.map(({ versions }) => versions)];
  const names = unique(all.flatMap((versions) => Object.keys(versions)));
  return Object.fromEntries(
    names.map((name) => [
      name,
      unique(all.map((versions: Readonly<Record<string, string>>) => versions[name])).filter(Boolean),
    ]),
  );
}

/** Every setting of every method; several values are those of the environments. */
export function settingTableOf(
  entries: readonly { readonly method: string; readonly settings: Readonly<Record<string, unknown>> }[],
): Table {
  const methods = unique(entries.map(({ method }) => method));
  const names = unique(entries.flatMap(({ settings }) => Object.keys(settings)));
  const shown = (value: unknown) =>
    value === null
      ? 'none'
      : JSON.stringify(value)
          .replace(/["[\]]/g, '')
          .replaceAll(',', ', ');
  const rows = names.map((name) => [
    name,
    ...methods.map((method) => {
      const own = entries.filter((entry) => entry.method === method && name in entry.settings);
      return unique(own.map(({ settings }) => shown(settings[name]))).join(' / ') || '-';
    }),
  ]);
  return { head: ['setting', ...methods], rows };
}

export function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
