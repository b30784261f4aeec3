/** Plots of values over steps: single curves, means and bands. */
import { checkNumber, checkRows } from './check.js';
import { axes, heading, labelRoom, notice, picture, type Area, type LegendEntry } from './frame.js';
import { drawable, extent, formatNumber, linear, ticks, ticksAcross, widen, type Domain } from './scale.js';
import { circle, element, label, polyline, segment, titled } from './svg.js';
import { textWidth, truncate } from './text-width.js';
import { AXIS_END, HEIGHT, INK, PALETTE, SIZE, WIDTH } from './theme.js';

export interface Series {
  /** Series of the same name are runs of the same thing: thin lines in one colour, with their mean where x agrees. */
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** An interval to shade around the line, such as a standard deviation over seeds. */
  readonly band?: readonly (readonly [x: number, low: number, high: number])[];
}

export interface CurvePlot {
  readonly title: string;
  readonly subtitle?: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  /** Whether the points of curves say to whoever points at them what they are; false by default. */
  readonly hover?: boolean;
  /** The best value that is possible: a dashed line. */
  readonly ceiling?: { readonly label: string; readonly value: number };
}

interface Group {
  readonly name: string;
  readonly colour: string;
  readonly dashes: string | undefined;
  readonly runs: readonly Series[];
  readonly mean: Series['points'] | undefined;
}

/** Values over steps, as SVG: for example the hypervolume while training. */
export function curvePlot(plot: CurvePlot): string {
  const { title, subtitle, xLabel, yLabel, series, ceiling, hover = false } = plot;
  for (const [i, { points, band = [] }] of series.entries()) {
    checkRows(`series[${i}].points`, points, 2, 'x and y');
    checkRows(`series[${i}].band`, band, 3, 'x, low and high');
  }
  if (ceiling !== undefined) checkNumber('ceiling.value', ceiling.value);

  const groups = groupByName(series);
  const xDomain = xDomainOf(series);
  const yDomain = yDomainOf(series, ceiling?.value);
  const yTicks = ticks(yDomain, 6);
  const head = heading(WIDTH, title, subtitle, groups.filter(({ name }) => name !== '').map(legendEntry));
  const area: Area = {
    left: labelRoom(yTicks),
    top: head.bottom + 44,
    right: AXIS_END,
    bottom: head.bottom + HEIGHT - 146,
  };
  const xTicks = ticksAcross(xDomain, area.right - area.left, SIZE.tick);
  const x = linear(xDomain, [area.left, area.right]);
  const y = linear(yDomain, [area.bottom, area.top]);

  return picture(WIDTH, area.bottom + 58, title, [
    head.svg,
    axes(area, { xTicks, yTicks, x, y, xName: xLabel, yName: yLabel }),
    ...groups.flatMap(({ runs, colour }) => runs.map(({ band }) => shade(band, colour))),
    ceiling === undefined ? '' : ceilingLine(y(ceiling.value)),
    ...groups.map(({ runs, colour, dashes, mean }) => {
      const thin = runs.length > 1;
      return [
        ...runs.map(({ points }) => curve(points, colour, dashes, thin ? 1 : 2, mean === undefined ? 1 : 0.45)),
        mean === undefined ? '' : curve(mean, colour, dashes, 2.25, 1),
      ].join('');
    }),
    ceiling === undefined ? '' : ceilingName(y(ceiling.value), ceiling.label),
    ...(hover ? series.flatMap(({ name, points }) => points.map((point) => touched(name, point))) : []),
    series.every(({ points }) => points.length === 0) ? notice(area, 'no values yet') : '',
  ]);

  function curve(points: Series['points'], stroke: string, dashes: string | undefined, width: number, opacity: number) {
    if (points.length === 0) return '';
    if (points.length === 1) return circle(x(points[0][0]), y(points[0][1]), width + 1.5, { fill: stroke });
    return element('path', {
      d: polyline(points.map(([a, b]) => [x(a), y(b)])),
      fill: 'none',
      stroke,
      'stroke-width': width,
      'stroke-opacity': opacity,
      'stroke-linejoin': 'round',
      'stroke-linecap': 'round',
      'stroke-dasharray': dashes,
    });
  }

  /** Seen by nobody, and larger than a line is wide. */
  function touched(name: string, [a, b]: readonly [x: number, y: number]) {
    const text = `${name}: ${formatNumber(b)} at ${formatNumber(a)} ${xLabel}`;
    return titled(text, circle(x(a), y(b), 5, { fill: '#ffffff', 'fill-opacity': 0 }));
  }

  function shade(band: Series['band'] = [], fill: string) {
    if (band.length < 2) return '';
    const above = band.map(([a, , high]) => [x(a), y(high)] as const);
    const below = band.map(([a, low]) => [x(a), y(low)] as const).reverse();
    return element('path', { d: `${polyline([...above, ...below])}Z`, fill, 'fill-opacity': 0.18 });
  }

  function ceilingLine(height: number) {
    const stroke = { stroke: INK.text, 'stroke-width': 1.25, 'stroke-dasharray': '6 4' };
    return segment(area.left, height, area.right, height, stroke);
  }

  /** On a ground of its own, so that curves do not run through it. */
  function ceilingName(height: number, name: string) {
    const text = truncate(name, SIZE.label, area.right - area.left);
    const width = textWidth(text, SIZE.label) + 8;
    const ground = { x: area.right - width, y: height - 20, width, height: 17, fill: '#ffffff', 'fill-opacity': 0.8 };
    return element('rect', ground) + label(area.right, height - 7, text, { 'text-anchor': 'end' });
  }
}

