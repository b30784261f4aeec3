/** Everything that the page shows, as signals, and what a person can do to it. */
import { batch, computed, effect, signal } from '@preact/signals';
import type { Continuous } from '../../envs/index.js';
import { frontOf } from '../../fronts/front.js';
import { EVENTS, type RunChanged, type RunList } from '../run-list.js';
import { firstRun, hashOf, readHash, type Shown } from './address.js';
import { preferredTheme, runList } from './early.js';
import type { Achieved, PaneFrame, Preference } from './messages.js';
import { isBroken, loadRun, type BrokenRun, type RunData } from './run-data.js';
import { normalised } from './simplex.js';

export type Theme = 'light' | 'dark';

export const list = signal<RunList>({ live: false, runs: [] });
/** What went wrong with the page as a whole. */
export const failure = signal('');
export const runs = signal<ReadonlyMap<string, RunData | BrokenRun>>(new Map());
export const runId = signal('');
/** One for each pane: a second one is there while two are compared. */
export const preferences = signal<readonly Preference[]>([]);
/** The pane whose preference the controls move. */
export const activePane = signal(0);
/** The panel with plots that is open. */
export const view = signal('front');
export const theme = signal<Theme>(preferredTheme);
export const isPlaying = signal(true);
export const speed = signal(1);

/** Bounds of what is observed, of an environment that is shown step by step. */
export const observationSpace = signal<Continuous | undefined>(undefined);
/** What the worker last said about each pane. */
export const frames = signal<readonly PaneFrame[]>([]);
/** Rewards of the last steps: for each pane, for each step, for each objective. */
export const rewards = signal<readonly (readonly (readonly number[])[])[]>([]);
export const achieved = signal<readonly (Achieved | undefined)[]>([]);
export const parameters = signal<readonly (Float32Array | undefined)[]>([]);
/** Why the current run cannot be played. */
export const problem = signal('');

/** How well the page does, in milliseconds where it is a time. */
export const statistics = signal({ worker: 0, action: 0, drag: 0, draw: 0, fps: 0, quality: 0 });

export const run = computed<RunData | undefined>(() => {
  const chosen = runs.value.get(runId.value);
  return chosen === undefined || isBroken(chosen) ? undefined : chosen;
});
export const objectives = computed(() => run.value?.env.objectives ?? []);
/** The distinct non-dominated returns of the current run, each with a preference that leads to it. */
export const front = computed(() => {
  const current = run.value;
  return current === undefined ? { preferences: [], returns: [] } : frontOf(current.evaluated);
});
export const isComparing = computed(() => preferences.value.length > 1);

let inputAt = 0;
for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'keydown', 'input', 'click']) {
  document.addEventListener(kind, ({ timeStamp }) => (inputAt = timeStamp), { capture: true, passive: true });
}

/** When a person last did something, on the page's clock. */
export function lastInputAt(): number {
  return inputAt;
}

export function setPreference(preference: Preference, pane = activePane.value): void {
  const tidy = normalised(preference);
  const before = preferences.value[pane];
  if (before.every((weight, k) => weight === tidy[k])) return;
  preferences.value = preferences.value.map((old, i) => (i === pane ? tidy : old));
}

export function compare(on: boolean): void {
  batch(() => {
    const [first] = preferences.value;
    activePane.value = on ? 1 : 0;
    preferences.value = on ? [first, [...first].reverse()] : [first];
  });
}

export function chooseRun(id: string): void {
  batch(() => {
    runId.value = id;
    const count = objectives.value.length;
    const fits = preferences.value.length > 0 && preferences.value.every((preference) => preference.length === count);
    if (fits) return;
    activePane.value = 0;
    preferences.value = [new Array<number>(count).fill(1 / count)];
  });
}

/** Reads the list of runs and all of them, and goes to what the address asks for. */
export async function start(): Promise<void> {
  list.value = await runList;
  // What is looked at first comes first; the others are there a moment later.
  const first = firstRun(list.value, location.hash);
  replaceRun(await loadRun(first));
  batch(() => goTo(readHash(location.hash), first.id));
  await Promise.all(list.value.runs.map(async (other) => other === first || replaceRun(await loadRun(other))));
  addEventListener('hashchange', () => batch(() => goTo(readHash(location.hash), runId.value)));
  effect(writeAddress);
  if (list.value.live) listen();
}

function goTo(wanted: Shown, otherwise: string): void {
  chooseRun(runs.value.has(wanted.run) ? wanted.run : otherwise);
  const fitting = wanted.preferences.filter((preference) => preference.length === objectives.value.length);
  if (fitting.length > 0) preferences.value = fitting.slice(0, 2).map(normalised);
  view.value = wanted.view;
}

/** Follows runs that still train. */
function listen(): void {
  const source = new EventSource(`./${EVENTS}`);
  // What happened before it was open, or while it was not, is not told.
  source.onopen = () => list.value.runs.forEach(({ id }) => isOver(runs.value.get(id)) || void refresh(id, false));
  source.onmessage = ({ data }: MessageEvent<string>) => void refresh((JSON.parse(data) as RunChanged).run, true);
}

function isOver(one: RunData | BrokenRun | undefined): boolean {
  return one !== undefined && !isBroken(one) && one.isFinished;
}

const firstSeen = new Map<string, Map<number, number>>();

/** @param isNew whether it has been written just now */
async function refresh(id: string, isNew: boolean): Promise<void> {
  const listed = list.value.runs.find((one) => one.id === id);
  if (listed === undefined) return;
  const before = runs.value.get(id);
  const loaded = await loadRun(listed, firstSeen.get(id));
  const wasWhole = before !== undefined && !isBroken(before);
  if (isBroken(loaded) && wasWhole) {
    // Its files are written one after the other, so what does not fit together now may do so in a moment.
    setTimeout(() => void loadRun(listed).then(replaceRun), 1000);
    return;
  }
  if (isNew) noteWhen(loaded);
  replaceRun(loaded);
}

function replaceRun(loaded: RunData | BrokenRun): void {
  batch(() => {
    const known = new Map(runs.value).set(loaded.id, loaded);
    const inOrder = list.value.runs.flatMap(({ id }) => known.get(id) ?? []);
    runs.value = new Map(inOrder.map((one) => [one.id, one]));
    if (loaded.id === runId.value) chooseRun(loaded.id);
  });
}

/** The time at which an evaluation appears tells how fast a run is while it trains. */
function noteWhen(loaded: RunData | BrokenRun): void {
  const last = isBroken(loaded) ? undefined : loaded.metrics.at(-1);
  if (last === undefined) return;
  const times = firstSeen.get(loaded.id) ?? new Map<number, number>();
  if (!times.has(last.envSteps)) times.set(last.envSteps, performance.now() / 1000);
  firstSeen.set(loaded.id, times);
}

/** The address that leads back to what is shown now. */
export function addressHere(): string {
  const shown = { run: runId.value, view: view.value, preferences: preferences.value };
  return location.href.split('#', 1)[0] + hashOf(shown);
}

let addressTimer: ReturnType<typeof setTimeout> | undefined;

/** Not at every move: browsers allow only so many changes of the address in a while. */
function writeAddress(): void {
  const address = addressHere();
  const before = location.href;
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    // Unless somebody has gone elsewhere in the meantime.
    if (location.href === before) history.replaceState(null, '', address);
  }, 300);
}
