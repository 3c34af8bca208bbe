import { describe, expect, test } from 'vitest';
import { parseSave } from '../../../../../src/kernel/netfilter/iptables/save-format/parse.ts';
import { traverse } from '../../../../../src/kernel/netfilter/iptables/traverse.ts';
import { FakeContext } from '../../../../support/traverse-context.ts';
import type { FakeContextOptions } from '../../../../support/traverse-context.ts';
import type { Chain, Table } from '../../../../../src/kernel/netfilter/iptables/table.ts';

/** The filter table of these lines. */
function table(lines: string): Table {
  return parseSave(`*filter\n${lines}\nCOMMIT`, 'test').tables.get('filter')!;
}

/** Runs FORWARD and gives the verdict and the events as short text: "CHAIN 2 jump +1" (one rule passed over). */
function run(rules: Table, options: FakeContextOptions = {}) {
  const context = new FakeContext(options);
  const verdict = traverse(rules, context);
  const events = context.records.map((record) =>
    record.kind === 'rule'
      ? `${record.chain} ${record.number} ${record.verdict} +${record.passedOver}`
      : `${record.chain} policy ${record.verdict} +${record.passedOver}`,
  );
  return { verdict: verdict.kind, events, context };
}

describe('traverse', () => {
  test('a chain that does not exist accepts and tells nothing', () => {
    expect(run(table(':INPUT ACCEPT'))).toMatchObject({ verdict: 'accept', events: [] });
  });

  test('the policy decides at the end', () => {
    expect(run(table(':FORWARD DROP\n-A FORWARD -p udp -j ACCEPT'))).toMatchObject({
      verdict: 'drop',
      events: ['FORWARD policy drop +1'],
    });
  });

  test('rules passed over are counted since the last one that matched', () => {
    const rules = table(
      ':FORWARD ACCEPT\n-A FORWARD -p udp\n-A FORWARD -p icmp\n-A FORWARD -p tcp\n-A FORWARD -p udp\n-A FORWARD -p tcp -j ACCEPT\n-A FORWARD',
    );
    expect(run(rules)).toMatchObject({ verdict: 'accept', events: ['FORWARD 3 continue +2', 'FORWARD 5 accept +1'] });
  });

  test('a jump comes back at the end of the chain, a RETURN does so before', () => {
    const rules = table(`:FORWARD ACCEPT
:A -
:B -
-A FORWARD -j A
-A FORWARD -j B
-A FORWARD -j DROP
-A A -p udp
-A B -j RETURN
-A B -j ACCEPT`);
    expect(run(rules)).toMatchObject({
      verdict: 'drop',
      events: ['FORWARD 1 jump +0', 'FORWARD 2 jump +0', 'B 1 return +0', 'FORWARD 3 drop +0'],
    });
  });

  test('behind a goto evaluation goes on where the calling chain was called from', () => {
    const rules = table(`:FORWARD ACCEPT
:A -
:B -
-A FORWARD -j A
-A FORWARD -j ACCEPT
-A A -g B
-A A -j DROP
-A B -p udp`);
    expect(run(rules)).toMatchObject({ verdict: 'accept', events: ['FORWARD 1 jump +0', 'A 1 goto +0', 'FORWARD 2 accept +0'] });
  });

  test('a goto out of the base chain ends in its policy', () => {
    const rules = table(':FORWARD DROP\n:A -\n-A FORWARD -g A\n-A FORWARD -j ACCEPT\n-A A -p udp');
    expect(run(rules)).toMatchObject({ verdict: 'drop', events: ['FORWARD 1 goto +0', 'FORWARD policy drop +0'] });
  });

  test('RETURN in the base chain ends in its policy', () => {
    const rules = table(':FORWARD DROP\n-A FORWARD -j RETURN\n-A FORWARD -j ACCEPT');
    expect(run(rules)).toMatchObject({ verdict: 'drop', events: ['FORWARD 1 return +0', 'FORWARD policy drop +1'] });
  });

  test('REJECT tells how', () => {
    const context = new FakeContext();
    expect(traverse(table(':FORWARD ACCEPT\n-A FORWARD -j REJECT'), context)).toEqual({
      kind: 'reject',
      with: 'icmp-port-unreachable',
    });
  });

  test('NAT ends the table with the word of the NAT core', () => {
    const nat = parseSave(
      '*nat\n:PREROUTING ACCEPT\n-A PREROUTING -j DNAT --to-destination 10.0.0.1\n-A PREROUTING\nCOMMIT',
      'x',
    ).tables.get('nat')!;
    const context = new FakeContext({ hook: 'PREROUTING', table: 'nat', nat: 'drop' });
    expect(traverse(nat, context)).toEqual({ kind: 'drop' });
    expect(context.nats).toMatchObject([{ kind: 'dnat' }]);
    expect(context.records).toMatchObject([{ kind: 'rule', number: 1, verdict: 'accept' }]);
  });

  test('a rule that cannot be evaluated is named and passed over', () => {
    const rules = table(`:FORWARD ACCEPT
-A FORWARD -m string --string x --algo bm -j DROP
-A FORWARD -p udp -m string --string x --algo bm -j DROP
-A FORWARD -j NFQUEUE
-A FORWARD -j NOWHERE
-A FORWARD -j ACCEPT`);
    const { events, context } = run(rules);
    expect(events).toEqual(['FORWARD 5 accept +4']);
    expect(context.unknown).toEqual([
      'FORWARD 1: -m string --string x --algo bm -j DROP',
      'FORWARD 3: -j NFQUEUE',
      'FORWARD 4: -j NOWHERE',
    ]);
  });

  test('behind an unknown match nothing is drawn', () => {
    const rules = table(
      ':FORWARD ACCEPT\n-A FORWARD -m string --string x --algo bm -m statistic --mode random --probability 0.5 -j DROP',
    );
    expect(run(rules).context.draws).toEqual([]);
  });

  test('a draw bears the place of its rule', () => {
    const rules = table(':FORWARD ACCEPT\n-A FORWARD\n-A FORWARD -m statistic --mode random --probability 0.33333333349 -j DROP');
    expect(run(rules, { draws: [false] }).context.draws).toEqual([
      { probability: Math.round(0.33333333349 * 2 ** 31) / 2 ** 31, what: 'statistic filter/FORWARD/2' },
    ]);
  });

  test.each([
    ['jumps', ':A -\n-A FORWARD -j A\n-A A -j A'],
    ['gotos', ':A -\n:B -\n-A FORWARD -j A\n-A A -g B\n-A B -g A'],
    ['jumps that branch', ':A -\n-A FORWARD -j A\n-A A -j A\n-A A -j A'],
  ])('a loop of %s comes to an end and is named', (_, lines) => {
    const { verdict, context } = run(table(`:FORWARD ACCEPT\n${lines}\n-A FORWARD -j DROP`));
    expect(verdict).toBe('drop');
    expect(context.unknown.length).toBeGreaterThan(0);
  });

  test('an index gives the events of a scan', () => {
    const plain = table(':FORWARD DROP\n-A FORWARD -p udp\n-A FORWARD -p tcp\n-A FORWARD -p udp\n-A FORWARD -p tcp -j ACCEPT');
    const forward = plain.chain('FORWARD')!;
    const indexed: Chain = { ...forward, candidates: () => [1, 3] };
    const withIndex: Table = { ...plain, chain: (name) => (name === 'FORWARD' ? indexed : plain.chain(name)) };
    expect(run(withIndex).events).toEqual(run(plain).events);
    const none: Table = {
      ...plain,
      chain: (name) => (name === 'FORWARD' ? { ...forward, candidates: () => [] } : plain.chain(name)),
    };
    expect(run(none).events).toEqual(['FORWARD policy drop +4']);
  });

  test('without a listener nothing is told', () => {
    const context = new FakeContext();
    const silent = Object.create(context, { record: { value: null } }) as FakeContext;
    expect(traverse(table(':FORWARD DROP'), silent)).toEqual({ kind: 'drop' });
    expect(context.records).toEqual([]);
  });
});
