import { integer, number, numbers, text, twoColumns } from '../config/index.js';
import { readFront, STANDARD_INPUT } from '../fronts/index.js';
import {
  cardinality,
  coverage,
  expectedUtility,
  hypervolume,
  igd,
  igdPlus,
  maximumUtilityLoss,
  sparsity,
  type Points,
} from '../pareto/index.js';
import { simplexGrid } from '../preferences/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { checkInput, UsageError } from './errors.js';
import { shown } from './format.js';
import { DIVISIONS_BY_DEFAULT, divisionsFor } from './utility-grid.js';

/** Published for fruit tree navigation; for deep sea treasure it is 0.3. */
const TOLERANCE = 0.5;
/** How many points are named that lie outside. */
const MOST_POINTS = 3;

/** `psl metrics`: the scores of a front in a file. */
export const metrics = defineCommand({
  operands: {
    file: required(
      text({
        allowed: 'the path of a file, or - for standard input',
        about:
          'The points, larger being better in every objective: CSV with one point a line and an optional line of ' +
          'names (with decimal commas where semicolons separate), or JSON, an array of points or an object with such ' +
          'an array as "points". Columns of row numbers and labels are left out.',
      }),
    ),
  },
  options: {
    ref: ifGiven(
      numbers({
        about:
          'The reference point of the hypervolume in the units of the points, one number per objective, such as 0,0.',
      }),
      'the one in the file, as psl front writes it',
    ),
    front: ifGiven(
      text({
        placeholder: 'FILE',
        allowed: 'the path of a file',
        about: 'The best front that is known, in a file of the same form: adds the ceiling and the metrics against it.',
      }),
    ),
    tolerance: ifGiven(
      number({ above: 0, about: 'The L1 distance under which a point counts as one of --front in the coverage.' }),
      String(TOLERANCE),
    ),
    divisions: ifGiven(
      integer({
        min: 1,
        about: 'How fine the grid of preferences is over which the utility is taken: 10 is a step of 0.1.',
      }),
      DIVISIONS_BY_DEFAULT,
    ),
  },

  async run({ file, ref: givenRef, front: frontFile, tolerance: givenTolerance, divisions: givenDivisions }, output) {
    if (givenTolerance !== undefined && frontFile === undefined) {
      throw new UsageError('--tolerance', givenTolerance, 'left out without --front');
    }
    const tolerance = givenTolerance ?? TOLERANCE;
    if (file === STANDARD_INPUT && frontFile === STANDARD_INPUT) {
      throw new UsageError('--front', frontFile, 'a file, since FILE is standard input');
    }
    const { points, names, referencePoint, leftOut = [] } = await checkInput(() => readFront(file, 'FILE'));
    const front =
      frontFile === undefined ? undefined : (await checkInput(() => readFront(frontFile, '--front'))).points;
    const objectives = points[0].length;
    if (front !== undefined && front[0].length !== objectives) {
      const allowed = `a front of ${objectives} objectives like FILE, not of ${front[0].length}`;
      throw new UsageError('--front', frontFile, allowed);
    }
    const ref = givenRef ?? referencePoint;
    if (ref === undefined) {
      throw new UsageError(
        '--ref',
        undefined,
        `${objectives} numbers, one per objective of FILE, which has no reference point`,
      );
    }
    if (ref.length !== objectives) {
      throw new UsageError('--ref', ref.join(','), `${objectives} numbers, one per objective of FILE`);
    }
    const divisions = divisionsFor(objectives, givenDivisions);
    const preferences = simplexGrid(objectives, divisions);
    const protocol = {
      file,
      points: points.length,
      objectives,
      referencePoint: ref,
      outside: points.filter((point) => !isAbove(point, ref)).length,
      leftOut,
      preferences: { kind: 'simplex grid', divisions, count: preferences.length },
      front: frontFile ?? null,
      coverageTolerance: front === undefined ? null : tolerance,
    };
    const scores = checkInput(() => scoresOf(points, front, ref, preferences, tolerance));
    for (const line of warningsOf(points, names, ref, referencePoint)) output.line(`warning: ${line}`);
    output.report(linesOf(scores, protocol));
    return { ...scores, protocol };
  },
});

type Scores = ReturnType<typeof scoresOf>;
interface Protocol {
  readonly file: string;
  readonly points: number;
  readonly objectives: number;
  readonly referencePoint: readonly number[];
  /** Points that are not above it in every objective, and add nothing to the hypervolume. */
  readonly outside: number;
  /** The names of columns that are no objectives. */
  readonly leftOut: readonly string[];
  readonly preferences: { readonly divisions: number; readonly count: number };
  readonly front: string | null;
  readonly coverageTolerance: number | null;
}

