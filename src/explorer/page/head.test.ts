import { describe, expect, it, vi } from 'vitest';
import { descriptionOf, titleOf } from './head.js';
import type { RunData } from './run-data.js';

vi.mock('./early.js', () => ({
  preferredTheme: 'dark',
  isStillPreferred: true,
  runList: Promise.resolve({ live: false, runs: [] }),
}));
vi.hoisted(() => vi.stubGlobal('document', { addEventListener: () => undefined }));

const RUN = {
  name: 'my run',
  algorithm: 'psl-td3',
  env: { id: 'mo-ant-v2', objectives: [{ name: 'East' }, { name: 'North' }], referencePoint: [0, 0] },
  kept: { values: { hypervolume: 1234 } },
  referencePoint: [0, 0],
  returnDiscount: 1,
} as unknown as RunData;

describe('titleOf', () => {
  it('begins with the run, so that tabs are told apart, and with how many policies of it are played', () => {
    expect(titleOf(RUN, 1)).toBe('my run · mo-ant-v2 · Pareto set explorer');
    expect(titleOf(RUN, 7)).toBe('7 policies of my run · mo-ant-v2 · Pareto set explorer');
    expect(titleOf(undefined, 0)).toBe('Pareto set explorer');
  });
});

describe('descriptionOf', () => {
  it('says what was learned where, and what it achieves', () => {
    const points = [
      [10, 2],
      [3, 400],
    ];
    expect(descriptionOf(RUN, points, false)).toBe(
      'One model, every preference: psl-td3 on mo-ant-v2. East 3 to 10, North 2 to 400; hypervolume 1,234.',
    );
  });

  it('says less of a run that has not been evaluated', () => {
    expect(descriptionOf({ ...RUN, kept: undefined }, [], true)).toBe(
      'One model, policies from all over its front: psl-td3 on mo-ant-v2. East, North.',
    );
  });
});
