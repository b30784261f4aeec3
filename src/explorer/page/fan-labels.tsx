/** What stands at each robot of a fan: its preference, and its return so far. */
import { formatNumber } from './charts.js';
import { preferenceColour } from './colours.js';
import type { LabelPlace } from './robot-view.js';
import { activePane, frames, objectives, preferences } from './state.js';

/** What the numbers of a label are. */
export function fanCaption(): string {
  const { length } = preferences.value;
  const names = objectives.value.map(({ name }) => name).join(' : ');
  const policies = length === 1 ? 'One policy' : `${length} policies`;
  return `${policies} of one model: preference (${names}, in %) and return so far`;
}

/** Weights in the order of the objectives. */
export function weightsOf(pane: number): string {
  return preferences.value[pane].map((weight) => Math.round(100 * weight)).join(' : ');
}

/** For each objective, its name and the return so far. */
export function returnsOf(pane: number): { readonly name: string; readonly value: string }[] {
  const { returns } = frames.value.at(pane) ?? {};
  if (returns === undefined) return [];
  return objectives.value.map(({ name }, k) => ({ name, value: formatNumber(returns[k], 1) }));
}

/** Whether a label in a fan has the names of objectives in sight: the nearest and the chosen one tell them for all, which leaves room. */
export function isNamed(pane: number): boolean {
  return pane === 0 || pane === activePane.value;
}

/** The return of the policy that was chosen, where its label has no room for it. */
export function FanChosen() {
  const returns = returnsOf(activePane.value).map(({ name, value }) => `${name} ${value}`);
  return (
    <span class="fan-chosen" aria-hidden="true">
      {weightsOf(activePane.value)}: {returns.join(' · ')}
    </span>
  );
}

export function FanLabels({ places }: { places: readonly LabelPlace[] }) {
  return (
    <div class="fan-labels" role="group" aria-label="Policies of the fan: preference and return so far">
      {places.slice(0, preferences.value.length).map(([right, down], pane) => (
        <button
          key={pane}
          class="fan-label"
          aria-pressed={activePane.value === pane}
          style={{
            left: `${100 * right}%`,
            '--right': right,
            top: `${100 * down}%`,
            // The nearer in front, which leaves the numbers of those behind it in sight.
            zIndex: activePane.value === pane ? places.length : places.length - pane - 1,
            '--colour': preferenceColour(preferences.value[pane]),
          }}
          onClick={() => (activePane.value = pane)}
        >
          <b>{weightsOf(pane)}</b>
          {returnsOf(pane).map(({ name, value }) => (
            <span key={name}>
              <small class={isNamed(pane) ? undefined : 'unseen'}>{name}</small> {value}
            </span>
          ))}
        </button>
      ))}
    </div>
  );
}
