import { expect, it } from 'vitest';
import { patientChange, treat } from './hiv-treatment.js';
import { makeEnv } from './index.js';

// The published equilibria: CD4 cells, macrophages, infected ones of both, viruses, effectors.
const UNINFECTED = [1e6, 3198, 0, 0, 0, 10];
const UNTREATED = [163_573, 5, 11_945, 46, 63_919, 24];
const CONTROLLED = [967_839, 621, 76, 6, 415, 353_108];

const NONE = [-1, -1];
const FULL = [1, 1];

/** The largest of the differences, relative to what is expected. */
function errorOf(counts: ArrayLike<number>, expected: readonly number[]): number {
  return Math.max(...expected.map((value, i) => Math.abs(counts[i] / value - 1)));
}

function episode(policy: (step: number) => readonly number[], steps = 200) {
  const env = makeEnv('hiv-treatment');
  let { info } = env.reset({ seed: 1 });
  const returns = [0, 0, 0, 0];
  // By its publication, and by one that counts a patient before each step.
  const published = { after: 0, before: 0 };
  const scored = ([, , , , virus, effectors]: readonly number[], rti: number, pi: number) =>
    1000 * effectors - 0.1 * virus - 20_000 * rti ** 2 - 2000 * pi ** 2;
  for (let step = 0; step < steps; step++) {
    const action = policy(step);
    const [rti, pi] = [0.35 * (action[0] + 1), 0.15 * (action[1] + 1)];
    published.before += scored(info.patient as number[], rti, pi);
    const next = env.step(action);
    ({ info } = next);
    published.after += scored(info.patient as number[], rti, pi);
    next.reward.forEach((value, k) => (returns[k] += value));
    expect(next.truncated).toBe(step === 199);
  }
  return { returns, published, patient: info.patient as number[] };
}

it('without drugs, a patient stays at the published equilibria', () => {
  const change = new Float64Array(6);
  patientChange(UNINFECTED, 0, 0, change);
  expect([...change].every((value) => Math.abs(value) < 1e-9)).toBe(true);
  // Published as whole numbers: what they are rounded by matters less than a hundredth of what comes and goes in a day.
  const comesAndGoes = [1e4, 32, 8360, 32, 836_000, 2.4];
  patientChange(UNTREATED, 0, 0, change);
  change.forEach((value, i) => expect(Math.abs(value)).toBeLessThan(0.01 * comesAndGoes[i]));
  patientChange(CONTROLLED, 0, 0, change);
  const there = [1e4, 32, 321, 25.7, 5750, 35_300];
  change.forEach((value, i) => expect(Math.abs(value)).toBeLessThan(0.02 * there[i]));
});

it('an infection becomes chronic, and an immune response that is strong enough controls it for good', () => {
  const infected = Float64Array.from([1e6, 3198, 0, 0, 1, 10]);
  treat(infected, 0, 0, 500);
  expect(errorOf(infected, UNTREATED)).toBeLessThan(0.03);
  const strong = Float64Array.from([9e5, 400, 100, 8, 600, 2e5]);
  treat(strong, 0, 0, 1000);
  expect(errorOf(strong, CONTROLLED)).toBeLessThan(0.1);
});

it('a hundred days of changing doses are those of another solver', () => {
  // SciPy's LSODA, with a relative tolerance of 1e-12.
  const dosed = episode((step) => [(2 * (step % 4)) / 3 - 1, (step % 3) - 1], 20);
  const doses = [361536.1535702, 43.76987035805, 1390.485076452, 34.38125647343, 6619.574564, 40.47737751017];
  expect(errorOf(dosed.patient, doses)).toBeLessThan(1e-6);
  const interrupted = episode((step) => (step % 10 < 7 ? FULL : NONE), 20);
  const rebound = [215993.9457948, 0.6481721895829, 94831.78135054, 70.47720663667, 495658.5586381, 17.59254023146];
  expect(errorOf(interrupted.patient, rebound)).toBeLessThan(1e-6);
});

it('a finer integration changes nothing that matters, also while macrophages are lost at once', () => {
  // The virus rises to 2.5 million, where macrophages are infected 250 times in a day.
  const [coarse, fine] = [undefined, 0.02].map((resolution) => {
    const patient = Float64Array.from([1e6, 3198, 0, 0, 1, 10]);
    const days = Array.from({ length: 30 }, () => {
      treat(patient, 0, 0, 1, resolution);
      return [...patient];
    });
    return days;
  });
  expect(Math.max(...coarse.map((counts) => counts[4]))).toBeGreaterThan(2e6);
  coarse.forEach((counts, day) => expect(errorOf(counts, fine[day])).toBeLessThan(1e-3));
});

it('the published return is a weighted sum of the objectives', () => {
  const { returns, published } = episode((step) => [Math.cos(step), Math.sin(step)]);
  const weights = [2e5, 2e4, 19_600, 360];
  const weighted = returns.reduce((sum, value, k) => sum + weights[k] * value, 0);
  expect(weighted / published.after).toBeCloseTo(1, 9);
});

it('returns are averages over the thousand days, without drugs as elsewhere', () => {
  const none = episode(() => NONE);
  expect(none.returns.slice(2)).toEqual([0, 0]);
  expect(none.returns[0]).toBeCloseTo(23.5536, 3);
  expect(none.returns[1]).toBeCloseTo(-63.91858, 4);
  // What no treatment earns in the simulator of a course in reinforcement learning (RL-MVA-2023-24), which is the least it asks for.
  expect(none.published.before / 3_432_807.680391572).toBeCloseTo(1, 6);
  const full = episode(() => FULL);
  [46.14363, -10.537258, -100, -100].forEach((value, k) => expect(full.returns[k]).toBeCloseTo(value, 4));
});

it('refuses saved patients that cannot be', () => {
  const env = makeEnv('hiv-treatment');
  env.reset({ seed: 1 });
  const saved = env.saveState();
  for (const patient of [[1, 2], new Float64Array(5), new Float64Array([1, 1, 1, -1, 1, 1])]) {
    expect(() => env.restoreState({ ...saved, world: { patient } })).toThrow('state.world.patient must be');
  }
});
