/** Writes the page and its runs as files for any web server. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, WriteError } from '../../files/index.js';
import { isChanged } from '../../runs/index.js';
import { RUN_LIST, type RunList } from '../run-list.js';
import { exportedFiles } from './exported-files.js';
import { pageFile, pageFiles } from './page-files.js';
import { listRuns, runFiles, type ServedRun } from './runs.js';

/** Writes the page and runs as files that any web server can give out, with nothing behind it. */
export function exportPage(page: string, runs: readonly ServedRun[], out: string): void {
  for (const run of runs) checkRun(run);
  const write = (name: string, put: (path: string) => void) => {
    const path = join(out, name);
    makeFolder(dirname(path));
    try {
      put(path);
    } catch (error) {
      throw new WriteError(path, error);
    }
  };
  for (const [name, path] of pageFiles(page)) write(name, (to) => writeFileSync(to, pageFile(path)));
  for (const run of runs) {
    for (const [name, content] of exportedFiles(run))
      write(`runs/${run.id}/${name}`, (to) => writeFileSync(to, content));
  }
  const { runs: listed, modules } = listRuns(runs);
  for (const [name, text] of modules) write(name, (path) => writeFileSync(path, text));
  const list: RunList = { live: false, runs: listed };
  write(RUN_LIST, (path) => writeFileSync(path, `${JSON.stringify(list)}\n`));
}

/** Throws a RangeError where there is nothing to show, or nothing that can be trusted. */
function checkRun(run: ServedRun): void {
  const refuse = (allowed: string): never => {
    throw new RangeError(`RUN is "${run.folder}", but must be ${allowed}.`);
  };
  const names = runFiles(run);
  if (!names.includes('config.json')) refuse('the folder of a run, or of several, and it holds none');
  if (!names.some((name) => name.startsWith('fronts/'))) refuse('a run that has been evaluated, and this one has not');
  const changed = names.find((name) => isChanged(run.folder, name));
  if (changed !== undefined) refuse(`a run that is as it was written, and its ${changed} is not`);
}
