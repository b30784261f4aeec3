import { choice, integer, text, twoColumns } from '../config/index.js';
import { allowedFor, envIds, envInfo, makeEnv, prepareEnv, typicalValues } from '../envs/index.js';
import type { EnvInfo, EnvOption, EnvOptions, Space } from '../envs/index.js';
import { ceilingOf } from '../fronts/index.js';
import { ifGiven } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenEnv, envOperand } from './env-operand.js';
import { UsageError } from './errors.js';
import { shown } from './format.js';

/** `psl envs`: the environments and what is known about each. */
export const envs = defineCommand({
  operands: {
    name: ifGiven(envOperand('The environment to show, or the path of its module; all of them without it.')),
  },

  options: {
    objectives: ifGiven(integer({ about: 'Only those with so many objectives.', min: 2 })),
    actions: ifGiven(choice(['discrete', 'continuous'], { about: 'Only those with such actions.' })),
    family: ifGiven(
      text({ about: 'Only those of one collection, such as mo-gymnasium or pg-morl.', placeholder: 'NAME' }),
    ),
  },

  async run({ name: given, objectives, actions, family }, output) {
    const name = given === undefined ? undefined : await chosenEnv('NAME', given);
    const all = envIds().map(envInfo);
    const families = [...new Set(all.map((info) => info.family).filter((known) => known !== undefined))];
    if (family !== undefined && !families.includes(family)) throw new UsageError('--family', family, families);
    const chosen = all.filter(
      (info) =>
        (name === undefined || info.id === name) &&
        (objectives === undefined || info.objectives.length === objectives) &&
        (actions === undefined || info.actionSpace.kind === actions) &&
        (family === undefined || info.family === family),
    );
    const environments = await Promise.all(chosen.map(describe));
    if (environments.length === 0) output.report(['no environment is like that']);
    else output.report(name === undefined ? groupsOf(environments) : environments.flatMap(linesOf));
    return { environments };
  },
});

/** Under the name of each family how many are of it, and then those, in short. */
function groupsOf(environments: readonly Environment[]): string[] {
  const families = [...new Set(environments.map(({ family }) => family))];
  const groups = families.flatMap((family) => {
    const members = environments.filter((environment) => environment.family === family);
    const count = members.length === 1 ? '1 environment' : `${members.length} environments`;
    return [`== ${family ?? 'your own'}: ${count} ==`, '', ...members.flatMap(gistOf), ''];
  });
  return [...groups, 'psl envs NAME has all about one: observations, options, what hypervolumes are measured from.'];
}

/** What tells an environment apart, and whose it is. */
function gistOf({ id, summary, objectives, actionSpace, horizon, ceiling, source }: Environment): string[] {
  const [count, kind] = actionSpace.kind === 'discrete' ? [actionSpace.n, ''] : [actionSpace.low.length, 'continuous '];
  const names = objectives.map(({ name }) => name).join(', ');
  const front = ceiling === null ? 'front unknown' : `front known, hypervolume ${shown(ceiling)}`;
  return [
    `${id}: ${summary}`,
    `    ${objectives.length} objectives: ${names}`,
    `    ${count} ${kind}${count === 1 ? 'action' : 'actions'}, ${horizon} steps, ${front}`,
    ...(source === null ? [] : [`    ${source}`]),
  ];
}

function linesOf(environment: Environment): string[] {
  return [`${environment.id}: ${environment.summary}`, ...twoColumns(rowsOf(environment))];
}

type Environment = Awaited<ReturnType<typeof describe>>;

async function describe(info: EnvInfo) {
  const { id, summary, objectives, actionSpace, options, horizon, discount, discountedReturns } = info;
  const { referencePoint, coverageTolerance = null, family = null, source = null } = info;
  const returnDiscount = discountedReturns ? discount : 1;
  return {
    id,
    summary,
    family,
    source,
    objectives,
    observations: await observationsOf(info),
    actionSpace,
    options,
    horizon,
    discount,
    /** The hypervolume of the known front. */
    ceiling: ceilingOf(info, returnDiscount),
    protocol: { returnDiscount, referencePoint, coverageTolerance },
  };
}

/** How many numbers an observation has, and the options that change that, written as they are typed. */
async function observationsOf({ id, options }: EnvInfo) {
  await prepareEnv(id);
  const sizeWith = (chosen: EnvOptions) => {
    const env = makeEnv(id, chosen);
    const { length } = env.observationSpace.low;
    env.close();
    return length;
  };
  const size = sizeWith({});
  const others = Object.entries(options).flatMap(([name, option]) =>
    typicalValues(option)
      .map((value) => [`${name}=${value}`, sizeWith({ [name]: value })] as const)
      .filter(([, other]) => other !== size),
  );
  return { size, with: Object.fromEntries(others) };
}

function rowsOf(environment: Environment) {
  const { objectives, observations, actionSpace, options, horizon, discount, ceiling, protocol } = environment;
  const { family, source } = environment;
  const names = objectives.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`));
  const otherSizes = Object.entries(observations.with).map(([option, size]) => `, ${size} with ${option}`);
  const rows: [string, string][] = [
    ['objectives', `${objectives.length}: ${names.join(', ')}`],
    ['observations', `${numbers(observations.size)}${otherSizes.join('')}`],
    ['actions', actionsOf(actionSpace)],
    ['horizon', `${horizon} steps`],
  ];
  for (const [name, option] of Object.entries(options)) rows.push([name, `${choicesOf(option)}. ${option.summary}`]);
  const { referencePoint, returnDiscount } = protocol;
  const returns = returnDiscount === 1 ? 'plain returns' : `returns discounted by ${returnDiscount}`;
  rows.push(['discount', `${discount} while learning`]);
  rows.push(['scored', `by the hypervolume of ${returns} above ${referencePoint.join(',')}`]);
  rows.push(['known front', ceiling === null ? 'unknown' : `hypervolume ${shown(ceiling)}`]);
  if (source !== null) rows.push(['source', source]);
  if (family !== null) rows.push(['family', family]);
  return rows;
}

function choicesOf(option: EnvOption): string {
  const { default: fallback } = option;
  if (!('values' in option)) return `${allowedFor(option)}, ${fallback} by default`;
  return option.values.map((value) => (value === fallback ? `${value} (default)` : value)).join(', ');
}

function numbers(count: number): string {
  return count === 1 ? '1 number' : `${count} numbers`;
}

function actionsOf(space: Space): string {
  if (space.kind === 'discrete') return `${space.n} choices`;
  const ranges = space.low.map((low, i) => `${low} to ${space.high[i]}`);
  const isUniform = ranges.every((range) => range === ranges[0]);
  const count = numbers(ranges.length);
  if (!isUniform) return `${count}: from ${ranges.join(', ')}`;
  return `${count}${ranges.length === 1 ? ' from' : ', each from'} ${ranges[0]}`;
}
