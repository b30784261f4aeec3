/** The whole page. */
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DOWNLOADS } from './downloads.js';
import { FrontView } from './front.js';
import { PreferencePanel } from './preference.js';
import { isBroken } from './run-data.js';
import { reset, stepOnce } from './simulation.js';
import { withWeight } from './simplex.js';
import { Stage } from './stage.js';
import * as state from './state.js';
import { TrainingView } from './training.js';

export function App() {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
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
      <main>
        <Stage />
        <aside>
          <PreferencePanel />
          <Plots />
        </aside>
      </main>
    </>
  );
}

function Header() {
  const isDark = state.theme.value === 'dark';
  const canCompare = state.run.value?.hasModel === true;
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
          {[...state.runs.value.values()].map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
              {isBroken(one) ? ' (damaged)' : ` · ${one.env.id} · ${one.algorithm}`}
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
    </header>
  );
}

function DownloadMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  const [problem, setProblem] = useState('');
  const isPlayable = state.run.value?.hasModel === true;
  const take = async (start: () => void | Promise<void>) => {
    menu.current?.removeAttribute('open');
    setProblem('');
    try {
      await start();
    } catch {
      setProblem('The download failed.');
    }
  };
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => event.key === 'Escape' && menu.current?.removeAttribute('open')}
    >
      <summary>Download</summary>
      <div role="menu">
        {Object.entries(DOWNLOADS).map(([name, start]) => (
          <button role="menuitem" key={name} disabled={!isPlayable} onClick={() => void take(start)}>
            {name}
          </button>
        ))}
      </div>
      <span role="status">{problem}</span>
    </details>
  );
}

function LinkButton() {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    history.replaceState(null, '', state.addressHere());
    // Without the right to use the clipboard the address is still in the address bar.
    await navigator.clipboard.writeText(state.addressHere()).catch(() => undefined);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button onClick={() => void copy()} title="Copy a link that leads back to this run, preference and view">
      {isCopied ? 'Copied' : 'Link'}
    </button>
  );
}

/** Panels with plots, by the word that an address has for them, in the order of their tabs. */
const PANELS: Readonly<Record<string, { readonly name: string; readonly Panel: ComponentType }>> = {
  front: { name: 'Front', Panel: FrontView },
  training: { name: 'Training', Panel: TrainingView },
};

function Plots() {
  const open = Object.hasOwn(PANELS, state.view.value) ? state.view.value : 'front';
  const { Panel } = PANELS[open];
  return (
    <section class="card plots" aria-label="Plots">
      <div class="tabs" role="tablist">
        {Object.entries(PANELS).map(([view, { name }]) => (
          <button
            role="tab"
            key={view}
            id={`tab-${view}`}
            aria-selected={open === view}
            aria-controls="plots"
            onClick={() => (state.view.value = view)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="plots" role="tabpanel" aria-labelledby={`tab-${open}`}>
        <Panel />
      </div>
    </section>
  );
}

/** The objective whose weight the arrows move, where there are more than two. */
let arrowObjective = 0;

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  // Sliders, lists and buttons have keys of their own.
  if (/^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  if (event.key === ' ' && /^(?:BUTTON|SUMMARY)$/.test(target.tagName)) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action === undefined || state.objectives.value.length === 0) return;
  event.preventDefault();
  action(event.shiftKey ? 0.1 : 0.02);
}

const KEYS: Readonly<Record<string, ((step: number) => void) | undefined>> = {
  ' ': () => (state.isPlaying.value = !state.isPlaying.value),
  '.': stepOnce,
  r: reset,
  c: () => state.run.value?.hasModel === true && state.compare(!state.isComparing.value),
  ArrowRight: (step) => leftOrRight(step, 1),
  ArrowLeft: (step) => leftOrRight(step, -1),
  ArrowUp: (step) => upOrDown(step, 1),
  ArrowDown: (step) => upOrDown(step, -1),
};

function shift(objective: number, by: number): void {
  const preference = state.preferences.value[state.activePane.value];
  state.setPreference(withWeight(preference, objective, preference[objective] + by));
}

/** In a triangle the arrows point to its corners; among many objectives up and down choose the one to move. */
function leftOrRight(step: number, sign: number): void {
  const count = state.objectives.value.length;
  if (count === 3) shift(sign > 0 ? 2 : 1, step);
  else shift(Math.min(arrowObjective, count - 1), sign * step);
}

function upOrDown(step: number, sign: number): void {
  const count = state.objectives.value.length;
  if (count <= 3) shift(0, sign * step);
  else arrowObjective = (arrowObjective - sign + count) % count;
}
