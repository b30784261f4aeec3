/** The whole page. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { moveFocus } from './arrows.js';
import { download, DOWNLOADS, isEvaluated } from './downloads.js';
import { FindView } from './find.js';
import { FrontView } from './front.js';
import { hasRivals, MethodsView } from './methods-view.js';
import { GapsView } from './gaps-view.js';
import { Help, HelpButton } from './help.js';
import { ParameterView } from './parameter-view.js';
import { PreferencePanel } from './preference.js';
import { isBroken } from './run-data.js';
import { reset, stepOnce } from './simulation.js';
import { withWeight } from './simplex.js';
import { Stage } from './stage.js';
import * as state from './state.js';
import { isPlayable } from './time.js';
import { EvaluationLine } from './time-view.js';
import { TrainLine, TrainMenu } from './train-here.js';
import { isFromHere, linkObstacle, saveRun } from './training-here.js';
import { TrainingView } from './training.js';
import { resetCamera, toggleFollowing, toggleGhost } from './view-tools.js';
import { nameWith } from './words.js';

export function App() {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', closeMenus);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', closeMenus);
    };
  }, []);
  useEffect(() => {
    document.documentElement.dataset.theme = state.theme.value;
  }, [state.theme.value]);
  if (state.failure.value !== '') {
    return (
      <main class="failure">
        <h1>The explorer cannot start</h1>
        <p role="alert">{state.failure.value}</p>
      </main>
    );
  }
  return (
    <>
      <Header />
      {!state.isServed.value && (
        <p class="lost" role="alert">
          The server of this page does not answer. What is here can still be played, but nothing new is shown until psl
          explore runs again.
        </p>
      )}
      {state.list.value.sweeps?.map((line) => (
        <p class="sweep muted" key={line.split(':', 1)[0]}>
          {line}
        </p>
      ))}
      <TrainLine />
      <main>
        <Stage />
        <aside>
          <PreferencePanel />
          <Plots />
        </aside>
      </main>
      <Help />
      <p class="message" role="status">
        {state.message.value}
      </p>
    </>
  );
}

function Header() {
  const isDark = state.theme.value === 'dark';
  const canCompare = isPlayable.value;
  const progress = new Map(state.list.value.runs.map((listed) => [listed.id, listed.progress]));
  return (
    <header class="bar">
      <h1>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <circle cx="6" cy="6" r="3.2" fill="#3f8cff" />
          <circle cx="14" cy="7.8" r="3.2" fill="#8f6be8" />
          <circle cx="20.6" cy="12" r="3.2" fill="#c95fb0" />
          <circle cx="24.8" cy="18.6" r="3.2" fill="#ea6f74" />
          <circle cx="26.4" cy="26.4" r="3.2" fill="#f59a3a" />
        </svg>
        Pareto set explorer
      </h1>
      <label class="run-choice">
        <span class="muted">Run</span>
        <select value={state.runId.value} onChange={(event) => state.chooseRun(event.currentTarget.value)}>
          {!state.runs.value.has(state.runId.value) && <option value={state.runId.value}>{state.runId.value}</option>}
          {[...state.runs.value.values()].map((one) => (
            <option key={one.id} value={one.id}>
              {isBroken(one) ? `${one.name} (cannot be shown)` : nameWith(one.name, one.env.id, one.algorithm)}
              {progress.get(one.id) !== undefined && ` · ${progress.get(one.id)}`}
            </option>
          ))}
        </select>
      </label>
      <span class="space" />
      <button
        aria-pressed={state.isComparing.value}
        disabled={!canCompare}
        onClick={() => state.compare(!state.isComparing.value)}
        title="Two preferences side by side, from the same start (C)"
      >
        Compare
      </button>
      <button
        aria-pressed={state.isFan.value}
        disabled={!canCompare}
        onClick={() => state.fan(!state.isFan.value)}
        title="Policies from all over the front, side by side (F)"
      >
        Fan
      </button>
      <TrainMenu />
      <DownloadMenu />
      <LinkButton />
      <button
        class="icon"
        onClick={() => (state.theme.value = isDark ? 'light' : 'dark')}
        aria-label={isDark ? 'Light colours' : 'Dark colours'}
        title={isDark ? 'Light colours' : 'Dark colours'}
      >
        {isDark ? '☀' : '☾'}
      </button>
      <HelpButton />
    </header>
  );
}

/** A click beside an open menu closes it. */
function closeMenus({ target }: PointerEvent): void {
  for (const menu of document.querySelectorAll('.bar details[open]')) {
    if (!menu.contains(target as Node)) menu.removeAttribute('open');
  }
}

function DownloadMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  const take = (start: () => void | Promise<void>) => {
    menu.current?.removeAttribute('open');
    return download(start);
  };
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => event.key === 'Escape' && menu.current?.removeAttribute('open')}
    >
      <summary>Download</summary>
      <div role="menu" onKeyDown={(event) => moveFocus(event, ['ArrowUp', 'ArrowDown'])}>
        {Object.entries(DOWNLOADS).map(([name, { isThere, begin }]) => (
          <button
            role="menuitem"
            key={name}
            disabled={!isThere.value}
            onClick={() => void take(() => begin(state.run.value!, state.preferences.value[state.activePane.value]))}
          >
            {name}
          </button>
        ))}
        {isFromHere(state.runId.value) && (
          <button
            role="menuitem"
            disabled={!isEvaluated.value || state.run.value?.isTraining === true}
            onClick={() => void take(() => saveRun(state.runId.value))}
          >
            Run (tar.gz)
          </button>
        )}
      </div>
    </details>
  );
}

