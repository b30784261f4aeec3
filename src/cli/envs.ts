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
    family: ifGiven(text({ about: 'Only those that follow the definitions of one collection.', placeholder: 'NAME' })),
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

/** Under the name of each family how many are of it, and then those. */
function groupsOf(environments: readonly Environment[]): string[] {
  const families = [...new Set(environments.map(({ family }) => family))];
  return families.flatMap((family, i) => {
    const members = environments.filter((environment) => environment.family === family);
    const count = members.length === 1 ? '1 environment' : `${members.length} environments`;
    const title = `== ${family ?? 'your own'}: ${count} ==`;
    return [...(i === 0 ? [] : ['']), title, ...members.flatMap((environment) => ['', ...linesOf(environment)])];
  });
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
  const { objectives, observations, actionSpace, options, horizon, ceiling, protocol, family, source } = environment;
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
  rows.push(['scored', `over ${referencePoint.join(',')}, returns discounted by ${returnDiscount}`]);
  rows.push(['known front', ceiling === null ? 'none' : `hypervolume ${shown(ceiling)}`]);
  if (source !== null) rows.push(['source', family === null ? source : `${source}, as ${family} has it`]);
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
  const size = space.low.length;
  const isUniform = space.low.every((low, i) => low === space.low[0] && space.high[i] === space.high[0]);
  const from = size === 1 ? ' from' : ', each from';
  return `${numbers(size)}${isUniform ? `${from} ${space.low[0]} to ${space.high[0]}` : ''}`;
}
