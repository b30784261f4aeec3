/** Scales and ticks of axes. */
import { scaleLinear, scaleLog } from 'd3-scale';
import { textWidth } from './text-width.js';

export type Domain = readonly [low: number, high: number];

export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** The smallest and largest value; undefined if there are none. */
export function extent(values: Iterable<number>): Domain | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : undefined;
}

/**
 * A domain that can be drawn: wider than rounding errors, whatever the values are. Values that are all equal end up in
 * its middle; without values it is 0 to 1.
 */
export function drawable(range: Domain | undefined): Domain {
  if (range === undefined) return [0, 1];
  const [low, high] = range;
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > size * 1e-9 && high - low > 1e-290) return range;
  const room = size > 1e-290 ? size / 10 : 1;
  return [low - room, high + room];
}

export function widen([low, high]: Domain, below: number, above: number): Domain {
  const span = high - low;
  return [low - below * span, high + above * span];
}

/** Maps a domain to pixels. */
export function linear(domain: Domain, range: Domain): (value: number) => number {
  return scaleLinear(domain, range);
}

/** Maps a domain of positive values to pixels, so that equal ratios are equally far apart. */
export function logarithmic(domain: Domain, range: Domain): (value: number) => number {
  return scaleLog(domain, range);
}

/** Maps 0..1 to colours between the given ones. */
export function gradient(colours: readonly string[]): (share: number) => string {
  return scaleLinear(
    colours.map((_, i) => i / (colours.length - 1)),
    colours,
  ).clamp(true);
}

/** About `count` round values within the domain. */
export function ticks(domain: Domain, count: number): Tick[] {
  const scale = scaleLinear().domain(domain);
  const values = scale.ticks(count);
  const size = Math.max(...values.map(Math.abs));
  const step = values.length > 1 ? values[1] - values[0] : size;

  let format: (value: number) => string;
  if (size >= 1e12 || size < 1e-3) {
    const exponential = scale.tickFormat(count, '~e');
    format = (value) => exponential(value).replace('e+', 'e').replace('e-', 'e−');
  } else if (size >= 1e5 && step >= size * 1e-4) {
    format = scale.tickFormat(count, '~s');
  } else {
    format = scale.tickFormat(count);
  }
  return values.map((value) => ({ value, label: value === 0 ? '0' : format(value) }));
}

/** Powers of ten within a domain of positive values; where it holds fewer than two, round values between. */
export function logTicks(domain: Domain): Tick[] {
  const [low, high] = domain.map(Math.log10);
  const powers = ticks([Math.ceil(low), Math.floor(high)], 5).map(({ value }) => value);
  const whole = powers.filter((power) => Number.isInteger(power) && power >= low && power <= high);
  const values = whole.length > 1 ? whole.map((power) => 10 ** power) : scaleLog().domain(domain).ticks(4);
  return values.map((value) => ({ value, label: formatNumber(value) }));
}

/** Leading digits, the rounder ones first. */
const ROUND_DIGITS = '152346789';

/** Those of some ticks that are at least a gap apart; of two that are nearer, the rounder stays. */
export function ticksApart(all: readonly Tick[], place: (value: number) => number, gap: number): Tick[] {
  const roundness = ({ value }: Tick) => ROUND_DIGITS.indexOf(value.toExponential().replace('-', '')[0]);
  const kept: Tick[] = [];
  for (const tick of [...all].sort((a, b) => roundness(a) - roundness(b))) {
    if (kept.every(({ value }) => Math.abs(place(value) - place(tick.value)) >= gap)) kept.push(tick);
  }
  return kept.sort((a, b) => a.value - b.value);
}

/** As many ticks as find room side by side on an axis of the given length. */
export function ticksAcross(domain: Domain, length: number, size: number): Tick[] {
  for (let count = 6; count > 1; count--) {
    const fitting = ticks(domain, count);
    const widest = Math.max(...fitting.map(({ label }) => textWidth(label, size)));
    if (fitting.length * (widest + 1.5 * size) <= length) return fitting;
  }
  return ticks(domain, 1);
}

/**
 * A number as people write it: 12,302 or 5.37M or 0.042 or 2e−7.
 * @param resolution the difference that should still show; by default a thousandth of the value
 */
export function formatNumber(value: number, resolution = Math.abs(value) / 1000): string {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size === 0) return '0';
  if (size >= 1e12 || (size < 1e-3 && resolution < 1e-6)) {
    return sign + Number(size.toPrecision(3)).toExponential().replace('e+', 'e').replace('e-', 'e−');
  }
  const [unit, suffix] = size >= 1e9 ? [1e9, 'G'] : size >= 1e6 ? [1e6, 'M'] : size >= 1e5 ? [1e3, 'k'] : [1, ''];
  const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(resolution / unit) + 1e-9)), 20);
  const digits = (size / unit).toLocaleString('en-US', { maximumFractionDigits: decimals });
  return digits === '0' ? digits : sign + digits + suffix;
}
