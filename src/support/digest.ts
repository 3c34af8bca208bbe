import { hash } from 'node:crypto';
import { sha1 } from './sha1.ts';

/**
 * Digests after which loading node:crypto has paid: that takes some milliseconds, a good part of a small command's time; after it a
 * digest is made in half the time that this process takes for its own.
 */
const FEW = 200;
let made = 0;

/** SHA-1 of a text's UTF-8 bytes, as 40 hex digits. */
export function sha1Hex(text: string): string {
  return made++ < FEW ? hexOf(sha1(text)) : hash('sha1', text, 'hex');
}

function hexOf(words: Int32Array): string {
  let hex = '';
  for (const word of words) hex += (word >>> 0).toString(16).padStart(8, '0');
  return hex;
}
