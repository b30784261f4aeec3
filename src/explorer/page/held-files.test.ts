import { expect, it } from 'vitest';
import { heldRuns, holdRun } from './held-files.js';

it('heldRuns gives the runs that hold what is asked for, also where that is a folder inside of one', () => {
  const [one, other] = ['http://page/runs/here.1/', 'http://page/runs/here.2/'];
  const files = new Map([['config.json', '{}']]);
  holdRun(one, files);
  holdRun(other, new Map());
  expect(heldRuns([one])).toEqual(new Map([[one, files]]));
  expect(heldRuns([`${one}snapshots/400/`])).toEqual(new Map([[one, files]]));
  expect(heldRuns(['http://page/runs/elsewhere/'])).toEqual(new Map());
});
