import { describe, expect, test } from 'vitest';
import { chainOf, tableOf } from '../../../../../src/kernel/netfilter/iptables/chain.ts';
import { compileRule } from '../../../../../src/kernel/netfilter/iptables/rule.ts';
import { TARGET_MODULES } from '../../../../../src/kernel/netfilter/iptables/target/index.ts';
import { traverse } from '../../../../../src/kernel/netfilter/iptables/traverse.ts';
import { entry, FakeContext, ip, packet } from '../../../../support/traverse-context.ts';
import type { TargetAction } from '../../../../../src/kernel/netfilter/iptables/target/target.ts';
import type { NatRange } from '../../../../../src/kernel/netfilter/nat/range.ts';

function range(over: Partial<NatRange>): NatRange {
  return {
    minAddress: null,
    maxAddress: null,
    minPort: null,
    maxPort: null,
    random: false,
    randomFully: false,
    persistent: false,
    ...over,
  };
}

// biome-ignore format: a table reads better in rows
const ROWS: readonly (readonly [rule: string, action: TargetAction])[] = [
  ['', { kind: 'none' }],
  ['-j ACCEPT', { kind: 'accept' }],
  ['-j DROP', { kind: 'drop' }],
  ['-j RETURN', { kind: 'return' }],
  ['-j MY-CHAIN', { kind: 'jump', chain: 'MY-CHAIN' }],
  ['-g MY-CHAIN', { kind: 'goto', chain: 'MY-CHAIN' }],
  ['-j REJECT', { kind: 'reject', with: 'icmp-port-unreachable' }],
  ['-j REJECT --reject-with icmp-net-unreachable', { kind: 'reject', with: 'icmp-net-unreachable' }],
  ['-j REJECT --reject-with host-prohib', { kind: 'reject', with: 'icmp-host-prohibited' }],
  ['-p tcp -j REJECT --reject-with tcp-reset', { kind: 'reject', with: 'tcp-reset' }],
  ['-j LOG --log-prefix "a b " --log-level 6 --log-tcp-options --log-uid', { kind: 'log', target: 'LOG', prefix: 'a b ' }],
  ['-j NFLOG --nflog-group 1 --nflog-size 128 --nflog-prefix x --nflog-threshold 2', { kind: 'log', target: 'NFLOG', prefix: 'x' }],
  ['-j ULOG --ulog-nlgroup 1 --ulog-prefix x --ulog-cprange 1 --ulog-qthreshold 2', { kind: 'log', target: 'ULOG', prefix: 'x' }],
  ['-j TRACE', { kind: 'log', target: 'TRACE', prefix: '' }],
  ['-j AUDIT --type accept', { kind: 'log', target: 'AUDIT', prefix: '' }],
  ['-j MARK --set-xmark 0x4000/0x8000', { kind: 'mark', value: 0x4000, mask: 0x8000 }],
  ['-j MARK --set-mark 0x5/0x8', { kind: 'mark', value: 5, mask: 13 }],
  ['-j MARK --and-mark 0x5', { kind: 'mark', value: 0, mask: 0xfffffffa }],
  ['-j MARK --or-mark 0x5', { kind: 'mark', value: 5, mask: 5 }],
  ['-j MARK --xor-mark 0x5', { kind: 'mark', value: 5, mask: 0 }],
  ['-j CONNMARK --set-xmark 0x1/0xff', { kind: 'connmark-set', value: 1, mask: 0xff }],
  ['-j CONNMARK --or-mark 0x1', { kind: 'connmark-set', value: 1, mask: 1 }],
  ['-j CONNMARK --save-mark', { kind: 'connmark-save', nfmask: 0xffffffff, ctmask: 0xffffffff }],
  ['-j CONNMARK --save-mark --mask 0xf', { kind: 'connmark-save', nfmask: 15, ctmask: 15 }],
  ['-j CONNMARK --restore-mark --nfmask 0x1 --ctmask 0x2', { kind: 'connmark-restore', nfmask: 1, ctmask: 2 }],
  ['-j CONNMARK --save-mark --left-shift-mark 3', { kind: 'unknown', name: 'CONNMARK' }],
  ['-j CT --notrack', { kind: 'notrack' }],
  ['-j CT --zone 5 --helper ftp --ctevents new --expevents new --timeout t', { kind: 'no-effect' }],
  ['-j NOTRACK', { kind: 'notrack' }],
  ['-j MASQUERADE --random-fully', { kind: 'masquerade', range: range({ randomFully: true }) }],
  ['-p tcp -j MASQUERADE --to-ports 1024-65535 --random', { kind: 'masquerade', range: range({ minPort: 1024, maxPort: 65535, random: true }) }],
  ['-j SNAT --to-source 192.0.2.9', { kind: 'snat', range: range({ minAddress: ip('192.0.2.9'), maxAddress: ip('192.0.2.9') }) }],
  [
    '-p tcp -j SNAT --to-source 192.0.2.9-192.0.2.12:5000 --persistent',
    { kind: 'snat', range: range({ minAddress: ip('192.0.2.9'), maxAddress: ip('192.0.2.12'), minPort: 5000, maxPort: 5000, persistent: true }) },
  ],
  [
    '-p tcp -j DNAT --to-destination 10.1.0.5:9000-9010',
    { kind: 'dnat', range: range({ minAddress: ip('10.1.0.5'), maxAddress: ip('10.1.0.5'), minPort: 9000, maxPort: 9010 }) },
  ],
  ['-p udp -j DNAT --to-destination :5353', { kind: 'dnat', range: range({ minPort: 5353, maxPort: 5353 }) }],
  ['-p tcp -j DNAT --to-destination 10.1.0.5:80-90/80', { kind: 'unknown', name: 'DNAT' }],
  ['-j DNAT --to-destination 10.1.0.5:80', { kind: 'unknown', name: 'DNAT' }],
  ['-j REDIRECT', { kind: 'redirect', range: range({}) }],
  ['-p tcp -j REDIRECT --to-ports 15001 --random', { kind: 'redirect', range: range({ minPort: 15001, maxPort: 15001, random: true }) }],
  ['-j TTL --ttl-set 65', { kind: 'ttl', op: 'set', value: 65 }],
  ['-j TTL --ttl-dec 1', { kind: 'ttl', op: 'dec', value: 1 }],
  ['-j HL --hl-inc 2', { kind: 'ttl', op: 'inc', value: 2 }],
  ['-j DSCP --set-dscp 0x30', { kind: 'tos', value: 0xc0, mask: 0xfc }],
  ['-j DSCP --set-dscp-class EF', { kind: 'tos', value: 0xb8, mask: 0xfc }],
  ['-j TOS --set-tos 0x10/0x3f', { kind: 'tos', value: 0x10, mask: 0x3f }],
  ['-j TOS --and-tos 0x0f', { kind: 'tos', value: 0, mask: 0xf0 }],
  ['-p tcp -j TCPMSS --clamp-mss-to-pmtu', { kind: 'tcpmss', value: null }],
  ['-p tcp -j TCPMSS --set-mss 1200', { kind: 'tcpmss', value: 1200 }],
  ['-j CLASSIFY --set-class 1:30', { kind: 'no-effect' }],
  ['-j CHECKSUM --checksum-fill', { kind: 'no-effect' }],
  ['-j SET --add-set s src,dst --exist', { kind: 'set-add', set: 's', directions: ['src', 'dst'], exist: true }],
  ['-j SET --del-set s src', { kind: 'set-del', set: 's', directions: ['src'], exist: false }],
  ['-j SET --map-set s src --map-mark', { kind: 'unknown', name: 'SET' }],
  ['-j NFQUEUE --queue-balance 0:3', { kind: 'unknown', name: 'NFQUEUE' }],
  ['-j TPROXY --on-port 1 --on-ip 127.0.0.1', { kind: 'unknown', name: 'TPROXY' }],
];

