/** Events that stop a training after a number of its iterations; while it is evaluated it is asked more often. */
export function stopAfter(count: number): { readonly progress: () => void; readonly shouldStop: () => boolean } {
  let iterations = 0;
  return {
    progress: () => {
      iterations++;
    },
    shouldStop: () => iterations >= count,
  };
}
