import { algorithm, algorithmNames, type Algorithm } from '../algorithms/index.js';
import { describeFields, resolveConfig, shownDefault, type Fields } from '../config/index.js';
import { loopFields } from '../training/index.js';
import { defineCommand } from './command.js';

/** `psl algos`: the algorithms, what they learn, and their settings. */
export const algos = defineCommand({
  run(_values, output) {
    const algorithms = algorithmNames().map(algorithm);
    output.report([
      ...algorithms.flatMap(({ name, summary, actions, settings }) => {
        const own = Object.entries(settings).map(([field, value]) => `, ${field}=${String(value)}`);
        return [`${name}: ${summary}`, `  learns ${actions} actions${own.join('')}`];
      }),
      '',
      ...settingsHelp(),
    ]);
    return { algorithms: algorithms.map(described), training: describedFields(loopFields) };
  },
});

/** All settings, for people. Algorithms with the same learner are described together. */
export function settingsHelp(): string[] {
  const byFields = new Map<Fields, string[]>();
  for (const { name, fields } of algorithmNames().map(algorithm)) {
    byFields.set(fields, [...(byFields.get(fields) ?? []), name]);
  }
  return [
    'Settings of every training (a preset sets some of them; the defaults are the published ones):',
    ...describeFields(loopFields),
    ...[...byFields].flatMap(([fields, names]) => [
      '',
      `Settings of ${names.join(' and ')}:`,
      ...describeFields(fields),
    ]),
  ];
}

function described({ name, summary, actions, fields, settings }: Algorithm) {
  return { name, summary, actions, settings: describedFields(fields, resolveConfig(fields, settings)) };
}

function describedFields(fields: Fields, config: Readonly<Record<string, unknown>> = resolveConfig(fields)) {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    default: config[name],
    typed: config[name] === field.default ? shownDefault(field) : field.show(config[name]),
    allowed: field.allowed,
    unit: field.unit ?? null,
    about: field.about,
    source: field.source ?? null,
  }));
}
