import { messageBlocks } from './message-blocks.ts';

const START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

const schedule = new Int32Array(80);
const state = new Int32Array(5);

/** SHA-1 of a text's UTF-8 bytes as five words of 32 bits, which the next call overwrites. */
export function sha1(text: string): Int32Array {
  const { words, blocks } = messageBlocks(text);
  state.set(START);
  for (let block = 0; block < blocks; block++) compress(words, block * 16);
  return state;
}

/** FIPS 180-4, section 6.1.2. */
function compress(words: Int32Array, offset: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) w[t] = words[offset + t]!;
  for (let t = 16; t < 80; t++) {
    const x = w[t - 3]! ^ w[t - 8]! ^ w[t - 14]! ^ w[t - 16]!;
    w[t] = (x << 1) | (x >>> 31);
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  for (let t = 0; t < 80; t++) {
    const mixed =
      t < 20
        ? ((b & c) ^ (~b & d)) + 0x5a827999
        : t < 40
          ? (b ^ c ^ d) + 0x6ed9eba1
          : t < 60
            ? ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc
            : (b ^ c ^ d) + 0xca62c1d6;
    const next = (((a << 5) | (a >>> 27)) + mixed + e + w[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
}
