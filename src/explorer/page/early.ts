/**
 * What takes longest, begun first: the worker, the list of runs, and where the first of them is about a robot, physics and
 * what draws it. It needs little, so that it runs while the rest of the page is still on its way.
 */
import { RUN_LIST, type RunList } from '../run-list.js';
import { addressOf, firstRun } from './address.js';
import type { ToWorker } from './messages.js';
import type { RobotView } from './robot-view.js';

/** How long everything else waits for the first picture of a robot, where the processor draws both. */
const PICTURE_FIRST_MS = 2000;
/** On the root of the document while it does. */
const PICTURE_FIRST = 'data-picture-first';

export const preferredTheme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
export const worker = new Worker(new URL('./simulation.worker.ts', import.meta.url), { type: 'module' });
/** Until then a browser keeps messages for it back, and gives them out only when the page has nothing else to do. */
export const isAlive = new Promise((resolve, reject) => {
  worker.addEventListener('message', resolve, { once: true });
  worker.addEventListener('error', reject, { once: true });
});
export const runList = fetchList();
/** Whether a person asked their system for less motion. */
export const isStillPreferred = matchMedia('(prefers-reduced-motion: reduce)').matches;
/** Fulfilled when it is known what is drawn first. */
export const isBegun = runList.then(begin).catch(() => undefined);

export async function fetchList(): Promise<RunList> {
  const response = await fetch(`./${RUN_LIST}`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`The list of runs cannot be read (${response.status}).`);
  return (await response.json()) as RunList;
}

async function begin(list: RunList): Promise<void> {
  const { env, view: drawn, module } = firstRun(list, location.hash) ?? {};
  if (env === undefined) return;
  // Making ready to draw keeps the page busy for long, so the worker has to have begun by then.
  await isAlive;
  worker.postMessage({ kind: 'prepare', env, module: module && addressOf(module) } satisfies ToWorker);
  if (drawn !== 'robot') return;
  const { isSoftware } = await robotView();
  if (!isSoftware) return;
  document.documentElement.toggleAttribute(PICTURE_FIRST, true);
  setTimeout(showTheRest, PICTURE_FIRST_MS);
}

/** What was held back for the first picture of a robot. */
export function showTheRest(): void {
  document.documentElement.toggleAttribute(PICTURE_FIRST, false);
}

let view: Promise<RobotView> | undefined;

/** The one thing that draws robots here: whatever it has compiled serves all of them. */
export function robotView(): Promise<RobotView> {
  if (view === undefined) {
    view = import('./robot-view.js').then(({ RobotView }) => new RobotView(preferredTheme));
    // So that it can be tried again.
    view.catch(() => (view = undefined));
  }
  return view;
}
