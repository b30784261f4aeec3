/** An environment of a table, and what the paper prints for it. */

export interface Case {
  readonly env: string;
  /** By which it is chosen, and named in tables. */
  readonly key: number | string;
}

/** What the paper prints. */
export interface Published {
  readonly hypervolume: number;
  /** Null where the table says N/A. */
  readonly sparsity: number | null;
}
