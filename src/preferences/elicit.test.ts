import { describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { elicit, uniformSimplex, type Answer, type Choice, type Outcomes, type Question } from './index.js';

/** Outcomes with preferences that only tell them apart. */
const outcomesOf = (returns: readonly (readonly number[])[]): Outcomes => ({
  preferences: returns.map((point, i) => point.map((_, k) => (k === i % point.length ? 1 : 0))),
  returns,
});

/** Points on the positive part of a sphere, each the best of some weights. */
function sphere(count: number, objectives: number, seed = 1): Outcomes {
  const random = new Random(seed);
  const points = Array.from({ length: count }, () => {
    const point = Array.from({ length: objectives }, () => Math.abs(random.normal()));
    return point.map((x) => x / Math.hypot(...point));
  });
  return outcomesOf(points);
}

/** A person whose utility weighs objectives that are scaled to their range, and who is unsure about small differences. */
function personOf({ returns }: Outcomes, weights: ArrayLike<number>, noise: number, random: Random) {
  const columns = returns[0].map((_, k) => returns.map((point) => point[k]));
  const utility = (index: number) =>
    columns.reduce((sum, column, k) => {
      const least = Math.min(...column);
      return sum + (weights[k] * (column[index] - least)) / (Math.max(...column) - least);
    }, 0);
  const most = Math.max(...returns.map((_, i) => utility(i)));
  return {
    answer({ a, b }: Question): Answer {
      const lead = utility(a) - utility(b);
      const isFirst = noise === 0 ? lead > 0 : random.uniform() < 1 / (1 + Math.exp(-lead / noise));
      return { a, b, choice: isFirst ? 'a' : 'b' };
    },
    /** The share of the best utility that is lost by an outcome. */
    lossOf: (index: number) => 1 - utility(index) / most,
  };
}

/** The loss of what is recommended after so many questions to a random person. */
function lossAfter(questions: number, outcomes: Outcomes, noise: number, seed: number): number {
  const random = new Random(seed);
  const weights = uniformSimplex(random, new Float64Array(outcomes.returns[0].length));
  const person = personOf(outcomes, weights, noise, random);
  const answers: Answer[] = [];
  for (let i = 0; i < questions; i++) {
    const { question } = elicit(outcomes, answers);
    if (question !== undefined) answers.push(person.answer(question));
  }
  return person.lossOf(elicit(outcomes, answers).best);
}

const PLANE = outcomesOf([
  [0, 10],
  [4, 8],
  [8, 4],
  [10, 0],
]);

describe('elicit', () => {
  it('takes every weight for as likely before the first answer', () => {
    const { importance, sureness } = elicit(sphere(20, 3), []);
    for (const { mean, low, high } of importance) {
      // P(weight > x) = (1 - x)^2.
      expect(Math.abs(mean - 1 / 3)).toBeLessThan(0.04);
      expect(Math.abs(low - (1 - Math.sqrt(0.95)))).toBeLessThan(0.02);
      expect(Math.abs(high - (1 - Math.sqrt(0.05)))).toBeLessThan(0.08);
    }
    expect(sureness).toBeLessThan(0.5);
  });

  it('has the posterior that numerical integration has', () => {
    const answers: Answer[] = [
      { a: 0, b: 3, choice: 'b' },
      { a: 1, b: 2, choice: 'none' },
      { a: 2, b: 3, choice: 'a' },
      { a: 0, b: 1, choice: 'b' },
    ];
    const chances = (d: number) => {
      const [a, b] = [Math.exp(d / 2), Math.exp(-d / 2)];
      // A choice given that one was made, and a tie among all three.
      return { a: 0.015 + (0.97 * a) / (a + b), b: 0.015 + (0.97 * b) / (a + b), none: 0.01 + 0.97 / (a + b + 1) };
    };
    let [sum, first] = [0, 0];
    for (let i = 0; i < 400; i++) {
      const w = (i + 0.5) / 400;
      const utility = (index: number) => (w * PLANE.returns[index][0] + (1 - w) * PLANE.returns[index][1]) / 10;
      for (let j = 0; j < 100; j++) {
        const noise = 0.01 * 30 ** ((j + 0.5) / 100);
        const likelihood = answers.reduce(
          (product, { a, b, choice }) => product * chances((utility(a) - utility(b)) / noise)[choice],
          1,
        );
        sum += likelihood;
        first += likelihood * w;
      }
    }
    const { importance } = elicit(PLANE, answers);
    expect(Math.abs(importance[0].mean - first / sum)).toBeLessThan(0.015);
    expect(importance[0].mean + importance[1].mean).toBeCloseTo(1, 12);
  });

  it.each([
    [2, 6],
    [4, 12],
    [6, 18],
  ])(
    'finds what suits a person of %i objectives who knows what is wanted within %i questions',
    (objectives, questions) => {
      expect(lossAfter(questions, sphere(20, objectives), 0, 1)).toBeLessThan(0.02);
    },
  );

  it('finds what suits people whose answers are noisy', () => {
    const losses = [1, 2, 3].map((seed) => lossAfter(15, sphere(20, 3), 0.05, seed));
    expect(losses.filter((loss) => loss < 0.02).length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...losses)).toBeLessThan(0.1);
  });

  it('becomes less sure by answers that contradict each other, and goes on', () => {
    const outcomes = sphere(20, 3);
    const person = personOf(outcomes, [0.6, 0.3, 0.1], 0, new Random(1));
    const answers: Answer[] = [];
    for (let i = 0; i < 12; i++) answers.push(person.answer(elicit(outcomes, answers).question!));
    const other: Readonly<Record<Choice, Choice>> = { a: 'b', b: 'a', none: 'none' };
    const contradicted = answers.flatMap((answer) => [answer, { ...answer, choice: other[answer.choice] }]);
    const [sure, confused] = [elicit(outcomes, answers), elicit(outcomes, contradicted)];
    expect(sure.sureness).toBeGreaterThan(0.8);
    expect(confused.sureness).toBeLessThan(sure.sureness);
    expect(confused.question).toBeDefined();
    // One slip does not lead astray.
    const slipped = answers.map((answer, i) => (i === 3 ? { ...answer, choice: other[answer.choice] } : answer));
    for (let i = 0; i < 6; i++) slipped.push(person.answer(elicit(outcomes, slipped).question!));
    expect(person.lossOf(elicit(outcomes, slipped).best)).toBeLessThan(0.02);
  });

  it('has nothing to ask about one outcome, or about copies of it', () => {
    for (const returns of [
      [[3, 4]],
      [
        [3, 4],
        [3, 4],
        [3, 4],
      ],
    ]) {
      expect(elicit(outcomesOf(returns), [])).toMatchObject({
        best: 0,
        return: [3, 4],
        sureness: 1,
        question: undefined,
        importance: [
          { mean: 0, low: 0, high: 0 },
          { mean: 0, low: 0, high: 0 },
        ],
      });
    }
  });

  it('asks no question twice, none about copies and none whose answer is known', () => {
    const outcomes = outcomesOf([
      [0, 3, 5],
      [3, 0, 5],
      [3, 0, 5],
      [2, 2, 5],
      [1, 2, 5],
    ]);
    const answers: Answer[] = [];
    for (;;) {
      const { question } = elicit(outcomes, answers);
      if (question === undefined) break;
      answers.push({ ...question, choice: 'none' });
    }
    const asked = answers.map(({ a, b }) => `${a}${b}`).sort();
    expect(asked).toEqual(['01', '02', '03', '04', '13', '14', '23', '24']);
    expect(elicit(outcomes, answers).importance[2]).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('says the same to the same answers, whatever the units of returns are', () => {
    const answers: Answer[] = [{ a: 0, b: 3, choice: 'a' }];
    const { preference, return: achieved, ...rest } = elicit(PLANE, answers);
    expect(elicit(PLANE, answers)).toEqual({ preference, return: achieved, ...rest });
    // By powers of two, which round nothing.
    const inOtherUnits = outcomesOf(PLANE.returns.map(([x, y]) => [1024 * x - 4096, y / 64]));
    expect(elicit(inOtherUnits, answers)).toMatchObject(rest);
  });

  it('refuses what are no outcomes and no answers to them', () => {
    const ask = (answer: Partial<Answer>) => () => elicit(PLANE, [{ a: 0, b: 1, choice: 'a', ...answer }]);
    expect(() => elicit(outcomesOf([]), [])).toThrow('returns is [], but must hold at least one point.');
    expect(() => elicit(outcomesOf([[1, 2], [1]]), [])).toThrow(
      'returns[1] is [1], but must be 2 finite numbers, like the first.',
    );
    expect(() => elicit({ ...PLANE, preferences: [] }, [])).toThrow(
      'preferences has 0 entries, but must have one for each of the 4 returns.',
    );
    expect(ask({ b: 4 })).toThrow('b of an answer is 4, but must be the index of one of 4 outcomes.');
    expect(ask({ choice: 'c' as Choice })).toThrow('choice of an answer is c, but must be a, b or none.');
    expect(() => elicit(PLANE, [], { tolerance: 1 })).toThrow(
      'tolerance is 1, but must be at least 0 and less than 1.',
    );
  });
});
