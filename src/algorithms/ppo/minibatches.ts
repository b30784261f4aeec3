/** The order in which the rows of a rollout are learned from in an epoch. */
import type { Random } from '../../random/index.js';

/**
 * All rows of a rollout in a random order, to be cut into batches. Rows come in groups of `together` rows that belong to
 * one environment, each of which has `horizon` rows below each other: with 1 all orders are equally likely.
 */
export function shuffledRows(
  random: Random,
  { environments, horizon, together }: { environments: number; horizon: number; together: number },
): Int32Array {
  const rows = Int32Array.from({ length: environments * horizon }, (_, row) => row);
  if (together === 1) return random.shuffle(rows);
  for (let e = 0; e < environments; e++) random.shuffle(rows.subarray(e * horizon, (e + 1) * horizon));
  const groups = random.shuffle(Int32Array.from({ length: rows.length / together }, (_, group) => group));
  const out = new Int32Array(rows.length);
  groups.forEach((group, i) => out.set(rows.subarray(group * together, (group + 1) * together), i * together));
  return out;
}
