/** Finds the preference of somebody who cannot name weights: two outcomes at a time, which is better? */
import { batch, computed, signal } from '@preact/signals';
import { extent } from '../../plots/scale.js';
import { elicit, type Answer, type Choice, type Elicited, type Outcomes } from '../../preferences/elicit.js';
import { formatNumber } from './charts.js';
import { inkOf, objectiveColour, preferenceColour } from './colours.js';
import { percent } from './front.js';
import type { Preference } from './messages.js';
import { normalised } from './simplex.js';
import * as state from './state.js';
import { frontPlayed, isPlayable } from './time.js';

/** How probable it has to be that what is found is right, and after how many questions it is taken as it is. */
const SURE = 0.9;
const MOST_QUESTIONS = 20;

interface Dialogue {
  readonly runId: string;
  /** As they were when it began: the front of a run that trains changes. */
  readonly outcomes: Outcomes;
  readonly answers: readonly Answer[];
  /** How many answers it goes on to at most. */
  readonly most: number;
  readonly sure: number;
}

const dialogue = signal<Dialogue | undefined>(undefined);
const found = computed(() => dialogue.value && elicit(dialogue.value.outcomes, dialogue.value.answers));

/** What is asked now; undefined where enough is known. */
function questionOf({ answers, most, sure }: Dialogue, { question, sureness }: Elicited) {
  return answers.length < most && sureness < sure ? question : undefined;
}

function begin(): void {
  go({
    runId: state.runId.value,
    outcomes: frontPlayed.value,
    answers: [],
    most: MOST_QUESTIONS,
    sure: SURE,
  });
}

/** Goes on with a dialogue: the two outcomes of its question are played beside each other, and at its end the one that suits best. */
function go(next: Dialogue): void {
  batch(() => {
    dialogue.value = next;
    const now = found.value!;
    const question = questionOf(next, now);
    play(question === undefined ? [now.best] : [question.a, question.b], next.outcomes);
  });
}

function play(indices: readonly number[], { preferences }: Outcomes): void {
  if (!isPlayable.value && indices.length > 1) return;
  state.playAt(indices.map((index) => normalised(preferences[index])));
}

export function FindView() {
  const now = dialogue.value;
  if (now === undefined || found.value === undefined || now.runId !== state.runId.value) return <Beginning />;
  const question = questionOf(now, found.value);
  return (
    <div class="find" data-sureness={found.value.sureness} data-answers={now.answers.length}>
      {question === undefined ? (
        <Found now={now} found={found.value} />
      ) : (
        <Asked now={now} sureness={found.value.sureness} pair={[question.a, question.b]} />
      )}
    </div>
  );
}

function Beginning() {
  const outcomes = frontPlayed.value.returns.length;
  return (
    <div class="find">
      <p>
        You need not name weights. Of two outcomes at a time, say which you would rather have: after a handful of
        answers your preference is set here, with how sure that is.
      </p>
      <p>
        <button class="primary" disabled={outcomes < 2} onClick={begin}>
          Begin
        </button>{' '}
        {outcomes < 2 && <span class="muted">There are no two outcomes to choose between yet.</span>}
      </p>
    </div>
  );
}

interface AskedProps {
  readonly now: Dialogue;
  readonly sureness: number;
  readonly pair: readonly [a: number, b: number];
}

function Asked({ now, sureness, pair }: AskedProps) {
  const { outcomes, answers } = now;
  const choose = (choice: Choice) => go({ ...now, answers: [...answers, { a: pair[0], b: pair[1], choice }] });
  return (
    <>
      <table class="outcomes">
        <caption>Question {answers.length + 1}: which would you rather have?</caption>
        <thead>
          <tr>
            <td />
            {pair.map((index, i) => (
              <th key={i} scope="col">
                <button onClick={() => choose(i === 0 ? 'a' : 'b')}>
                  <i class="dot" style={{ background: preferenceColour(outcomes.preferences[index]) }} /> {'AB'[i]}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {state.objectives.value.map(({ name }, k) => (
            <tr key={name}>
              <ObjectiveHeading objective={k} />
              {pair.map((index, i) => (
                <td key={i}>
                  {formatNumber(outcomes.returns[index][k])}
                  <Bar share={shareOf(outcomes, k, index)} objective={k} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="find-answers">
        <button onClick={() => choose('none')}>Cannot tell</button>
        <button disabled={answers.length === 0} onClick={() => go({ ...now, answers: answers.slice(0, -1) })}>
          Undo
        </button>
        <button disabled={answers.length === 0} onClick={() => go({ ...now, most: answers.length })}>
          Take what is known
        </button>
      </div>
      <Sureness value={sureness} />
    </>
  );
}

function ObjectiveHeading({ objective }: { objective: number }) {
  const { name, unit } = state.objectives.value[objective];
  return (
    <th scope="row" style={{ color: inkOf(colourOf(objective), state.theme.value) }}>
      {name} {unit !== undefined && <small>{unit}</small>}
    </th>
  );
}

function colourOf(objective: number): string {
  return objectiveColour(objective, state.objectives.value.length);
}

/** Where an outcome lies between the least and the most of an objective among all. */
function shareOf({ returns }: Outcomes, objective: number, index: number): number {
  const [least, most] = extent(returns.map((point) => point[objective]))!;
  return most > least ? (returns[index][objective] - least) / (most - least) : 1;
}

function Bar({ share, objective }: { share: number; objective: number }) {
  return (
    <span class="share" aria-hidden="true">
      <i style={{ width: percent(share).replace(' ', ''), background: colourOf(objective) }} />
    </span>
  );
}

function Sureness({ value }: { value: number }) {
  return (
    <label class="sureness">
      <progress value={value} max={1} /> <b>{percent(value)}</b> sure of an outcome within 2 % of the best for you
    </label>
  );
}

/** What was found, which the page then plays. */
function Found({ now, found: result }: { now: Dialogue; found: Elicited }) {
  const { outcomes, answers } = now;
  const { best, preference, sureness, importance, question } = result;
  return (
    <>
      <p>
        After {answers.length} {answers.length === 1 ? 'answer' : 'answers'} your preference is set:{' '}
        <b>{describe(preference)}</b>.
      </p>
      <table class="outcomes">
        <caption>What it achieves, and how much you care</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">Return</th>
            <th scope="col">
              Importance <small>90 % sure</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {state.objectives.value.map(({ name }, k) => (
            <tr key={name}>
              <ObjectiveHeading objective={k} />
              <td>
                {formatNumber(outcomes.returns[best][k])}
                <Bar share={shareOf(outcomes, k, best)} objective={k} />
              </td>
              <td>
                {percent(importance[k].mean)}{' '}
                <small>
                  {Math.round(100 * importance[k].low)} to {percent(importance[k].high)}
                </small>
                <Bar share={importance[k].mean} objective={k} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="find-answers">
        <button
          disabled={answers.length === 0}
          onClick={() => go({ ...now, answers: answers.slice(0, -1), most: MOST_QUESTIONS })}
        >
          Undo
        </button>
        <button
          disabled={question === undefined}
          onClick={() => go({ ...now, most: Math.max(MOST_QUESTIONS, answers.length + 10), sure: (1 + sureness) / 2 })}
        >
          Ask on
        </button>
        <button onClick={begin}>Start again</button>
      </div>
      <Sureness value={sureness} />
    </>
  );
}

function describe(preference: Preference): string {
  return state.objectives.value.map(({ name }, k) => `${name} ${percent(preference[k])}`).join(', ');
}
