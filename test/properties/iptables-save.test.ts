import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRuleSpec } from '../../src/kernel/netfilter/iptables/rule-spec.ts';
import { parseSave } from '../../src/kernel/netfilter/iptables/save-format/parse.ts';
import { printSave } from '../../src/kernel/netfilter/iptables/save-format/print.ts';
import { splitRuleWords, quoteValue } from '../../src/kernel/netfilter/iptables/words.ts';
import { traverse } from '../../src/kernel/netfilter/iptables/traverse.ts';
import { FakeContext, packet } from '../support/traverse-context.ts';
import type { Chain, Table } from '../../src/kernel/netfilter/iptables/table.ts';

const octet = fc.integer({ min: 0, max: 255 });
const address = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
const port = fc.integer({ min: 0, max: 65535 });
const bits = fc.integer({ min: 0, max: 0xffffffff }).map((n) => `0x${n.toString(16)}`);
const text = fc.string({ unit: 'grapheme-ascii', maxLength: 30 });
const not = fc.constantFrom('', '! ');
const comment = text.map((value) => `-m comment --comment ${quoteValue(value)}`);

/** One of each kind of match, as iptables-save prints it. */
const match = fc.oneof(
  comment,
  fc.tuple(not, port).map(([no, n]) => `-m tcp ${no}--dport ${n}`),
  fc.tuple(not, bits, bits).map(([no, v, m]) => `-m mark ${no}--mark ${v}${m === '0xffffffff' ? '' : `/${m}`}`),
  fc
    .subarray(['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED'], { minLength: 1 })
    .map((states) => `-m conntrack --ctstate ${states.join(',')}`),
  fc.tuple(not, fc.constantFrom('LOCAL', 'UNICAST')).map(([no, type]) => `-m addrtype ${no}--dst-type ${type}`),
  fc.uniqueArray(port, { minLength: 1, maxLength: 15 }).map((ports) => `-m multiport --dports ${ports.join(',')}`),
  fc.integer({ min: 0, max: 2 ** 31 }).map((n) => `-m statistic --mode random --probability ${(n / 2 ** 31).toFixed(11)}`),
  fc.tuple(address, address).map(([low, high]) => `-m iprange --src-range ${low}-${high}`),
  fc.constantFrom('-m string --string "a b" --algo bm', '-m no-such --opt x'),
);
const target = fc.oneof(
  fc.constantFrom(
    '',
    '-j ACCEPT',
    '-j DROP',
    '-j RETURN',
    '-j user-chain',
    '-g user-chain',
    '-j REJECT --reject-with tcp-reset',
    '-j NFQUEUE --queue-num 1',
  ),
  fc.tuple(bits, bits).map(([value, mask]) => `-j MARK --set-xmark ${value}/${mask}`),
  text.filter((value) => value.length > 0 && value.length < 30).map((value) => `-j LOG --log-prefix ${quoteValue(value)}`),
);
const base = fc
  .tuple(not, fc.integer({ min: 1, max: 30 }), octet)
  .map(([no, length, a]) => `${no}-s ${a >= 128 ? 128 : 0}.0.0.0/${length} -p tcp`);
const body = fc
  .tuple(base, fc.array(match, { maxLength: 3 }), target)
  .map(([b, matches, t]) => [b, ...matches, t].filter(Boolean).join(' '));
const bodies = fc.array(body, { maxLength: 20 });

