import { describe, expect, test } from 'vitest';
import { cidr, ip, node, pod, twoNodes } from './cluster-fixture.ts';
import { chain, device, devices, fdb, host, neighbours, routes, world } from './host-text.ts';
import { printIpsetSave } from '../../../src/kernel/ipset/save-format.ts';
import type { Cluster, CniConfig } from '../../../src/kubernetes/model/cluster.ts';

const WEAVE: CniConfig = { plugin: 'weave', mtu: null, hairpinMode: true, npc: true };

function cluster(more: Partial<Cluster> = {}, cni: CniConfig = WEAVE): Cluster {
  return twoNodes({
    cni,
    podCidrs: [cidr('10.32.0.0/12')],
    nodes: [node('node1', '172.18.0.2', '10.32.0.0/13'), node('node2', '172.18.0.3', '10.40.0.0/13')],
    pods: [pod('client', 'node1', '10.32.0.2'), pod('near', 'node1', '10.32.0.3'), pod('web', 'node2', '10.40.0.2')],
    ...more,
  });
}

describe('a node of a Weave Net cluster', () => {
  const all = world(cluster());
  const node1 = host(all, 'node/node1');

  test('devices', () => {
    // MACs of cables that nobody addresses are left out.
    const lines = devices(node1).map((line) => line.replace(/ d6:\S+/, ''));
    expect(lines.slice(2)).toEqual([
      'dummy datapath 1376',
      'bridge weave 1376 82:3e:0a:20:00:01 10.32.0.1/12',
      'veth vethwe-datapath 1376 @node/node1:vethwe-bridge',
      'veth vethwe-bridge 1376 master weave @node/node1:vethwe-datapath',
      'vxlan vxlan-6784 65485',
      'veth vethwepl7b92cc8 1376 master weave hairpin @pod/default/client:eth0',
      'veth vethwepl79bded8 1376 master weave hairpin @pod/default/near:eth0',
    ]);
    expect(device(node1, 'vxlan-6784')).toMatchObject({
      port: 6784,
      local: ip('172.18.0.2'),
      lower: null,
      learning: true,
      df: true,
    });
  });

  test('the datapath hands frames from one of its ports to the other', () => {
    expect(device(node1, 'vethwe-datapath').redirect).toBe('vxlan-6784');
    expect(device(node1, 'vxlan-6784').redirect).toBe('vethwe-datapath');
  });

  test('one route for the whole pod network, no neighbour set, and one entry for all unknown MACs of each other node', () => {
    expect(routes(node1)).toContain('10.32.0.0/12 dev weave proto kernel scope link src 10.32.0.1');
    expect(routes(node1).filter((route) => route.startsWith('10.'))).toHaveLength(1);
    expect(neighbours(node1)).toEqual([]);
    expect(fdb(node1)).toEqual(['00:00:00:00:00:00 dev vxlan-6784 dst 172.18.0.3']);
  });

  test('bridge and tunnel know by now where everybody is', () => {
    const [bridge, tunnel] = [device(node1, 'weave'), device(node1, 'vxlan-6784')];
    if (bridge.kind !== 'bridge' || tunnel.kind !== 'vxlan') throw new Error('other kinds');
    const mac = (name: string) => device(host(all, `pod/default/${name}`), 'eth0').mac!;
    expect([bridge.learnt(mac('near')), bridge.learnt(mac('web'))]).toEqual([
      expect.stringMatching(/^vethwepl/),
      'vethwe-bridge',
    ]);
    expect([tunnel.learnt?.(mac('near')), tunnel.learnt?.(mac('web'))]).toEqual([undefined, ip('172.18.0.3')]);
    expect(node1.neighbours.get('weave', ip('10.40.0.2'))?.mac).toBe(mac('web'));
  });

  test('with cold caches they know nobody', () => {
    const cold = host(world(cluster(), { coldNeighbours: true }), 'node/node1');
    const tunnel = device(cold, 'vxlan-6784');
    expect(tunnel.kind === 'vxlan' && tunnel.learnt?.(device(host(all, 'pod/default/web'), 'eth0').mac!)).toBeUndefined();
  });

  test('a pod has the whole range on its link, and its node’s bridge for all else', () => {
    const client = host(all, 'pod/default/client');
    expect(devices(client)[1]).toBe('veth eth0 1376 82:3e:0a:20:00:02 10.32.0.2/12 @node/node1:vethwepl7b92cc8');
    expect(routes(client)).toEqual([
      'default via 10.32.0.1 dev eth0',
      '10.32.0.0/12 dev eth0 proto kernel scope link src 10.32.0.2',
    ]);
    expect(client.neighbours.get('eth0', ip('10.40.0.2'))?.mac).toBe('82:3e:0a:28:00:02');
  });

  test('the bridge of a later share has its first address, or the first that no pod has', () => {
    expect(devices(host(all, 'node/node2'))[3]).toContain(' 10.40.0.0/12');
    const taken = host(cluster({ pods: [pod('web', 'node2', '10.40.0.0')] }), 'node/node2');
    expect(devices(taken)[3]).toContain(' 10.40.0.1/12');
  });

  test('an MTU and a port without hairpin mode as configured', () => {
    const other = host(cluster({}, { plugin: 'weave', mtu: 8916, hairpinMode: false, npc: true }), 'node/node1');
    expect(devices(other).filter((line) => line.includes(' 8916 '))).toHaveLength(6);
    expect(devices(other).some((line) => line.includes('hairpin'))).toBe(false);
  });

  test('a pod of the host’s network, or outside the range, is not on it', () => {
    const pods = [pod('host', 'node1', '172.18.0.2', { hostNetwork: true }), pod('stray', 'node1', '10.99.0.2')];
    const strays = world(cluster({ pods }));
    expect(devices(host(strays, 'node/node1')).filter((line) => line.includes('vethwepl'))).toEqual([]);
    expect(devices(host(strays, 'pod/default/stray'))).toHaveLength(1);
  });
});

