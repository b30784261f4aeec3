/** What the page finds on its server: a list of runs, and for each of them its own files, unchanged. */
import type { EnvView } from '../envs/index.js';

export interface RunList {
  /** Whether it may change: a page then asks for it again and again. No connection is held, of which browsers allow six. */
  readonly live: boolean;
  readonly runs: readonly ListedRun[];
  /** How each sweep stands whose runs are listed, in a line. */
  readonly sweeps?: readonly string[];
}

export interface ListedRun {
  /** The files of the run are at runs/ID/. */
  readonly id: string;
  readonly name: string;
  /** What it was trained in, where it says so: a page can make that ready before it has read the run. */
  readonly env?: string;
  /** How that is drawn, where it has a view of its own. */
  readonly view?: EnvView['kind'];
  /** Address of the module that it is imported from, below that of the page, where it does not come with the page. */
  readonly module?: string;
  /** How far it is, in words, where it is part of a sweep and not finished. */
  readonly progress?: string;
  /** Whether some process is training it now. */
  readonly isTraining?: boolean;
  /** Environment steps of the evaluations whose policy sets it keeps, beside the one that it ends with, where it keeps any. */
  readonly snapshots?: readonly number[];
  /** Differs whenever something of it has been written; absent where nothing will be. */
  readonly stamp?: string;
}

export const RUN_LIST = 'runs.json';
/** What modules of environments find as psl-morl. */
export const PACKAGE_FILE = 'psl-morl.js';

/** onnxruntime as WebAssembly in Brotli, under a name that changes with it, beside the worker that trains. */
export function onnxruntimeFile(version: string): string {
  return `onnxruntime-${version}.brotli`;
}

/** The HTTP status of a file of a run that is not what was written. */
export const CHANGED = 409;

/** The files of a run that the page reads; no others are given out. */
export const RUN_FILE =
  /^(?:config\.json|result\.json|metrics\.jsonl|model\.json|model\.safetensors|fronts\/(?:\d{1,15}|final)\.json|snapshots\/\d{1,15}\/model\.(?:json|safetensors))$/;
