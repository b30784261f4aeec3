/** Everything that the page shows, as signals, and what a person can do to it. */
import { batch, computed, effect, signal } from '@preact/signals';
import type { Continuous } from '../../envs/index.js';
import { frontOf } from '../../fronts/front.js';
import type { ListedRun, RunList } from '../run-list.js';
import { firstRun, hashOf, readHash, type Shown } from './address.js';
import { fanOf, FAN_SIZES } from './fan.js';
import { fetchList, isStillPreferred, preferredTheme, runList } from './early.js';
import type { Achieved, PaneFrame, Preference } from './messages.js';
import { isBroken, loadRun, type BrokenRun, type RunData } from './run-data.js';
import { HOME, type Orbit } from './robot-shot.js';
import { normalised, opposite } from './simplex.js';

export type Theme = 'light' | 'dark';

export const list = signal<RunList>({ live: false, runs: [] });
/** What went wrong with the page as a whole. */
export const failure = signal('');
/** Whether the server answered when it was last asked. */
export const isServed = signal(true);
/** What a person should know who has just done something, for a while. */
export const message = signal('');
export const runs = signal<ReadonlyMap<string, RunData | BrokenRun>>(new Map());
export const runId = signal('');
/** One for each pane: a second one is there while two are compared, and more in a fan. */
export const preferences = signal<readonly Preference[]>([]);
/** The run that the second of two panes plays, at the preference of the first; '' where both play the same one. */
export const rivalId = signal('');
/** The pane whose preference the controls move. */
export const activePane = signal(0);
/** The panel with plots that is open. */
export const view = signal('front');
export const theme = signal<Theme>(preferredTheme);
/** Whether keys, words and the run are explained. */
export const isHelping = signal(false);
export const isPlaying = signal(!isStillPreferred);
export const speed = signal(1);
/** Where robots are seen from. */
export const camera = signal<Orbit>(HOME);
/** Whether B is shown in the picture of A, while they are compared. */
export const isGhost = signal(false);
/** Whether the camera goes where the robot goes. */
export const isFollowing = signal(true);

/** Bounds of what is observed in each pane, of an environment that is shown step by step; panes that are added have the last ones. */
export const observationSpaces = signal<readonly Continuous[]>([]);
/** What the worker last said about each pane. */
export const frames = signal<readonly PaneFrame[]>([]);
/** Rewards of the last steps: for each pane, for each step, for each objective. */
export const rewards = signal<readonly (readonly (readonly number[])[])[]>([]);
export const achieved = signal<readonly (Achieved | undefined)[]>([]);
export const parameters = signal<readonly (Float32Array | undefined)[]>([]);
/** The preference whose policy each pane plays, where that is another one than its own. */
export const used = signal<readonly (Preference | undefined)[]>([]);
/** Why the current run cannot be played. */
export const problem = signal('');
/** How often somebody has asked for another try of what could not be loaded. */
export const tries = signal(0);

/** How well the page does, in milliseconds where it is a time. */
export const statistics = signal({ worker: 0, action: 0, drag: 0, draw: 0, fps: 0, quality: 0 });

export const run = computed<RunData | undefined>(() => {
  const chosen = runs.value.get(runId.value);
  return chosen === undefined || isBroken(chosen) ? undefined : chosen;
});
/** A run with which the current one is compared: another one in the same environment, which can be played. */
export const rival = computed<RunData | undefined>(() => {
  const [current, other] = [run.value, runs.value.get(rivalId.value)];
  if (current === undefined || other === undefined || isBroken(other)) return undefined;
  return rivalObstacle(current, other) === undefined ? other : undefined;
});
export const objectives = computed(() => run.value?.env.objectives ?? []);
/** The distinct non-dominated returns of the current run, each with a preference that leads to it. */
export const front = computed(() => {
  const current = run.value;
  return current?.kept === undefined ? { preferences: [], returns: [] } : frontOf(current.kept.evaluated);
});
export const isComparing = computed(() => preferences.value.length === 2);
export const isFan = computed(() => preferences.value.length > 2);

/** Why two runs cannot be played beside each other, to complete a sentence; undefined where they can. */
export function rivalObstacle(one: RunData, other: RunData): string | undefined {
  if (one.id === other.id) return 'both are the same run';
  if (one.env.id !== other.env.id) return `it is of another environment, ${other.env.id}`;
  if (one.unplayable !== undefined) return one.unplayable;
  return one.hasModel && other.hasModel ? undefined : 'one of them has no policy yet';
}

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
  preferences.value = preferences.value.map((old, i) => (i === pane || rival.value !== undefined ? tidy : old));
}

