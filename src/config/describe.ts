/** Documentation that is generated from settings: help in a terminal, and tables in Markdown. */
import type { Described, Field, Fields } from './fields.js';
import { twoColumns } from './layout.js';
import { allowedText } from './refusal.js';

/** Lines of help for all fields: how each is set, what it is, what is allowed, its default and its source. */
export function describeFields(fields: Fields): string[] {
  return twoColumns(
    Object.entries(fields).map(([name, field]) => [
      `${name}=${field.placeholder}`,
      describe(field, `default: ${shownDefault(field)}`),
    ]),
  );
}

/** The sentence about a value, with what is allowed, its unit and its source in brackets. */
export function describe(value: Described<unknown>, ...notes: readonly string[]): string {
  const allowed = allowedText(value.allowed) + (value.unit === undefined ? '' : `, in ${value.unit}`);
  const details = [allowed, ...notes, ...(value.source === undefined ? [] : [value.source])];
  return `${value.about} (${details.join('; ')})`;
}

/** A field's default as it is typed. */
export function shownDefault(field: Field<unknown>): string {
  return field.show(field.default) || 'empty';
}

/** A table of all fields in Markdown. */
export function fieldsTable(fields: Fields): string {
  const header = ['Name', 'Default', 'Unit', 'Allowed', 'Meaning', 'Source'];
  const rows = Object.entries(fields).map(([name, field]) => [
    `\`${name}\``,
    `\`${shownDefault(field)}\``,
    field.unit ?? '',
    allowedText(field.allowed),
    field.about,
    field.source ?? '',
  ]);
  return [header, header.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}
