/** What bundles for browsers have in place of workers.ts: the field "browser" of package.json says so. */
import { openLocally } from './pool.js';
import type { EnvPool, PoolOptions } from './pool.js';

export interface ThreadOptions {
  readonly timeout?: number;
}

/** None: a page steps environments in the thread that learns, which is a worker of the page's already. */
export function defaultWorkers(): number {
  return 0;
}

/** Opens pools on the calling thread. */
export class Workers {
  private readonly pools = new Set<EnvPool>();

  constructor(readonly count: number) {
    if (count !== 0) throw new RangeError(`workers is ${count}, but must be 0 in a browser.`);
  }

  async open(options: PoolOptions): Promise<EnvPool> {
    const pool = await openLocally(options, (closed) => this.pools.delete(closed));
    this.pools.add(pool);
    return pool;
  }

  async close(): Promise<void> {
    for (const pool of this.pools) await pool.close();
  }
}
