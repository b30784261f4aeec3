import { register } from 'node:module';
import { TYPESCRIPT } from './strip.js';

let isAllowed = 'typescript' in process.features && process.features.typescript !== false;

/** Lets this thread import a module also if it is TypeScript, where Node does not do so by itself. */
export function allowTypeScript(url: string): void {
  if (isAllowed || !TYPESCRIPT.test(url)) return;
  register(new URL('./hooks.js', import.meta.url));
  isAllowed = true;
}
