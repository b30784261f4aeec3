/** What bundles for browsers have in place of open.ts: the field "browser" of package.json says so. */
export function openCpu(): Promise<never> {
  return Promise.reject(new RangeError('device is "cpu", but must be one of: gpu, reference, where there is no Node.'));
}
