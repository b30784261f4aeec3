import { createInterface } from 'node:readline';
import { integer, number, refusal, text, twoColumns, wrap } from '../config/index.js';
import { envInfo, type Objective } from '../envs/index.js';
import { frontOf } from '../fronts/index.js';
import { elicit, type Answer, type Choice, type Elicited, type Outcomes, type Question } from '../preferences/index.js';
import { readReturns } from '../runs/index.js';
import { required } from './arguments.js';
import { defineCommand } from './command.js';
import { UsageError } from './errors.js';
import { percent, shown } from './format.js';
import { counted, openedRun, readingRun, typedPath } from './result.js';
import { aligned } from './table.js';
import type { Output } from './terminal.js';

/** What somebody may answer. */
const WORDS = ['a', 'b', 'n', 'u', 'q'] as const;
type Word = (typeof WORDS)[number];

const CHOICES: Readonly<Record<Exclude<Word, 'u' | 'q'>, Choice>> = { a: 'a', b: 'b', n: 'none' };

/** `psl elicit`: the preference of somebody who cannot name weights. */
export const elicitCommand = defineCommand({
  operands: {
    run: required(text({ allowed: 'the path of a run', about: 'The folder of a run, as psl train prints it.' })),
  },
  options: {
    questions: integer({ default: 20, min: 1, about: 'The most that are asked.' }),
    sure: number({
      default: 0.9,
      min: 0,
      max: 1,
      about: 'Ask no more where what is recommended is right with this probability; 1 asks them all.',
    }),
  },
  notes: () =>
    wrap(
      'Shows two outcomes of the run at a time. Answers are lines of standard input: a or b for the better one, n for cannot ' +
        'tell, u to take the last answer back, q to end. Recommended is the preference whose outcome suits best by then, ' +
        'with the probability that it is within 2 % of the best that the run has for you.',
    ),

  async run({ run: folder, questions, sure }, output) {
    const run = await openedRun(folder);
    const outcomes = frontOf(await readingRun(() => readReturns(run)));
    const { objectives } = envInfo(run.plan.env);
    const isEnough = ({ sureness }: Elicited, asked: number) => asked >= questions || (sure < 1 && sureness >= sure);
    const { answers, found } = await dialogue(outcomes, objectives, isEnough, output);
    const preference = found.preference.map((weight) => Number(shown(weight)));
    const weights = preference.join();
    output.report([
      `after ${counted(answers.length, 'answer')}: preference ${weights}, with the return`,
      ...twoColumns(
        objectives.map((objective, k) => [
          objective.name,
          `${withUnit(objective, found.return[k])}, ${importanceText(found.importance[k])}`,
        ]),
      ),
      `within 2 % of the best that the run has for you with a probability of ${percent(found.sureness)}`,
      'next:',
      `  psl eval ${typedPath(folder)} --preference ${weights}`,
      `  psl export ${typedPath(folder)} --format onnx --out policy.onnx --preference ${weights}`,
    ]);
    const { importance, sureness, return: achieved } = found;
    return {
      run: folder,
      preference,
      return: achieved,
      sureness,
      importance: Object.fromEntries(objectives.map(({ name }, k) => [name, importance[k]])),
      answers: answers.map(({ a, b, choice }) => ({ a: outcomes.returns[a], b: outcomes.returns[b], choice })),
    };
  },
});

/** Asks until enough is known, there is nothing to ask, or nobody answers any more. */
async function dialogue(
  outcomes: Outcomes,
  objectives: readonly Objective[],
  isEnough: (found: Elicited, asked: number) => boolean,
  output: Output,
) {
  const { input } = output;
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  const answers: Answer[] = [];
  let found = elicit(outcomes, answers);
  output.line(`${counted(outcomes.returns.length, 'outcome')}; answer a, b, n (cannot tell), u (undo) or q (quit)`);
  try {
    while (found.question !== undefined && !isEnough(found, answers.length)) {
      questionLines(outcomes, objectives, found.question, answers.length + 1).forEach((line) => output.line(line));
      const word = await nextWord(lines, input.isTTY === true, output);
      if (word === 'q') break;
      if (word === 'u') answers.pop();
      else answers.push({ ...found.question, choice: CHOICES[word] });
      found = elicit(outcomes, answers);
    }
  } finally {
    reader.close();
  }
  output.line();
  return { answers, found };
}

/** Asks again where a person mistypes; a program that does is told so. The end of the input is an end of the dialogue. */
async function nextWord(lines: AsyncIterator<string, undefined>, isPerson: boolean, output: Output): Promise<Word> {
  for (;;) {
    output.human.write('which is better? ');
    const { value, done }: IteratorResult<string, undefined> = await lines.next();
    // What was typed is on the screen already.
    if (!isPerson) output.line(done === true ? '' : value);
    if (done === true) return 'q';
    const word = WORDS.find((one) => one === value.trim().toLowerCase());
    if (word !== undefined) return word;
    if (!isPerson) throw new UsageError('the answer', value, WORDS);
    output.line(refusal('the answer', value, WORDS));
  }
}

const BAR = 12;

/** Two outcomes beside each other, with bars from the least to the most of the front. */
function questionLines(
  { returns }: Outcomes,
  objectives: readonly Objective[],
  { a, b }: Question,
  number: number,
): string[] {
  const bar = (k: number, index: number) => {
    const column = returns.map((point) => point[k]);
    const [least, most] = [column.reduce((x, y) => Math.min(x, y)), column.reduce((x, y) => Math.max(x, y))];
    const share = most > least ? (returns[index][k] - least) / (most - least) : 1;
    return '#'.repeat(Math.round(BAR * share)).padEnd(BAR, '.');
  };
  const side = (index: number, k: number) => [shown(Number(returns[index][k].toPrecision(4))), bar(k, index)];
  const rows = objectives.map(({ name, unit }, k) => [
    `  ${name}${unit === undefined ? '' : ` (${unit})`}`,
    ...side(a, k),
    ...side(b, k),
  ]);
  return ['', ...aligned([[`question ${number}`, 'A', '', 'B', ''], ...rows], [0, 2, 4])];
}

function withUnit({ unit }: Objective, value: number): string {
  return `${shown(value)}${unit === undefined ? '' : ` ${unit}`}`;
}

function importanceText({ mean, low, high }: Elicited['importance'][number]): string {
  const whole = (share: number) => (100 * share).toFixed(0);
  return high === 0
    ? 'the same in all outcomes'
    : `counts ${whole(mean)} % (90 % sure: ${whole(low)} to ${whole(high)} %)`;
}
