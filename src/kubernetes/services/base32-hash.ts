import { sha256Hex } from '../../support/digest.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Two base32 characters for each 10 bits. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, i) => BASE32[i >> 5]! + BASE32[i & 31]!);

/** The first 8 or 16 characters of base32(sha256(text)), as the names of kube-proxy's chains carry them. */
export function base32Hash(text: string, length: 8 | 16): string {
  const digest = sha256Hex(text);
  const half = quarter(digest, 0) + quarter(digest, 5);
  return length === 8 ? half : half + quarter(digest, 10) + quarter(digest, 15);
}

/** Five hex digits are 20 bits, four base32 characters. */
function quarter(hex: string, start: number): string {
  const bits = Number.parseInt(hex.slice(start, start + 5), 16);
  return PAIRS[bits >> 10]! + PAIRS[bits & 1023]!;
}
