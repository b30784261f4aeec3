import type { Command } from './command.js';

/**
 * The commands of `psl` by name, in the order in which the help shows them. Each lives in its own file in this folder
 * and is loaded when it is run, so that `psl --help` does not load the numeric backends:
 *
 *     ['fit', { summary: '...', run: async (args) => (await import('./fit.js')).fit(args) }],
 */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([]);
