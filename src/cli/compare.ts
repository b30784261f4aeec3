import { flag, integer, numbers, text } from '../config/index.js';
import { envInfo, type EnvInfo } from '../envs/index.js';
import { bestEntries, ceilingOf, compareFronts, type Comparison, type Yardstick } from '../fronts/index.js';
import { frontsPlot } from '../plots/index.js';
import { svgToPng } from '../plots/png.js';
import { isPublishedGrid, simplexGrid } from '../preferences/index.js';
import { checkDivisions, evaluationPreferences, returnDiscountOf } from '../training/index.js';
import { ifGiven, repeated } from './arguments.js';
import { defineCommand } from './command.js';
import { comparisonLines, comparisonNotes, spreadOf, tagOf, type ComparisonProtocol } from './comparison-lines.js';
import { checkInput, UsageError } from './errors.js';
import { checkComparable, findFronts, FRONT_SOURCES, ofEnvironment, type FoundFront } from './find-fronts.js';
import { mustBeNew, writeNew } from './new-file.js';
import { typedPath } from './result.js';
import { DIVISIONS_BY_DEFAULT, divisionsFor } from './utility-grid.js';

/** `psl compare`: the fronts of several runs, measured alike, and which is better where. */
export const compare = defineCommand({
  operands: {
    run: repeated(
      text({
        allowed: FRONT_SOURCES,
        about:
          'Folders of finished runs, folders that hold some, such as those of replicas or of psl reproduce, or files ' +
          'with fronts, as psl front writes and psl metrics reads them.',
      }),
    ),
  },
  options: {
    each: flag({
      default: false,
      about: 'A row for every run, instead of one for all seeds of the same algorithm, preset and settings.',
    }),
    env: ifGiven(
      text({
        placeholder: 'NAME',
        allowed: 'the name of an environment',
        about: 'Take only the runs on this environment.',
      }),
      'all runs, which must then be on the same',
    ),
    ref: ifGiven(
      numbers({
        about: 'The reference point of the hypervolume, one number per objective, in the units of the returns.',
      }),
      "the environment's; needed where there are only files",
    ),
    divisions: ifGiven(
      integer({
        min: 1,
        about: 'How fine the grid of preferences is over which the utility is taken: 10 is a step of 0.1.',
      }),
      `the finest of the runs; without any, ${DIVISIONS_BY_DEFAULT}`,
    ),
    picture: ifGiven(
      text({
        placeholder: 'FILE',
        allowed: 'the path of a new file that ends with .svg or .png',
        about: 'Draw all fronts into one picture.',
      }),
    ),
    replace: flag({ default: false, about: 'Write the picture over a file that is there already.' }),
  },

  async run({ run: paths, each, env, ref, divisions, picture, replace }, output) {
    if (paths.length === 0) throw new UsageError('RUN', undefined, FRONT_SOURCES);
    checkPicture(picture, replace);
    const sources = await findFronts(paths);
    const fronts = ofEnvironment(sources.fronts, env);
    checkComparable(fronts);
    if (fronts.length < 2) {
      throw new UsageError('RUN', paths.join(' '), 'at least 2 fronts, or a folder that holds as many runs');
    }
    const objectives = objectivesOf(fronts);
    const { yardstick, protocol } = checkInput(() => measure(fronts, ref, divisions));
    const comparison = checkInput(() => compareFronts(fronts, yardstick, each));
    const notes = [...sources.notes, ...comparisonNotes(comparison, fronts)];

    if (picture !== undefined) {
      const svg = pictureOf(comparison, yardstick, protocol.env, objectives);
      await writeNew('--picture', picture, picture.endsWith('.png') ? await svgToPng(svg) : svg, replace);
    }
    output.report([
      ...comparisonLines(comparison, fronts, protocol),
      ...notes.map((note) => `note: ${note}`),
      ...(picture === undefined ? [] : [`picture: ${typedPath(picture)}`]),
    ]);
    return { ...jsonOf(comparison, fronts), protocol, notes, picture: picture ?? null };
  },
});

function checkPicture(picture: string | undefined, replace: boolean): void {
  if (picture === undefined) {
    if (replace) throw new UsageError('--replace', replace, 'left out without --picture');
    return;
  }
  if (!/\.(?:svg|png)$/.test(picture)) {
    throw new UsageError('--picture', picture, 'a file whose name ends with .svg or .png');
  }
  mustBeNew('--picture', picture, replace);
}

