/** What a plot of several fronts is made from, and how fronts of one name share a colour. */
import type { FrontPlot, Point } from './front.js';
import { formatNumber } from './scale.js';
import { titled } from './svg.js';
import { PALETTE } from './theme.js';

export interface NamedFront {
  /** Fronts of the same name are of the same thing, such as of one method with several seeds: they look alike. */
  readonly name: string;
  readonly points: readonly Point[];
}

export type FrontsPlot = Pick<FrontPlot, 'title' | 'subtitle' | 'objectives' | 'trueFront' | 'reference'> & {
  readonly fronts: readonly NamedFront[];
  /** Whether points say to whoever points at them whose they are, and where; false by default. */
  readonly hover?: boolean;
};

/** The fronts of a name, and what they look like. */
export interface FrontGroup<Look> {
  readonly name: string;
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
      name,
      label: named.length === 1 ? `${name} (${named[0].points.length})` : `${name} (${named.length} fronts)`,
      fronts: named,
      colour: PALETTE[i % PALETTE.length],
      look: looks[i % looks.length],
    };
  });
}

/** A mark or line of a point, which says what it is where that is wanted. */
export function pointOf({ objectives, hover = false }: FrontsPlot, name: string, point: Point, svg: string): string {
  if (!hover) return svg;
  const values = objectives.map((objective, k) => `${objective} ${formatNumber(point[k])}`);
  return titled(`${name}: ${values.join(', ')}`, svg);
}
