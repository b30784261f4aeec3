import { checkRow, checkRows } from './check.js';
import { frontLines } from './front-lines.js';
import { frontScatter } from './front-scatter.js';
import type { FrontPlot } from './front.js';

/** The picture of a front, as SVG: a scatter of two objectives, parallel coordinates of more. */
export function frontPlot(plot: FrontPlot): string {
  const { objectives, points, trueFront = [], reference, preferences } = plot;
  const count = objectives.length;
  if (count < 2) throw new RangeError(`objectives has length ${count}, but must name at least 2.`);
  const per = 'one per objective';
  checkRows('points', points, count, per);
  checkRows('trueFront', trueFront, count, per);
  if (reference !== undefined) checkRow('reference', reference, count, per);
  if (preferences !== undefined) {
    if (preferences.length !== points.length) {
      const allowed = `${points.length}, one per point`;
      throw new RangeError(`preferences has length ${preferences.length}, but must have ${allowed}.`);
    }
    checkRows('preferences', preferences, count, per);
  }
  return count === 2 ? frontScatter(plot) : frontLines(plot);
}
