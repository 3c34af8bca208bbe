const MASK = 0xffffffffffffffffn;

/** hsiphash of a 64-bit kernel (lib/siphash.c): SipHash-1-3 of one 32-bit number, cut to 32 bits. */
export function hsiphash(value: number, [key0, key1]: readonly [bigint, bigint]): number {
  let v0 = 0x736f6d6570736575n ^ key0;
  let v1 = 0x646f72616e646f6dn ^ key1;
  let v2 = 0x6c7967656e657261n ^ key0;
  let v3 = 0x7465646279746573n ^ key1;
  const round = (): void => {
    v0 = (v0 + v1) & MASK;
    v1 = rotate(v1, 13n) ^ v0;
    v0 = rotate(v0, 32n);
    v2 = (v2 + v3) & MASK;
    v3 = rotate(v3, 16n) ^ v2;
    v0 = (v0 + v3) & MASK;
    v3 = rotate(v3, 21n) ^ v0;
    v2 = (v2 + v1) & MASK;
    v1 = rotate(v1, 17n) ^ v2;
    v2 = rotate(v2, 32n);
  };
  // Four bytes of data: their number stands in the highest byte.
  const last = (4n << 56n) | BigInt(value >>> 0);
  v3 ^= last;
  round();
  v0 ^= last;
  v2 ^= 0xffn;
  round();
  round();
  round();
  return Number((v0 ^ v1 ^ v2 ^ v3) & 0xffffffffn);
}

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK;
}
