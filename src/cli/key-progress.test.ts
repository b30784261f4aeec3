import { expect, it } from 'vitest';
import { planTraining } from '../training/index.js';
import { ProgressLine } from './progress.js';

const plan = planTraining({ env: 'mo-swimmer-v2', settings: { steps: 1000 } });

/** A line, what it writes, and a clock in seconds. */
function lineOn(stream: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const clock = { seconds: 0 };
  const write = (text: string | Uint8Array) => written.push(String(text));
  const line = new ProgressLine({ ...stream, write }, plan, null, () => 1000 * clock.seconds);
  return { line, written, clock };
}

it('a progress line shows the steps of key solutions, every ten seconds where nobody looks', () => {
  const { line, written, clock } = lineOn({});
  for (clock.seconds = 1; clock.seconds <= 25; clock.seconds++) line.keyProgress(3 * clock.seconds, 3000);
  expect(written).toEqual(['key solutions: 30 of 3000 steps\n', 'key solutions: 60 of 3000 steps\n']);
});

it('a progress line of key solutions is rewritten on a terminal', () => {
  const { line, written, clock } = lineOn({ isTTY: true });
  for (clock.seconds = 0; clock.seconds < 0.35; clock.seconds += 0.05) line.keyProgress(6, 3000);
  expect(written).toHaveLength(3);
  expect(new Set(written)).toEqual(new Set(['\rkey solutions: 6 of 3000 steps\u001b[K']));
});

it('a progress line does not count the time of key solutions in the rate of the training that follows', () => {
  const { line, written, clock } = lineOn({});
  for (clock.seconds = 1; clock.seconds <= 3600; clock.seconds++) line.keyProgress(clock.seconds, 3600);
  written.length = 0;
  for (clock.seconds = 3601; clock.seconds <= 3611; clock.seconds++) {
    line.progress({ envSteps: 20 * (clock.seconds - 3600), gradientSteps: 0 });
  }
  expect(written).toEqual(['20 %, 200 of 1000 steps, 20 steps/s, 40 s left\n']);
});
