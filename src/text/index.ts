export { editDistance, nearest, unknownName } from './nearest.js';