/** Plays another run beside the current one, at the same preference; '' ends that. */
export function playBeside(id: string): void {
  batch(() => {
    const [first] = preferences.value;
    rivalId.value = id;
    activePane.value = 0;
    preferences.value = rival.value === undefined ? [first] : [first, first];
  });
}

/** Plays the current run at each of some preferences, and no other run beside it. */
export function playAt(wanted: readonly Preference[], pane = 0): void {
  batch(() => {
    rivalId.value = '';
    activePane.value = pane;
    preferences.value = wanted;
  });
}

export function compare(on: boolean): void {
  const [first] = preferences.value;
  if (on) playAt([first, opposite(first)], 1);
  else playAt([first]);
}

/** Plays policies from all over the front, or goes on with the one of them that the controls move. */
export function fan(on: boolean, size = FAN_SIZES.usual): void {
  const wanted = on ? fanOf(front.value, size) : [preferences.value[activePane.value]];
  if (on && wanted.length < FAN_SIZES.least) {
    say(`A fan needs ${FAN_SIZES.least} policies that differ, and the front of this run has ${wanted.length}.`);
    return;
  }
  playAt(wanted);
}

/** Whether the policies of a fan are those that its front is shown by, and none was moved. */
function isUsualFan(): boolean {
  const here = preferences.value;
  return isFan.value && JSON.stringify(fanOf(front.value, here.length)) === JSON.stringify(here);
}

/** What a pane is called where there are several. */
export function paneName(pane: number): string {
  return isFan.value ? String(pane + 1) : isComparing.value ? 'AB'[pane] : '';
}

export function chooseRun(id: string): void {
  batch(() => {
    const isOther = id !== runId.value;
    const isFanOfFront = isUsualFan();
    runId.value = id;
    const count = objectives.value.length;
    const fits = preferences.value.length > 0 && preferences.value.every((preference) => preference.length === count);
    if (!fits) {
      activePane.value = 0;
      preferences.value = [new Array<number>(count).fill(1 / count)];
    } else if (isOther && isFanOfFront) {
      // The policies of another front, where it has as many as a fan needs.
      const wanted = fanOf(front.value, preferences.value.length);
      if (wanted.length >= FAN_SIZES.least) preferences.value = wanted;
      activePane.value = Math.min(activePane.value, preferences.value.length - 1);
    }
    meetRival();
  });
}

/** Begins to play a rival that has been read by now, and gives up one that cannot be played beside this run, and says why. */
function meetRival(): void {
  const isUnread = (id: string) => !runs.value.has(id) && list.value.runs.some((listed) => listed.id === id);
  if (rivalId.value === '' || isUnread(rivalId.value) || isUnread(runId.value)) return;
  if (rival.value === undefined) {
    const [current, other] = [run.value, runs.value.get(rivalId.value)];
    const isShown = current !== undefined && other !== undefined && !isBroken(other);
    const obstacle = isShown ? rivalObstacle(current, other) : 'one of them is not here or cannot be shown';
    say(`${other?.name ?? rivalId.value} cannot be played beside this run, because ${obstacle}.`);
    playBeside('');
  } else if (preferences.value.length === 1) playBeside(rivalId.value);
}

const MESSAGE_MS = 5000;
let messageTimer: ReturnType<typeof setTimeout> | undefined;

export function say(sentence: string): void {
  message.value = sentence;
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (message.value = ''), MESSAGE_MS);
}

/** Reads the list of runs and all of them, and goes to what the address asks for. */
export async function start(): Promise<void> {
  list.value = await runList;
  // What is looked at first comes first; the others are there a moment later.
  if (list.value.runs.length === 0) throw new Error('There are no runs here.');
  const first = firstRun(list.value, location.hash);
  if (first !== undefined) replaceRun(await loadRun(first));
  batch(() => goTo(readHash(location.hash), first?.id ?? ''));
  await Promise.all(list.value.runs.map(async (other) => other === first || replaceRun(await loadRun(other))));
  addEventListener('hashchange', () => batch(() => goTo(readHash(location.hash), runId.value)));
  effect(writeAddress);
  if (list.value.live) follow();
}

/** Shows what an address asks for. */
export function goTo(wanted: Shown, otherwise: string): void {
  // Before the preferences, of which the end of a rival leaves one, and the beginning of one makes two that are equal.
  if (rivalId.value !== '') playBeside('');
  chooseRun(wanted.run === '' ? otherwise : wanted.run);
  const fitting = wanted.preferences.filter((preference) => preference.length === objectives.value.length);
  if (wanted.fan > 0) fan(true, Math.min(Math.max(wanted.fan, FAN_SIZES.least), FAN_SIZES.most));
  else if (fitting.length > 0) preferences.value = fitting.slice(0, FAN_SIZES.most).map(normalised);
  activePane.value = Math.min(activePane.value, preferences.value.length - 1);
  if (wanted.rival !== '') playBeside(wanted.rival);
  meetRival();
  view.value = wanted.view;
  camera.value = wanted.camera;
  isGhost.value = wanted.ghost;
}

