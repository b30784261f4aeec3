/** The worker that plays policies, tied to the state of the page. */
import { batch, computed, effect, untracked } from '@preact/signals';
import { isAlive, worker } from './early.js';
import { heldRuns } from './held-files.js';
import type {
  Achieved,
  Force,
  FromWorker,
  PaneFrame,
  Preference,
  Pull,
  RobotFrame,
  Spectator,
  ToWorker,
} from './messages.js';
import type { RunData } from './run-data.js';
import { nearestEvaluated, normalised } from './simplex.js';
import * as state from './state.js';
import { evaluatedPlayed, isPlayable, played } from './time.js';

let session = 0;
let spectator: Spectator | undefined;
let robot: Extract<FromWorker, { kind: 'robot' }> | undefined;
let lastFrame: Extract<FromWorker, { kind: 'frame' }> | undefined;
/** Rewards of the last steps: for each pane, for each step, for each objective. */
let rewards: (readonly number[])[][] = [];

/** Why nothing can be played any more, where that is so: there is no other worker. */
let death = '';
/** What is open in the worker, or was to be opened; undefined where there is nothing to play. */
let opened: string | undefined;

/** What is known of the runs that are played; undefined while the server does not answer. */
const known = computed(() => {
  if (!state.isServed.value) return undefined;
  const ids = [state.runId.value, state.rivalId.value];
  const listed = state.list.value.runs.filter(({ id }) => ids.includes(id));
  return listed.map(({ id, stamp }) => `${id} ${stamp}`).join();
});

function tell(message: ToWorker): void {
  worker.postMessage(message);
}

/** Shows robots to someone, from what is known already on. */
export function watch(watcher: Spectator | undefined): void {
  spectator = watcher;
  if (robot !== undefined) spectator?.meet(robot.geoms, robot.mass, robot.stepSeconds);
  if (lastFrame !== undefined) spectator?.see(lastFrame.panes.filter(hasPicture), lastFrame.at, 0);
}

export function stepOnce(): void {
  state.isPlaying.value = false;
  tell({ kind: 'step' });
}

export function reset(): void {
  tell({ kind: 'reset' });
}

export function push(pane: number, force: Force): void {
  tell({ kind: 'push', pane, force });
}

/** Until it is called again, or with nothing. */
export function pull(pane: number, pulled: Pull | undefined): void {
  tell({ kind: 'pull', pane, pull: pulled });
}

/** Begins to follow the state of the page. */
export function connect(): void {
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.session === session) hear(data);
  };
  const fail = (): void => {
    death = 'The simulation could not be started in this browser.';
    if (opened !== undefined) state.problem.value = death;
  };
  // It may have failed before anyone listened.
  isAlive.catch(fail);
  worker.onerror = fail;

  let told: readonly Preference[] = [];
  let [knownBefore, triesBefore]: [string | undefined, number] = [undefined, 0];
  let wasEvaluated = false;
  effect(() => {
    const run = state.run.value;
    const preferences = state.preferences.value;
    const isEvaluated = evaluatedPlayed.value !== undefined;
    // What cannot be played is tried again when the server is back, or has something new of the run, or when somebody asks.
    const isNew = known.value !== undefined && known.value !== knownBefore;
    const isRetried = (isNew || state.tries.value !== triesBefore) && state.problem.peek() !== '';
    [knownBefore, triesBefore] = [known.value, state.tries.value];
    const playable = isPlayable.value && run?.unplayable === undefined ? run : undefined;
    const model =
      playable &&
      played(playable)
        .map(({ url, modelSteps }) => `${url} ${modelSteps}`)
        .join();
    const isOther = model !== opened || isRetried;
    if (isOther) {
      opened = model;
      untracked(() => open(playable));
    } else if (opened !== undefined) {
      tellPreferences(preferences, told);
    }
    const isFirst = isOther || preferences.length !== told.length || (isEvaluated && !wasEvaluated);
    if (run?.unplayable !== undefined || (state.isFan.value && isFirst)) {
      state.achieved.value = preferences.map((preference) => evaluatedAt(preference));
    }
    told = preferences;
    wasEvaluated = isEvaluated;
  });
  const isHidden = () => document.visibilityState === 'hidden';
  const play = () => tell({ kind: 'play', speed: state.isPlaying.value && !isHidden() ? state.speed.value : 0 });
  effect(play);
  document.addEventListener('visibilitychange', play);
}

/** Whether what cannot be played may be played when it is tried again. */
export function canTryAgain(): boolean {
  return death === '';
}

