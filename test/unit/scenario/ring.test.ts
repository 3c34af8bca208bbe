import { describe, expect, test } from 'vitest';
import { formatCidr, parseCidr } from '../../../src/net/cidr.ts';
import { shareRing } from '../../../src/scenario/resolve/ring.ts';
import type { Cidr } from '../../../src/net/cidr.ts';

const cidr = (text: string): Cidr => parseCidr(text)!;

function shares(range: string, peers: readonly string[], given: Readonly<Record<string, string>> = {}): string[] {
  const known = new Map(Object.entries(given).map(([name, text]) => [name, cidr(text)]));
  return [...shareRing(cidr(range), peers, known)].map(([name, share]) => `${name} ${formatCidr(share)}`).sort();
}

describe('shares of the ring', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['the first peer owns all', ['a'], ['a 10.32.0.0/12']],
    ['who joins gets half', ['a', 'b'], ['a 10.32.0.0/13', 'b 10.40.0.0/13']],
    ['of the largest, the first among equals', ['a', 'b', 'c'], ['a 10.32.0.0/14', 'b 10.40.0.0/13', 'c 10.36.0.0/14']],
    ['', ['a', 'b', 'c', 'd'], ['a 10.32.0.0/14', 'b 10.40.0.0/14', 'c 10.36.0.0/14', 'd 10.44.0.0/14']],
  ])('%s', (_, peers, expected) => {
    expect(shares('10.32.0.0/12', peers)).toEqual(expected);
  });

  test('given shares stay, and what nobody owns is given away first', () => {
    expect(shares('10.32.0.0/12', ['a', 'b'], { a: '10.36.0.0/14' })).toEqual(['a 10.36.0.0/14', 'b 10.40.0.0/13']);
  });

  test('a peer that joins later takes from those before, whose lower half stays theirs', () => {
    expect(shares('10.32.0.0/12', ['a', 'b', 'c'], { a: '10.32.0.0/13', b: '10.40.0.0/13' })).toEqual([
      'a 10.32.0.0/14',
      'b 10.40.0.0/13',
      'c 10.36.0.0/14',
    ]);
  });

  test('a share outside the range is none', () => {
    expect(shares('10.32.0.0/12', ['a'], { a: '10.244.0.0/24' })).toEqual(['a 10.32.0.0/12']);
  });

  test('a ring too small for all leaves the last without', () => {
    expect(shares('10.32.0.0/29', ['a', 'b', 'c'])).toEqual(['a 10.32.0.0/30', 'b 10.32.0.4/30']);
  });

  test('parts never overlap, and together they are the range', () => {
    const peers = Array.from({ length: 13 }, (_, i) => `n${i}`);
    const all = [...shareRing(cidr('10.32.0.0/12'), peers, new Map()).values()];
    expect(all).toHaveLength(13);
    expect(all.reduce((sum, { length }) => sum + 2 ** (32 - length), 0)).toBe(2 ** 20);
  });
});
