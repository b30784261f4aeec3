/** Median milliseconds of a repeated action: at least 20 turns and the given time, after a warm-up. */
export async function medianMs(action: () => Promise<unknown>, seconds: number): Promise<number> {
  for (let i = 0; i < 5; i++) await action();
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end || times.length < 20) {
    const start = performance.now();
    await action();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}

/** A few rounds of all actions in turn, so that a busy moment of the machine hits them alike; the best round counts. */
export async function bestOfRounds(
  actions: ReadonlyMap<string, () => Promise<number>>,
  rounds: number,
): Promise<Map<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, action] of actions) {
      best.set(name, Math.min(best.get(name) ?? Infinity, await action()));
    }
  }
  return best;
}
