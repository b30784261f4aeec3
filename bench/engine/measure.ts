/** Median milliseconds of a repeated action. */
export function medianMs(action: () => Promise<unknown>, seconds: number): Promise<number> {
  return medianOfTurns(() => msOf(action), seconds);
}

/** Median milliseconds that one action takes more than another right before it. */
export function medianExtraMs(
  action: () => Promise<unknown>,
  before: () => Promise<unknown>,
  seconds: number,
): Promise<number> {
  return medianOfTurns(async () => {
    const less = await msOf(before);
    return (await msOf(action)) - less;
  }, seconds);
}

async function msOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Of at least 20 turns and the given time, after a warm-up. */
async function medianOfTurns(turn: () => Promise<number>, seconds: number): Promise<number> {
  for (let i = 0; i < 5; i++) await turn();
  const values: number[] = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end || values.length < 20) values.push(await turn());
  values.sort((a, b) => a - b);
  return values[values.length >> 1];
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
