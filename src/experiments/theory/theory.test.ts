import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  distanceIsPseudoMetric,
  fruitTreeFixedPoint,
  scalarisedContracts,
  scalarisedIsOptimal,
  similarityExpands,
} from './theorem-1.js';
import { checkTheory, readTheoryReport, theoryMarkdown, writeTheoryReport } from './report.js';
import { fusedIncludesConditioned, fusedIsStrictlyRicher, paperRatio } from './theorem-2.js';

const few = { mdps: 10, pairs: 50, seed: 3 };

describe('Theorem 1', () => {
  it('holds for the scalarised operator, whose largest ratio of distances is at most the discount', () => {
    const { holds, numbers } = scalarisedContracts(few);
    expect(holds).toBe(true);
    expect(numbers.largestRatio).toBeGreaterThan(0);
  });

  it('has the best of all policies as the fixed point of that operator, and of none that chooses otherwise', () => {
    expect(scalarisedIsOptimal({ mdps: 5, seed: 1 }).holds).toBe(true);
    const first = scalarisedIsOptimal({ mdps: 5, seed: 1, scoreOf: () => () => 0 });
    expect(first.holds).toBe(false);
    expect(first.numbers.largestDifference).toBeGreaterThan(0.1);
  });

  it('is about a pseudo-metric, in which different Q have distance 0', () => {
    expect(distanceIsPseudoMetric()).toMatchObject({ holds: true, numbers: { distance: 0, difference: 1 } });
  });

  it('does not hold with the similarity, which tears close pairs apart and even those at distance 0', () => {
    const { holds, numbers } = similarityExpands(few);
    expect(holds).toBe(true);
    expect(numbers.largestRatio).toBeGreaterThan(5);
    expect(numbers.byHand).toEqual({ before: 0, after: expect.closeTo(0.9, 12) as number });
  });

  it.each([
    [5, 270, 32],
    [6, 431, 64],
    [7, 581, 128],
  ])(
    'is missed on the fruit tree of depth %i at %i of 2568 preferences, with all %i leaves reached',
    (depth, suboptimal, leaves) => {
      expect(fruitTreeFixedPoint(depth)).toMatchObject({
        preferences: 2568,
        suboptimal,
        suboptimalScalarised: 0,
        leaves,
        reached: leaves,
      });
    },
  );
});

describe('Theorem 2', () => {
  it('has every conditioned network among the fused ones', async () => {
    expect((await fusedIncludesConditioned(8, 2)).holds).toBe(true);
  });

  it('has a fused network that no conditioned one of its size equals', async () => {
    const { holds, numbers } = await fusedIsStrictlyRicher();
    expect(holds).toBe(true);
    // By hand: four equal pieces of t^2 are missed by 1 / (8 * 16).
    expect(numbers.conditionedError).toBeCloseTo(1 / 128, 5);
  });

  it('rests on a ratio that its free constant moves to both sides of one', () => {
    expect(paperRatio(1).holds).toBe(true);
  });
});

describe('the budget tiny', () => {
  const folder = mkdtempSync(join(tmpdir(), 'psl-theory-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('confirms every statement, says that it repeats less, and is not taken for the whole check', async () => {
    const found: string[] = [];
    const report = await checkTheory(folder, ({ statement }) => found.push(statement), 'tiny');
    expect(report).toMatchObject({ budget: 'tiny', holds: true });
    expect(found).toHaveLength(9);
    expect(report.notes).toEqual([
      expect.stringMatching(
        /^With the budget tiny the checks repeat less .*: 10 random MDPs .* there are 100 random MDPs /,
      ),
    ]);
    expect(theoryMarkdown(report)).toContain(report.notes[0]);
    writeTheoryReport(report);
    expect(readTheoryReport(folder, 'tiny')).toMatchObject({ budget: 'tiny', notes: report.notes });
    expect(readTheoryReport(folder)).toBeUndefined();
  });
});
