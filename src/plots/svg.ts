/** Writes SVG elements as text. */

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element. Its content is markup already; attributes are escaped here, and undefined ones left out. */
export function element(name: string, attributes: Attributes, content?: string | readonly string[]): string {
  let tag = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    tag += ` ${key}="${typeof value === 'number' ? coordinate(value) : escapeXml(value)}"`;
  }
  if (content === undefined) return `${tag}/>`;
  return `${tag}>${typeof content === 'string' ? content : content.join('')}</${name}>`;
}

/** Text at (x, y), where y is the baseline. The PNG rasteriser knows no `dy` and no `dominant-baseline`. */
export function label(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escapeXml(content));
}

export function circle(cx: number, cy: number, r: number, attributes: Attributes): string {
  return element('circle', { cx, cy, r, ...attributes });
}

export function segment(x1: number, y1: number, x2: number, y2: number, attributes: Attributes): string {
  return element('line', { x1, y1, x2, y2, ...attributes });
}

/** A piece of the picture that says something to whoever points at it. */
export function titled(text: string, content: string): string {
  return element('g', {}, [element('title', {}, escapeXml(text)), content]);
}

/** The `d` of a path that visits the points in straight lines. */
export function polyline(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${coordinate(x)},${coordinate(y)}`).join('');
}

export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES.get(character) ?? '\uFFFD');
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  // Line ends to readers of XML 1.1, which make ordinary ones of them.
  ['\u0085', '&#x85;'],
  ['\u2028', '&#x2028;'],
]);
// Besides those, what XML 1.0 has no way to write, not even as character references: most control characters, halves of
// surrogate pairs, and two code points that are not characters.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const SPECIAL = /[&<>"\u0085\u2028\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu;

/** A hundredth of a pixel is more than anybody sees, and keeps files small. */
function coordinate(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}
