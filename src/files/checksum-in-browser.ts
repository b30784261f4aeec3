/**
 * What bundles for browsers have in place of checksum.ts: the field "browser" of package.json says so. A browser's own SHA-256
 * answers later, and only to pages from a secure address.
 */

const WORDS = 64;

/** The first bits of the fractional parts of the roots of the first primes (FIPS 180-4, sections 4.2.2 and 5.3.3). */
function rootsOfPrimes(count: number, root: (prime: number) => number): Uint32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return Uint32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

const CONSTANTS = rootsOfPrimes(WORDS, Math.cbrt);
const START = rootsOfPrimes(8, Math.sqrt);

/** SHA-256 of a file's content, in hexadecimal. */
export function checksum(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const hash = START.slice();
  const schedule = new Uint32Array(WORDS);
  const whole = bytes.length - (bytes.length % 64);
  for (let at = 0; at < whole; at += 64) absorb(bytes, at, hash, schedule);
  // The rest, a bit that is set, zeros, and the length in bits.
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  const length = new DataView(tail.buffer, tail.length - 8);
  length.setUint32(0, Math.floor(bytes.length / 2 ** 29));
  length.setUint32(4, bytes.length << 3);
  for (let at = 0; at < tail.length; at += 64) absorb(tail, at, hash, schedule);
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** One block of 64 bytes (FIPS 180-4, section 6.2.2). */
function absorb(bytes: Uint8Array, at: number, hash: Uint32Array, schedule: Uint32Array): void {
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i;
    schedule[i] = (bytes[from] << 24) | (bytes[from + 1] << 16) | (bytes[from + 2] << 8) | bytes[from + 3];
  }
  for (let i = 16; i < WORDS; i++) {
    const [x, y] = [schedule[i - 15], schedule[i - 2]];
    const low = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const high = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    schedule[i] = schedule[i - 16] + low + schedule[i - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < WORDS; i++) {
    const high = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + high + ((e & f) ^ (~e & g)) + CONSTANTS[i] + schedule[i]) | 0;
    const low = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
