import { describe, expect, test } from 'vitest';
import { parseCidr } from '../../../../src/net/cidr.ts';
import { ipv4, parseIp } from '../../../../src/net/ip.ts';
import { formatDuration, parseDuration } from '../../../../src/kernel/netfilter/nftables/duration.ts';
import { formatPrefixSet } from '../../../../src/kernel/netfilter/nftables/intervals.ts';
import { findElement } from '../../../../src/kernel/netfilter/nftables/lookup.ts';
import { natActionOf } from '../../../../src/kernel/netfilter/nftables/nat-action.ts';
import { parseElements } from '../../../../src/kernel/netfilter/nftables/parse-elements.ts';
import { parseRule } from '../../../../src/kernel/netfilter/nftables/parse-rule.ts';
import { parseRuleset } from '../../../../src/kernel/netfilter/nftables/parse.ts';
import { fitsPattern } from '../../../../src/kernel/netfilter/nftables/pattern.ts';
import { formatPriority, parsePriority } from '../../../../src/kernel/netfilter/nftables/priority.ts';
import { rejectWith } from '../../../../src/kernel/netfilter/nftables/reject-with.ts';
import { numberDatum } from '../../../../src/kernel/netfilter/nftables/selector.ts';
import type { NftHook } from '../../../../src/kernel/netfilter/nftables/ruleset.ts';
import type { NftDatum } from '../../../../src/kernel/netfilter/nftables/selector.ts';

const address = (text: string): NftDatum => ({ text, number: BigInt(parseIp(text)!) });

describe('priorities as nft 1.0.6 lists them', () => {
  test.each<readonly [NftHook, number, string]>([
    ['prerouting', -110, 'dstnat - 10'],
    ['prerouting', -111, '-111'],
    ['output', -110, '-110'],
    ['output', -90, '-90'],
    ['postrouting', 100, 'srcnat'],
    ['postrouting', 95, 'srcnat - 5'],
    ['input', 100, '100'],
    ['input', 0, 'filter'],
    ['forward', 5, 'filter + 5'],
    ['output', -145, 'mangle + 5'],
    ['prerouting', -290, 'raw + 10'],
    ['prerouting', 50, 'security'],
  ])('%s %i is %s', (hook, priority, text) => {
    expect(formatPriority('ip', { hook, priority })).toBe(text);
    expect(parsePriority('ip', text)).toBe(priority);
  });

  test('a bridge table has other names', () => expect(parsePriority('bridge', 'filter')).toBe(-200));
  test('a word that is no priority', () => expect(parsePriority('ip', 'sometime')).toBeNull());
});

describe('sets of prefixes as nft 1.0.6 lists them', () => {
  test.each([
    ['10.0.0.4/32', '10.0.0.4'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['0.0.0.0/0 10.0.0.0/8', '{ 0.0.0.0/0 }'],
    ['10.0.0.0/8 10.1.0.0/16', '{ 10.0.0.0/8 }'],
    ['10.0.0.4 10.0.0.5', '{ 10.0.0.4/31 }'],
    ['10.0.0.3 10.0.0.4', '{ 10.0.0.3-10.0.0.4 }'],
    ['10.0.9.1 10.0.0.0/24 10.0.1.0/24 10.0.2.0/24', '{ 10.0.0.0-10.0.2.255, 10.0.9.1 }'],
    ['0.0.0.0/1 128.0.0.0/1', '{ 0.0.0.0/0 }'],
    ['fd00::1 fd00::2 fd00::/64 2001:db8::5', '{ 2001:db8::5, fd00::/64 }'],
    ['fd00::1 fd00::2', '{ fd00::1-fd00::2 }'],
  ])('%s is %s', (prefixes, text) => expect(formatPrefixSet(prefixes.split(' ').map((p) => parseCidr(p)!))).toBe(text));

  test('no prefix has no text', () => expect(() => formatPrefixSet([])).toThrow(RangeError));
});

test.each([
  [10_800, '3h'],
  [86_400, '1d'],
  [1, '1s'],
  [90_061, '1d1h1m1s'],
  [90, '1m30s'],
  [0, '0s'],
])('%i seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
  expect(parseDuration(text)).toBe(seconds);
});

test('milliseconds are part of a second', () => expect(parseDuration('59m59s988ms')).toBeCloseTo(3599.988));

describe('statements', () => {
  test.each([
    ['ct state new jump services', 2],
    ['ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports', 2],
    ['ip daddr 10.96.0.20 tcp dport 80 ip saddr != 10.244.0.0/16 jump mark-for-masquerade', 4],
    ['meta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000 masquerade fully-random', 3],
    ['ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random', 3],
    ['meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.0.0.1 . 80, 1 : 10.0.0.2 . 81 }', 2],
    ['meta l4proto tcp dnat ip addr . port to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }', 2],
    ['update @affinity-X { ip saddr timeout 30s }', 1],
    ['counter packets 3 bytes 4 log prefix "a, { b" level debug drop comment "x"', 4],
    ['ct state established,related accept', 2],
    ['reject with icmp admin-prohibited', 1],
    ['snat to 10.0.0.1-10.0.0.5 random,persistent', 1],
    ['tcp dport 80 redirect to :8080', 2],
    ['tcp dport { ssh, 80 } log prefix "x" flags tcp sequence,options counter packets 0 bytes 0 accept', 4],
    ['meta mark and 0x4000 == 0x4000 meta mark set meta mark xor 0x4000 accept', 3],
    ['icmp type { echo-request, echo-reply } icmpv6 type nd-neighbor-solicit reject with icmpx type admin-prohibited', 3],
    ['meta l4proto icmpv6 xt match "comment" counter packets 1 bytes 2 jump X', 4],
  ])('%s', (text, count) => expect(parseRule(text)).toHaveLength(count));

  test.each([
    'limit rate 5/second drop',
    'tcp flags syn / fin,syn,rst,ack drop',
    'queue num 3',
    'meta priority set 1',
    'ip daddr { 10.0.0.1',
    'jump',
    'quota over 5 mbytes drop',
    'tcp dport nobody-knows accept',
    'xt target "MASQUERADE"',
  ])('%s is not modelled', (text) => expect(parseRule(text).at(-1)).toEqual({ kind: 'unknown' }));
});

