/** Finds the preference of somebody who cannot name weights, from choices between two outcomes at a time. */
import { Random } from '../random/index.js';

/** What a policy set achieves: a return for each preference, such as `frontOf` gives it. */
export interface Outcomes {
  readonly preferences: readonly (readonly number[])[];
  readonly returns: readonly (readonly number[])[];
}

/** Two outcomes, by their indices, of which a person is asked for the better one. */
export interface Question {
  readonly a: number;
  readonly b: number;
}

const CHOICES = ['a', 'b', 'none'] as const;
/** `none` is somebody who cannot tell. */
export type Choice = (typeof CHOICES)[number];

export interface Answer extends Question {
  readonly choice: Choice;
}

export interface ElicitOptions {
  /** Of the draws from what is known of a person, and so of the questions. */
  readonly seed?: number;
  /** The share of the best utility that may be lost for an outcome to be called right. */
  readonly tolerance?: number;
}

/** What answers say about the person who gave them. */
export interface Elicited {
  /** The index of the outcome with the greatest expected utility. */
  readonly best: number;
  /** The preference that leads to it, to act with. */
  readonly preference: readonly number[];
  readonly return: readonly number[];
  /** The probability that this outcome is within the tolerance of the person's best one. */
  readonly sureness: number;
  /**
   * How much each objective counts, where going from its least to its greatest among the outcomes is the unit; they sum to
   * one, and one that is the same in all outcomes has none. This is no preference: those weigh returns in their own units.
   */
  readonly importance: readonly Importance[];
  /** What to ask next; undefined where no two outcomes are left that differ by taste and have not been compared. */
  readonly question: Question | undefined;
}

export interface Importance {
  readonly mean: number;
  /** Between these it is with a probability of 90 %. */
  readonly low: number;
  readonly high: number;
}

const DRAWS = 500;
/** Draws by which questions are judged; more of them choose no better. */
const JUDGES = 64;
/** Pairs among which a question is sought. */
const PAIRS = 500;
/** How often somebody answers without having looked. */
const LAPSE = 0.03;
/** Between these is the difference of utilities that a person is still unsure about, where all that can be gained is 1. */
const NOISE = [0.01, 0.3] as const;

/**
 * What the answers so far say about a person, which outcome suits best, and what to ask next. It depends on nothing but its
 * arguments: an answer is taken back by leaving it out.
 *
 * The utility is a sum of objectives, each scaled to its range among the outcomes, with weights of which every one on the
 * simplex is as likely before the first answer. Ties follow Davidson's model of paired comparisons (JASA 1970), and choices,
 * given that one was made, are logistic, with a noise of the person's own that is inferred too, and with rare lapses, so that
 * answers which contradict each other make it less sure and nothing else. Draws from the posterior are made by slice
 * sampling along random lines (hit and run), which has no step size. The next question is the one whose answer tells most
 * about the person (mutual information).
 */
export function elicit(outcomes: Outcomes, answers: readonly Answer[], options: ElicitOptions = {}): Elicited {
  const { seed = 1, tolerance = 0.02 } = options;
  checkOutcomes(outcomes);
  for (const answer of answers) checkAnswer(answer, outcomes.returns.length);
  if (!(tolerance >= 0 && tolerance < 1)) {
    throw new RangeError(`tolerance is ${tolerance}, but must be at least 0 and less than 1.`);
  }
  const random = new Random(seed);
  const { scaled, varying } = scaledToRange(outcomes.returns);
  const people = drawPeople(random, varying.length, comparedBy(answers, scaled));
  const utilities = scaled.map((outcome) => people.map(({ weights }) => dot(weights, outcome)));
  const most = people.map((_, i) => utilities.reduce((greatest, own) => Math.max(greatest, own[i]), 0));
  const means = utilities.map((own) => own.reduce((sum, utility) => sum + utility, 0));
  const best = means.indexOf(means.reduce((a, b) => Math.max(a, b)));
  const content = most.filter((greatest, i) => utilities[best][i] >= (1 - tolerance) * greatest);
  return {
    best,
    preference: outcomes.preferences[best],
    return: outcomes.returns[best],
    sureness: content.length / people.length,
    importance: outcomes.returns[0].map((_, k) => importanceOf(people, varying.indexOf(k))),
    question: mostTelling(random, scaled, utilities, people, answers),
  };
}

