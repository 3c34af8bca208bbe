import { sha256 } from '../../support/sha256.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Two base32 characters for each 10 bits. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, i) => BASE32[i >> 5]! + BASE32[i & 31]!);

/**
 * The first 8 or 16 characters of base32(sha256(text)), as the names of kube-proxy's chains carry them. With digits taken from the
 * digest's words, this process's own SHA-256 is quicker than node:crypto, which has to make a text of each digest.
 */
export function base32Hash(text: string, length: 8 | 16): string {
  const words = sha256(text);
  const a = words[0]!;
  const b = words[1]!;
  const half = pair(a >> 22) + pair(a >> 12) + pair(a >> 2) + pair((a << 8) | (b >>> 24));
  if (length === 8) return half;
  const c = words[2]!;
  return half + pair(b >> 14) + pair(b >> 4) + pair((b << 6) | (c >>> 26)) + pair(c >> 16);
}

/** The two characters of the last ten bits. */
function pair(bits: number): string {
  return PAIRS[bits & 1023]!;
}
