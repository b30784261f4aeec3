export { frontOf, type ReturnsAt } from './front.js';
export { ranksOf } from './ranks.js';
export { ceilingOf, score, shareOf, type Score, type Scoring } from './score.js';
export { statistics, type Statistics } from './statistics.js';
