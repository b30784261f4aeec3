/**
 * Copies a run with all that it takes to use it, so that it can be given away; with half its bytes, or with answers by an
 * evaluation, where that is asked for.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, checksummed, jsonText, makeFolder, namesIn, writeAtomic } from '../files/index.js';
import type { Score } from '../fronts/index.js';
import { encodeWeights, readModel, withCoarseHeads, type Model } from '../model/index.js';
import { inferenceDevice } from '../rollout/index.js';
import type { Progress } from '../training/index.js';
import { VERSION } from '../version.js';
import type { Answers } from './answers.js';
import {
  CALIBRATION_EPISODES,
  calibrated,
  checkCalibration,
  CALIBRATION_PARTS,
  type CalibrationOptions,
} from './calibrate.js';
import { changedFiles, loadModel, readReturns, runOf, type Run } from './directory.js';
import { evaluateRun, type EvaluateRunOptions } from './evaluate-run.js';
import { frontText, modelFiles } from './file-contents.js';
import { CONFIG, FINAL, FRONTS, GROWING, KEYS, RESULT, RUN_FORMAT } from './file-names.js';
import { checkOut } from './out-folder.js';
import { RunError } from './run-error.js';

/** Significant bits of float16, and how few the heads of a hypernetwork may have. */
export const HALF_BITS = 11;
export const LEAST_BITS = 4;

export interface ExportRunOptions extends Pick<EvaluateRunOptions, 'device' | 'workers' | 'watch'> {
  /** Stores the numbers of networks as float16, and what the model achieves with them. */
  readonly half?: boolean;
  /**
   * As `half`, with so many significant bits, 4 to 11, of numbers in the heads of the hypernetwork, where float16 has 11: their
   * file is as large, and compresses better.
   */
  readonly headBits?: number;
  /** Gives the model answers by an evaluation. */
  readonly calibration?: CalibrationOptions;
}

export interface ExportedRun {
  readonly folder: string;
  /** Of all its files. */
  readonly bytes: number;
  readonly weights: 'float32' | 'float16';
  /** Of the model that was written. */
  readonly hypervolume: number;
  /** Of the run's own, where that is another one. */
  readonly original?: Score;
  /** How the model came to answer preferences by policies of others, where it does. */
  readonly answers?: Answers;
}

/** What result.json holds, as far as it matters here. */
type StoredResult = Score & {
  readonly original?: Score;
  readonly answers?: Answers;
  readonly weights?: 'float16';
  readonly headBits?: number;
  readonly sha256?: string;
  files?: unknown;
  last?: unknown;
};

/**
 * Writes a run into another folder: configuration, metrics, fronts, model and result, without its pictures and the policy
 * set of its last evaluation. With `half`, `headBits` or `calibration` the model is another one, so it is evaluated again, as the
 * run was; what that gives is the result, beside which the run's own scores are kept as `original`. Throws a RunError where the
 * run is damaged, a NoGainError where answers by an evaluation gain nothing, and a RangeError where the folder holds something, a
 * number is too large, there are no heads to have fewer bits or the model answers every preference with the best of a finite set.
 * @param run what `openRun` returns, or the path of its folder
 * @param folder a new or empty one
 */
export async function exportRun(
  run: Run | string,
  folder: string,
  options: ExportRunOptions = {},
): Promise<ExportedRun> {
  const opened = runOf(run);
  const { headBits, half = false, calibration } = options;
  checkOut(folder);
  checkHeadBits(headBits);
  if (calibration !== undefined) checkCalibration(opened, calibration);
  const model = loadModel(opened);
  readReturns(opened);
  const files = new Map<string, string | Uint8Array>();
  const copied = copiedFiles(opened.folder);
  // A copy has checksums of its own, which would call a file whole that is not.
  const changed = changedFiles(opened).find((name) => copied.includes(name));
  if (changed !== undefined) throw new RunError(opened.folder, `${changed} is not what was written`);
  for (const name of copied) files.set(name, readFileSync(join(opened.folder, name)));
  const { sha256: _, files: _files, last: _last, ...result } = storedResult(opened);
  const isOther = half || headBits !== undefined || calibration !== undefined;
  const other = isOther ? await otherModel(opened, model, result, options) : undefined;
  for (const [name, content] of other?.files ?? modelFiles(model, opened.result.weights)) files.set(name, content);

  makeFolder(folder);
  makeFolder(join(folder, FRONTS));
  for (const [name, content] of files) writeAtomic(join(folder, name), content);
  const checksums = Object.fromEntries([...files].map(([name, content]) => [name, checksum(content)]));
  const written = { ...result, ...other?.result };
  const text = checksummed(jsonText({ ...written, format: RUN_FORMAT, files: checksums }));
  writeAtomic(join(folder, RESULT), text);
  return {
    folder,
    bytes: [...files.values(), text].reduce((sum, content) => sum + Buffer.byteLength(content), 0),
    weights: written.weights ?? 'float32',
    hypervolume: written.hypervolume,
    ...(other !== undefined && { original: other.result.original }),
    ...(written.answers !== undefined && { answers: written.answers }),
  };
}

