import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstRun, hashOf, readHash } from './address.js';
import { HOME } from './robot-shot.js';

describe('readHash', () => {
  it('reads the run, the panel and a preference for each pane', () => {
    expect(readHash('#run=ant&view=training&w=0.25,0.75&w=1,0')).toEqual({
      run: 'ant',
      view: 'training',
      preferences: [
        [0.25, 0.75],
        [1, 0],
      ],
      fan: 0,
      camera: HOME,
      ghost: false,
      rival: '',
    });
  });

  it('reads where robots are seen from, and takes what makes no sense for where a camera is at first', () => {
    const cameraOf = (text: string) => readHash(`#run=ant&camera=${text}`).camera;
    expect(cameraOf('0.5,-0.1,2')).toEqual({ azimuth: 0.5, elevation: -0.1, distance: 2 });
    expect(cameraOf('0,0,99').distance).toBe(3);
    for (const text of ['', '1', '1,2', '1,2,x', '1,2,1e400', '1,,1', '1,2,3,4']) expect(cameraOf(text)).toEqual(HOME);
  });

  it.each([
    ['7', 7],
    ['', 0],
    ['-2', 0],
    ['many', 0],
  ])('reads "fan=%s" as a fan of %i', (text, size) => {
    expect(readHash(`#run=ant&fan=${text}`).fan).toBe(size);
  });

  it('takes an address that says nothing for the front of whatever is first', () => {
    for (const hash of ['', '#', '#nonsense'])
      expect(readHash(hash)).toEqual({
        run: '',
        view: 'front',
        preferences: [],
        fan: 0,
        camera: HOME,
        ghost: false,
        rival: '',
      });
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
    const shown = {
      run: 'ant',
      view: 'front',
      preferences: [[0.25, 0.75]],
      fan: 0,
      camera: HOME,
      ghost: false,
      rival: '',
    };
    expect(hashOf(shown)).toBe('#run=ant&w=0.25,0.75');
    expect(hashOf({ ...shown, view: 'training', preferences: [] })).toBe('#run=ant&view=training');
    expect(hashOf({ ...shown, preferences: [[]] })).toBe('#run=ant');
    expect(hashOf({ ...shown, fan: 5, ghost: true })).toBe('#run=ant&fan=5');
    const two = [
      [1, 0],
      [0, 1],
    ];
    expect(hashOf({ ...shown, preferences: two, rival: 'bee' })).toBe('#run=ant&w=1,0&rival=bee');
    expect(readHash('#run=ant&w=1,0&rival=bee').rival).toBe('bee');
    expect(hashOf({ ...shown, preferences: two, ghost: true })).toBe('#run=ant&w=1,0&w=0,1&ghost=yes');
    const camera = { azimuth: 0.12345, elevation: -0.00001, distance: 1 };
    expect(hashOf({ ...shown, fan: 5, camera })).toBe('#run=ant&fan=5&camera=0.123,0,1');
  });

  it('is read back as what was shown, whatever the run is called', () => {
    const weights = fc.array(
      fc.integer({ min: 1, max: 1e4 }).map((x) => x / 1e4),
      { minLength: 2, maxLength: 6 },
    );
    const shown = fc.record({
      run: fc.string({ minLength: 1 }),
      view: fc.constantFrom('front', 'training'),
      preferences: fc.array(weights, { maxLength: 9 }),
      fan: fc.constant(0),
      camera: fc.constantFrom(HOME, { azimuth: -1.5, elevation: 0.25, distance: 0.5 }),
      ghost: fc.constant(false),
      rival: fc.constant(''),
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
