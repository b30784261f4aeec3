export { editDistance, nearest, unknownName } from './nearest.js';
export { oneLineOf } from './one-line.js';
