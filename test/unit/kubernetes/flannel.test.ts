import { describe, expect, test } from 'vitest';
import { FLANNEL_VXLAN, cidr, containerPort, ip, node, pod, twoNodes } from './cluster-fixture.ts';
import { chain, device, devices, fdb, host, neighbours, routes, world } from './host-text.ts';
import { compile } from '../../../src/kubernetes/compile.ts';
import type { FlannelBackend } from '../../../src/kubernetes/model/cluster.ts';

const backend = (name: FlannelBackend) => twoNodes({ cni: { ...FLANNEL_VXLAN, backend: name } });

describe('a node of a flannel vxlan cluster', () => {
  const node1 = host(twoNodes(), 'node/node1');

  test('devices', () => {
    expect(devices(node1)).toEqual([
      'loopback lo 65536 - 127.0.0.1/8',
      'veth eth0 1500 02:42:ac:12:00:02 172.18.0.2/16 @underlay:ul-node1',
      'bridge cni0 1450 0a:58:0a:f4:01:01 10.244.1.1/24',
      'veth vethce2a28d0 1450 d6:ea:ec:b1:cd:91 master cni0 hairpin @pod/default/client:eth0',
      'veth veth85dffee6 1450 d6:66:85:06:88:be master cni0 hairpin @pod/default/web-1:eth0',
      'vxlan flannel.1 1450 be:ef:ac:12:00:02 10.244.1.0/32',
    ]);
    expect(device(node1, 'flannel.1')).toMatchObject({
      vni: 1,
      local: ip('172.18.0.2'),
      port: 8472,
      lower: 'eth0',
      learning: false,
    });
    expect(device(node1, 'veth85dffee6').origin).toEqual({ object: 'Pod default/web-1', by: 'bridge-plugin', role: 'pod-veth' });
  });

  test('routes, neighbours and FDB towards every other node', () => {
    expect(routes(node1)).toEqual([
      'default via 172.18.0.1 dev eth0',
      '10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1',
      '10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink',
      '172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2',
    ]);
    expect(routes(node1, 255)).toEqual([
      'local 10.244.1.0 dev flannel.1 proto kernel scope host src 10.244.1.0',
      'local 10.244.1.1 dev cni0 proto kernel scope host src 10.244.1.1',
      'broadcast 10.244.1.255 dev cni0 proto kernel scope link src 10.244.1.1',
      'local 127.0.0.0/8 dev lo proto kernel scope host src 127.0.0.1',
      'local 127.0.0.1 dev lo proto kernel scope host src 127.0.0.1',
      'broadcast 127.255.255.255 dev lo proto kernel scope link src 127.0.0.1',
      'local 172.18.0.2 dev eth0 proto kernel scope host src 172.18.0.2',
      'broadcast 172.18.255.255 dev eth0 proto kernel scope link src 172.18.0.2',
    ]);
    expect(neighbours(node1)).toEqual(['10.244.2.0 dev flannel.1 lladdr be:ef:ac:12:00:03 permanent']);
    expect(node1.neighbours.get('flannel.1', ip('10.244.2.0'))).toMatchObject({
      mac: 'be:ef:ac:12:00:03',
      origin: { object: 'Node node2', by: 'flannel' },
    });
    expect(fdb(node1)).toEqual(['be:ef:ac:12:00:03 dev flannel.1 dst 172.18.0.3']);
  });

  test('a look-up gives the route that the list has, and none to itself', () => {
    const main = node1.routing.tables.get(254);
    const found = (address: string) =>
      [...(main?.lookup(ip(address)) ?? [])].map(({ dst, nexthops }) => `${dst.length} ${nexthops[0]?.dev}`);
    expect(found('10.244.2.7')).toEqual(['24 flannel.1', '0 eth0']);
    expect(found('10.244.1.7')).toEqual(['24 cni0', '0 eth0']);
    expect(found('10.244.9.7')).toEqual(['0 eth0']);
  });

  test('rules in the order of a fresh node', () => {
    const { iptables } = node1.netfilter;
    const jumps = (table: 'filter' | 'nat', name: string) => chain(iptables, table, name).map((rule) => rule.split(' ').at(-1));
    expect(jumps('filter', 'FORWARD')).toEqual([
      'KUBE-PROXY-FIREWALL',
      'KUBE-FORWARD',
      'KUBE-SERVICES',
      'KUBE-EXTERNAL-SERVICES',
      'FLANNEL-FWD',
    ]);
    expect(jumps('nat', 'POSTROUTING')).toEqual(['KUBE-POSTROUTING', 'FLANNEL-POSTRTG']);
    expect(chain(iptables, 'nat', 'FLANNEL-POSTRTG')).toEqual([
      '-m mark --mark 0x4000/0x4000 -m comment --comment "flanneld masq" -j RETURN',
      '-s 10.244.1.0/24 -d 10.244.0.0/16 -m comment --comment "flanneld masq" -j RETURN',
      '-s 10.244.0.0/16 -d 10.244.1.0/24 -m comment --comment "flanneld masq" -j RETURN',
      '! -s 10.244.0.0/16 -d 10.244.1.0/24 -m comment --comment "flanneld masq" -j RETURN',
      '-s 10.244.0.0/16 ! -d 224.0.0.0/4 -m comment --comment "flanneld masq" -j MASQUERADE --random-fully',
      '! -s 10.244.0.0/16 -d 10.244.0.0/16 -m comment --comment "flanneld masq" -j MASQUERADE --random-fully',
    ]);
    expect(chain(iptables, 'filter', 'FLANNEL-FWD')).toEqual([
      '-s 10.244.0.0/16 -m comment --comment "flanneld forward" -j ACCEPT',
      '-d 10.244.0.0/16 -m comment --comment "flanneld forward" -j ACCEPT',
    ]);
    expect([...(iptables.get('nat')?.chainNames() ?? [])].slice(0, 4)).toEqual([
      'PREROUTING',
      'OUTPUT',
      'POSTROUTING',
      'FLANNEL-POSTRTG',
    ]);
  });

  test('rules are left out as configured', () => {
    const { iptables } = host(
      twoNodes({ cni: { ...FLANNEL_VXLAN, ipMasq: false, iptablesForwardRules: false } }),
      'node/node1',
    ).netfilter;
    expect(iptables.get('nat')?.chain('FLANNEL-POSTRTG')).toBeUndefined();
    expect(iptables.get('filter')?.chain('FLANNEL-FWD')).toBeUndefined();
    expect(chain(iptables, 'nat', 'POSTROUTING')).toHaveLength(1);
  });

  test('without kube-proxy flannel’s rules stand alone', () => {
    const cluster = twoNodes();
    const { iptables, ...rest } = host({ ...cluster, kubeProxy: { ...cluster.kubeProxy, mode: 'none' } }, 'node/node1').netfilter;
    expect([...iptables.keys()]).toEqual(['nat', 'filter']);
    expect([...(iptables.get('nat')?.chainNames() ?? [])]).toEqual(['POSTROUTING', 'FLANNEL-POSTRTG']);
    expect(rest.ip6tables.size).toBe(0);
  });

  test('what the caches know', () => {
    const known = (device: string, address: string) => node1.neighbours.get(device, ip(address))?.mac;
    expect(known('eth0', '172.18.0.3')).toBe('02:42:ac:12:00:03');
    expect(known('eth0', '172.18.0.1')).toBe('02:fe:ac:12:00:01');
    expect(known('eth0', '172.18.0.100')).toBe('02:c1:ac:12:00:64');
    expect(known('eth0', '172.18.0.99')).toBeUndefined();
    expect(known('cni0', '10.244.1.3')).toBe('0a:58:0a:f4:01:03');
    expect(known('cni0', '10.244.2.2')).toBeUndefined();
    const bridge = device(node1, 'cni0');
    const mac = node1.neighbours.get('cni0', ip('10.244.1.3'))?.mac;
    expect(mac && bridge.kind === 'bridge' && bridge.learnt(mac)).toBe('veth85dffee6');
  });

  test('cold caches know what was set, no more', () => {
    const cold = host(world(twoNodes(), { coldNeighbours: true }), 'node/node1');
    const mac = node1.neighbours.get('cni0', ip('10.244.1.3'))?.mac;
    const bridge = device(cold, 'cni0');
    expect(cold.neighbours.get('eth0', ip('172.18.0.3'))).toBeUndefined();
    expect(cold.neighbours.get('flannel.1', ip('10.244.2.0'))?.mac).toBe('be:ef:ac:12:00:03');
    expect(mac && bridge.kind === 'bridge' && bridge.learnt(mac)).toBeUndefined();
  });
});

