/** What the address of the page says: the run, the preferences, the panel and the camera that it is shown with. */
import type { ListedRun, RunList } from '../run-list.js';
import type { Preference } from './messages.js';
import { clampDistance, HOME, type Orbit } from './robot-shot.js';

export interface Shown {
  readonly run: string;
  /** The panel with plots that is open. */
  readonly view: string;
  /** One for each pane. */
  readonly preferences: readonly Preference[];
  /** How many policies there are of a fan that has those of the front; 0 where there is none, or one of other policies. */
  readonly fan: number;
  /** Where robots are seen from. */
  readonly camera: Orbit;
  /** Whether the second of two robots is a ghost beside the first. */
  readonly ghost: boolean;
  /** The run that is played beside this one, at the same preference; '' where there is none. */
  readonly rival: string;
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
    fan: Math.max(0, Math.floor(Number(parts.get('fan')))) || 0,
    camera: cameraIn(parts.get('camera') ?? ''),
    ghost: parts.get('ghost') === 'yes',
    rival: parts.get('rival') ?? '',
  };
}

function cameraIn(text: string): Orbit {
  const [azimuth, elevation, distance, ...others] = text.split(',').map((part) => (part === '' ? NaN : Number(part)));
  const isCamera = others.length === 0 && [azimuth, elevation, distance].every(Number.isFinite);
  return isCamera ? { azimuth, elevation, distance: clampDistance(distance) } : HOME;
}

/** As an address has it: finer than anybody sees. */
function cameraText({ azimuth, elevation, distance }: Orbit): string {
  return [azimuth, elevation, distance].map((value) => Number(value.toFixed(3)) + 0).join();
}

/** Weights too large to be summed are none. */
function isPreference(weights: readonly number[]): boolean {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.every((weight) => weight >= 0) && sum > 0 && sum < Infinity;
}

/** The hash of the address that leads back to what is shown. */
export function hashOf({ run, view, preferences, fan, camera, ghost, rival }: Shown): string {
  const parts = new URLSearchParams({ run, ...(view !== FIRST_VIEW && { view }) });
  if (fan > 0) parts.set('fan', String(fan));
  for (const preference of fan > 0 ? [] : rival === '' ? preferences : preferences.slice(0, 1)) {
    if (preference.length > 0) parts.append('w', preference.join(','));
  }
  if (cameraText(camera) !== cameraText(HOME)) parts.set('camera', cameraText(camera));
  if (rival !== '') parts.set('rival', rival);
  if (ghost && preferences.length === 2) parts.set('ghost', 'yes');
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
