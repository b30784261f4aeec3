import { describe, expect, it } from 'vitest';
import { planTraining, type Evaluated } from '../training/index.js';
import { duration, EvaluationLine, ProgressLine } from './progress.js';

const plan = planTraining({ env: 'fruit-tree-d5', settings: { steps: 1000 } });
const evaluated = (envSteps: number, hypervolume: number, replica = 0): Evaluated => ({
  envSteps,
  gradientSteps: 0,
  replica,
  evaluationSteps: 0,
  score: {
    hypervolume,
    sparsity: { distinct: null, published: 0 },
    expectedUtility: 0,
    points: 1,
    coverageF1: null,
    regret: null,
  },
  returns: [],
  diagnostics: {},
});

/** @param begun the steps of the first report of progress, at 0 ms */
function lineOn(stream: { isTTY?: boolean; columns?: number }, ceiling: number | null = 200, replicas = 1, begun = 0) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const write = (text: string | Uint8Array) => written.push(String(text));
  const line = new ProgressLine({ ...stream, write }, { ...plan, replicas }, ceiling, () => clock.ms);
  const at = (ms: number, envSteps: number) => {
    clock.ms = ms;
    line.progress({ envSteps, gradientSteps: 0 });
  };
  at(0, begun);
  return { line, written, at, clock };
}

