/** What is asked of a store at the same time: a server answers many at once, and each only after a while. */
const AT_ONCE = 16;

/** Maps values in their order, several at a time. */
export async function atOnce<T, R>(values: readonly T[], map: (value: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(values.length);
  const left = values.entries();
  const work = async () => {
    for (const [i, value] of left) results[i] = await map(value);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, values.length) }, work));
  return results;
}
