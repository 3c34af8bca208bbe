import { describe, expect, test } from 'vitest';
import { cidr, external, ip, node, twoNodes } from './cluster-fixture.ts';
import { device, devices, host, routes, world } from './host-text.ts';
import { portNames } from '../../../src/kubernetes/port-names.ts';
import { compile } from '../../../src/kubernetes/compile.ts';
import type { Frame } from '../../../src/net/packet.ts';
import type { FirewallRule } from '../../../src/kubernetes/model/cluster.ts';

describe('underlay', () => {
  test('switch and router', () => {
    const underlay = host(twoNodes(), 'underlay');
    expect(devices(underlay)).toEqual([
      'loopback lo 65536 - 127.0.0.1/8',
      'bridge br0 1500 02:fe:ac:12:00:01 172.18.0.1/16',
      'veth ul-node1 1500 - master br0 @node/node1:eth0',
      'veth ul-node2 1500 - master br0 @node/node2:eth0',
      'veth ul-neighbour 1500 - master br0 @external/neighbour:eth0',
      'veth ext-laptop 1500 02:fd:c0:00:02:0a 169.254.1.1/32 @external/laptop:eth0',
    ]);
    expect(routes(underlay)).toEqual([
      '172.18.0.0/16 dev br0 proto kernel scope link src 172.18.0.1',
      '192.0.2.10 dev ext-laptop scope link',
    ]);
    expect(underlay.sysctls.get('net.ipv4.ip_forward')).toBe('1');
    expect(underlay.sysctls.get('net.bridge.bridge-nf-call-iptables')).toBe('0');
    expect(underlay.netfilter.iptables.size).toBe(0);
    expect(underlay.neighbours.get('ext-laptop', ip('192.0.2.10'))?.mac).toBe('02:c1:c0:00:02:0a');
    expect(underlay.neighbours.get('br0', ip('172.18.0.3'))?.mac).toBe('02:42:ac:12:00:03');
  });

  test('an external host outside hangs on the router', () => {
    const laptop = host(twoNodes(), 'external/laptop');
    expect(devices(laptop)).toEqual([
      'loopback lo 65536 - 127.0.0.1/8',
      'veth eth0 1500 02:c1:c0:00:02:0a 192.0.2.10/32 @underlay:ext-laptop',
    ]);
    expect(routes(laptop)).toEqual(['default via 169.254.1.1 dev eth0 src 192.0.2.10', '169.254.1.1 dev eth0 scope link']);
    expect(laptop.neighbours.get('eth0', ip('169.254.1.1'))?.mac).toBe('02:fd:c0:00:02:0a');
  });

  test('an external host inside hangs on the switch', () => {
    const neighbour = host(twoNodes(), 'external/neighbour');
    expect(devices(neighbour)[1]).toBe('veth eth0 1500 02:c1:ac:12:00:64 172.18.0.100/16 @underlay:ul-neighbour');
    expect(routes(neighbour)).toEqual([
      'default via 172.18.0.1 dev eth0',
      '172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.100',
    ]);
  });

  test('nodes in two subnets with a router between them', () => {
    const cluster = twoNodes({
      underlay: { ...twoNodes().underlay, subnets: [{ name: 'b', cidr: cidr('10.9.0.0/24'), router: ip('10.9.0.1') }] },
      nodes: [node('node1', '172.18.0.2', '10.244.1.0/24'), node('node2', '10.9.0.3', '10.244.2.0/24')],
    });
    expect(devices(host(cluster, 'underlay'))).toContain('bridge br1 1500 02:fe:0a:09:00:01 10.9.0.1/24');
    expect(routes(host(cluster, 'node/node2'))).toContain('default via 10.9.0.1 dev eth0');
    const hostGateway = { ...cluster, cni: { ...cluster.cni, backend: 'host-gw' } as typeof cluster.cni };
    expect(routes(host(hostGateway, 'node/node1')).some((route) => route.startsWith('10.244.2.'))).toBe(false);
  });

  test('a node on no link is a problem', () => {
    const position = { file: 'a.yaml', line: 3, column: 5 };
    const result = compile(twoNodes({ nodes: [node('node1', '192.168.7.7', '10.244.1.0/24', { position })], pods: [] }));
    expect(!result.ok && result.problems).toEqual([
      { message: 'node node1: 192.168.7.7 is neither in underlay.nodeCIDR 172.18.0.0/16 nor in a subnet', position },
    ]);
  });

  const vagrant = (number: number) =>
    node(`node${number}`, `172.18.0.1${number}`, `10.244.${number}.0/24`, {
      firstInterface: { name: 'eth0', address: ip('10.0.2.15'), length: 24, subnet: null, mtu: 1500 },
      interfaces: [{ name: 'eth1', address: ip(`172.18.0.1${number}`), length: 16, subnet: null, mtu: 1500 }],
    });

  test('an address on another interface than that of the default route', () => {
    const node1 = host(twoNodes({ nodes: [vagrant(1), vagrant(2)], pods: [] }), 'node/node1');
    expect(devices(node1).slice(1, 3)).toEqual([
      'dummy eth0 1500 - 10.0.2.15/24',
      'veth eth1 1500 02:42:ac:12:00:0b 172.18.0.11/16 @underlay:ul-node1-eth1',
    ]);
    expect(routes(node1).filter((route) => !route.includes('flannel') && !route.includes('cni0'))).toEqual([
      'default via 10.0.2.1 dev eth0',
      '10.0.2.0/24 dev eth0 proto kernel scope link src 10.0.2.15',
      '172.18.0.0/16 dev eth1 proto kernel scope link src 172.18.0.11',
    ]);
  });

  test('flanneld takes the interface of the default route, or that of --iface', () => {
    const cluster = twoNodes({ nodes: [vagrant(1), vagrant(2)], pods: [] });
    expect(device(host(cluster, 'node/node1'), 'flannel.1')).toMatchObject({ lower: 'eth0', local: ip('10.0.2.15') });
    for (const wanted of ['eth1', '172.18.0.11', 'eth9 eth1']) {
      const told = { ...cluster, cni: { ...cluster.cni, iface: wanted.split(' ') } as typeof cluster.cni };
      expect(device(host(told, 'node/node1'), 'flannel.1')).toMatchObject({ lower: 'eth1', local: ip('172.18.0.11') });
    }
    const wrong = { ...cluster, cni: { ...cluster.cni, iface: ['eth9'] } as typeof cluster.cni };
    expect(host(wrong, 'node/node1').devices.has('flannel.1')).toBe(false);
  });

  test('more addresses on eth0', () => {
    const extraAddresses = [
      { address: ip('172.18.0.50'), length: 16 },
      { address: ip('10.7.0.1'), length: 24 },
    ];
    const node1 = host(
      twoNodes({ nodes: [node('node1', '172.18.0.2', '10.244.1.0/24', { extraAddresses })], pods: [] }),
      'node/node1',
    );
    expect(devices(node1)[1]).toBe(
      'veth eth0 1500 02:42:ac:12:00:02 172.18.0.2/16 10.7.0.1/24 172.18.0.50/16 secondary @underlay:ul-node1',
    );
  });
});