describe('targets', () => {
  test.each(ROWS)('%s', (rule, action) => {
    expect(compileRule({ body: rule }, 'nat', 4).target.action).toEqual(action);
  });

  test('NETMAP keeps the prefix', () => {
    const { action } = compileRule({ body: '-j NETMAP --to 10.1.0.0/24' }, 'nat', 4).target;
    expect(action).toMatchObject({ kind: 'netmap', to: { address: ip('10.1.0.0'), length: 24 } });
  });

  test('an IPv6 address stands in brackets before a port', () => {
    const { action, text } = compileRule({ body: '-p tcp -j DNAT --to-destination [fd00::1]:80' }, 'nat', 6).target;
    expect(action).toEqual({
      kind: 'dnat',
      range: range({ minAddress: ip('fd00::1'), maxAddress: ip('fd00::1'), minPort: 80, maxPort: 80 }),
    });
    expect(text).toBe('-j DNAT --to-destination [fd00::1]:80');
    expect(compileRule({ body: '-j REJECT' }, 'filter', 6).target.text).toBe('-j REJECT --reject-with icmp6-port-unreachable');
  });

  test('every module stands in a row', () => {
    const tested = new Set(ROWS.flatMap(([rule]) => /-j (\w+)/.exec(rule)?.[1] ?? []));
    expect([...TARGET_MODULES.keys()].filter((name) => !tested.has(name))).toEqual(['NETMAP']);
  });
});