function open(run: RunData | undefined): void {
  session++;
  robot = undefined;
  state.observationSpaces.value = [];
  lastFrame = undefined;
  rewards = [];
  state.frames.value = [];
  state.rewards.value = [];
  state.achieved.value = [];
  state.parameters.value = [];
  state.used.value = [];
  state.problem.value = '';
  if (run === undefined) {
    tell({ kind: 'close' });
    return;
  }
  if (death !== '') {
    state.problem.value = death;
    return;
  }
  const { env, module, envOptions, returnDiscount, episodes } = run;
  const preferences = state.preferences.value;
  const runs = played(run).map(({ url }) => url);
  const files = heldRuns(runs);
  const held = files.size > 0 && { held: files };
  tell({
    kind: 'open',
    session,
    runs,
    ...held,
    env: env.id,
    module,
    envOptions,
    ...(state.rival.value !== undefined && { rivalOptions: state.rival.value.envOptions }),
    returnDiscount,
    episodes,
    preferences,
  });
}

/** What a policy achieved when it was evaluated, or the one whose preference is most like it. */
function evaluatedAt(preference: Preference): Achieved | undefined {
  const found = evaluatedPlayed.value && nearestEvaluated(evaluatedPlayed.value, preference);
  // As it is played: grids of preferences are not rounded.
  return found && { preference: normalised(found.preference), returns: found.returns, path: [] };
}

function hasPicture(frame: PaneFrame): frame is RobotFrame {
  return frame.picture !== undefined;
}

function tellPreferences(preferences: readonly Preference[], before: readonly Preference[]): void {
  if (preferences.length !== before.length) {
    tell({ kind: 'panes', preferences });
    return;
  }
  const inputAt = state.lastInputAt();
  preferences.forEach((preference, pane) => {
    if (preference === before[pane]) return;
    tell({ kind: 'prefer', pane, preference, askedAt: performance.timeOrigin + inputAt });
    // The next frame shows it, and is on its way to the screen when the one after it begins.
    requestAnimationFrame(() => requestAnimationFrame(() => note('drag', performance.now() - inputAt)));
  });
}

function hear(message: FromWorker): void {
  switch (message.kind) {
    case 'robot':
      robot = message;
      spectator?.meet(message.geoms, message.mass, message.stepSeconds);
      break;
    case 'world':
      state.observationSpaces.value = message.observationSpaces;
      break;
    case 'frame':
      lastFrame = message;
      spectator?.see(message.panes.filter(hasPicture), message.at, message.duration);
      keepRewards(message.panes);
      if (message.cost > 0) note('worker', message.cost);
      if (message.duration > 0) showSoon();
      else showNow();
      break;
    case 'policy':
      state.parameters.value = replaced(state.parameters.value, message.pane, message.parameters);
      state.used.value = replaced(state.used.value, message.pane, message.used);
      if (message.askedAt !== undefined) note('action', message.actedAt - message.askedAt);
      break;
    case 'achieved':
      state.achieved.value = replaced(state.achieved.value, message.pane, message.achieved);
      break;
    case 'problem':
      state.problem.value = message.message;
  }
}

function replaced<T>(all: readonly T[], index: number, value: T): T[] {
  const copy = [...all];
  copy[index] = value;
  return copy;
}

/** Steps whose rewards are shown. */
export const KEPT_REWARDS = 160;

function keepRewards(panes: readonly PaneFrame[]): void {
  rewards.length = panes.length;
  panes.forEach(({ reward, step }, pane) => {
    const ofPane = (rewards[pane] ??= []);
    if (step === 0) ofPane.length = 0;
    else ofPane.push(reward);
    if (ofPane.length > KEPT_REWARDS) ofPane.shift();
  });
}

/** Numbers change no more often than they can be read: each change is laid out and painted. */
const SHOWN_EVERY_MS = 100;
let shownAt = 0;
let showing: ReturnType<typeof setTimeout> | undefined;

function showSoon(): void {
  showing ??= setTimeout(showNow, Math.max(0, shownAt + SHOWN_EVERY_MS - performance.now()));
}

function showNow(): void {
  clearTimeout(showing);
  showing = undefined;
  shownAt = performance.now();
  batch(() => {
    state.frames.value = lastFrame?.panes ?? [];
    state.rewards.value = rewards.map((rows) => [...rows]);
    state.statistics.value = { ...state.statistics.peek(), ...medians() };
  });
}

/** How many measurements a number on the page stands for. */
const RECENT = 25;
const measured = new Map<keyof typeof state.statistics.value, number[]>();

/** Takes in a measurement; the page shows the median of the last ones. */
function note(name: keyof typeof state.statistics.value, value: number): void {
  const recent = measured.get(name) ?? [];
  measured.set(name, recent);
  recent.push(value);
  if (recent.length > RECENT) recent.shift();
  showSoon();
}

function medians(): Partial<typeof state.statistics.value> {
  return Object.fromEntries(
    [...measured].map(([name, recent]) => [name, [...recent].sort((a, b) => a - b)[recent.length >> 1]]),
  );
}
