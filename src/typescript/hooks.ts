/** What Node asks when a module is imported, in a thread of its own; `allow.ts` registers it. */
import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';
import { stripTypes, TYPESCRIPT } from './strip.js';

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || !TYPESCRIPT.test(url)) return next(url, context);
  return { format: 'module', shortCircuit: true, source: stripTypes(await readFile(new URL(url), 'utf8'), url) };
};
