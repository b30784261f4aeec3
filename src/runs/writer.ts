/**
 * Writes the files of one run to disk: its configuration, metrics and fronts while it trains, and its model, pictures and
 * result at the end. `directory.ts` reads them.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Learner } from '../algorithms/index.js';
import { checksum, checksummed, jsonText, makeFolder, writeAtomic } from '../files/index.js';
import { svgToPng } from '../plots/png.js';
import { modelOf, type Evaluated } from '../training/index.js';
import { openRun } from './directory.js';
import { CONFIG, FRONTS, GROWING, LAST, LEARNER, LEARNER_WEIGHTS, RESULT } from './file-names.js';
import { moduleFiles } from './modules.js';
import { RunError } from './run-error.js';
import { RunFiles } from './run-files.js';
import type { Finished, Outcome, Policies, SavedWriter } from './run-files.js';
import { writeSnapshot } from './snapshots.js';

/** Writes one run while it trains. */
export class RunWriter extends RunFiles {
  constructor(
    readonly folder: string,
    ...run: ConstructorParameters<typeof RunFiles>
  ) {
    super(...run);
  }

  /**
   * A run that goes on keeps the config.json that it began with.
   * @param saved of a run that goes on from a checkpoint
   */
  begin(saved?: SavedWriter): void {
    makeFolder(this.folder);
    const config = join(this.folder, CONFIG);
    const goesOn = existsSync(config);
    if (goesOn) this.files.set(CONFIG, checksum(readFileSync(config)));
    else {
      const { from } = this.plan;
      this.writeConfig({
        versions: { node: process.versions.node },
        modules: moduleFiles(this.plan),
        // By its name alone: where it lies is no matter of the training.
        ...(from !== undefined && { from: { ...from, run: basename(resolve(from.run)) } }),
      });
    }
    makeFolder(join(this.folder, FRONTS));
    if (!goesOn) return;
    for (const [name, sha256] of Object.entries(saved?.files ?? {})) this.files.set(name, sha256);
    this.evaluations.push(...(saved?.evaluations ?? []).map((evaluated) => ({ ...evaluated, returns: [] })));
    this.seconds.push(...(saved?.seconds ?? []));
    this.logged.push(...(saved?.logged ?? []));
    this.loggedSeconds.push(...(saved?.loggedSeconds ?? []));
    this.keepResult();
    this.writeMetrics();
    this.writeLog();
  }

  /**
   * The result of a stopped run stays readable while the run is continued. Its list of checksums then leaves out what
   * grows from now on.
   */
  private keepResult(): void {
    const path = join(this.folder, RESULT);
    if (!existsSync(path)) return;
    const document = resultToKeep(this.folder);
    if (document === undefined) rmSync(path);
    else writeAtomic(path, checksummed(jsonText(document)));
  }

  /** @param most how many of them are kept */
  async keepSnapshot({ envSteps, replica }: Evaluated, learner: Learner, most: number): Promise<void> {
    writeSnapshot(this.folder, envSteps, await modelOf(this.plan, learner, replica), most);
  }

  override async finish(policies: Policies, kept: Evaluated, outcome: Outcome): Promise<Finished> {
    // What an earlier stop left does not belong to what is written now; without a result the run is not whole.
    for (const name of [RESULT, LEARNER, LEARNER_WEIGHTS, LAST]) {
      rmSync(join(this.folder, name), { recursive: true, force: true });
    }
    if (policies.last !== undefined) makeFolder(join(this.folder, LAST));
    return super.finish(policies, kept, outcome);
  }

  protected override putPicture(name: string, svg: string): Promise<string | undefined> {
    return writePicture(name, svg, (file, content) => this.put(file, content));
  }

  protected override write(name: string, content: string | Uint8Array): void {
    writeAtomic(join(this.folder, name), content);
  }
}

/** The result of a run without what grows; undefined where it cannot be read, or is damaged. */
function resultToKeep(folder: string): object | undefined {
  try {
    openRun(folder);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
  const {
    sha256: _,
    files,
    ...result
  } = JSON.parse(readFileSync(join(folder, RESULT), 'utf8')) as {
    readonly sha256?: string;
    /** Runs of the first format have none. */
    readonly files?: Readonly<Record<string, string>>;
  };
  if (files === undefined) return result;
  return { ...result, files: Object.fromEntries(Object.entries(files).filter(([name]) => !GROWING.includes(name))) };
}

/** Writes a picture as SVG and PNG; returns why there is no PNG, if so. A run does not fail for want of one. */
export async function writePicture(
  name: string,
  svg: string,
  put: (file: string, content: string | Uint8Array) => void,
): Promise<string | undefined> {
  put(`${name}.svg`, svg);
  let png: Uint8Array;
  try {
    png = await svgToPng(svg);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  put(`${name}.png`, png);
  return undefined;
}