/** Somebody who could have given the answers. */
interface Person {
  readonly weights: Float64Array;
  readonly noise: number;
}

/** What an answer says: by how much the chosen outcome exceeds the other one in each objective, or that it is a tie. */
interface Compared {
  readonly difference: Float64Array;
  readonly isTie: boolean;
}

/** Returns from 0 to 1 in each objective in which they differ. */
function scaledToRange(returns: Outcomes['returns']) {
  const least = returns[0].map((_, k) => returns.reduce((low, point) => Math.min(low, point[k]), Infinity));
  const range = least.map((low, k) => returns.reduce((most, point) => Math.max(most, point[k] - low), 0));
  const varying = [...range.keys()].filter((k) => range[k] > 0);
  return {
    scaled: returns.map((point) => Float64Array.from(varying, (k) => (point[k] - least[k]) / range[k])),
    varying,
  };
}

function comparedBy(answers: readonly Answer[], scaled: readonly Float64Array[]): Compared[] {
  return answers.map(({ a, b, choice }) => {
    const [chosen, other] = choice === 'b' ? [scaled[b], scaled[a]] : [scaled[a], scaled[b]];
    return { difference: chosen.map((x, k) => x - other[k]), isTie: choice === 'none' };
  });
}

/** Draws from the posterior: a Markov chain that goes along a random line through the simplex, then along the noise. */
function drawPeople(random: Random, objectives: number, compared: readonly Compared[]): Person[] {
  const weights = new Float64Array(objectives).fill(1 / objectives);
  const [lowest, highest] = NOISE.map(Math.log);
  let logNoise = (lowest + highest) / 2;
  const direction = new Float64Array(objectives);
  // Of each answer the lead of what was chosen, and by how much that changes along the direction.
  const lead = new Float64Array(compared.length);
  const change = new Float64Array(compared.length);
  const logLikelihood = (along: number, noise: number) => {
    let sum = 0;
    for (let j = 0; j < lead.length; j++) {
      const difference = (lead[j] + along * change[j]) / noise;
      sum += Math.log(compared[j].isTie ? chancesOf(difference).tie : chanceOfChoice(difference));
    }
    return sum;
  };
  const lookAhead = () => {
    compared.forEach(({ difference }, j) => {
      lead[j] = dot(weights, difference);
      change[j] = dot(direction, difference);
    });
  };

  const move = () => {
    if (objectives > 1) {
      random.fillNormal(direction);
      const mean = direction.reduce((sum, x) => sum + x, 0) / objectives;
      let [back, ahead] = [-Infinity, Infinity];
      for (let k = 0; k < objectives; k++) {
        direction[k] -= mean;
        const end = -weights[k] / direction[k];
        if (direction[k] > 0) back = Math.max(back, end);
        else if (direction[k] < 0) ahead = Math.min(ahead, end);
      }
      lookAhead();
      const noise = Math.exp(logNoise);
      const along = sliceSample(random, (t) => logLikelihood(t, noise), 0, back, ahead);
      for (let k = 0; k < objectives; k++) weights[k] = Math.max(0, weights[k] + along * direction[k]);
      lookAhead();
    }
    logNoise = sliceSample(random, (z) => logLikelihood(0, Math.exp(z)), logNoise, lowest, highest);
  };

  // The first moves lead away from the middle.
  for (let i = 0; i < 20 * objectives; i++) move();
  return Array.from({ length: DRAWS }, () => {
    for (let i = 0; i < objectives / 2; i++) move();
    return { weights: weights.slice(), noise: Math.exp(logNoise) };
  });
}

/** A draw from a density on an interval that leaves it as it is (Neal, "Slice sampling", 2003): shrinks towards where it is. */
function sliceSample(random: Random, logDensity: (x: number) => number, at: number, low: number, high: number): number {
  const level = logDensity(at) + Math.log1p(-random.uniform());
  // In a slice as narrow as rounding nothing else can be found.
  for (let tries = 0; tries < 60; tries++) {
    const x = low + (high - low) * random.uniform();
    if (logDensity(x) >= level) return x;
    if (x < at) low = x;
    else high = x;
  }
  return at;
}

