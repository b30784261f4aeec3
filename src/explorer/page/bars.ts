/** Observations and actions as bars. */
import type { Continuous, Space } from '../../envs/index.js';

export type Bounds = Pick<Continuous, 'low' | 'high'>;

/** An action as bars: a choice is the one of them that is up. */
export function barsOfAction(space: Space, action: number | Float32Array) {
  if (space.kind === 'continuous') return { values: Array.from(action as Float32Array), bounds: space, name: 'Action' };
  const choices = Array.from({ length: space.n }, (_, i) => (i === action ? 1 : 0));
  const bounds = { low: choices.map(() => 0), high: choices.map(() => 1) };
  return { values: choices, bounds, name: `Action: choice ${Number(action) + 1} of ${space.n}` };
}

/**
 * Between what each bar is drawn: its bounds and zero; where it has none, the farthest that it has been.
 * @param farthest from one call to the next, which writes into it
 */
export function endsOf(values: readonly number[], { low, high }: Bounds, farthest: number[]): [number, number][] {
  return values.map((value, i) => {
    const far = (farthest[i] = Math.max(farthest[i] ?? 1e-6, Math.abs(value)));
    return [
      Number.isFinite(low[i]) ? Math.min(low[i], 0) : -far,
      Number.isFinite(high[i]) ? Math.max(high[i], 0) : far,
    ];
  });
}
