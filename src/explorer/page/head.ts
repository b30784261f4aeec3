/** What the document says about itself: what bookmarks, histories and tabs show of the run that is open. */
import { effect } from '@preact/signals';
import { extent, formatNumber } from '../../plots/scale.js';
import type { RunData } from './run-data.js';
import { front, isFan, preferences, run } from './state.js';
import { hypervolumeOf, nameWith } from './words.js';

/** Keeps title and description up to date. */
export function describeInHead(): void {
  const names = ['description', 'og:title', 'og:description'] as const;
  const [description, ogTitle, ogDescription] = names.map((name) => {
    const meta = document.createElement('meta');
    meta.setAttribute(name.startsWith('og:') ? 'property' : 'name', name);
    document.head.append(meta);
    return meta;
  });
  effect(() => {
    document.title = ogTitle.content = titleOf(run.value, preferences.value.length);
    description.content = ogDescription.content = descriptionOf(run.value, front.value.returns, isFan.value);
  });
}

/** @param policies how many of them are played */
export function titleOf(run: RunData | undefined, policies: number): string {
  if (run === undefined) return 'Pareto set explorer';
  const count = policies > 1 ? `${policies} policies of ` : '';
  return `${count}${nameWith(run.name, run.env.id)} · Pareto set explorer`;
}

export function descriptionOf(
  run: RunData | undefined,
  points: readonly (readonly number[])[],
  isFan: boolean,
): string {
  if (run === undefined) return 'Trained Pareto sets of policies, played at any preference.';
  const objectives = run.env.objectives.map(({ name }, k) => {
    const range = extent(points.map((point) => point[k]));
    return range === undefined ? name : `${name} ${range.map((value) => formatNumber(value)).join(' to ')}`;
  });
  const hypervolume = hypervolumeOf(run);
  const what = isFan ? 'One model, policies from all over its front' : 'One model, every preference';
  const facts = [objectives.join(', '), ...(hypervolume === undefined ? [] : [`hypervolume ${hypervolume}`])];
  return `${what}: ${run.algorithm} on ${run.env.id}. ${facts.join('; ')}.`;
}
