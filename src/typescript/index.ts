export { allowTypeScript } from './allow.js';
export { stripTypes, TYPESCRIPT } from './strip.js';
export { typeErrors } from './type-errors.js';
