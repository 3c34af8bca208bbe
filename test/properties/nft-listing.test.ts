import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRuleset } from '../../src/kernel/netfilter/nftables/parse.ts';
import { printRuleset } from '../../src/kernel/netfilter/nftables/print.ts';
import { nftTable } from '../../src/kernel/netfilter/nftables/ruleset.ts';
import type { NftBaseChain, NftChain, NftElement, NftSet, NftTable } from '../../src/kernel/netfilter/nftables/ruleset.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9_./-]{0,12}$/);
const comment = fc.option(fc.stringMatching(/^[a-zA-Z0-9 ,:{}@/.-]{1,20}$/));
const octet = fc.integer({ min: 0, max: 255 });
const address = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
const port = fc.integer({ min: 0, max: 65535 }).map(String);

const element = (isMap: boolean): fc.Arbitrary<NftElement> =>
  fc.record({
    key: fc.oneof(
      address,
      fc.tuple(address, port).map(([a, p]) => `${a} . tcp . ${p}`),
      fc.tuple(port, port).map((p) => p.join('-')),
    ),
    data: isMap
      ? fc.oneof(
          fc.constant('drop'),
          name.map((n) => `goto ${n}`),
        )
      : fc.constant(null),
    comment,
    options: fc.constantFrom([], ['timeout 1h expires 59m'], ['counter packets 0 bytes 0']),
  });

const set: fc.Arbitrary<NftSet> = fc.constantFrom('set' as const, 'map' as const).chain((kind) =>
  fc
    .record({
      kind: fc.constant(kind),
      name,
      type: fc.constantFrom(
        'type ipv4_addr',
        'type inet_service',
        'type ipv4_addr . inet_proto . inet_service',
        'typeof ip saddr',
      ),
      options: fc.constantFrom([], ['flags interval'], ['size 65535', 'flags dynamic,timeout', 'timeout 3h']),
      comment,
      elements: fc.array(element(kind === 'map'), { maxLength: 12 }),
    })
    .map(({ elements, type, ...rest }) => ({
      ...rest,
      type: kind === 'map' ? `${type} : verdict` : type,
      elements: () => elements,
    })),
);

const base: fc.Arbitrary<NftBaseChain> = fc.record({
  type: fc.constantFrom('filter' as const, 'nat' as const, 'route' as const),
  hook: fc.constantFrom('prerouting' as const, 'input' as const, 'forward' as const, 'output' as const, 'postrouting' as const),
  device: fc.constant(null),
  priority: fc.integer({ min: -400, max: 400 }),
  policy: fc.constantFrom('accept' as const, 'drop' as const),
});

const rule = fc
  .constantFrom(
    'ct state new jump a',
    'ip saddr { 10.0.0.1, 10.0.0.2 } drop',
    'meta l4proto tcp dnat to 10.0.0.1:80',
    'strange words { of } its own',
  )
  .map((text) => ({ text }));
const chain: fc.Arbitrary<NftChain> = fc.record({
  name,
  base: fc.option(base),
  comment,
  rules: fc.array(rule, { maxLength: 5 }),
});

const table: fc.Arbitrary<NftTable> = fc
  .record({
    family: fc.constantFrom('ip' as const, 'ip6' as const, 'inet' as const),
    name,
    comment,
    sets: fc.uniqueArray(set, { maxLength: 4, selector: (s) => s.name }),
    chains: fc.uniqueArray(chain, { maxLength: 4, selector: (c) => c.name }),
  })
  .map(({ sets, chains, ...head }) => nftTable(head, sets, chains));

describe('a ruleset and its listing', () => {
  test('reading a listing and printing it gives the same text', () => {
    fc.assert(
      fc.property(fc.array(table, { maxLength: 3 }), (tables) => {
        const text = printRuleset(tables);
        const parsed = parseRuleset(text);
        expect(parsed).toMatchObject({ ok: true });
        if (parsed.ok) expect(printRuleset(parsed.ruleset)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test('no text makes the parser throw', () => {
    const word = fc.constantFrom(
      'table ip x {',
      'chain c {',
      'set s {',
      'type ipv4_addr',
      'elements = {',
      '}',
      'comment "x"',
      'a, b : c',
      '',
    );
    fc.assert(
      fc.property(fc.array(word), (lines) => void parseRuleset(lines.join('\n'))),
      { numRuns: 300 },
    );
  });
});
