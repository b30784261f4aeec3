export { allowTypeScript } from './allow.js';
export { stripTypes, TYPESCRIPT } from './strip.js';