test('ports and protocols by name are those of packets', () => {
  expect(parseRule('tcp dport { ssh, 1000-2000 }')).toMatchObject([
    { right: { lookup: { elements: [{ key: '22' }, { key: '1000-2000' }] } } },
  ]);
  expect(parseRule('meta l4proto { icmpv6, tcp }')).toMatchObject([
    { right: { lookup: { elements: [{ key: 'ipv6-icmp' }, { key: 'tcp' }] } } },
  ]);
});

describe('patterns', () => {
  test.each([
    [address('10.1.2.3'), '10.0.0.0/8', true],
    [address('11.1.2.3'), '10.0.0.0/8', false],
    [address('fd00::1'), 'fd00::/64', true],
    [address('10.0.0.5'), '10.0.0.1-10.0.0.9', true],
    [numberDatum(85), '80-90', true],
    [numberDatum(80), '80', true],
    [{ text: '0x80000001', number: 0x80000001n }, '0x00000000/1', false],
    [{ text: '0x00004000', number: 0x4000n }, '0x00000000/1', true],
    [{ text: '"cali12"', number: null }, '"cali*"', true],
    [{ text: '"eth0"', number: null }, '"cali*"', false],
    [{ text: 'dnat,confirmed', number: null, flags: ['dnat', 'confirmed'] }, 'dnat', true],
    [{ text: 'echo-request', number: null }, 'echo-reply', false],
    [numberDatum(7), '*', true],
  ] as const)('%o fits %s: %s', (datum, pattern, fits) => expect(fitsPattern(datum, pattern)).toBe(fits));
});

describe('looking a key up', () => {
  const elements = parseElements(
    '10.0.0.1 . tcp . 80 : drop, 10.0.0.0/24 . tcp . 80-90 comment "a, b" : accept, established : goto x',
  );
  const find = (...key: readonly NftDatum[]) => findElement(elements, key)?.data ?? null;
  const tcp: NftDatum = { text: 'tcp', number: 6n };
  test('the exact key wins', () => expect(find(address('10.0.0.1'), tcp, numberDatum(80))).toBe('drop'));
  test('intervals in every part', () => expect(find(address('10.0.0.1'), tcp, numberDatum(81))).toBe('accept'));
  test('nothing fits', () => expect(find(address('10.0.1.1'), tcp, numberDatum(81))).toBeNull());
  test('a field of bits', () => expect(find({ text: 'established', number: null, flags: ['established'] })).toBe('goto x'));
});

describe('NAT', () => {
  const dnat = { kind: 'dnat', to: { kind: 'value', text: '' }, flags: ['random'] } as const;
  const range = (text: string) =>
    natActionOf(
      dnat,
      text.split(' . ').map((part) => ({ text: part, number: null })),
    );
  test.each([
    ['10.0.0.1', { minAddress: ipv4(0x0a000001), maxAddress: ipv4(0x0a000001), minPort: null, maxPort: null }],
    ['10.0.0.1:80', { minAddress: ipv4(0x0a000001), minPort: 80, maxPort: 80 }],
    ['10.0.0.1-10.0.0.5:100-200', { maxAddress: ipv4(0x0a000005), minPort: 100, maxPort: 200, random: true }],
    ['10.0.0.1 . 80', { minAddress: ipv4(0x0a000001), minPort: 80 }],
    ['[fd00::1]:80', { minAddress: parseIp('fd00::1'), minPort: 80 }],
    ['fd00::1 . 80', { minAddress: parseIp('fd00::1'), minPort: 80 }],
  ])('%s', (text, expected) => expect(range(text)).toMatchObject({ kind: 'dnat', range: expected }));
  test('no address', () => expect(range('nowhere')).toBeNull());
});

test.each([
  [null, 4, 'icmp-port-unreachable'],
  [null, 6, 'icmp6-port-unreachable'],
  ['tcp reset', 4, 'tcp-reset'],
  ['icmp admin-prohibited', 4, 'icmp-admin-prohibited'],
  ['icmpx no-route', 6, 'icmp6-no-route'],
] as const)('reject with %s over IPv%i', (words, family, expected) => expect(rejectWith(words, family)).toBe(expected));

describe('what is wrong with a listing', () => {
  test.each([
    ['table ip x {\n\tchain a {\n', 3, 'the text ends inside a block'],
    ['flush ruleset\n', 1, 'expected "table FAMILY NAME {", found "flush ruleset"'],
    ['table ip x {\n\tset s {\n\t}\n}\n', 3, 'set s has no type'],
    ['table ip x {\n\tchain c {\n\t\ttype filter hook input priority soon; policy accept;\n', 3, 'not a base chain'],
  ])('%j', (text, line, message) => {
    const parsed = parseRuleset(text);
    expect(parsed).toMatchObject({ ok: false, line });
    expect(parsed.ok ? '' : parsed.message).toContain(message);
  });
});
