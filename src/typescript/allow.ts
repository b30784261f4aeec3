import { register } from 'node:module';

let isAllowed = 'typescript' in process.features && process.features.typescript !== false;

/** Lets this thread import modules in TypeScript, where Node does not do so by itself. */
export function allowTypeScript(): void {
  if (isAllowed) return;
  register(new URL('./hooks.js', import.meta.url));
  isAllowed = true;
}
