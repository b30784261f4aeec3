import { expect, it } from 'vitest';
import { moveFocus } from './arrows.js';

/** A list with an item for each name, of which the focus moves from one to another; those in brackets cannot be chosen. */
function moved(names: readonly string[], from: string, key: string): string {
  const focused: string[] = [];
  const items = names.map((name) => ({ name, focus: () => focused.push(name), matches: () => name.startsWith('(') }));
  const event = {
    ...{ key, currentTarget: { querySelectorAll: () => items }, preventDefault: () => focused.push('not scrolled') },
    target: items.find(({ name }) => name === from),
  };
  moveFocus(event as unknown as KeyboardEvent, ['ArrowLeft', 'ArrowRight']);
  return focused.join();
}

it('moveFocus goes to the item beside the one that has the focus, and from the last one to the first', () => {
  const tabs = ['Front', 'Training', 'Find'];
  expect(moved(tabs, 'Front', 'ArrowRight')).toBe('not scrolled,Training');
  expect(moved(tabs, 'Find', 'ArrowRight')).toBe('not scrolled,Front');
  expect(moved(tabs, 'Front', 'ArrowLeft')).toBe('not scrolled,Find');
});

it('moveFocus passes over items that cannot be chosen', () => {
  expect(moved(['Policy', '(Picture)', 'Front'], 'Policy', 'ArrowRight')).toBe('not scrolled,Front');
});

it('moveFocus leaves other keys alone, and keys of what is no item', () => {
  expect(moved(['Front', 'Training'], 'Front', 'ArrowDown')).toBe('');
  expect(moved(['Front', 'Training'], 'elsewhere', 'ArrowRight')).toBe('');
});
