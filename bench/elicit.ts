// How many questions it takes to find the preference of simulated people: `npm run bench -- elicit [--json]`.

import { parseArgs } from 'node:util';

import { elicit, envInfo, frontOf, openRun, Random, readReturns, uniformFace, uniformSimplex } from '../src/index.js';
import type { Answer, Outcomes, Question } from '../src/index.js';

const usage = `usage: npm run bench -- elicit [--json] [--people N] [--questions Q] [--faces]

Asks N simulated people (default 30) up to Q questions (default 20) about fronts of two to six objectives. A person's utility
weighs objectives that are scaled to their range on the front, with weights drawn uniformly from the simplex; with --faces first
how many objectives matter is drawn, then which. An answer is right where the noise is 0, and otherwise drawn by the logistic
model: of two outcomes that are the noise apart in utility, where all that can be gained is 1, the better one is chosen 73 times
out of 100. "10 % blind" are right answers of which one in ten is drawn by a coin. Last line with --json: one JSON object.

questions   until what is recommended loses at most 2 % of the person's best utility, and does so for the rest of the questions:
            median and 90 % quantile; more than Q where it never does
sure after  questions until it says that it is so with a probability of 90 %: median
right       for how many that is true then, of those for whom it says so`;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    people: { type: 'string', default: '30' },
    questions: { type: 'string', default: '20' },
    faces: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit();
}
const questions = Number(options.questions);
const TOLERANCE = 0.02;
const SURE = 0.9;

/** A front whose points have no preferences that would lead to them. */
function knownFront(returns: readonly (readonly number[])[]): Outcomes {
  return frontOf({ preferences: returns.map((point) => point.map(() => 1 / point.length)), returns });
}

const leaves = envInfo('fruit-tree-d6').knownFront!(0.99);
const nutrients = (count: number) => knownFront(leaves.map((leaf) => leaf.slice(0, count)));
const fronts: readonly (readonly [name: string, outcomes: Outcomes])[] = [
  ['deep sea treasure', knownFront(envInfo('deep-sea-treasure').knownFront!(0.99))],
  ['half-cheetah, example', frontOf(readReturns(openRun('examples/runs/half-cheetah')))],
  ['fruit tree, 3 nutrients', nutrients(3)],
  ['fruit tree, 4 nutrients', nutrients(4)],
  ['fruit tree, 5 nutrients', nutrients(5)],
  ['fruit tree, example', frontOf(readReturns(openRun('examples/runs/fruit-tree')))],
];

/** How people answer: by the difference of utilities that they see. */
const answering: Readonly<Record<string, (lead: number, random: Random) => boolean>> = {
  '0': (lead) => lead > 0,
  '0.03': (lead, random) => random.uniform() < 1 / (1 + Math.exp(-lead / 0.03)),
  '0.1': (lead, random) => random.uniform() < 1 / (1 + Math.exp(-lead / 0.1)),
  '10 % blind': (lead, random) => (random.uniform() < 0.1 ? random.uniform() < 0.5 : lead > 0),
};

function utilitiesOf({ returns }: Outcomes, weights: ArrayLike<number>): number[] {
  const columns = returns[0].map((_, k) => returns.map((point) => point[k]));
  const least = columns.map((column) => Math.min(...column));
  const range = columns.map((column, k) => Math.max(...column) - least[k]);
  return returns.map((point) => point.reduce((sum, x, k) => sum + (weights[k] * (x - least[k])) / (range[k] || 1), 0));
}

let calls = 0;
let milliseconds = 0;

/** What one person's answers lead to. */
function dialogue(outcomes: Outcomes, isFirst: (lead: number, random: Random) => boolean, seed: number) {
  const random = new Random(seed);
  const draw = options.faces ? uniformFace : uniformSimplex;
  const utilities = utilitiesOf(outcomes, draw(random, new Float64Array(outcomes.returns[0].length)));
  const most = Math.max(...utilities);
  const answerTo = ({ a, b }: Question): Answer => ({
    a,
    b,
    choice: isFirst(utilities[a] - utilities[b], random) ? 'a' : 'b',
  });
  const answers: Answer[] = [];
  let reached = 0;
  let sure: { readonly after: number; readonly isRight: boolean } | undefined;
  for (let asked = 0; asked <= questions; asked++) {
    const began = performance.now();
    const { best, sureness, question } = elicit(outcomes, answers);
    milliseconds += performance.now() - began;
    calls += 1;
    const isRight = utilities[best] >= (1 - TOLERANCE) * most;
    if (!isRight) reached = asked + 1;
    if (sureness >= SURE) sure ??= { after: asked, isRight };
    if (question === undefined) break;
    answers.push(answerTo(question));
  }
  return { reached, sure };
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.ceil(share * sorted.length) - 1];
const shown = (count: number) => (count > questions ? `> ${questions}` : String(count));

const results = fronts.flatMap(([front, outcomes]) =>
  Object.entries(answering).map(([noise, isFirst]) => {
    const all = Array.from({ length: Number(options.people) }, (_, i) => dialogue(outcomes, isFirst, i + 1));
    const reached = all.map((one) => one.reached).sort((a, b) => a - b);
    const ends = all.map(({ sure }) => sure?.after ?? questions + 1).sort((a, b) => a - b);
    const sure = all.flatMap((one) => one.sure ?? []);
    const result = {
      front,
      objectives: outcomes.returns[0].length,
      outcomes: outcomes.returns.length,
      noise,
      median: quantile(reached, 0.5),
      most: quantile(reached, 0.9),
      sureAfter: quantile(ends, 0.5),
      sure: sure.length,
      right: sure.filter(({ isRight }) => isRight).length,
    };
    const cells = [
      front.padEnd(24),
      String(result.objectives),
      String(result.outcomes).padStart(3),
      noise.padEnd(10),
      `questions ${shown(result.median).padStart(4)}, ${shown(result.most).padStart(4)}`,
      `sure after ${shown(result.sureAfter).padStart(4)}`,
      `right ${result.right} of ${result.sure}`,
    ];
    console.log(cells.join('  '));
    return result;
  }),
);
console.log(`${(milliseconds / calls).toFixed(1)} ms to find the next question`);
if (options.json) {
  console.log(JSON.stringify({ bench: 'elicit', ...options, milliseconds: milliseconds / calls, results }));
}
