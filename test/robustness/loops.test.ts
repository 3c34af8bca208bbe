import { describe, expect, test } from 'vitest';
import type { Trace } from '../../src/trace/trace.ts';
import { cluster, doing, sound } from './run-cli.ts';

/** Characters: more than any packet's way makes, far less than what takes gigabytes to show. */
const MAX_TEXT = 4_000_000;

const THERE = 'node-1: ip route replace 10.244.1.2/32 via 10.244.1.0 dev flannel.1 onlink';
const BACK = 'node-2: ip route replace 10.244.1.2/32 via 10.244.0.0 dev flannel.1 onlink';
const GATEWAYS = Array.from({ length: 16 }, (_, i) => `nexthop via 10.244.1.0 dev flannel.1 onlink weight ${i + 1}`).join(' ');
const SPRAY = Array.from({ length: 16 }, () => 'nexthop via 10.244.0.0 dev flannel.1 onlink').join(' ');
const UDP = ['--from', 'pod/client', '--to', '10.244.1.2:53', '--proto', 'udp'];

interface Case {
  readonly name: string;
  readonly commands: readonly string[];
  readonly flags?: readonly string[];
  readonly check?: string;
  /** The walk is given up, and says so. */
  readonly endless?: boolean;
}

const CASES: readonly Case[] = [
  { name: 'two nodes that send it to each other', commands: [THERE, BACK] },
  { name: 'the same with the greatest TTL', commands: [THERE, BACK], check: 'ttl: 255,' },
  {
    name: 'the same with fragments',
    commands: [THERE, BACK],
    flags: UDP,
    check: 'ttl: 255, payload: 9000, protocol: udp, dontFragment: false,',
  },
  {
    name: 'a rule that renews the TTL',
    commands: [THERE, BACK, 'node-1: iptables -t mangle -A PREROUTING -j TTL --ttl-set 255'],
    endless: true,
  },
  {
    name: 'rules that raise the TTL on both',
    commands: [
      THERE,
      BACK,
      ...['node-1', 'node-2'].map((node) => `${node}: iptables -t mangle -A PREROUTING -j TTL --ttl-inc 5`),
    ],
    flags: UDP,
    endless: true,
  },
  {
    name: 'tunnels in tunnels',
    commands: ['node-1: iptables -t nat -I OUTPUT -p udp -j DNAT --to-destination 10.244.1.2'],
    endless: true,
  },
  {
    name: 'DNAT back and forth',
    commands: [
      'node-1: iptables -t nat -I PREROUTING -j DNAT --to-destination 10.244.1.2',
      'node-2: iptables -t nat -I PREROUTING -j DNAT --to-destination 10.244.0.2',
    ],
    endless: true,
  },
  { name: 'sixteen next hops', commands: [`node-1: ip route replace 10.244.1.0/24 ${GATEWAYS}`] },
  {
    name: 'sixteen next hops at every turn of a loop',
    commands: [
      `node-1: ip route replace 10.244.1.2/32 ${GATEWAYS}`,
      `node-2: ip route replace 10.244.1.2/32 ${SPRAY}`,
      'node-1: iptables -t mangle -A PREROUTING -j TTL --ttl-set 64',
    ],
    endless: true,
  },
  { name: 'a tunnel whose far end lies behind it', commands: ['node-1: ip route add 192.168.0.12/32 dev flannel.1'] },
  { name: 'a tunnel as a bridge port', commands: ['node-1: ip link set flannel.1 master cni0'] },
  {
    name: 'REDIRECT to the VXLAN port, of what comes',
    commands: ['node-1: iptables -t nat -I PREROUTING -p udp -j REDIRECT --to-ports 8472'],
    flags: UDP,
  },
  {
    name: 'REDIRECT to the VXLAN port, of the tunnel itself',
    commands: ['node-1: iptables -t nat -I OUTPUT -p udp -j REDIRECT --to-ports 8472'],
  },
  {
    name: 'marks that lead to loopback',
    commands: [
      'node-1: ip rule add fwmark 1 lookup 100',
      'node-1: ip route add default dev lo table 100',
      'node-1: iptables -t mangle -A PREROUTING -j MARK --set-mark 1',
      'node-1: iptables -t mangle -A OUTPUT -j MARK --set-mark 1',
    ],
  },
  {
    name: 'DNAT to the node itself',
    commands: [
      'node-1: sysctl -w net.ipv4.conf.all.route_localnet=1',
      'node-1: iptables -t nat -I PREROUTING -j DNAT --to-destination 127.0.0.1',
    ],
  },
];

describe('packets that go round', () => {
  test.each(CASES)('$name', { timeout: 60_000 }, async ({ commands, flags = [], check = '', endless = false }) => {
    const { code, out, err } = await sound(['trace', '-', ...flags, ...doing(commands)], cluster({ check }));
    expect(code, err).not.toBe(2);
    expect(out.length).toBeLessThan(MAX_TEXT);
    expect(out.includes('goes round without end')).toBe(endless);
  });

  test('a loop of the greatest TTL is followed to its end', async () => {
    const { out } = await sound(['trace', '-', ...doing([THERE, BACK]), '-o', 'json'], cluster({ check: 'ttl: 255,' }));
    const [outcome] = (JSON.parse(out) as Trace).outcomes;
    expect(outcome?.cause?.code).toBe('ttl-expired');
  });

  test.each([
    ['in full', ['--detail', 'rules']],
    ['in short', ['--detail', 'summary']],
    ['as a diagram', ['-o', 'mermaid']],
  ])('an endless way is shown %s', { timeout: 60_000 }, async (_, flags) => {
    const commands = [THERE, BACK, 'node-1: iptables -t mangle -A PREROUTING -j TTL --ttl-set 255'];
    const { code, out } = await sound(['trace', '-', ...flags, ...doing(commands)], cluster());
    expect(code).toBe(1);
    expect(out.length).toBeLessThan(MAX_TEXT);
  });
});

describe('more ways than can be walked', () => {
  test.each([
    ['branches', '-m statistic --mode random --probability 0.5 -j ACCEPT', 260],
    ['choices on one way', '-m statistic --mode random --probability 0.5 -j MARK --set-xmark 0x1/0x0', 60],
  ])('%s are sampled', { timeout: 60_000 }, async (_, rule, count) => {
    const commands = Array.from({ length: count }, () => `node-1: iptables -t mangle -A FORWARD ${rule}`);
    const { code, out } = await sound(['trace', '-', ...doing(commands)], cluster());
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}sampled/m);
  });
});
