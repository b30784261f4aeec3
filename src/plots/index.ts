// png.ts is not here: it needs Node, and everything here runs in a browser too.
export { curvePlot, type CurvePlot, type Series } from './curve-plot.js';
export { darkRules } from './dark.js';
export { frontPlot } from './front-plot.js';
export type { FrontPlot, Point } from './front.js';
export { frontsPlot } from './fronts-plot.js';
export type { FrontsPlot, NamedFront } from './fronts.js';
export { element, escapeXml } from './svg.js';