function groupByName(series: readonly Series[]): Group[] {
  const names = [...new Set(series.map(({ name }) => name))];
  return names.map((name, i) => {
    const runs = series.filter((one) => one.name === name);
    return {
      name,
      colour: PALETTE[i % PALETTE.length],
      // Once every colour has been used, dashes tell the next ones apart.
      dashes: i < PALETTE.length ? undefined : '5 4',
      runs,
      mean: meanOf(runs),
    };
  });
}

/** The mean over runs that were measured at the same x; undefined for a single run or where x differs. */
function meanOf(runs: readonly Series[]): Series['points'] | undefined {
  const [first, ...rest] = runs.map(({ points }) => points);
  if (rest.length === 0) return undefined;
  const aligned = rest.every((points) => points.length === first.length && points.every(([x], i) => x === first[i][0]));
  if (!aligned) return undefined;
  return first.map(([x], i) => [x, runs.reduce((sum, { points }) => sum + points[i][1] / runs.length, 0)]);
}

function legendEntry({ name, colour, dashes, runs, mean }: Group): LegendEntry {
  const count = runs.length === 1 ? '' : mean === undefined ? `, ${runs.length} runs` : `, mean of ${runs.length} runs`;
  const width = runs.length > 1 && mean === undefined ? 1 : 2.25;
  return {
    name: name + count,
    width: 22,
    sample: (x, y) => segment(x, y, x + 22, y, { stroke: colour, 'stroke-width': width, 'stroke-dasharray': dashes }),
  };
}

function xDomainOf(series: readonly Series[]): Domain {
  const values = series.flatMap(({ points, band = [] }) => [...points, ...band].map(([x]) => x));
  return drawable(fromZero(extent(values), 0.2));
}

/** Zero is part of the picture where the values come near it; the ceiling's name needs room above its line. */
function yDomainOf(series: readonly Series[], ceiling: number | undefined): Domain {
  const values = series.flatMap(({ points, band = [] }) => [
    ...points.map(([, y]) => y),
    ...band.flatMap(([, low, high]) => [low, high]),
  ]);
  if (ceiling !== undefined) values.push(ceiling);
  const range = fromZero(extent(values), 0.4);
  return widen(drawable(range), range?.[0] === 0 ? 0 : 0.04, 0.08);
}

/** Starts a range at zero if that adds little to it. */
function fromZero(range: Domain | undefined, share: number): Domain | undefined {
  return range !== undefined && range[0] > 0 && range[0] <= share * range[1] ? [0, range[1]] : range;
}
