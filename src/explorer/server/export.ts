import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RUN_LIST, type RunList } from '../run-list.js';
import { runFiles, type ServedRun } from './runs.js';
import { filesIn } from './serve.js';

/** Writes the page and runs as files that any web server can give out, with nothing behind it. */
export function exportPage(page: string, runs: readonly ServedRun[], out: string): void {
  const copy = (from: string, to: string) => {
    const path = join(out, to);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(from, path);
  };
  for (const name of filesIn(page)) copy(join(page, name), name);
  for (const run of runs) {
    for (const name of runFiles(run)) copy(join(run.folder, name), `runs/${run.id}/${name}`);
  }
  const list: RunList = { live: false, runs: runs.map(({ id, name }) => ({ id, name })) };
  writeFileSync(join(out, RUN_LIST), `${JSON.stringify(list)}\n`);
}