describe('MTU', () => {
  const mtus = (cni: Partial<typeof FLANNEL_VXLAN>, nodeMtu = 1500) => {
    const cluster = twoNodes({
      cni: { ...FLANNEL_VXLAN, ...cni },
      nodes: [node('node1', '172.18.0.2', '10.244.1.0/24', { mtu: nodeMtu })],
    });
    const node1 = host({ ...cluster, pods: cluster.pods.filter((each) => each.node === 'node1') }, 'node/node1');
    return ['cni0', 'veth85dffee6', 'flannel.1'].map((name) => node1.devices.get(name)?.mtu ?? 0);
  };

  test.each<[string, Partial<typeof FLANNEL_VXLAN>, number, number[]]>([
    ['vxlan takes 50 bytes', {}, 1500, [1450, 1450, 1450]],
    ['of a smaller eth0', {}, 1400, [1350, 1350, 1350]],
    ['podMTU is for pods only', { podMtu: 1400 }, 1500, [1400, 1400, 1450]],
    ['flannel’s own is for both', { mtu: 1300 }, 1500, [1300, 1300, 1300]],
    ['routes take nothing', { backend: 'host-gw' }, 1500, [1500, 1500, 0]],
    ['nor does a cloud', { backend: 'ali-vpc' }, 9000, [9000, 9000, 0]],
  ])('%s', (_, cni, nodeMtu, expected) => {
    expect(mtus(cni, nodeMtu)).toEqual(expected);
  });

  test('a pod’s own', () => {
    const cluster = twoNodes({ pods: [pod('client', 'node1', '10.244.1.2', { mtu: 1300, hairpinMode: false })] });
    expect(device(host(cluster, 'pod/default/client'), 'eth0').mtu).toBe(1300);
    expect(device(host(cluster, 'node/node1'), 'vethce2a28d0')).toMatchObject({ mtu: 1450, hairpin: false });
  });
});