function isAbove(point: readonly number[], ref: readonly number[]): boolean {
  return point.every((value, k) => value > ref[k]);
}

/** What is surprising about a reference point. */
function warningsOf(
  points: readonly (readonly number[])[],
  names: readonly string[] | undefined,
  ref: readonly number[],
  own: readonly number[] | undefined,
): string[] {
  const outside = points.filter((point) => !isAbove(point, ref));
  if (outside.length === 0) return [];
  const elsewhere =
    own === undefined || own.join() === ref.join() ? '' : `; FILE names the reference point ${own.join(',')}`;
  if (outside.length < points.length) {
    const some = outside.slice(0, MOST_POINTS).map((point) => `(${point.map(shown).join(', ')})`);
    const more = outside.length > MOST_POINTS ? ` and ${outside.length - MOST_POINTS} more` : '';
    const which = `${outside.length} of ${points.length} points are not above ${ref.join(',')} in every objective`;
    return [`${which} and do not count in the hypervolume: ${some.join(', ')}${more}${elsewhere}`];
  }
  const largest = ref.map((_, k) => points.reduce((most, point) => Math.max(most, point[k]), -Infinity));
  const low = largest.findIndex((value, k) => value <= ref[k]);
  const why = low < 0 ? '' : ` (${names?.[low] ?? `objective ${low + 1}`} is ${shown(largest[low])} at most)`;
  return [`no point is above ${ref.join(',')} in every objective${why}, so the hypervolume is 0${elsewhere}`];
}

function scoresOf(
  points: Points,
  front: Points | undefined,
  ref: readonly number[],
  preferences: Points,
  tolerance: number,
) {
  const against = <T>(metric: (front: Points) => T) => (front === undefined ? null : metric(front));
  const scores = {
    hypervolume: hypervolume(points, ref),
    ceiling: against((best) => hypervolume(best, ref)),
    sparsity: sparsity(points),
    cardinality: cardinality(points),
    expectedUtility: expectedUtility(points, preferences),
    igd: against((best) => igd(points, best)),
    igdPlus: against((best) => igdPlus(points, best)),
    coverage: against((best) => coverage(points, best, tolerance)),
    maximumUtilityLoss: against((best) => maximumUtilityLoss(points, best, preferences)),
  };
  // JSON has no infinity and would turn it into null, which here means that there is nothing to measure.
  const numbersIn = [scores, scores.sparsity].flatMap((part) => Object.values(part) as unknown[]);
  if (numbersIn.some((value) => typeof value === 'number' && !Number.isFinite(value))) {
    throw new RangeError(
      'FILE has numbers too large to be squared, but must be scaled so that its metrics are finite.',
    );
  }
  return scores;
}

function linesOf(scores: Scores, protocol: Protocol): string[] {
  const { ceiling } = scores;
  const { distinct, published } = scores.sparsity;
  const share = ceiling === null || ceiling === 0 ? '' : shown((100 * scores.hypervolume) / ceiling);
  const rows: [string, string][] = [
    ['hypervolume', shown(scores.hypervolume) + (share && `, ${share} % of the ceiling ${shown(ceiling)}`)],
    ['sparsity', `${shown(distinct)} over distinct points, ${shown(published)} with every copy, as published`],
    ['cardinality', `${scores.cardinality} (distinct non-dominated points, of ${protocol.points})`],
    ['expected utility', shown(scores.expectedUtility)],
  ];
  if (scores.coverage !== null) {
    const { f1, precision, recall } = scores.coverage;
    rows.push(
      ['IGD', shown(scores.igd)],
      ['IGD+', shown(scores.igdPlus)],
      ['coverage F1', `${shown(f1)} (precision ${shown(precision)}, recall ${shown(recall)})`],
      ['maximum utility loss', shown(scores.maximumUtilityLoss)],
    );
  }
  const { divisions, count } = protocol.preferences;
  rows.push(
    ['protocol', `reference point ${protocol.referencePoint.join(',')}`],
    ['', `utility over the ${count} preferences of the simplex grid with step 1/${divisions}`],
  );
  if (protocol.leftOut.length > 0) {
    rows.push(['', `left out: ${protocol.leftOut.map((name) => (name === '' ? 'the row numbers' : name)).join(', ')}`]);
  }
  if (protocol.front !== null) {
    rows.push(
      ['', `coverage within an L1 distance of ${protocol.coverageTolerance}`],
      ['', `ceiling from ${protocol.front}`],
    );
  }
  return [`${protocol.file}: ${protocol.points} points, ${protocol.objectives} objectives`, ...twoColumns(rows)];
}