describe('ProgressLine', () => {
  it('prints a line every ten seconds and after every evaluation where nobody looks', () => {
    const { line, written, at } = lineOn({});
    for (let second = 1; second <= 20; second++) at(1000 * second, 10 * second);
    at(21_000, 210);
    line.evaluated(evaluated(210, 150));
    expect(written).toEqual([
      '10 %, 100 of 1000 steps, 10 steps/s, 1 min 30 s left\n',
      '20 %, 200 of 1000 steps, 10 steps/s, 1 min 20 s left\n',
      '21 %, 210 of 1000 steps, 10 steps/s, 1 min 19 s left, hypervolume 150 (75.00 % of the ceiling)\n',
    ]);
  });

  it('rewrites one line on a terminal, at most ten times a second, and never wraps it', () => {
    const { line, written, at } = lineOn({ isTTY: true, columns: 30 });
    for (let ms = 10; ms <= 500; ms += 10) at(ms, ms);
    expect(written).toHaveLength(5);
    for (const text of written) {
      expect(text.startsWith('\r') && text.endsWith('\u001b[K') && !text.includes('\n')).toBe(true);
      expect(text.length - '\r\u001b[K'.length).toBeLessThan(30);
    }
    written.length = 0;
    line.say('a word');
    line.clear();
    expect(written).toEqual(['\r\u001b[K', 'a word\n', expect.stringMatching(/^\r500\/1000/), '\r\u001b[K']);
  });

  it('takes a width of 0 for one that is not known', () => {
    const { written, at } = lineOn({ isTTY: true, columns: 0 });
    at(10_000, 100);
    expect(written).toEqual(['\r10 %, 100 of 1000 steps, 10 steps/s, 1 min 30 s left\u001b[K']);
  });

  it('says the same in fewer characters where there is little room', () => {
    const { line, written, at } = lineOn({ isTTY: true, columns: 80 });
    at(10_000, 100);
    line.evaluated(evaluated(100, 150));
    expect(written.slice(1)).toEqual(['\r100/1000, 10/s, 1 min 30 s left, hypervolume 150 (75.00 %)\u001b[K']);
  });

  it('follows the rate of the last seconds', () => {
    const { written, at } = lineOn({});
    at(10_000, 500);
    at(20_000, 510);
    at(30_000, 520);
    expect(written.at(-1)).toBe('52 %, 520 of 1000 steps, 1 steps/s, 8 min 0 s left\n');
  });

  it('counts only steps taken since a training goes on in the rate and the time that is left', () => {
    const { written, at } = lineOn({}, 200, 1, 700);
    at(10_000, 800);
    expect(written).toEqual(['80 %, 800 of 1000 steps, 10 steps/s, 20 s left\n']);
  });

  it('says no rate after an evaluation that was broken off, before any step is taken again', () => {
    const written: string[] = [];
    let ms = 0;
    const line = new ProgressLine({ write: (text) => written.push(String(text)) }, plan, null, () => ms);
    ms = 5000;
    line.evaluated(evaluated(700, 150));
    for (; ms <= 15_000; ms += 5000) line.progress({ envSteps: 700 + (ms - 5000) / 100, gradientSteps: 0 });
    expect(written.slice(1)).toEqual(['80 %, 800 of 1000 steps, 10 steps/s, 20 s left, hypervolume 150\n']);
  });

  it('shows an evaluation that takes longer than two seconds, ten times a second on a terminal', () => {
    const { line, written, at, clock } = lineOn({ isTTY: true, columns: 80 });
    at(1000, 500);
    written.length = 0;
    for (clock.ms = 1000; clock.ms <= 3300; clock.ms += 20) line.evaluating((clock.ms - 1000) / 4000);
    expect(written).toEqual([50, 52, 55, 57].map((share) => `\r500 of 1000 steps, evaluating: ${share} %\u001b[K`));
    // The next one is as short as most are.
    at(4000, 600);
    written.length = 0;
    for (clock.ms = 4000; clock.ms < 6000; clock.ms += 20) line.evaluating((clock.ms - 4000) / 2000);
    expect(written).toEqual([]);
  });

  it('shows a long evaluation on a line every ten seconds where nobody looks', () => {
    const { line, written, at, clock } = lineOn({});
    at(10_000, 500);
    line.evaluated(evaluated(500, 150));
    written.length = 0;
    for (clock.ms = 10_000; clock.ms <= 35_000; clock.ms += 100) line.evaluating((clock.ms - 10_000) / 50_000);
    expect(written).toEqual([
      '500 of 1000 steps, evaluating: 20 %, hypervolume 150 (75.00 %)\n',
      '500 of 1000 steps, evaluating: 40 %, hypervolume 150 (75.00 %)\n',
    ]);
  });

  it('shows the mean of replicas once all were evaluated, and no share without a ceiling', () => {
    const { line, written, at } = lineOn({}, null, 2);
    at(1000, 1000);
    line.evaluated(evaluated(1000, 100, 0));
    line.evaluated(evaluated(1000, 200, 1));
    expect(written).toEqual(['100 %, 1000 of 1000 steps, 1000 steps/s, mean hypervolume 150\n']);
  });

  it('shows the best replica where they differ in settings, since their mean says nothing', () => {
    const variants = [1e-3, 1e-4].map((learningRate) => ({ seed: 1, settings: { learningRate } }));
    const written: string[] = [];
    const stream = { write: (text: string | Uint8Array) => written.push(String(text)) };
    const line = new ProgressLine(stream, { ...plan, replicas: 2, variants }, 200, () => 0);
    line.evaluated(evaluated(0, 100, 0));
    line.evaluated(evaluated(0, 50, 1));
    expect(written).toEqual(['0 %, 0 of 1000 steps, best hypervolume 100 (50.00 % of the ceiling)\n']);
  });
});

describe('EvaluationLine', () => {
  it('shows an evaluation by itself after two seconds, and takes the line away', () => {
    const written: string[] = [];
    let ms = 0;
    const line = new EvaluationLine(
      { isTTY: true, write: (text) => written.push(String(text)) },
      'evaluating',
      () => ms,
    );
    for (; ms <= 2100; ms += 50) line.evaluating(ms / 10_000);
    line.clear();
    expect(written).toEqual(['\revaluating: 20 %\u001b[K', '\revaluating: 21 %\u001b[K', '\r\u001b[K']);
  });
});

it.each([
  [0.2, '1 s'],
  [59, '59 s'],
  [185, '3 min 5 s'],
  [7800, '2 h 10 min'],
])('duration says %d s as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
