/** What the page and the worker in which it trains say to each other. */

/** Which training a person asks for; the preset is `quick`, and decides everything else. */
export interface TrainRequest {
  readonly env: string;
  readonly seed: number;
  /** `auto`, `gpu` or `cpu`. */
  readonly device: string;
  /** Over those of the preset. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export type ToTrainer =
  | { readonly kind: 'train'; readonly request: TrainRequest }
  /** Ends the training with what it has by then. */
  | { readonly kind: 'stop' };

export type FromTrainer =
  /** It has begun, on this device. */
  | { readonly kind: 'begun'; readonly device: string; readonly steps: number }
  /** Environment steps so far; `evaluated` is the share of an evaluation that is under way. */
  | { readonly kind: 'progress'; readonly envSteps: number; readonly evaluated: number | undefined }
  /** A file of the run, which may replace an earlier one. */
  | { readonly kind: 'file'; readonly name: string; readonly content: string | Uint8Array }
  | { readonly kind: 'evaluated' }
  /** The policy set that the run would keep now, as it was at that evaluation, in the files of its model. */
  | {
      readonly kind: 'snapshot';
      readonly envSteps: number;
      readonly files: readonly (readonly [name: string, content: string | Uint8Array])[];
    }
  /** All files are there; how many environment steps were taken. */
  | { readonly kind: 'done'; readonly stopped: boolean; readonly envSteps: number }
  | { readonly kind: 'failed'; readonly reason: string };