/** The model of a run with other answers and other numbers, as far as that is asked for, and what it achieves. */
async function otherModel(
  run: Run,
  model: Model,
  { original, ...result }: StoredResult,
  { half = false, headBits, calibration, watch, ...options }: ExportRunOptions,
) {
  const device = options.device ?? (await inferenceDevice(run.plan.device));
  const isHalf = half || headBits !== undefined || result.weights === 'float16';
  // Before its answers are chosen, which are then those of the numbers that it is written with.
  const coarse = headBits === undefined ? model : withCoarseHeads(model, headBits);
  const rounded = isHalf ? readModel({ ...coarse.description }, encodeWeights(coarse, 'float16')) : coarse;
  // Episodes at each preference before the evaluation, and with it.
  const before = calibration === undefined ? 0 : CALIBRATION_PARTS * (calibration.episodes ?? CALIBRATION_EPISODES);
  const all = before + run.protocol.episodes;
  const watching = (from: number, to: number): EvaluateRunOptions => ({
    ...options,
    device,
    ...(watch !== undefined && { watch: (share) => watch((from + share * (to - from)) / all) }),
  });
  const calibrating = calibration && (await calibrated(run, rounded, calibration, watching(0, before)));
  const written = calibrating?.model ?? rounded;
  const { preferences, returns, own, ...evaluated } = await evaluateRun(run, {
    ...watching(before, all),
    model: written,
  });
  const progress = JSON.parse(readFileSync(join(run.folder, FINAL), 'utf8')) as Progress;
  return {
    files: [
      ...modelFiles(written, isHalf ? 'float16' : undefined),
      [FINAL, frontText(progress, { preferences, returns, ...(own && { own }) })] as const,
    ],
    result: {
      ...scoreIn(evaluated),
      ...(isHalf && { weights: 'float16' as const }),
      ...fewestBits(result.headBits, headBits),
      ...(calibrating !== undefined && { answers: calibrating.answers }),
      // What the scores were measured with.
      measured: { psl: VERSION, device },
      original: original ?? scoreIn(result),
    },
  };
}

/** Bits that heads had before do not come back. */
function fewestBits(before = Infinity, now = Infinity): { readonly headBits?: number } {
  const headBits = Math.min(before, now);
  return Number.isFinite(headBits) ? { headBits } : {};
}

function checkHeadBits(bits: number | undefined): void {
  if (bits === undefined || (Number.isInteger(bits) && bits >= LEAST_BITS && bits <= HALF_BITS)) return;
  throw new RangeError(`headBits is ${bits}, but must be an integer from ${LEAST_BITS} to ${HALF_BITS}.`);
}

function scoreIn({ hypervolume, sparsity, expectedUtility, points, coverageF1, regret }: Score): Score {
  return { hypervolume, sparsity, expectedUtility, points, coverageF1, regret };
}

function storedResult({ folder }: Run): StoredResult {
  return JSON.parse(readFileSync(join(folder, RESULT), 'utf8')) as StoredResult;
}

function copiedFiles(folder: string): string[] {
  const fronts = namesIn(join(folder, FRONTS)).filter((name) => /^(?:\d+|final)\.json$/.test(name));
  const names = [CONFIG, ...GROWING, KEYS, ...fronts.map((name) => `${FRONTS}/${name}`)];
  return names.filter((name) => existsSync(join(folder, name)));
}
