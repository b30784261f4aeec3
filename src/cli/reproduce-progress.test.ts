import { describe, expect, it } from 'vitest';
import { ftn, planReproduction } from '../experiments/index.js';
import { ReproductionLine } from './reproduce-progress.js';
import { capture } from './terminal.js';

describe('ReproductionLine', () => {
  it('expects of each method what it has taken so far', () => {
    const { terminal } = capture();
    let time = 0;
    // Six runs of 400 steps: two seeds of three methods.
    const plan = planReproduction(ftn, {
      ...{ budget: 'tiny', seeds: 2, cases: [5] },
      methods: ['envelope', 'pd-ddqn', 'psl-ddqn'],
    });
    const line = new ReproductionLine(terminal.stdout, plan, 2, new Map(), () => time);
    expect(line.secondsLeft()).toBeUndefined();
    line.finished(0, [{ hypervolume: 1, seconds: 40, isReused: false }]);
    // Five more at 40 s each, two at a time.
    expect(line.secondsLeft()).toBeCloseTo(100);
    line.started(1);
    time = 10_000;
    line.progress(1, { envSteps: 200, hypervolume: null });
    // 20 s for a whole one of the second method, of which 10 are left; 30 s for the third, of which nothing is known.
    expect(line.secondsLeft()).toBeCloseTo((40 + 10 + 20 + 30 + 30) / 2);
  });
});
