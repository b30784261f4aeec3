/** What the address of the page says: the run, the preferences and the panel that are shown. */
import type { ListedRun, RunList } from '../run-list.js';
import type { Preference } from './messages.js';

export interface Shown {
  readonly run: string;
  /** The panel with plots that is open. */
  readonly view: string;
  /** One for each pane. */
  readonly preferences: readonly Preference[];
}

/** The panel that is open where an address names none. */
const FIRST_VIEW = 'front';

/** @param hash the part of an address from # on. What makes no sense in it is left out. */
export function readHash(hash: string): Shown {
  const parts = new URLSearchParams(hash.slice(1));
  return {
    run: parts.get('run') ?? '',
    view: parts.get('view') ?? FIRST_VIEW,
    preferences: parts
      .getAll('w')
      .map((text) => text.split(',').map(Number))
      .filter(isPreference),
  };
}

/** Weights too large to be summed are none. */
function isPreference(weights: readonly number[]): boolean {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.every((weight) => weight >= 0) && sum > 0 && sum < Infinity;
}

/** The hash of the address that leads back to what is shown. */
export function hashOf({ run, view, preferences }: Shown): string {
  const parts = new URLSearchParams({ run, ...(view !== FIRST_VIEW && { view }) });
  for (const preference of preferences) if (preference.length > 0) parts.append('w', preference.join(','));
  return `#${parts.toString().replaceAll('%2C', ',')}`;
}

/** The run that an address asks for, or the first one where it asks for none; undefined where there is no such run. */
export function firstRun({ runs }: RunList, hash: string): ListedRun | undefined {
  const wanted = readHash(hash).run;
  return wanted === '' ? runs.at(0) : runs.find(({ id }) => id === wanted);
}

/** The whole address of what is named below that of the page. */
export function addressOf(name: string): string {
  return new URL(name, location.href).href;
}
