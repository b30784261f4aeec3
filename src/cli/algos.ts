import { algorithm, algorithmNames, type Algorithm } from '../algorithms/index.js';
import { describeFields, resolveConfig, shownDefault, type Fields } from '../config/index.js';
import { loopFieldsOf } from '../training/index.js';
import { defineCommand } from './command.js';

/** `psl algos`: the algorithms, what they learn, and their settings. */
export const algos = defineCommand({
  run(_values, output) {
    const algorithms = algorithmNames().map(algorithm);
    output.report([
      ...algorithms.flatMap(({ name, summary, actions, settings }) => {
        const own = Object.entries(settings).map(([field, value]) => `, ${field}=${String(value)}`);
        return [`${name}: ${summary}`, `  learns ${actions.join(' and ')} actions${own.join('')}`];
      }),
      '',
      ...settingsHelp(),
    ]);
    const training = kinds(algorithms).map((kind) => [kind, describedFields(loopFieldsOf(kind))] as const);
    return { algorithms: algorithms.map(described), training: Object.fromEntries(training) };
  },
});

/** All settings, for people. Algorithms with the same learner are described together. */
export function settingsHelp(): string[] {
  const algorithms = algorithmNames().map(algorithm);
  const byFields = new Map<Fields, string[]>();
  for (const { name, fields } of algorithms) byFields.set(fields, [...(byFields.get(fields) ?? []), name]);
  return [
    'A preset sets some of these; the defaults are the published ones.',
    ...kinds(algorithms).flatMap((kind) => [
      '',
      `Settings of every training ${TRAININGS[kind]}:`,
      ...describeFields(loopFieldsOf(kind)),
    ]),
    ...[...byFields].flatMap(([fields, names]) => [
      '',
      `Settings of ${names.join(' and ')}:`,
      ...describeFields(fields),
    ]),
  ];
}

/** To complete "a training". */
const TRAININGS: Readonly<Record<Algorithm['kind'], string>> = {
  'off-policy': 'with replay',
  'on-policy': 'from rollouts of the current policy',
  population: 'of a population',
};

function kinds(algorithms: readonly Algorithm[]): Algorithm['kind'][] {
  return [...new Set(algorithms.map(({ kind }) => kind))];
}

function described({ name, kind, summary, actions, fields, settings }: Algorithm) {
  return { name, kind, summary, actions, settings: describedFields(fields, resolveConfig(fields, settings)) };
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
