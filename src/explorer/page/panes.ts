/** What panes are told apart by. */
import { preferenceColour, seriesColour } from './colours.js';
import { preferences, rival } from './state.js';

/** That of its preference; where two runs are played at one preference, each has its own. */
export function paneColour(pane: number): string {
  return rival.value === undefined ? preferenceColour(preferences.value[pane]) : seriesColour(pane);
}
