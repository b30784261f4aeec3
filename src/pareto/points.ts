/** Points in objective space, and the checks that all metrics make of them. */

/** One value per objective. Larger is better in every objective, throughout this folder. */
export type Point = ArrayLike<number>;

export type Points = readonly Point[];

/**
 * Checks that every row holds as many finite numbers as the first one, and returns how many that is; 0 for no rows.
 * @param name what the caller calls the argument
 */
export function checkPoints(name: string, points: Points): number {
  if (points.length === 0) return 0;
  const objectives = points[0].length;
  if (objectives === 0) throw new RangeError(`${name}[0] is [], but must hold at least one number.`);
  for (let i = 0; i < points.length; i++) {
    const point = points[i];
    if (point.length !== objectives) {
      const like = `like ${name}[0]`;
      throw new RangeError(`${name}[${i}] holds ${count(point.length)}, but must hold ${objectives} ${like}.`);
    }
    for (let k = 0; k < objectives; k++) {
      if (!Number.isFinite(point[k])) {
        throw new RangeError(`${name}[${i}][${k}] is ${point[k]}, but must be a finite number.`);
      }
    }
  }
  return objectives;
}

/** As `checkPoints`, for a metric that has no value without points. */
export function checkSomePoints(name: string, points: Points): number {
  if (points.length === 0) throw new RangeError(`${name} is [], but must hold at least one point.`);
  return checkPoints(name, points);
}

/** Checks a point alone: finite, and with a number per objective. */
export function checkPoint(name: string, point: Point, objectives: number): void {
  if (point.length !== objectives) {
    const allowed = `${objectives}, one per objective`;
    throw new RangeError(`${name} holds ${count(point.length)}, but must hold ${allowed}.`);
  }
  for (let k = 0; k < objectives; k++) {
    if (!Number.isFinite(point[k])) {
      throw new RangeError(`${name}[${k}] is ${point[k]}, but must be a finite number.`);
    }
  }
}

/** Checks that a second set of rows has as many objectives as the first. */
export function checkSameObjectives(name: string, given: number, like: string, objectives: number): void {
  if (given !== objectives) {
    throw new RangeError(`${name} has rows of ${count(given)}, but must have rows of ${objectives} like ${like}.`);
  }
}

/** The rows one after the other in one array. */
export function flatten(points: Points, objectives: number): Float64Array {
  const rows = new Float64Array(points.length * objectives);
  for (let i = 0; i < points.length; i++) {
    for (let k = 0; k < objectives; k++) rows[i * objectives + k] = points[i][k];
  }
  return rows;
}

function count(length: number): string {
  return length === 1 ? '1 number' : `${length} numbers`;
}