describe('what targets do', () => {
  /** Runs one rule and gives the context it left. */
  function run(body: string, context: FakeContext): FakeContext {
    traverse(tableOf('mangle', [chainOf('mangle', 'FORWARD', 'ACCEPT', [{ body }])]), context);
    return context;
  }

  test.each([
    ['-j MARK --set-xmark 0x4000/0x4000', 0x10, 0x4010],
    ['-j MARK --set-xmark 0x4000/0x0', 0x4010, 0x10],
    ['-j MARK --set-xmark 0x10/0xf0', 0xff, 0x1f],
    ['-j MARK --set-xmark 0x80000000/0xffffffff', 1, 0x80000000],
    ['-j CONNMARK --restore-mark --nfmask 0xf --ctmask 0xff', 0xab, 0x9d],
  ])('%s on mark %i', (body, before, after) => {
    expect(run(body, new FakeContext({ mark: before, conntrack: entry({ mark: 0x3d }) })).mark).toBe(after);
  });

  test.each([
    ['-j CONNMARK --set-xmark 0x1/0xf', 0x3d, 0x31],
    ['-j CONNMARK --save-mark --nfmask 0xf --ctmask 0xff', 0x13d, 0x10b],
  ])('%s on connection mark %i', (body, before, after) => {
    const { conntrack } = run(body, new FakeContext({ mark: 0xab, conntrack: entry({ mark: before }) }));
    expect(conntrack).toMatchObject({ mark: after });
  });

  test('CONNMARK does nothing without an entry', () => {
    const context = run('-j CONNMARK --restore-mark', new FakeContext({ mark: 5, conntrack: { state: 'UNTRACKED' } }));
    expect(context.mark).toBe(5);
  });

  test.each([
    ['-j TTL --ttl-set 5', 5],
    ['-j TTL --ttl-inc 250', 255],
    ['-j TTL --ttl-dec 70', 0],
    ['-j TTL --ttl-dec 1', 63],
  ])('%s', (body, ttl) => {
    expect(run(body, new FakeContext()).packet.ttl).toBe(ttl);
  });

  test('DSCP leaves the ECN bits', () => {
    expect(run('-j DSCP --set-dscp 0x2e', new FakeContext({ packet: packet({ tos: 3 }) })).packet.tos).toBe(0xbb);
  });

  test('NOTRACK and SET go through the context', () => {
    expect(run('-j CT --notrack', new FakeContext()).untracked).toBe(true);
    expect(run('-j SET --add-set s src', new FakeContext()).setChanges).toEqual([{ kind: 'set-add', set: 's' }]);
  });
});
