/** What a plot of several fronts is made from, and how fronts of one name share a colour. */
import type { FrontPlot, Point } from './front.js';
import { PALETTE } from './theme.js';

export interface NamedFront {
  /** Fronts of the same name are of the same thing, such as of one method with several seeds: they look alike. */
  readonly name: string;
  readonly points: readonly Point[];
}

export type FrontsPlot = Pick<FrontPlot, 'title' | 'subtitle' | 'objectives' | 'trueFront' | 'reference'> & {
  readonly fronts: readonly NamedFront[];
};

/** The fronts of a name, and what they look like. */
export interface FrontGroup<Look> {
  /** For a legend, with how many there are. */
  readonly label: string;
  readonly fronts: readonly NamedFront[];
  readonly colour: string;
  readonly look: Look;
}

/**
 * Groups fronts by name and gives each group a colour and a look of its own.
 * @param looks as many as have no common divisor with the colours, so that as many groups differ as both have combinations
 */
export function groupByName<Look>(fronts: readonly NamedFront[], looks: readonly Look[]): FrontGroup<Look>[] {
  const names = [...new Set(fronts.map(({ name }) => name))];
  return names.map((name, i) => {
    const named = fronts.filter((front) => front.name === name);
    return {
      label: named.length === 1 ? `${name} (${named[0].points.length})` : `${name} (${named.length} fronts)`,
      fronts: named,
      colour: PALETTE[i % PALETTE.length],
      look: looks[i % looks.length],
    };
  });
}
