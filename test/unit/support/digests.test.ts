import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base32Hash } from '../../../src/kubernetes/services/base32-hash.ts';
import { sha1Hex } from '../../../src/support/digest.ts';
import { sha1 } from '../../../src/support/sha1.ts';
import { sha256 } from '../../../src/support/sha256.ts';

const hex = (words: Int32Array): string => [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

describe('digests', () => {
  it('of FIPS 180 are right', () => {
    expect(hex(sha1('abc'))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(hex(sha256('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('are those of node:crypto around every block length', () => {
    for (let length = 0; length < 200; length++) {
      const text = 'x'.repeat(length);
      expect(hex(sha1(text))).toBe(hash('sha1', text));
      expect(hex(sha256(text))).toBe(hash('sha256', text));
    }
  });

  it('are those of node:crypto for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(hex(sha1(text))).toBe(hash('sha1', text));
        expect(hex(sha256(text))).toBe(hash('sha256', text));
      }),
    );
  });

  it('are the same whoever makes them', () => {
    for (let i = 0; i < 300; i++) expect(sha1Hex(`pod ${i}`)).toBe(hash('sha1', `pod ${i}`));
  });

  it('name chains as kube-proxy does', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const bits = [...Buffer.from(hash('sha256', text), 'hex')].map((byte) => byte.toString(2).padStart(8, '0')).join('');
        const base32 = bits.match(/.{5}/g)!.map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)]!);
        expect(base32Hash(text, 16)).toBe(base32.slice(0, 16).join(''));
        expect(base32Hash(text, 8)).toBe(base32.slice(0, 8).join(''));
      }),
    );
  });
});