test('the tunnel device bears the VNI; commands may call it flannel.1', () => {
  const commands = [{ text: 'bridge fdb del be:ef:ac:12:00:03 dev flannel.1 dst 172.18.0.3', position: null }];
  const node1 = host(
    twoNodes({
      cni: { ...FLANNEL_VXLAN, vni: 42 },
      nodes: [node('node1', '172.18.0.2', '10.244.1.0/24', { commands }), node('node2', '172.18.0.3', '10.244.2.0/24')],
    }),
    'node/node1',
  );
  expect(device(node1, 'flannel.42')).toMatchObject({ vni: 42 });
  expect(routes(node1)).toContain('10.244.2.0/24 via 10.244.2.0 dev flannel.42 onlink');
  expect(fdb(node1)).toEqual([]);
});

describe('other backends', () => {
  test('host-gw: routes over the link', () => {
    const node1 = host(backend('host-gw'), 'node/node1');
    expect(routes(node1)).toContain('10.244.2.0/24 via 172.18.0.3 dev eth0');
    expect(node1.devices.has('flannel.1')).toBe(false);
    expect(fdb(node1)).toEqual([]);
  });

  test.each<FlannelBackend>(['ali-vpc', 'aws-vpc', 'gce'])('%s: the network has the routes', (name) => {
    expect(routes(host(backend(name), 'node/node1')).filter((route) => route.startsWith('10.244.2'))).toEqual([]);
    expect(routes(host(backend(name), 'underlay'))).toEqual([
      '10.244.1.0/24 via 172.18.0.2 dev br0',
      '10.244.2.0/24 via 172.18.0.3 dev br0',
      '172.18.0.0/16 dev br0 proto kernel scope link src 172.18.0.1',
      '192.0.2.10 dev ext-laptop scope link',
    ]);
  });

  test.each<FlannelBackend>(['udp', 'ipip', 'wireguard'])('%s is said not to be modelled', (name) => {
    const result = compile(backend(name));
    expect(!result.ok && result.problems.map(({ message }) => message)).toEqual([`flannel backend ${name} is not modelled yet`]);
  });
});