/** Names of the objectives: the environment's, those of a file, or numbers. */
function objectivesOf(fronts: readonly FoundFront[]): readonly string[] {
  const env = fronts.find(({ run }) => run !== undefined)?.run?.plan.env;
  if (env !== undefined) {
    return envInfo(env).objectives.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`));
  }
  const named = fronts.find(({ objectives }) => objectives !== undefined)?.objectives;
  return named ?? fronts[0].returns[0].map((_, k) => `objective ${k + 1}`);
}

/** What all fronts are measured with: as the environment does it, where there is one. */
function measure(
  fronts: readonly FoundFront[],
  ref: readonly number[] | undefined,
  givenDivisions: number | undefined,
): { readonly yardstick: Yardstick; readonly protocol: ComparisonProtocol } {
  const objectives = fronts[0].returns[0].length;
  const runs = fronts.flatMap(({ run }) => run ?? []);
  if (ref === undefined ? runs.length === 0 : ref.length !== objectives) {
    throw new UsageError('--ref', ref?.join(','), `${objectives} numbers, one per objective`);
  }
  if (runs.length === 0) {
    const divisions = divisionsFor(objectives, givenDivisions);
    const preferences = simplexGrid(objectives, divisions);
    const yardstick = { referencePoint: ref!, discount: 1, preferences };
    return { yardstick, protocol: protocolOf(null, null, yardstick, divisions, false) };
  }
  const [{ plan }] = runs;
  const divisions = givenDivisions ?? Math.max(...runs.map((run) => run.plan.config.evaluationDivisions));
  if (givenDivisions !== undefined) checkDivisions('--divisions', plan.env, divisions);
  const info: EnvInfo = envInfo(plan.env);
  const { knownFront, coverageTolerance } = info;
  const discount = returnDiscountOf(plan);
  const yardstick = {
    referencePoint: ref ?? info.referencePoint,
    ...(knownFront !== undefined && { knownFront }),
    ...(coverageTolerance !== undefined && { coverageTolerance }),
    discount,
    preferences: evaluationPreferences({ env: plan.env, config: { ...plan.config, evaluationDivisions: divisions } }),
  };
  const floatExact = isPublishedGrid(objectives, divisions);
  return { yardstick, protocol: protocolOf(plan.env, discount, yardstick, divisions, floatExact) };
}

function protocolOf(
  env: string | null,
  returnDiscount: number | null,
  yardstick: Yardstick,
  divisions: number,
  floatExact: boolean,
): ComparisonProtocol {
  const { referencePoint, preferences } = yardstick;
  return {
    env,
    returnDiscount,
    referencePoint,
    preferences: { kind: 'simplex grid', divisions, floatExact, count: preferences.length },
    ceiling: ceilingOf(yardstick, yardstick.discount),
  };
}

function pictureOf(
  { entries, union }: Comparison,
  { knownFront, discount, referencePoint }: Yardstick,
  env: string | null,
  objectives: readonly string[],
): string {
  return frontsPlot({
    title: env === null ? 'Pareto fronts' : `${env}: Pareto fronts`,
    subtitle: `hypervolume of all together ${Number(union.hypervolume.toPrecision(6))}`,
    objectives,
    fronts: entries.flatMap(({ label, hypervolume, runs }, i) =>
      runs.map(({ front }) => ({
        name: `${tagOf(i)} ${label}, hypervolume ${spreadOf(hypervolume)}`,
        points: front,
      })),
    ),
    ...(knownFront !== undefined && { trueFront: knownFront(discount) }),
    reference: referencePoint,
  });
}

function jsonOf({ isEach, entries, pairs, union }: Comparison, fronts: readonly FoundFront[]) {
  const best = Object.entries(bestEntries(entries)).map(([name, labels]) => [name, [...labels]] as const);
  const protocolOfRun = (name: string) => fronts.find((front) => front.name === name)?.run?.protocol ?? null;
  return {
    each: isEach,
    entries: entries.map(({ runs, ...entry }) => ({
      ...entry,
      runs: runs.map(({ front: _, ...run }) => ({ ...run, protocol: protocolOfRun(run.name) })),
    })),
    best: Object.fromEntries(best),
    pairs,
    union,
  };
}
