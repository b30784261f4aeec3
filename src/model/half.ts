/** Numbers of half precision (IEEE 754 binary16) as their bits; not every platform has arrays of them. */

/** The largest finite one. */
export const LARGEST_HALF = 65504;

/** The bits of the nearest ones, of two that are equally near that with an even last bit. */
export function toHalf(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length);
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bits.length; i++) {
    const sign = (bits[i] >>> 16) & 0x8000;
    const exponent = ((bits[i] >>> 23) & 0xff) - 112;
    const mantissa = bits[i] & 0x7fffff;
    if (exponent === 143) halves[i] = sign | 0x7c00 | (mantissa === 0 ? 0 : 0x200);
    else if (exponent > 30) halves[i] = sign | 0x7c00;
    // A carry out of the mantissa counts the exponent up, which is right, also where that gives infinity.
    else if (exponent > 0) halves[i] = sign | ((exponent << 10) + rounded(mantissa, 13));
    else if (exponent < -10) halves[i] = sign;
    else halves[i] = sign | rounded(mantissa | 0x800000, 14 - exponent);
  }
  return halves;
}

/** An integer divided by 2 to the power of `places`. */
function rounded(integer: number, places: number): number {
  const quotient = integer >>> places;
  const rest = integer & ((1 << places) - 1);
  const half = 1 << (places - 1);
  return quotient + (rest > half || (rest === half && (quotient & 1) === 1) ? 1 : 0);
}

/** Every one of them is a number of single precision too. */
export function fromHalf(halves: Uint16Array): Float32Array {
  const values = new Float32Array(halves.length);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < halves.length; i++) {
    const sign = (halves[i] & 0x8000) << 16;
    const exponent = (halves[i] >>> 10) & 0x1f;
    const mantissa = halves[i] & 0x3ff;
    if (exponent === 0) values[i] = (sign < 0 ? -1 : 1) * mantissa * 2 ** -24;
    else bits[i] = sign | ((exponent === 0x1f ? 0xff : exponent + 112) << 23) | (mantissa << 13);
  }
  return values;
}
