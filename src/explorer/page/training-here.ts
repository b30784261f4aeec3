/** Training in this page. It becomes a run among the others, whose files are held here as its worker makes them. */
import { signal } from '@preact/signals';
import type { FromTrainer, ToTrainer, TrainRequest } from '../train/messages.js';
import { saveAs } from './downloads.js';
import { holdRun } from './held-files.js';
import { chooseRun, rival, runId, say, showHere } from './state.js';
import { tarOf } from '../train/tar.js';

export interface TrainingHere {
  /** Of its run. */
  readonly id: string;
  readonly request: TrainRequest;
  readonly state: 'starting' | 'training' | 'stopping' | 'finished' | 'stopped';
  /** What it computes on, in words. */
  readonly device: string;
  /** Environment steps that are done, and that there are in all. */
  readonly envSteps: number;
  readonly steps: number;
  /** The share of an evaluation that is under way. */
  readonly evaluated: number | undefined;
  /** When its first step began, on the page's clock. */
  readonly began: number;
}

export const training = signal<TrainingHere | undefined>(undefined);

let worker: Worker | undefined;
/** Of the run that is trained, or was trained last. */
let files = new Map<string, string | Uint8Array>();
/** All that were trained here, by the name of their run, and how many environment steps each has taken. */
const trained = new Map<string, { readonly request: TrainRequest; readonly files: typeof files; steps: number }>();
/** Runs with something that was evaluated and has not been saved since, which is lost when the page is closed. */
const unsaved = new Set<string>();
/** Environment steps of the evaluation whose policy set is played while it trains: the one that it would keep. */
let snapshot: number | undefined;
let count = 0;

export function isTrainingHere(): boolean {
  return worker !== undefined;
}

/** Begins a training, of which there can be one at a time. */
export function trainHere(request: TrainRequest): void {
  if (worker !== undefined) return;
  count++;
  const id = `here.${count}`;
  files = new Map();
  trained.set(id, { request, files, steps: 0 });
  snapshot = undefined;
  holdRun(new URL(`./runs/${id}/`, location.href).href, files);
  training.value = {
    ...{ id, request, state: 'starting', device: '', envSteps: 0, steps: 0, evaluated: undefined },
    began: performance.now(),
  };
  worker = new Worker(new URL('../train/training.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<FromTrainer>) => hear(data);
  worker.onerror = () => fail('it could not be started in this browser');
  tell({ kind: 'train', request });
}

/** Has the training end with what it has: before its first evaluation that takes another one. */
export function stopTraining(): void {
  change({ state: 'stopping' });
  tell({ kind: 'stop' });
}

/** Whether a run was trained in this page. */
export function isFromHere(id: string): boolean {
  return trained.has(id);
}

/** Why no link leads back to what is shown, in a sentence; undefined where one does. */
export function linkObstacle(): string | undefined {
  const only = 'is in this page only, so that no link leads to it';
  if (isFromHere(runId.value)) return `This run ${only}; Download has it as an archive.`;
  const other = rival.value;
  return other && isFromHere(other.id) ? `${other.name}, which is played as B, ${only}.` : undefined;
}

/** Saves a run that was trained here as an archive, which psl opens when it is unpacked. */
export async function saveRun(id: string): Promise<void> {
  const { request, files: all, steps } = trained.get(id)!;
  const folder = `${request.env}-seed-${request.seed}-steps-${steps}`;
  const archive = tarOf(
    Array.from(all, ([name, content]) => [`${folder}/${name}`, content] as const),
    Date.now() / 1000,
  );
  const packed = new Blob([archive as BlobPart]).stream().pipeThrough(new CompressionStream('gzip'));
  saveAs(`${folder}.tar.gz`, await new Response(packed).blob());
  unsaved.delete(id);
}

function tell(message: ToTrainer): void {
  worker?.postMessage(message);
}

function change(changed: Partial<TrainingHere>): void {
  if (training.value !== undefined) training.value = { ...training.value, ...changed };
}

function hear(told: FromTrainer): void {
  switch (told.kind) {
    case 'begun':
      change({ state: 'training', device: told.device, steps: told.steps, began: performance.now() });
      void show().then(() => chooseRun(training.value!.id));
      break;
    case 'progress':
      change({ envSteps: told.envSteps, evaluated: told.evaluated });
      trained.get(training.value!.id)!.steps = told.envSteps;
      break;
    case 'file':
      files.set(told.name, told.content);
      break;
    case 'evaluated':
      change({ evaluated: undefined });
      unsaved.add(training.value!.id);
      void show();
      break;
    case 'snapshot':
      forgetSnapshot();
      snapshot = told.envSteps;
      for (const [name, content] of told.files) files.set(`snapshots/${snapshot}/${name}`, content);
      void show();
      break;
    case 'done':
      end();
      forgetSnapshot();
      change({ state: told.stopped ? 'stopped' : 'finished', evaluated: undefined });
      trained.get(training.value!.id)!.steps = told.envSteps;
      unsaved.add(training.value!.id);
      void show();
      break;
    case 'failed':
      fail(told.reason.replace(RESUMED, '').replace(/\.$/, ''));
  }
}

/** Its run has a model at the end, and until then one policy set is enough. */
function forgetSnapshot(): void {
  for (const name of [...files.keys()].filter((file) => file.startsWith('snapshots/'))) files.delete(name);
  snapshot = undefined;
}

function end(): void {
  worker?.terminate();
  worker = undefined;
}

/** What errors advise where there are checkpoints, of which a page has none. */
const RESUMED = /; [^;]*psl resume RUN/;

function fail(reason: string): void {
  end();
  say(`The training has ended: ${reason}.`);
  // What was evaluated stays, as of a run that was interrupted.
  if (files.size === 0) training.value = undefined;
  else {
    change({ state: 'stopped', evaluated: undefined });
    void show();
  }
}

/** Has the page read the run again. */
function show(): Promise<void> {
  const { id, request } = training.value!;
  const stamp = String(performance.now());
  const name = `Trained here, seed ${request.seed}`;
  const snapshots = snapshot === undefined ? [] : [snapshot];
  return showHere({ id, name, env: request.env, isTraining: worker !== undefined, stamp, snapshots });
}

addEventListener('beforeunload', (event) => {
  if (worker !== undefined || unsaved.size > 0) event.preventDefault();
});
