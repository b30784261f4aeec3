import { describe, expect, it } from 'vitest';
import { planReproduction } from '../plan.js';
import { markdownOf, reportOf } from '../report.js';
import { ftn } from './experiment.js';

describe('the report of the fruit-tree table', () => {
  it("has the paper's table, also before anything is trained", () => {
    const reproduction = planReproduction(ftn);
    const report = reportOf(reproduction, [], 'out');
    expect(report).toMatchObject({ stopped: true, runs: { planned: 45, finished: 0 } });
    expect(ftn.layout.table(report)).toEqual({
      head: ['method', 'd=5 HV', 'd=5 SP', 'd=6 HV', 'd=6 SP', 'd=7 HV', 'd=7 SP'],
      rows: [
        ['Envelope', '6920.58 / -', 'N/A / -', '8427.51 / -', 'N/A / -', '6395.27 / -', 'N/A / -'],
        ['PD-MORL, as published', '6920.58 / -', 'N/A / -', '9299.15 / -', 'N/A / -', '11419.58 / -', 'N/A / -'],
        ['PD-MORL, tuned', '6920.58 / -', 'N/A / -', '9299.15 / -', 'N/A / -', '11419.58 / -', 'N/A / -'],
        ['PSL-MORL, as published', '6920.58 / -', '0.01 / -', '9302.38 / -', '0.01 / -', '11786.10 / -', 'N/A / -'],
        ['PSL-MORL, tuned', '6920.58 / -', '0.01 / -', '9302.38 / -', '0.01 / -', '11786.10 / -', 'N/A / -'],
      ],
    });
    expect(
      ftn.layout
        .full!.table(report)
        .rows.map((row) => [row[0], row[1], row[2], row[9]])
        .slice(4, 6),
    ).toEqual([
      ['5', 'PSL-MORL, tuned', '6920.58', '0.01'],
      ['6', 'Envelope', '8427.51', 'N/A'],
    ]);
    expect(report.entries.map(({ ceiling }) => ceiling!.toFixed(2)).filter((_, i) => i % 5 === 0)).toEqual([
      '6920.58',
      '9302.38',
      '12302.34',
    ]);
    expect(markdownOf(reproduction, report)).toContain('Not complete: 45 of 45 runs are missing.');
  });

  it('says where the small budget departs from what was published', () => {
    const notes = reportOf(planReproduction(ftn, { budget: 'small' }), [], 'out').notes.join('\n');
    expect(notes).toContain('All methods have the same budget in every run');
    expect(notes).toContain('This is not the published encoding');
    expect(notes).toContain('2568 of its 3003 preferences');
    expect(notes).toContain('It is not used here');
    expect(notes).toContain('largest hypervolume at one of its evaluations (10, evenly spread)');
  });

  it('says that the published budgets differ between the methods', () => {
    const notes = reportOf(planReproduction(ftn, { budget: 'paper' }), [], 'out').notes.join('\n');
    expect(notes).toContain('The methods do not have the same budget');
    expect(notes).toContain('psl-ddqn 1000000 environment steps');
    expect(notes).toContain('raw row and column of the node, as published');
    expect(notes).toContain('It is used here as published');
    expect(notes).toContain('The policy set after the last step is scored.');
  });
});