test('a cluster of IPv6 only is refused: Weave Net knows IPv4 only', () => {
  expect(() => world(cluster({ podCidrs: [cidr('fd00:10:244::/56')] }))).toThrow(
    'without a pod range of IPv4 is not modelled yet',
  );
});

describe('rules', () => {
  const { iptables, ip6tables, ipsets } = host(cluster(), 'node/node1').netfilter;

  test('what leaves the range is masqueraded, what comes to the node’s own pods is not', () => {
    expect(chain(iptables, 'nat', 'POSTROUTING').at(-1)).toBe('-j WEAVE');
    expect(chain(iptables, 'nat', 'WEAVE')).toEqual([
      '-m set --match-set weaver-no-masq-local dst -m comment --comment "Prevent SNAT to locally running containers" -j RETURN',
      '-s 10.32.0.0/12 -d 224.0.0.0/4 -j RETURN',
      '! -s 10.32.0.0/12 -d 10.32.0.0/12 -j MASQUERADE',
      '-s 10.32.0.0/12 ! -d 10.32.0.0/12 -j MASQUERADE',
    ]);
  });

  test('its rules are the first of FORWARD', () => {
    expect(chain(iptables, 'filter', 'FORWARD').slice(0, 7)).toEqual([
      `-i weave -m comment --comment "NOTE: this must go before '-j KUBE-FORWARD'" -j WEAVE-NPC-EGRESS`,
      `-o weave -m comment --comment "NOTE: this must go before '-j KUBE-FORWARD'" -j WEAVE-NPC`,
      '-o weave -m state --state NEW -j NFLOG --nflog-group 86',
      '-o weave -j DROP',
      '-i weave ! -o weave -j ACCEPT',
      '-o weave -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
      expect.stringContaining('KUBE-PROXY-FIREWALL'),
    ]);
  });

  test('without the policy controller', () => {
    const { iptables: without } = host(cluster({}, { ...WEAVE, npc: false }), 'node/node1').netfilter;
    expect(chain(without, 'filter', 'FORWARD').slice(0, 4)).toEqual([
      '-i weave -o weave -j ACCEPT',
      '-o weave -j WEAVE-EXPOSE',
      '-i weave ! -o weave -j ACCEPT',
      '-o weave -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
    ]);
    expect(chain(without, 'filter', 'WEAVE-EXPOSE')).toEqual(['-d 10.32.0.0/12 -j ACCEPT']);
    expect([...(without.get('filter')?.chainNames() ?? [])].filter((name) => name.startsWith('WEAVE-NPC'))).toEqual([]);
  });

  test('names of sets are those that real weave-npc makes', () => {
    // golden/iptables-save/10-weave-npc.save
    expect(chain(iptables, 'filter', 'WEAVE-NPC-DEFAULT')[0]).toBe(
      '-m set --match-set weave-;rGqyMIl1HN^cfDki~Z$3]6!N dst -m comment --comment "DefaultAllow ingress isolation for namespace: default" -j ACCEPT',
    );
  });

  test('sets: the node’s share, and all pods of a namespace on whatever node', () => {
    const text = printIpsetSave(ipsets);
    expect(text).toContain('add weaver-no-masq-local 10.32.0.0/13\n');
    expect(text).toContain('add weave-;rGqyMIl1HN^cfDki~Z$3]6!N 10.40.0.2 comment "namespace: default, pod: web"\n');
    const stray = cluster({ pods: [pod('web', 'node1', '10.44.0.7')] });
    expect(printIpsetSave(host(stray, 'node/node1').netfilter.ipsets)).toContain('add weaver-no-masq-local 10.44.0.7\n');
  });

  test('canaries in three tables, nothing for IPv6', () => {
    for (const table of ['mangle', 'nat', 'filter'] as const) expect(iptables.get(table)?.chain('WEAVE-CANARY')).toBeDefined();
    expect(ip6tables.size).toBe(0);
  });
});
