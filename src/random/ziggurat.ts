/**
 * Normal random numbers by the ziggurat method (Marsaglia and Tsang, 2000), which takes one comparison for nearly every
 * number.
 */

/** What the sampler needs of a generator. */
interface Source {
  uint32(): number;
  uniform(): number;
}

const LAYERS = 256;
/** Where the tail begins, and the area of each layer, for 256 layers of exp(-x^2/2). */
const TAIL = 3.654152885361009;
const AREA = 0.004928673233974655;

const density = (x: number) => Math.exp(-0.5 * x * x);

/** Layer i is the rectangle of width EDGE[i]; the part below EDGE[i + 1] lies under the curve whatever the height. */
const EDGE = new Float64Array(LAYERS + 1);
const HEIGHT = new Float64Array(LAYERS + 1);
/** EDGE[i + 1] / EDGE[i]: with it, 99 % of the draws need one comparison. */
const SURE = new Float64Array(LAYERS);

// Layer 0 is the bottom strip together with the tail: as wide as a rectangle of its area and height would be.
EDGE[0] = AREA / density(TAIL);
EDGE[1] = TAIL;
for (let i = 1; i < LAYERS - 1; i++) EDGE[i + 1] = Math.sqrt(-2 * Math.log(AREA / EDGE[i] + density(EDGE[i])));
EDGE[LAYERS] = 0;
for (let i = 0; i <= LAYERS; i++) HEIGHT[i] = density(EDGE[i]);
for (let i = 0; i < LAYERS; i++) SURE[i] = EDGE[i + 1] / EDGE[i];

/**
 * A standard normal number by the ziggurat method (Marsaglia and Tsang, Journal of Statistical Software 2000). The
 * layer and the position come from different bits, which avoids the correlation that Doornik (2005) found in the
 * original.
 */
export function normalFrom(source: Source): number {
  while (true) {
    const bits = source.uint32();
    const layer = bits & (LAYERS - 1);
    // 52 bits and a half: symmetric about zero, and never zero.
    const u = ((bits >> 8) * 2 ** 28 + (source.uint32() >>> 4) + 0.5) * 2 ** -51;
    const x = u * EDGE[layer];
    if (Math.abs(u) < SURE[layer]) return x;
    if (layer === 0) return u < 0 ? -tailFrom(source) : tailFrom(source);
    const y = HEIGHT[layer] + source.uniform() * (HEIGHT[layer + 1] - HEIGHT[layer]);
    if (y < density(x)) return x;
  }
}

/** A normal number beyond TAIL (Marsaglia, Technometrics 1964). */
export function tailFrom(source: Source): number {
  while (true) {
    const x = -Math.log(1 - source.uniform()) / TAIL;
    const y = -Math.log(1 - source.uniform());
    if (2 * y > x * x) return TAIL + x;
  }
}
