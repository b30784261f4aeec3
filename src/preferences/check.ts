/** Checks of preferences, with the sentences that users see. */

/** How far the entries of a preference may be from summing to one: far more than float32 loses, far less than matters. */
const SUM_TOLERANCE = 1e-6;

/** Throws a RangeError unless `preference` has one entry per objective, none negative, and they sum to one. */
export function assertPreference(preference: ArrayLike<number>, objectives: number): void {
  // Only put together where it is needed, since every action is checked.
  const given = () => `preference is [${Array.from(preference, shown).join(', ')}]`;
  if (preference.length !== objectives) {
    throw new RangeError(`${given()}, but must have ${objectives} entries, one per objective.`);
  }
  let sum = 0;
  for (let i = 0; i < objectives; i++) {
    if (Number.isNaN(preference[i])) throw new RangeError(`${given()}, but its entries must be numbers.`);
    if (preference[i] < 0) throw new RangeError(`${given()}, but its entries must not be negative.`);
    sum += preference[i];
  }
  if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
    throw new RangeError(`${given()}, which sums to ${Number(sum.toPrecision(8))}, but must sum to 1.`);
  }
}

/** Seven digits, so that 0.9 in float32 is not shown as 0.8999999761581421. */
function shown(weight: number): number {
  return Number(weight.toPrecision(7));
}

export function assertObjectives(objectives: number): void {
  if (!Number.isSafeInteger(objectives) || objectives < 2) {
    throw new RangeError(`objectives is ${objectives}, but must be an integer of at least 2.`);
  }
}
