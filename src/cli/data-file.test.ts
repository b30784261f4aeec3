import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readData } from './data-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'psl-data-file-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

it('readData reads YAML and JSON by the name of the file, and JSON that is typed', async () => {
  const value = { seeds: [1, 2], slurm: { time: '4:00:00', gpus: 1, exclusive: true } };
  const yaml = 'seeds: [1, 2]\nslurm: # of the lab\n  time: 4:00:00\n  gpus: 1\n  exclusive: true\n';
  expect(await readData(written('a.yaml', yaml), 'SPEC')).toEqual(value);
  expect(await readData(written('a.json', JSON.stringify(value)), 'SPEC')).toEqual(value);
  expect(await readData(` ${JSON.stringify(value)}`, 'SPEC')).toEqual(value);
});

it('readData says in a sentence what it cannot read', async () => {
  await expect(readData(written('b.yml', 'seeds: 1\nseeds: 2\n'), 'SPEC')).rejects.toThrow(
    /^SPEC is ".*b\.yml", but must be a file of YAML \(Map keys must be unique at line 2, column 1\)\.$/,
  );
  await expect(readData(written('b.json', '{'), '--slurm-file')).rejects.toThrow(
    /^--slurm-file is ".*b\.json", but must be a file of JSON \(.+\)\.$/,
  );
});