/** How often the server is asked for the list of runs, while some of them train and otherwise. */
const FOLLOWED_MS = { training: 1000, still: 4000 };

/** Asks for the list of runs again and again, as long as the page can be seen. */
function follow(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  const ask = async () => {
    clearTimeout(timer);
    if (isAsking || document.visibilityState === 'hidden') return;
    isAsking = true;
    try {
      const next = await fetchList();
      isServed.value = true;
      await take(next);
    } catch {
      isServed.value = false;
    }
    isAsking = false;
    const isTraining = list.value.runs.some((run) => run.isTraining === true);
    timer = setTimeout(() => void ask(), isTraining ? FOLLOWED_MS.training : FOLLOWED_MS.still);
  };
  document.addEventListener('visibilitychange', () => void ask());
  void ask();
}

/** Runs that were trained in this page, which no server lists. */
let trainedHere: readonly ListedRun[] = [];

/** Shows a run that is trained in this page, as it is now. */
export function showHere(run: ListedRun): Promise<void> {
  const isHere = ({ id }: ListedRun) => trainedHere.some((one) => one.id === id);
  const listed = list.value.runs.filter((one) => !isHere(one));
  trainedHere = [...trainedHere.filter(({ id }) => id !== run.id), run];
  return take({ ...list.value, runs: listed });
}

/** Takes over a list of runs of the server, and reads those that are new or have changed. */
export async function take(fromServer: RunList): Promise<void> {
  const next = { ...fromServer, runs: [...fromServer.runs, ...trainedHere] };
  const before = new Map(list.value.runs.map((run) => [run.id, run]));
  const changed = next.runs.filter((run) => {
    const known = before.get(run.id);
    const loaded = runs.value.get(run.id);
    const isUnread = unread.has(run.id) || (run.isTraining === true && loaded !== undefined && isBroken(loaded));
    return known?.stamp !== run.stamp || known?.isTraining !== run.isTraining || isUnread;
  });
  const shown = runs.value.get(runId.value);
  batch(() => {
    list.value = next;
    runs.value = inOrder(runs.value);
    // A folder in which there was no run yet is listed as one; its first run takes the place of that.
    const isFilled = shown !== undefined && isBroken(shown) && !next.runs.some(({ id }) => id === shown.id);
    if (isFilled && next.runs.length > 0) chooseRun(next.runs[0].id);
    meetRival();
  });
  await Promise.all(changed.map((run) => refresh(run, before.has(run.id) && before.get(run.id)?.stamp !== run.stamp)));
}

/** Runs in the order of the list, without those that it does not have any more. */
function inOrder(known: typeof runs.value): typeof runs.value {
  return new Map(list.value.runs.flatMap(({ id }) => (known.has(id) ? [[id, known.get(id)!]] : [])));
}

const firstSeen = new Map<string, Map<number, number>>();
/** Runs whose files did not fit together when they were last read. */
const unread = new Set<string>();

/** @param isNew whether what is new in it has been written just now */
async function refresh(listed: ListedRun, isNew: boolean): Promise<void> {
  const { id } = listed;
  const before = runs.value.get(id);
  const loaded = await loadRun(listed, firstSeen.get(id));
  const wasWhole = before !== undefined && !isBroken(before);
  // Its files are written one after the other, so what does not fit together now may do so the next time.
  const isDoubtful = isBroken(loaded) && wasWhole && !unread.has(id);
  if (isDoubtful) unread.add(id);
  else unread.delete(id);
  if (isDoubtful) return;
  if (isNew) noteWhen(loaded);
  replaceRun(loaded);
}

function replaceRun(loaded: RunData | BrokenRun): void {
  batch(() => {
    runs.value = inOrder(new Map(runs.value).set(loaded.id, loaded));
    if (loaded.id === runId.value) chooseRun(loaded.id);
    else if (loaded.id === rivalId.value) meetRival();
  });
}

/** Tries again what could not be loaded: the run that is shown, its policy, or both. */
export function tryAgain(): void {
  tries.value++;
  const listed = list.value.runs.find(({ id }) => id === runId.value);
  if (listed !== undefined && run.value === undefined) void loadRun(listed, firstSeen.get(listed.id)).then(replaceRun);
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
  const here = preferences.value;
  const shown = {
    run: runId.value,
    view: view.value,
    preferences: here,
    fan: isUsualFan() ? here.length : 0,
    camera: camera.value,
    ghost: isGhost.value,
    rival: rival.value?.id ?? '',
  };
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
