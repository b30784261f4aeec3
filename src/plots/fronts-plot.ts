import { checkRow, checkRows } from './check.js';
import { frontsLines } from './fronts-lines.js';
import { frontsScatter } from './fronts-scatter.js';
import type { FrontsPlot } from './fronts.js';

/** Several fronts in one picture, as SVG: a scatter of two objectives, parallel coordinates of more. */
export function frontsPlot(plot: FrontsPlot): string {
  const { objectives, fronts, trueFront = [], reference } = plot;
  const count = objectives.length;
  if (count < 2) throw new RangeError(`objectives has length ${count}, but must name at least 2.`);
  const per = 'one per objective';
  for (const [i, { points }] of fronts.entries()) checkRows(`fronts[${i}].points`, points, count, per);
  checkRows('trueFront', trueFront, count, per);
  if (reference !== undefined) checkRow('reference', reference, count, per);
  return count === 2 ? frontsScatter(plot) : frontsLines(plot);
}