function LinkButton() {
  const copy = async () => {
    const obstacle = linkObstacle();
    if (obstacle !== undefined) {
      state.say(obstacle);
      return;
    }
    history.replaceState(null, '', state.addressHere());
    try {
      // Pages that did not come over an encrypted connection, or from this machine, have no clipboard.
      await navigator.clipboard.writeText(state.addressHere());
      state.say('The link is copied: it leads back to this run, preference and view.');
    } catch {
      state.say('The browser does not let the link be copied; it is in the address bar.');
    }
  };
  return (
    <button onClick={() => void copy()} title="Copy a link that leads back to this run, preference and view">
      Link
    </button>
  );
}

interface PlotPanel {
  readonly name: string;
  readonly Panel: ComponentType;
  /** Whether there is anything to be shown; always, where it does not say. */
  readonly isThere?: ReadonlySignal<boolean>;
}

/** Panels with plots, by the word that an address has for them, in the order of their tabs. */
const PANELS: Readonly<Record<string, PlotPanel>> = {
  front: { name: 'Front', Panel: FrontView },
  preferences: { name: 'Preferences', Panel: GapsView },
  parameters: { name: 'Parameters', Panel: ParameterView },
  training: { name: 'Training', Panel: TrainingView },
  methods: { name: 'Methods', Panel: MethodsView, isThere: hasRivals },
  find: { name: 'Find', Panel: FindView },
};

function Plots() {
  const panels = Object.entries(PANELS).filter(([, { isThere }]) => isThere?.value !== false);
  const open = panels.some(([view]) => view === state.view.value) ? state.view.value : 'front';
  const { Panel } = PANELS[open];
  return (
    <section class="card plots" aria-label="Plots">
      <div class="tabs" role="tablist" onKeyDown={(event) => moveFocus(event, ['ArrowLeft', 'ArrowRight'])?.click()}>
        {panels.map(([view, { name }]) => (
          <button
            role="tab"
            key={view}
            id={`tab-${view}`}
            aria-selected={open === view}
            aria-controls="plots"
            onClick={({ currentTarget, detail }) => {
              state.view.value = view;
              // Its arrows are for those who came to it with keys: after a click they move the preference, as before it.
              if (detail > 0) currentTarget.blur();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <EvaluationLine />
      <div id="plots" role="tabpanel" aria-labelledby={`tab-${open}`}>
        {state.run.value === undefined ? (
          <p class="muted">There is nothing to plot.</p>
        ) : (
          <Guarded key={`${open} ${state.runId.value}`} panel={Panel} />
        )}
      </div>
    </section>
  );
}

/** A plot that fails says so, and takes nothing else with it. */
function Guarded({ panel: Panel }: { panel: ComponentType }) {
  const [error] = useErrorBoundary() as [Error | undefined, () => void];
  if (error !== undefined) return <p role="alert">This cannot be plotted: {error.message}</p>;
  return <Panel />;
}

/** The objective whose weight the arrows move, where there are more than two. */
let arrowObjective = 0;

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  // Lists, buttons and boxes have keys of their own. A slider keeps the focus after it was dragged, so it has none but these.
  if (target.tagName === 'SELECT' || (state.isHelping.value && event.key !== '?')) return;
  if (event.key === ' ' && target.matches('button, summary, input[type="checkbox"]')) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action === undefined || state.objectives.value.length === 0) return;
  event.preventDefault();
  const { objective } = target.dataset;
  action(event.shiftKey ? 0.1 : 0.02, objective === undefined ? undefined : Number(objective));
}

/** @param focused the objective whose slider has the focus */
type KeyAction = (step: number, focused: number | undefined) => void;

const KEYS: Readonly<Record<string, KeyAction | undefined>> = {
  ' ': () => (state.isPlaying.value = !state.isPlaying.value),
  '.': stepOnce,
  '?': () => (state.isHelping.value = !state.isHelping.value),
  r: reset,
  c: () => isPlayable.value && state.compare(!state.isComparing.value),
  f: () => isPlayable.value && state.fan(!state.isFan.value),
  g: () => isPlayable.value && state.run.value?.env.view?.kind === 'robot' && toggleGhost(),
  v: resetCamera,
  l: toggleFollowing,
  ArrowRight: (step, focused) => leftOrRight(step, 1, focused),
  ArrowLeft: (step, focused) => leftOrRight(step, -1, focused),
  ArrowUp: (step, focused) => upOrDown(step, 1, focused),
  ArrowDown: (step, focused) => upOrDown(step, -1, focused),
};

function shift(objective: number, by: number): void {
  const preference = state.preferences.value[state.activePane.value];
  state.setPreference(withWeight(preference, objective, preference[objective] + by));
}

/** In a triangle the arrows point to its corners; among many objectives up and down choose the one to move. */
function leftOrRight(step: number, sign: number, focused: number | undefined): void {
  const count = state.objectives.value.length;
  if (focused !== undefined) shift(focused, sign * step);
  else if (count === 3) shift(sign > 0 ? 2 : 1, step);
  else shift(Math.min(arrowObjective, count - 1), sign * step);
}

function upOrDown(step: number, sign: number, focused: number | undefined): void {
  const count = state.objectives.value.length;
  if (focused !== undefined) shift(focused, sign * step);
  else if (count <= 3) shift(0, sign * step);
  else arrowObjective = (arrowObjective - sign + count) % count;
}