/** By Davidson's model, with as many ties as choices between equals: first : second : tie = e^(d/2) : e^(-d/2) : 1. */
function chancesOf(difference: number): { readonly first: number; readonly tie: number } {
  const odds = Math.exp(-difference / 2);
  const first = 1 / (1 + odds + odds * odds);
  // Where the odds are beyond all numbers nobody calls it a tie.
  const tie = first === 0 ? 0 : odds * first;
  return { first: LAPSE / 3 + (1 - LAPSE) * first, tie: LAPSE / 3 + (1 - LAPSE) * tie };
}

/**
 * Of the first, given that one was chosen. Taken with the ties, people who never call anything a tie would seem to see every
 * difference clearly, and too much would be believed of what they say.
 */
function chanceOfChoice(difference: number): number {
  return LAPSE / 2 + (1 - LAPSE) / (1 + Math.exp(-difference));
}

function importanceOf(people: readonly Person[], place: number): Importance {
  if (place < 0) return { mean: 0, low: 0, high: 0 };
  const own = people.map(({ weights }) => weights[place]).sort((a, b) => a - b);
  const at = (share: number) => own[Math.round(share * (own.length - 1))];
  return { mean: own.reduce((sum, weight) => sum + weight, 0) / own.length, low: at(0.05), high: at(0.95) };
}

/** The question about whose answer those who could have given the answers so far disagree most, each being sure of their own. */
function mostTelling(
  random: Random,
  scaled: readonly Float64Array[],
  utilities: readonly (readonly number[])[],
  people: readonly Person[],
  answers: readonly Answer[],
): Question | undefined {
  const isAsked = (p: number, q: number) => answers.some(({ a, b }) => (a === p && b === q) || (a === q && b === p));
  const judges = Array.from({ length: JUDGES }, (_, i) => Math.floor((i * people.length) / JUDGES));
  let question: Question | undefined;
  let greatest = -Infinity;
  for (const [a, b] of pairsOf(random, scaled.length)) {
    if (!isMatterOfTaste(scaled[a], scaled[b]) || isAsked(a, b)) continue;
    const told = information(judges.map((i) => (utilities[a][i] - utilities[b][i]) / people[i].noise));
    if (told <= greatest) continue;
    greatest = told;
    question = { a, b };
  }
  return question;
}

/** All pairs of indices, or as many of them as are worth the time. */
function* pairsOf(random: Random, count: number): Generator<readonly [number, number]> {
  if ((count * (count - 1)) / 2 <= PAIRS) {
    for (let a = 0; a < count; a++) for (let b = a + 1; b < count; b++) yield [a, b];
  } else {
    for (let i = 0; i < PAIRS; i++) yield [random.integer(count), random.integer(count)];
  }
}

/** Whether each of two outcomes is better in something. */
function isMatterOfTaste(a: Float64Array, b: Float64Array): boolean {
  return a.some((x, k) => x > b[k]) && a.some((x, k) => x < b[k]);
}

/** The mutual information between an answer and who gives it, by the differences that each person sees. */
function information(differences: readonly number[]): number {
  let [firsts, ties, entropies] = [0, 0, 0];
  for (const difference of differences) {
    const { first, tie } = chancesOf(difference);
    firsts += first;
    ties += tie;
    entropies += entropyOf(first, tie);
  }
  const count = differences.length;
  return entropyOf(firsts / count, ties / count) - entropies / count;
}

function entropyOf(first: number, tie: number): number {
  const second = 1 - first - tie;
  return -first * Math.log(first) - second * Math.log(second) - tie * Math.log(tie);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function checkOutcomes({ preferences, returns }: Outcomes): void {
  if (returns.length === 0) throw new RangeError('returns is [], but must hold at least one point.');
  if (preferences.length !== returns.length) {
    throw new RangeError(
      `preferences has ${preferences.length} entries, but must have one for each of the ${returns.length} returns.`,
    );
  }
  returns.forEach((point, i) => {
    if (point.length === returns[0].length && point.every(Number.isFinite)) return;
    throw new RangeError(
      `returns[${i}] is [${point.join(', ')}], but must be ${returns[0].length} finite numbers, like the first.`,
    );
  });
}

function checkAnswer({ a, b, choice }: Answer, count: number): void {
  for (const [name, index] of Object.entries({ a, b })) {
    if (Number.isInteger(index) && index >= 0 && index < count) continue;
    throw new RangeError(`${name} of an answer is ${index}, but must be the index of one of ${count} outcomes.`);
  }
  if (!CHOICES.includes(choice)) throw new RangeError(`choice of an answer is ${choice}, but must be a, b or none.`);
}