describe('a Node’s flannel annotations', () => {
  const annotated = (annotations: Record<string, string>, interfaces: ReturnType<typeof node>['interfaces'] = []) => {
    const flannel = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`flannel.alpha.coreos.com/${key}`, value]),
    );
    return twoNodes({
      underlay: { ...twoNodes().underlay, subnets: [{ name: 'nat', cidr: cidr('10.0.2.0/24'), router: ip('10.0.2.2') }] },
      nodes: [
        node('node1', '172.18.0.2', '10.244.1.0/24'),
        node('node2', '172.18.0.3', '10.244.2.0/24', { annotations: flannel, interfaces }),
      ],
    });
  };

  test('public-ip and backend-data are what the others write down', () => {
    const node1 = host(
      annotated({ 'public-ip': '10.0.2.15', 'backend-data': '{"VNI":1,"VtepMAC":"be:ef:00:00:00:07"}' }),
      'node/node1',
    );
    expect(fdb(node1)).toEqual(['be:ef:00:00:00:07 dev flannel.1 dst 10.0.2.15']);
    expect(neighbours(node1)).toEqual(['10.244.2.0 dev flannel.1 lladdr be:ef:00:00:00:07 permanent']);
  });

  test('the interface with the public address carries the tunnel', () => {
    const eth1 = { name: 'eth1', address: ip('10.0.2.15'), length: 24, subnet: 'nat', mtu: 1400 };
    const node2 = host(annotated({ 'public-ip': '10.0.2.15' }, [eth1]), 'node/node2');
    expect(device(node2, 'flannel.1')).toMatchObject({ lower: 'eth1', local: ip('10.0.2.15'), mtu: 1350 });
    expect(devices(node2)).toContain('veth eth1 1400 02:42:0a:00:02:0f 10.0.2.15/24 @underlay:ul-node2-eth1');
  });

  test('public-ip-overwrite tells the others, and leaves the interface', () => {
    const eth1 = { name: 'eth1', address: ip('10.0.2.15'), length: 24, subnet: 'nat', mtu: 1400 };
    const cluster = annotated({ 'public-ip': '10.0.2.15', 'public-ip-overwrite': '10.0.2.15' }, [eth1]);
    expect(fdb(host(cluster, 'node/node1'))).toEqual(['be:ef:ac:12:00:03 dev flannel.1 dst 10.0.2.15']);
    expect(device(host(cluster, 'node/node2'), 'flannel.1')).toMatchObject({ lower: 'eth0', local: ip('172.18.0.3') });
  });

  test('a node of another backend is passed over', () => {
    const node1 = host(annotated({ 'backend-type': 'host-gw' }), 'node/node1');
    expect(routes(node1).some((route) => route.startsWith('10.244.2.'))).toBe(false);
    expect(fdb(node1)).toEqual([]);
  });
});

test('a pod in the host’s network listens on the node', () => {
  const cluster = twoNodes({ pods: [pod('proxy', 'node1', '172.18.0.2', { hostNetwork: true, ports: [containerPort(9100)] })] });
  expect(host(cluster, 'node/node1').listeners).toMatchObject([
    { protocol: 'tcp', port: 9100, address: null, owner: 'pod/default/proxy' },
  ]);
  expect(world(cluster).host('pod/default/proxy')).toBeUndefined();
  expect([...world(cluster).hostNames()]).toEqual([
    'node/node1',
    'node/node2',
    'external/laptop',
    'external/neighbour',
    'underlay',
  ]);
});
