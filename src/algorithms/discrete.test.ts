import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/index.js';
import { Random } from '../random/index.js';
import { End } from '../rollout/index.js';
import { epsilonFields, EpsilonGreedy, zeta } from './discrete.js';

const FIELDS = epsilonFields({ start: 1, end: 0.5, decay: 0.5, source: '' });
const ACTIONS = 4;
const GREEDY = -1;

function explorationOf(settings: object = {}): EpsilonGreedy {
  return new EpsilonGreedy(resolveConfig(FIELDS, settings), ACTIONS);
}

describe('exploration with random actions', () => {
  it('takes as many of them as are due, fewer and fewer', () => {
    const [exploration, random] = [explorationOf(), new Random(1)];
    const share = (progress: number) => {
      const actions = Array.from({ length: 4000 }, () => exploration.action(GREEDY, progress, random, 0));
      return actions.filter((action) => action !== GREEDY).length / actions.length;
    };
    expect(share(0)).toBe(1);
    expect(share(0.25)).toBeCloseTo(0.75, 1);
    expect(share(1)).toBeCloseTo(0.5, 1);
  });

  it('repeats one until it has been taken often enough, in each environment by itself', () => {
    const [exploration, random] = [explorationOf({ epsilonRepeat: 1.2 }), new Random(2)];
    const draws = random.clone();
    const [action, times] = [(draws.uniform(), draws.integer(ACTIONS)), zeta(1.2, draws)];
    expect(times).toBeGreaterThan(3);
    const taken = Array.from({ length: times }, () => exploration.action(GREEDY, 0, random, 1));
    expect(taken).toEqual(taken.map(() => action));
    expect(random.state).toEqual(draws.state);
    exploration.action(GREEDY, 0, random, 1);
    expect(random.state).not.toEqual(draws.state);
  });

  it('repeats none beyond the end of an episode', () => {
    const [exploration, random] = [explorationOf({ epsilonRepeat: 1.2 }), new Random(2)];
    for (const environment of [0, 1]) while (!repeats(exploration, random, environment));
    exploration.end(Uint8Array.of(End.running, End.terminated));
    expect([0, 1].map((environment) => repeats(exploration, random, environment))).toEqual([true, false]);
  });

  it('goes on repeating from what was saved', () => {
    const [exploration, random] = [explorationOf({ epsilonRepeat: 1.2 }), new Random(2)];
    while (!repeats(exploration, random, 3));
    const other = explorationOf({ epsilonRepeat: 1.2 });
    other.load(structuredClone(exploration.save()));
    expect(repeats(other, random, 3)).toBe(true);
    expect(other.action(GREEDY, 0, random.clone(), 3)).toBe(exploration.action(GREEDY, 0, random, 3));
  });
});

/** Takes an action, and says whether it repeats another, for which nothing is drawn. */
function repeats(exploration: EpsilonGreedy, random: Random, environment: number): boolean {
  const before = JSON.stringify(random.state);
  exploration.action(GREEDY, 0, random, environment);
  return JSON.stringify(random.state) === before;
}

describe('the zeta distribution', () => {
  it.each([
    // 1 / zeta(s), 2 ** -s / zeta(s) and so on, with zeta(2) = pi^2 / 6 and zeta(3) = 1.2020569.
    [2, [0.6079, 0.152, 0.0675]],
    [3, [0.8319, 0.104, 0.0308]],
  ])('with exponent %d has the known probabilities', (exponent, probabilities) => {
    const random = new Random(3);
    const draws = Array.from({ length: 40_000 }, () => zeta(exponent, random));
    probabilities.forEach((probability, i) => {
      expect(draws.filter((n) => n === i + 1).length / draws.length).toBeCloseTo(probability, 2);
    });
    expect(draws.every((n) => Number.isInteger(n) && n >= 1)).toBe(true);
  });
});
