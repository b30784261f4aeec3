/** The settings of all algorithms and of the trainings that they go through, for people to read. */
import { algorithm, algorithmNames, type Algorithm } from '../algorithms/index.js';
import { describeFields, fieldsTable, wrap, type Fields } from '../config/index.js';
import { loopFieldsOf } from '../training/index.js';

/** Settings that belong together, and the algorithms that have them. */
interface Section {
  /** To complete "Settings of". */
  readonly of: string;
  readonly algorithms: readonly Algorithm[];
  readonly fields: Fields;
}

/** To complete "Settings of". */
const TRAININGS: Readonly<Record<Algorithm['kind'], string>> = {
  'off-policy': 'every training with replay',
  'on-policy': 'every training from rollouts of the current policy',
  population: 'every training of a population',
};

const INTRODUCTION = 'A preset sets some of these; the defaults are the published ones.';

/** Those of every kind of training, then those of every learner, whose algorithms share them. */
function sections(): Section[] {
  const algorithms = algorithmNames().map(algorithm);
  const kinds = [...new Set(algorithms.map(({ kind }) => kind))];
  const learners = [...new Set(algorithms.map(({ fields }) => fields))];
  return [
    ...kinds.map((kind) => ({
      of: TRAININGS[kind],
      algorithms: algorithms.filter((one) => one.kind === kind),
      fields: loopFieldsOf(kind),
    })),
    ...learners.map((fields) => {
      const users = algorithms.filter((one) => one.fields === fields);
      return { of: listed(users), algorithms: users, fields };
    }),
  ];
}

/** Every setting there is. */
export function settingsHelp(): string[] {
  return [INTRODUCTION, ...sections().flatMap((section) => describeSection(section))];
}

/** Every setting of one algorithm, with its own defaults. */
export function settingsHelpOf({ name, kind, fields, settings }: Algorithm): string[] {
  return [
    ...wrap(`${INTRODUCTION} psl train ENV --algo ${name} --set NAME=VALUE sets one.`),
    ...describeSection({ of: TRAININGS[kind], fields: loopFieldsOf(kind) }),
    ...describeSection({ of: name, fields: withDefaults(fields, settings) }),
  ];
}

function describeSection({ of, fields }: Pick<Section, 'of' | 'fields'>): string[] {
  return ['', `Settings of ${of}:`, ...describeFields(fields)];
}

/** The fields of a learner as one of its algorithms has them. */
export function withDefaults(fields: Fields, settings: Readonly<Record<string, unknown>>): Fields {
  const entries = Object.entries(fields).map(([name, field]) => {
    return [name, Object.hasOwn(settings, name) ? { ...field, default: settings[name] } : field] as const;
  });
  return Object.fromEntries(entries);
}

/** The same as a page of documentation, in Markdown. */
export function settingsDocument(): string {
  return [
    '<!-- Written by npm run docs from the settings themselves; npm run docs:check compares. -->',
    '# Settings',
    `${INTRODUCTION} \`psl train ENV --set NAME=VALUE\` sets one, \`psl algos NAME\` shows those of one algorithm, and ` +
      'the `config.json` of a run has the value of each.',
    ...sections().flatMap(({ of, algorithms, fields }) => {
      const isLearner = algorithms.every((one) => one.fields === fields);
      const title = isLearner ? of : `Every${of.replace(/^every/, '')}`;
      return [
        `## ${title}`,
        isLearner ? algorithms.map(introduced).join('\n') : `Algorithms: ${listed(algorithms)}.`,
        fieldsTable(fields),
      ];
    }),
  ].join('\n\n');
}

/** What an algorithm is, and the settings that make it of its learner. */
function introduced({ name, summary, settings, fields }: Algorithm): string {
  const fixed = Object.entries(settings).map(([field, value]) => `\`${field}=${fields[field].show(value)}\``);
  return `- \`${name}\`: ${summary}${fixed.length === 0 ? '' : `; it has ${fixed.join(', ')}`}`;
}

function listed(algorithms: readonly Algorithm[]): string {
  const names = algorithms.map(({ name }) => name);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
