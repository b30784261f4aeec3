/** Browsers have none, and a timer takes milliseconds there. */
const { setImmediate: soon } = globalThis as { readonly setImmediate?: (resolve: () => void) => void };
const channel = soon === undefined ? new MessageChannel() : undefined;

/** Lets what has happened meanwhile be handled. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (channel === undefined) {
      soon?.(resolve);
      return;
    }
    // Declared as those of Node, which lack this.
    (channel.port1 as { onmessage?: () => void }).onmessage = resolve;
    channel.port2.postMessage(undefined);
  });
}
