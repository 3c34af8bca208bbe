/**
 * A text as SHA-1 and SHA-256 take it (FIPS 180-4, section 5.1.1): its UTF-8 bytes as big-endian words, one bit, zeroes, and the length
 * in bits, in blocks of sixteen words. The buffer is used again by the next call.
 */
export function messageBlocks(text: string): { readonly words: Int32Array; readonly blocks: number } {
  const length = text.length;
  makeRoom(blocksFor(length));
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return blocksOfBytes(new TextEncoder().encode(text));
    words[i >> 2]! |= code << (24 - ((i & 3) << 3));
  }
  return { words, blocks: finish(length) };
}

let words = new Int32Array(32);

function blocksOfBytes(bytes: Uint8Array): { readonly words: Int32Array; readonly blocks: number } {
  makeRoom(blocksFor(bytes.length));
  bytes.forEach((byte, i) => {
    words[i >> 2]! |= byte << (24 - ((i & 3) << 3));
  });
  return { words, blocks: finish(bytes.length) };
}

/** The bit behind the text and its length; returns the number of blocks. */
function finish(length: number): number {
  const blocks = blocksFor(length);
  words[length >> 2]! |= 0x80 << (24 - ((length & 3) << 3));
  words[blocks * 16 - 2] = Math.floor(length / 2 ** 29);
  words[blocks * 16 - 1] = length << 3;
  return blocks;
}

function blocksFor(length: number): number {
  return ((length + 8) >> 6) + 1;
}

function makeRoom(blocks: number): void {
  if (words.length < blocks * 16) words = new Int32Array(blocks * 32);
  else words.fill(0, 0, blocks * 16);
}
