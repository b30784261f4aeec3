/** What all plots have around their data: title, axes, legend and notices. */
import type { Tick } from './scale.js';
import { element, escapeXml, label, segment } from './svg.js';
import { textWidth, truncate, wrap } from './text-width.js';
import { FONT_FAMILY, INK, MARGIN, SIZE } from './theme.js';

/** Between a legend's sample and its name. */
const GAP = 8;
/** Between a tick's label and its axis. */
const TICK_GAP = 8;

/** Where the data goes, in pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface LegendEntry {
  readonly name: string;
  readonly width: number;
  /** Draws the sample with its left end at x and its middle at height y. */
  readonly sample: (x: number, y: number) => string;
}

/** A piece of the picture, and the height at which it ends. */
export interface Block {
  readonly svg: string;
  readonly bottom: number;
}

/** The whole picture on white, with its title for those who listen to it. */
export function picture(width: number, height: number, title: string, content: readonly string[]): string {
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'font-family': FONT_FAMILY,
      'font-size': SIZE.label,
      fill: INK.text,
    },
    [element('title', {}, escapeXml(title)), element('rect', { width, height, fill: '#ffffff' }), ...content],
  );
}

/** Title, subtitle and legend, from the picture's top edge down. */
export function heading(
  width: number,
  title: string,
  subtitle: string | undefined,
  legend: readonly LegendEntry[],
): Block {
  const room = width - 2 * MARGIN;
  const parts: string[] = [];
  let y = 12;
  for (const line of wrap(title, SIZE.title, room)) {
    y += 24;
    parts.push(label(MARGIN, y, line, { 'font-size': SIZE.title, 'font-weight': 600, fill: INK.title }));
  }
  for (const line of wrap(subtitle ?? '', SIZE.subtitle, room)) {
    y += 20;
    parts.push(label(MARGIN, y, line, { 'font-size': SIZE.subtitle }));
  }
  let x = MARGIN;
  if (legend.length > 0) y += 26;
  for (const { name: full, width: sampleWidth, sample } of legend) {
    const offset = sampleWidth === 0 ? 0 : sampleWidth + GAP;
    const name = truncate(full, SIZE.label, room - offset);
    const entry = offset + textWidth(name, SIZE.label);
    if (x > MARGIN && x + entry > width - MARGIN) {
      x = MARGIN;
      y += 20;
    }
    parts.push(sample(x, y - 4), label(x + offset, y, name, { 'font-size': SIZE.label }));
    x += entry + 20;
  }
  return { svg: parts.join(''), bottom: y };
}

/** How far from the left edge an axis must be for its labels. */
export function labelRoom(ticks: readonly Tick[]): number {
  const widest = Math.max(0, ...ticks.map((tick) => textWidth(tick.label, SIZE.tick)));
  return MARGIN + Math.max(16, widest + TICK_GAP + 1);
}

export interface AxesOptions {
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly xName: string;
  readonly yName: string;
}

/** The names stand at the ends of their axes, both readable without turning one's head. */
export function axes({ left, top, right, bottom }: Area, options: AxesOptions): string {
  const { xTicks, yTicks, x, y, xName, yName } = options;
  const fitted = (name: string) => truncate(name, SIZE.label, 0.95 * (right - MARGIN));
  const tick = { 'font-size': SIZE.tick, fill: INK.faint };
  return [
    ...yTicks.map(({ value }) => segment(left, y(value), right, y(value), { stroke: INK.grid })),
    ...xTicks.map(({ value }) => segment(x(value), top, x(value), bottom, { stroke: INK.grid })),
    segment(left, bottom, right, bottom, { stroke: INK.axis }),
    ...yTicks.map(({ value, label: text }) =>
      label(left - TICK_GAP, y(value) + 4, text, { 'text-anchor': 'end', ...tick }),
    ),
    ...xTicks.map(({ value, label: text }) => label(x(value), bottom + 18, text, { 'text-anchor': 'middle', ...tick })),
    label(MARGIN, top - 14, fitted(`↑ ${yName}`), { 'font-weight': 600 }),
    label(right, bottom + 38, `${fitted(xName)} →`, { 'text-anchor': 'end', 'font-weight': 600 }),
  ].join('');
}

/** A sentence where the data would be. */
export function notice({ left, top, right, bottom }: Area, text: string): string {
  return label((left + right) / 2, top + (bottom - top) / 3, text, { 'text-anchor': 'middle', fill: INK.faint });
}
