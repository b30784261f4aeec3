/**
 * Random numbers: a seeded generator with independent streams, whose state can be saved. All randomness of the project
 * comes from it.
 */
import { normalFrom } from './ziggurat.js';

/** Everything a generator needs to go on where it stopped; plain JSON. */
export interface RandomState {
  readonly algorithm: 'xoshiro128++';
  /** The four state words, each an integer in 0..2^32-1, not all zero. */
  readonly words: readonly [number, number, number, number];
}

export type Shuffleable = unknown[] | Int8Array | Uint8Array | Int16Array | Uint16Array | IndexArray | FloatArray;
export type IndexArray = Int32Array | Uint32Array;
export type FloatArray = Float32Array | Float64Array;

/**
 * xoshiro128++ 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom
 * number generators", ACM TOMS 2021), period 2^128 - 1, filled from the seed by SplitMix64 (Steele, Lea and Flood,
 * OOPSLA 2014) as its authors advise. Integers and uniforms are the same on every machine; normals use `Math.log` and
 * `Math.exp`, whose last bit may differ between JavaScript engines.
 *
 * No method keeps anything besides the four words (there is no spare normal), so `state` is always the whole story.
 */
export class Random {
  // Int32Array and not four fields: a field that holds more than 31 bits is boxed by engines with compressed pointers.
  readonly #words = new Int32Array(4);

  /** @param seed an integer from 0 to 2^53 - 1 */
  constructor(seed: number) {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new RangeError(`seed is ${seed}, but must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}.`);
    }
    let counter = BigInt(seed);
    for (let i = 0; i < 4; i += 2) {
      counter = BigInt.asUintN(64, counter + 0x9e3779b97f4a7c15n);
      const z = splitMix64(counter);
      this.#words[i] = Number(BigInt.asIntN(32, z));
      this.#words[i + 1] = Number(BigInt.asIntN(32, z >> 32n));
    }
    // Never all zero: the two outputs come from different counters through a bijection, so at most one of them is zero.
  }

  /** A generator in a saved state. */
  static fromState(state: RandomState): Random {
    const random = new Random(0);
    random.#words.set(checkedWords(state));
    return random;
  }

  /** A snapshot; later draws do not change it. */
  get state(): RandomState {
    const [a, b, c, d] = this.#words;
    return { algorithm: 'xoshiro128++', words: [a >>> 0, b >>> 0, c >>> 0, d >>> 0] };
  }

  /** Goes on from a snapshot. */
  set state(state: RandomState) {
    this.#words.set(checkedWords(state));
  }

  /** An independent copy in the same state. */
  clone(): Random {
    const random = new Random(0);
    random.#words.set(this.#words);
    return random;
  }

  /** An integer from 0 to 2^32 - 1. */
  uint32(): number {
    const s = this.#words;
    const a = s[0];
    const b = s[1];
    const c = s[2] ^ a;
    const d = s[3] ^ b;
    const sum = (a + s[3]) | 0;
    s[0] = a ^ d;
    s[1] = b ^ c;
    s[2] = c ^ (b << 9);
    s[3] = (d << 11) | (d >>> 21);
    return (((sum << 7) | (sum >>> 25)) + a) >>> 0;
  }

  /** A number in [0, 1), a multiple of 2^-53. */
  uniform(): number {
    return this.#uint53() * 2 ** -53;
  }

  /** An integer from 0 to n - 1, each equally likely. */
  integer(n: number): number {
    if (!Number.isSafeInteger(n) || n < 1) {
      throw new RangeError(`n is ${n}, but must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}.`);
    }
    if (n <= 2 ** 21) {
      // Lemire's multiplication method (ACM TOMACS 2019); the product has at most 53 bits, so a double holds it
      // exactly.
      let product = this.uint32() * n;
      if (product >>> 0 < n) {
        const rejected = 2 ** 32 % n;
        while (product >>> 0 < rejected) product = this.uint32() * n;
      }
      return Math.floor(product * 2 ** -32);
    }
    const limit = 2 ** 53 - (2 ** 53 % n);
    let x = this.#uint53();
    while (x >= limit) x = this.#uint53();
    return x % n;
  }

  /** A draw from the standard normal distribution. */
  normal(): number {
    return normalFrom(this);
  }

  /**
   * Fills `out` with uniform numbers in [low, high) and returns it. A Float32Array takes 24 random bits per number, so
   * that [0, 1) stays half open; with other bounds, rounding to the element type can reach `high`.
   */
  fillUniform<A extends FloatArray>(out: A, low = 0, high = 1): A {
    checkFinite('low', low);
    checkFinite('high', high);
    if (high < low) throw new RangeError(`high is ${high}, but must be at least low, which is ${low}.`);
    const width = high - low;
    if (out instanceof Float32Array) {
      const scale = width * 2 ** -24;
      for (let i = 0; i < out.length; i++) out[i] = low + (this.uint32() >>> 8) * scale;
    } else {
      for (let i = 0; i < out.length; i++) out[i] = low + this.uniform() * width;
    }
    return out;
  }

  /** Fills `out` with normal numbers and returns it. */
  fillNormal<A extends FloatArray>(out: A, mean = 0, std = 1): A {
    checkFinite('mean', mean);
    checkFinite('std', std);
    if (std < 0) throw new RangeError(`std is ${std}, but must be at least 0.`);
    for (let i = 0; i < out.length; i++) out[i] = mean + std * normalFrom(this);
    return out;
  }

  /** Puts the elements of `array` in a random order, each order equally likely, and returns it. */
  shuffle<A extends Shuffleable>(array: A): A {
    for (let i = array.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const kept = array[i];
      array[i] = array[j];
      array[j] = kept;
    }
    return array;
  }

  /** Goes forward by 2^64 draws of `uint32` at once. */
  jump(): this {
    return this.#advance(JUMP);
  }

  /** Goes forward by 2^96 draws of `uint32` at once. */
  longJump(): this {
    return this.#advance(LONG_JUMP);
  }

  /**
   * Generators 2^96 draws apart: the first is that far ahead of this one, the second twice as far, and so on. This one
   * does not move, so a second call gives the same streams again, and the streams of a stream are its later siblings:
   * split once at the top, and split a stream further with `substreams`.
   */
  streams(count: number): Random[] {
    return this.#split(count, LONG_JUMP);
  }

  /**
   * Generators 2^64 draws apart, as `streams` but finer: 2^32 of them fit between this generator and its first stream.
   */
  substreams(count: number): Random[] {
    return this.#split(count, JUMP);
  }

  #uint53(): number {
    const high = this.uint32() >>> 5;
    return high * 2 ** 26 + (this.uint32() >>> 6);
  }

  #split(count: number, polynomial: readonly number[]): Random[] {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new RangeError(`count is ${count}, but must be an integer of at least 0.`);
    }
    const stream = this.clone();
    return Array.from({ length: count }, () => stream.#advance(polynomial).clone());
  }

  /** The state update is linear over GF(2), so a power of it is a polynomial in it: add up the states it selects. */
  #advance(polynomial: readonly number[]): this {
    const sum = new Int32Array(4);
    for (const coefficients of polynomial) {
      for (let bit = 0; bit < 32; bit++) {
        if ((coefficients >>> bit) & 1) for (let i = 0; i < 4; i++) sum[i] ^= this.#words[i];
        this.uint32();
      }
    }
    this.#words.set(sum);
    return this;
  }
}

