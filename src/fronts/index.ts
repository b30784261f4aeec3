export {
  bestAnswers,
  confirmedAnswers,
  doAnswersGain,
  earnedBy,
  meanUtility,
  type AnswersAt,
  type Earned,
  type EpisodesAt,
} from './best-answers.js';
export { bestPreference, type Chosen } from './best-preference.js';
export { bootstrapInterval, type BootstrapOptions, type Interval, type TaskScores } from './bootstrap.js';
export {
  bestEntries,
  compareFronts,
  type ComparedEntry,
  type ComparedPair,
  type Comparison,
  type Contender,
  type FrontUnion,
  type Judged,
  type MeasuredFront,
  type Yardstick,
} from './comparison.js';
export { frontCsv } from './front-csv.js';
export { parseFront, readFront, STANDARD_INPUT, type FrontFile } from './front-file.js';
export { frontOf, type ReturnsAt } from './front.js';
export {
  permutationTest,
  probabilityOfImprovement,
  stratifiedPermutationTest,
  type PermutationOptions,
  type PermutationTest,
} from './improvement.js';
export { methodKeyOf, type Origin } from './method.js';
export { ranksOf } from './ranks.js';
export { ceilingOf, score, shareOf, type Score, type Scoring } from './score.js';
export { interquartileMean, meanOf, quantile, statistics, type Statistics } from './statistics.js';