describe('iptables-save', () => {
  test('parse ∘ print is the identity', () => {
    fc.assert(
      fc.property(bodies, bodies, fc.constantFrom('ACCEPT', 'DROP'), (forward, user, policy) => {
        const lines = ['*filter', `:FORWARD ${policy} [0:0]`, ':user-chain - [0:0]'];
        const rules = [...forward.map((rule) => `-A FORWARD ${rule}`), ...user.map((rule) => `-A user-chain ${rule}`)];
        const { tables, diagnostics } = parseSave([...lines, ...rules, 'COMMIT'].join('\n'), 'x');
        const printed = printSave(tables, 4);
        expect(diagnostics.filter((each) => !each.message.startsWith('the kernel would not load'))).toEqual([]);
        expect(printed.split('\n').filter((line) => line.startsWith('-A'))).toEqual(rules);
        expect(printSave(parseSave(printed, 'x').tables, 4)).toBe(printed);
      }),
      { numRuns: 100 },
    );
  });

  test('a rule read and printed from its parts is the same', () => {
    fc.assert(
      fc.property(body, (rule) => {
        expect(parseRuleSpec(splitRuleWords(rule), 'filter', 4, 'dump').body).toBe(rule);
      }),
      { numRuns: 500 },
    );
  });

  test('any text is read without a fault', () => {
    const words = fc.constantFrom(
      '-A',
      'FORWARD',
      '*filter',
      '-p',
      'tcp',
      '--dport',
      '!',
      '-m',
      'set',
      '-j',
      '"',
      '\\',
      '[0:0]',
      ':X',
      '-',
      '\n',
      '=',
      '-s',
      '1,2',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, text)), (parts) => {
        const { tables } = parseSave(`*filter\n${parts.join(' ')}\n-A FORWARD ${parts.join(' ').replaceAll('\n', ' ')}`, 'x');
        for (const table of tables.values()) {
          for (const name of table.chainNames()) {
            const chain = table.chain(name)!;
            for (let i = 0; i < chain.length; i++) expect(chain.rule(i).body).toBe(chain.body(i));
          }
          traverse(table, new FakeContext());
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('traverse', () => {
  /** The same table, its chains with a sound index: every rule but those that surely don't match this packet's port. */
  function indexed(table: Table): Table {
    const withIndex = (chain: Chain): Chain => ({
      ...chain,
      candidates: (p) =>
        Array.from({ length: chain.length }, (_, i) => i).filter((i) => {
          const only = /(?:^| )-m tcp --dport (\d+)/.exec(chain.body(i));
          return !only || ('dport' in p.l4 && Number(only[1]) === p.l4.dport);
        }),
    });
    return { ...table, chain: (name) => table.chain(name) && withIndex(table.chain(name)!) };
  }

  test('the index of a large chain leaves out only rules that do not match', () => {
    const destination = fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3');
    const rule = fc.oneof(
      fc.tuple(not, destination).map(([no, d]) => `${no}-d ${d}/32 -p tcp`),
      fc.tuple(not, destination).map(([no, d]) => `-s 10.9.0.0/16 ${no}-d ${d}/32 -p tcp`),
      fc
        .tuple(not, fc.constantFrom('tcp', 'udp'), not, fc.constantFrom('80', '81', '80:90'))
        .map(([no, p, no2, port]) => (no ? `! -p ${p}` : `-p ${p} -m comment --comment "a/b" -m ${p} ${no2}--dport ${port}`)),
      fc.constantFrom(
        '-m comment --comment "x -d 10.0.0.1/32 -p udp -m udp --dport 1 "',
        '-p udp -f',
        '-m string --string x --algo bm',
        '',
      ),
      fc.constantFrom(
        '-m comment --comment "\\" -p udp -m udp --dport 9 \\""',
        '-m comment --comment " -p udp -m udp --dport 9 "',
      ),
    );
    fc.assert(
      fc.property(fc.array(rule, { minLength: 64, maxLength: 90 }), destination, fc.constantFrom(80, 81), (rules, dst, dport) => {
        const save = `*filter\n:FORWARD DROP\n${rules.map((each) => `-A FORWARD ${each}`).join('\n')}`;
        const large = parseSave(save, 'x').tables.get('filter')!;
        const scanned: Table = {
          ...large,
          chain: (name) => large.chain(name) && { ...large.chain(name)!, candidates: () => null },
        };
        const [plain, fast] = [scanned, large].map((table) => {
          const context = new FakeContext({
            packet: packet({ src: '10.9.0.1', dst, l4: { protocol: 'tcp', sport: 1, dport, flags: 2 } }),
          });
          const verdict = traverse(table, context);
          return { verdict, unknown: context.unknown, events: context.records.map((record) => ({ ...record, rule: null })) };
        });
        expect(large.chain('FORWARD')!.candidates).toBeDefined();
        expect(fast).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });

  test('an indexed chain gives the verdict and the events of a plain scan', () => {
    const rule = fc.tuple(
      fc.constantFrom('-m tcp --dport 80', '-m tcp --dport 81', '-m mark --mark 0x1', ''),
      fc.constantFrom('', '-j MARK --set-xmark 0x1/0x0', '-j A', '-g B', '-j RETURN', '-j DROP'),
    );
    const chain = fc.array(
      rule.map((parts) => `-p tcp ${parts.filter(Boolean).join(' ')}`.trim()),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(chain, chain, chain, (forward, a, b) => {
        const rules = [
          ...forward.map((r) => `-A FORWARD ${r}`),
          ...a.map((r) => `-A A ${r.replace('-j A', '-j B')}`),
          ...b.map((r) => `-A B ${r.replace(/-[jg] [AB]$/, '')}`),
        ];
        const table = parseSave(`*filter\n:FORWARD DROP\n:A -\n:B -\n${rules.join('\n')}`, 'x').tables.get('filter')!;
        const [plain, fast] = [table, indexed(table)].map((each) => {
          const context = new FakeContext({ packet: packet() });
          const verdict = traverse(each, context);
          return {
            verdict,
            mark: context.mark,
            events: context.records.map((record) => ({ ...record, rule: record.kind === 'rule' ? record.rule.body : '' })),
          };
        });
        expect(fast).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});
