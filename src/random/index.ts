export { Random, type RandomState } from './random.js';