/** x^(2^64) and x^(2^96) modulo the characteristic polynomial of the state update, lowest power first. */
const JUMP = [0x8764000b, 0xf542d2d3, 0x6fa035c3, 0x77f2db5b];
const LONG_JUMP = [0xb523952e, 0x0b6f099f, 0xccf5a0ef, 0x1c580662];

/** The output function of SplitMix64. */
function splitMix64(counter: bigint): bigint {
  let z = counter;
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** States are read from files, so nothing is believed about their type. */
function checkedWords(state: unknown): RandomState['words'] {
  if (typeof state !== 'object' || state === null) {
    throw new RangeError(`state is ${describe(state)}, but must be an object with the fields algorithm and words.`);
  }
  const { algorithm, words } = state as Record<string, unknown>;
  if (algorithm !== 'xoshiro128++') {
    throw new RangeError(`state.algorithm is ${describe(algorithm)}, but must be "xoshiro128++".`);
  }
  const isWord = (word: unknown) => Number.isInteger(word) && (word as number) >= 0 && (word as number) < 2 ** 32;
  if (!Array.isArray(words) || words.length !== 4 || !words.every(isWord) || words.every((word) => word === 0)) {
    const allowed = 'four integers from 0 to 4294967295 that are not all zero';
    throw new RangeError(`state.words is ${describe(words)}, but must be ${allowed}.`);
  }
  return words as unknown as RandomState['words'];
}

function describe(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}

function checkFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${name} is ${value}, but must be a finite number.`);
}
