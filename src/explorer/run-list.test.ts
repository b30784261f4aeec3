import { expect, it } from 'vitest';
import { RUN_FILE } from './run-list.js';

it.each(['config.json', 'metrics.jsonl', 'model.safetensors', 'fronts/final.json', 'fronts/120000.json'])(
  'RUN_FILE lets %s of a run through, which the page reads',
  (name) => {
    expect(name).toMatch(RUN_FILE);
  },
);

it.each(['checkpoint/generation-1.json', 'lock', 'fronts/../config.json', 'fronts/', 'config.json/', 'a/config.json'])(
  'RUN_FILE keeps back %s, which the page has no use for',
  (name) => {
    expect(name).not.toMatch(RUN_FILE);
  },
);
