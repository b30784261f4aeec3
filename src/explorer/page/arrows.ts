/** Arrow keys of lists of which one item has the focus: tabs and menus. */

/** The items of such lists. */
const ITEMS = '[role="tab"], [role="menuitem"]';

/**
 * Moves the focus from an item to the next one that can be chosen, or the one before, round and round.
 * @param arrows the keys that lead back and on
 * @returns the item that has the focus then; undefined where the key is another one
 */
export function moveFocus(
  event: KeyboardEvent,
  [back, on]: readonly [back: string, on: string],
): HTMLElement | undefined {
  const by = event.key === on ? 1 : event.key === back ? -1 : 0;
  const list = event.currentTarget as HTMLElement;
  const items = [...list.querySelectorAll<HTMLElement>(ITEMS)].filter((item) => !item.matches(':disabled'));
  const index = items.indexOf(event.target as HTMLElement);
  if (by === 0 || index < 0) return undefined;
  event.preventDefault();
  const next = items[(index + by + items.length) % items.length];
  next.focus();
  return next;
}
