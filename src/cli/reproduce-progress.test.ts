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
    // One that was stopped, and goes on. Of how fast it is nothing is known yet: 40 s as the first method.
    line.progress(1, { envSteps: 200, hypervolume: null });
    expect(line.secondsLeft()).toBeCloseTo((40 + 20 + 40 + 40 + 40) / 2);
    time = 5_000;
    line.progress(1, { envSteps: 300, hypervolume: null });
    // 20 s for a whole one of the second method, of which 5 are left; 30 s for the third, of which nothing is known.
    expect(line.secondsLeft()).toBeCloseTo((40 + 5 + 20 + 30 + 30) / 2);
  });

  it('leaves out the time before learning begins, when steps are many times as fast', () => {
    const { terminal } = capture();
    let time = 0;
    // Learning begins after 100 of 400 steps.
    const plan = planReproduction(ftn, { budget: 'tiny', cases: [5], methods: ['psl-ddqn'] });
    const line = new ReproductionLine(terminal.stdout, plan, 1, new Map(), () => time);
    line.started(0);
    line.progress(0, { envSteps: 90, hypervolume: null });
    time = 1_000;
    line.progress(0, { envSteps: 100, hypervolume: null });
    time = 11_000;
    line.progress(0, { envSteps: 200, hypervolume: null });
    expect(line.secondsLeft()).toBeCloseTo(20);
  });
});
