import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstRun, hashOf, readHash } from './address.js';

describe('readHash', () => {
  it('reads the run, the panel and a preference for each pane', () => {
    expect(readHash('#run=ant&view=training&w=0.25,0.75&w=1,0')).toEqual({
      run: 'ant',
      view: 'training',
      preferences: [
        [0.25, 0.75],
        [1, 0],
      ],
    });
  });

  it('takes an address that says nothing for the front of whatever is first', () => {
    for (const hash of ['', '#', '#nonsense'])
      expect(readHash(hash)).toEqual({ run: '', view: 'front', preferences: [] });
  });

  it.each(['0,0', '-1,2', 'x,1', '', '1e400,0', '1e308,1e308'])(
    'leaves out the preference "%s", which is none',
    (weights) => {
      expect(readHash(`#run=ant&w=${weights}&w=1,0`).preferences).toEqual([[1, 0]]);
    },
  );
});

describe('hashOf', () => {
  it('is short: it names the panel only where it is another one, and keeps commas', () => {
    expect(hashOf({ run: 'ant', view: 'front', preferences: [[0.25, 0.75]] })).toBe('#run=ant&w=0.25,0.75');
    expect(hashOf({ run: 'ant', view: 'training', preferences: [] })).toBe('#run=ant&view=training');
    expect(hashOf({ run: 'gone', view: 'front', preferences: [[]] })).toBe('#run=gone');
  });

  it('is read back as what was shown, whatever the run is called', () => {
    const weights = fc.array(
      fc.integer({ min: 1, max: 1e4 }).map((x) => x / 1e4),
      { minLength: 2, maxLength: 6 },
    );
    const shown = fc.record({
      run: fc.string({ minLength: 1 }),
      view: fc.constantFrom('front', 'training'),
      preferences: fc.array(weights, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(shown, (one) => {
        expect(readHash(hashOf(one))).toEqual(one);
      }),
    );
  });
});

describe('firstRun', () => {
  const runs = ['tree', 'ant'].map((id) => ({ id, name: id }));

  it('is the one that the address asks for, or the first of the list where it asks for none', () => {
    expect(firstRun({ live: false, runs }, '#run=ant')?.id).toBe('ant');
    expect(firstRun({ live: false, runs }, '')?.id).toBe('tree');
  });

  it('is no other one where the address asks for a run that is not there', () => {
    expect(firstRun({ live: false, runs }, '#run=gone')).toBeUndefined();
  });
});
