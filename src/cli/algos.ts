import { algorithm, algorithmNames, type Algorithm } from '../algorithms/index.js';
import { choice, shownDefault, type Fields } from '../config/index.js';
import { loopFieldsOf } from '../training/index.js';
import { ifGiven } from './arguments.js';
import { defineCommand } from './command.js';
import { settingsHelpOf, withDefaults } from './settings.js';

/** `psl algos`: the algorithms and what they learn; of one of them also the settings. */
export const algos = defineCommand({
  operands: {
    name: ifGiven(
      choice(algorithmNames(), { about: 'The algorithm to show, with all its settings; a list of all without it.' }),
    ),
  },

  run({ name }, output) {
    const algorithms = (name === undefined ? algorithmNames() : [name]).map(algorithm);
    output.report([
      ...algorithms.flatMap(linesOf),
      '',
      ...(name === undefined ? ['psl algos NAME shows the settings of one.'] : settingsHelpOf(algorithms[0])),
    ]);
    const kinds = [...new Set(algorithms.map(({ kind }) => kind))];
    return {
      algorithms: algorithms.map(described),
      training: Object.fromEntries(kinds.map((kind) => [kind, describedFields(loopFieldsOf(kind))])),
    };
  },
});

function linesOf({ name, summary, actions, settings }: Algorithm): string[] {
  const fixed = Object.entries(settings).map(([field, value]) => `, ${field}=${String(value)}`);
  return [`${name}: ${summary}`, `  learns ${actions.join(' and ')} actions${fixed.join('')}`];
}

function described({ name, kind, summary, actions, fields, settings }: Algorithm) {
  return { name, kind, summary, actions, settings: describedFields(withDefaults(fields, settings)) };
}

function describedFields(fields: Fields) {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    default: field.default,
    typed: shownDefault(field),
    allowed: field.allowed,
    unit: field.unit ?? null,
    about: field.about,
    source: field.source ?? null,
  }));
}