describe('firewall of the switch', () => {
  const rule = (more: Partial<FirewallRule>): FirewallRule => ({
    protocol: null,
    port: null,
    from: null,
    to: null,
    position: null,
    ...more,
  });
  const frame = (dport: number): Frame => {
    const cluster = host(twoNodes(), 'node/node1');
    const mac = device(cluster, 'eth0').mac;
    if (mac === null) throw new Error('eth0 has a MAC');
    return {
      srcMac: mac,
      dstMac: mac,
      packet: {
        src: ip('172.18.0.2'),
        dst: ip('172.18.0.3'),
        ttl: 64,
        tos: 0,
        df: false,
        length: 100,
        l4: { protocol: 'udp', sport: 50000, dport },
      },
    };
  };

  test.each<[string, FirewallRule, number, boolean]>([
    ['a port', rule({ protocol: 'udp', port: 8472 }), 8472, true],
    ['another port', rule({ protocol: 'udp', port: 8472 }), 53, false],
    ['another protocol', rule({ protocol: 'tcp', port: 8472 }), 8472, false],
    ['everything', rule({}), 1, true],
    ['from a node', rule({ from: 'node/node1' }), 1, true],
    ['from another node', rule({ from: 'node/node2' }), 1, false],
    ['to a node by its bare name', rule({ to: 'node2' }), 1, true],
    ['to an external host', rule({ to: 'external/neighbour' }), 1, false],
    ['from a range', rule({ from: '172.18.0.0/30' }), 1, true],
    ['to another range', rule({ to: '10.0.0.0/8' }), 1, false],
  ])('%s', (_, firewall, dport, dropped) => {
    const bridge = device(host(twoNodes({ underlay: { ...twoNodes().underlay, firewall: [firewall] } }), 'underlay'), 'br0');
    expect(bridge.kind === 'bridge' && bridge.filter?.(frame(dport), 'ul-node1', 'ul-node2')).toBe(dropped);
  });

  test('no rules, no filter', () => {
    expect(device(host(twoNodes(), 'underlay'), 'br0')).not.toHaveProperty('filter');
  });
});

test('port names are cut and stay different', () => {
  const name = portNames();
  const wanted = ['ul-a', 'ul-worker-node-one', 'ul-worker-node-two', 'ul-worker-node-three', 'ul-a'];
  expect(wanted.map(name)).toEqual(['ul-a', 'ul-worker-node-', 'ul-worker-node2', 'ul-worker-node3', 'ul-a2']);
});

test('who may hold an address', () => {
  const cluster = twoNodes({
    externals: [external('laptop', '192.0.2.10', { commands: [{ text: 'ip addr add 1.2.3.4/32 dev lo', position: null }] })],
  });
  const holders = (address: string) => [...world(cluster).holders(ip(address))];
  expect(holders('10.244.1.3')).toEqual(['pod/default/web-1', 'underlay', 'external/laptop']);
  expect(holders('10.244.2.1')).toEqual(['node/node2', 'underlay', 'external/laptop']);
  expect(holders('1.2.3.4')).toEqual(['underlay', 'external/laptop']);
});
