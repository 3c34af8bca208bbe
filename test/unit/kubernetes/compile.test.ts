import { describe, expect, test } from 'vitest';
import { FLANNEL_VXLAN, cidr, containerPort, node, pod, twoNodes } from './cluster-fixture.ts';
import { chain, devices, host, routes, world } from './host-text.ts';
import { compile, compileNodeIptables } from '../../../src/kubernetes/compile.ts';
import type { Cluster, CniConfig, CommandLine } from '../../../src/kubernetes/model/cluster.ts';

const command = (text: string, line = 1): CommandLine => ({ text, position: { file: 'a.yaml', line, column: 5 } });
const withCni = (cni: CniConfig): Cluster => twoNodes({ cni });

function messages(cluster: Cluster): string[] {
  const result = compile(cluster);
  return result.ok ? [] : result.problems.map(({ message }) => message);
}

describe('sysctls in the order in which they come to be', () => {
  const sysctls = (given: Record<string, string>, more: Parameters<typeof node>[3] = {}) => {
    const nodes = [node('node1', '172.18.0.2', '10.244.1.0/24', { sysctls: given, ...more })];
    return host(twoNodes({ nodes, pods: [] }), 'node/node1').sysctls;
  };

  test.each<[string, Record<string, string>, string, string | undefined]>([
    ['a node forwards', {}, 'net.ipv4.ip_forward', '1'],
    ['given ones win', { 'net.ipv4.ip_forward': '0' }, 'net.ipv4.ip_forward', '0'],
    ['default is taken at birth', { 'net.ipv4.conf.default.rp_filter': '1' }, 'net.ipv4.conf.cni0.rp_filter', '1'],
    ['but lo is older', { 'net.ipv4.conf.default.rp_filter': '1' }, 'net.ipv4.conf.lo.rp_filter', undefined],
    [
      'those of a device come last, wherever they stand',
      { 'net.ipv4.conf.eth0.rp_filter': '2', 'net.ipv4.conf.default.rp_filter': '1' },
      'net.ipv4.conf.eth0.rp_filter',
      '2',
    ],
    ['kube-proxy wins', { 'net.ipv4.conf.all.route_localnet': '0' }, 'net.ipv4.conf.all.route_localnet', '1'],
    ['slashes', { 'net/ipv4/conf/flannel.1/rp_filter': '2' }, 'net.ipv4.conf.flannel.1.rp_filter', '2'],
  ])('%s', (_, given, key, expected) => {
    expect(sysctls(given).get(key)).toBe(expected);
  });

  test('commands win over everything', () => {
    expect(
      sysctls({}, { commands: [command('sysctl -w net.ipv4.conf.all.route_localnet=0')] }).get(
        'net.ipv4.conf.all.route_localnet',
      ),
    ).toBe('0');
  });

  test('with a dump kube-proxy sets nothing', () => {
    const iptablesSave = {
      file: 'node1.rules',
      text: '*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n-A FORWARD -j DROP\nCOMMIT\n',
    };
    const node1 = host(
      twoNodes({ nodes: [node('node1', '172.18.0.2', '10.244.1.0/24', { iptablesSave })], pods: [] }),
      'node/node1',
    );
    expect(node1.sysctls.has('net.ipv4.conf.all.route_localnet')).toBe(false);
    expect(chain(node1.netfilter.iptables, 'filter', 'FORWARD')).toEqual(['-j DROP']);
    expect(node1.netfilter.iptables.get('filter')?.chain('INPUT')?.policy).toBe('DROP');
    expect(node1.netfilter.iptables.get('filter')?.chain('FLANNEL-FWD')).toBeUndefined();
  });
});

describe('commands', () => {
  test('run in order on each kind of host', () => {
    const base = twoNodes();
    const w = world({
      ...base,
      nodes: [
        node('node1', '172.18.0.2', '10.244.1.0/24', {
          commands: [command('ip route del 10.244.2.0/24'), command('iptables -P FORWARD DROP')],
        }),
        ...base.nodes.slice(1),
      ],
      pods: [pod('client', 'node1', '10.244.1.2', { commands: [command('ip route del default')] })],
      underlay: { ...base.underlay, commands: [command('ip route add 203.0.113.7/32 via 172.18.0.2')] },
      externals: base.externals.map((each) => ({ ...each, commands: [command('ip addr add 10.9.9.9/32 dev lo')] })),
    });
    expect(routes(host(w, 'node/node1')).some((route) => route.startsWith('10.244.2'))).toBe(false);
    expect(host(w, 'node/node1').netfilter.iptables.get('filter')?.chain('FORWARD')?.policy).toBe('DROP');
    expect(routes(host(w, 'pod/default/client'))[0]).toBe('10.244.0.0/16 via 10.244.1.1 dev eth0');
    expect(routes(host(w, 'underlay'))).toContain('203.0.113.7 via 172.18.0.2 dev br0');
    expect(devices(host(w, 'external/laptop'))[0]).toBe('loopback lo 65536 - 127.0.0.1/8 10.9.9.9/32');
  });

  test('those of a pod in the host’s network run on the node', () => {
    const proxy = pod('proxy', 'node1', '172.18.0.2', { hostNetwork: true, commands: [command('ip route del default')] });
    expect(routes(host(twoNodes({ pods: [proxy] }), 'node/node1'))[0]).toBe(
      '10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1',
    );
  });

  test('one that Linux refuses is a problem with its place', () => {
    const nodes = [
      node('node1', '172.18.0.2', '10.244.1.0/24', {
        commands: [command('ip route del 9.9.9.0/24', 7), command('tc qdisc add dev eth0 root netem', 8)],
      }),
    ];
    const result = compile(twoNodes({ nodes, pods: [] }));
    expect(!result.ok && result.problems).toEqual([
      {
        message: 'node/node1: ip route del 9.9.9.0/24: RTNETLINK answers: No such process',
        position: { file: 'a.yaml', line: 7, column: 5 },
      },
      {
        message: 'node/node1: tc qdisc add dev eth0 root netem: tc: not a command that k8snet knows',
        position: { file: 'a.yaml', line: 8, column: 5 },
      },
    ]);
  });
});

describe('what is not modelled yet is said', () => {
  test.each<[string, Partial<Cluster>, string]>([
    ['wireguard', { cni: { ...FLANNEL_VXLAN, backend: 'wireguard' } }, 'flannel backend wireguard is not modelled yet'],
  ])('%s', (_, more, message) => {
    expect(messages(twoNodes(more))).toEqual([message]);
  });
});

describe('other CNI modes', () => {
  test('bridge: a bridge a node and nothing between them', () => {
    const cluster = withCni({ plugin: 'bridge', mtu: null, hairpinMode: false, ipMasq: false });
    expect(devices(host(cluster, 'node/node1')).slice(2)).toEqual([
      'bridge cni0 1500 0a:58:0a:f4:01:01 10.244.1.1/24',
      'veth vethce2a28d0 1500 d6:ea:ec:b1:cd:91 master cni0 @pod/default/client:eth0',
      'veth veth85dffee6 1500 d6:66:85:06:88:be master cni0 @pod/default/web-1:eth0',
    ]);
    expect(routes(host(cluster, 'node/node1')).some((route) => route.startsWith('10.244.2'))).toBe(false);
    expect(chain(host(cluster, 'node/node1').netfilter.iptables, 'nat', 'POSTROUTING')).toHaveLength(1);
  });

  test('bridge with ipMasq: a chain a pod', () => {
    const cluster = withCni({ plugin: 'bridge', mtu: null, hairpinMode: false, ipMasq: true });
    const { iptables } = host(cluster, 'node/node1').netfilter;
    const jumps = chain(iptables, 'nat', 'POSTROUTING').slice(1);
    expect(jumps.map((rule) => rule.split(' ')[1])).toEqual(['10.244.1.2/32', '10.244.1.3/32']);
    const rules = chain(iptables, 'nat', jumps[0]?.split(' ').at(-1) ?? '');
    expect(rules.map((rule) => rule.replace(/ -m comment --comment ".*[^\\]"/, ''))).toEqual([
      '-d 10.244.1.0/24 -j ACCEPT',
      '! -d 224.0.0.0/4 -j MASQUERADE',
    ]);
  });

  test('docker: a lone host', () => {
    const base = twoNodes();
    const container = pod('web', 'host1', '172.17.0.2', { ports: [containerPort(80, { hostPort: 8080 })] });
    const cluster: Cluster = {
      ...base,
      cni: { plugin: 'docker', mtu: null, hairpinMode: false },
      kubeProxy: { ...base.kubeProxy, mode: 'none' },
      nodes: [node('host1', '172.18.0.2', '172.17.0.0/16')],
      pods: [container],
    };
    const host1 = host(cluster, 'node/host1');
    expect(devices(host1)[2]).toBe('bridge docker0 1500 02:42:ac:11:00:01 172.17.0.1/16');
    expect(routes(host(cluster, 'pod/default/web'))).toEqual([
      'default via 172.17.0.1 dev eth0',
      '172.17.0.0/16 dev eth0 proto kernel scope link src 172.17.0.2',
    ]);
    expect(chain(host1.netfilter.iptables, 'nat', 'POSTROUTING')).toEqual([
      '-s 172.17.0.0/16 ! -o docker0 -j MASQUERADE',
      '-s 172.17.0.2/32 -d 172.17.0.2/32 -p tcp -m tcp --dport 80 -j MASQUERADE',
    ]);
    expect(chain(host1.netfilter.iptables, 'nat', 'DOCKER')).toEqual([
      '-i docker0 -j RETURN',
      '! -i docker0 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 172.17.0.2:80',
    ]);
  });

  test('docker: two hosts, the router knows both ranges', () => {
    const cluster = twoNodes({
      cni: { plugin: 'docker', mtu: null, hairpinMode: false },
      nodes: [node('a', '172.18.0.2', '172.17.0.0/24'), node('b', '172.18.0.3', '172.17.1.0/24')],
      pods: [],
    });
    expect(routes(host(cluster, 'underlay')).slice(0, 2)).toEqual([
      '172.17.0.0/24 via 172.18.0.2 dev br0',
      '172.17.1.0/24 via 172.18.0.3 dev br0',
    ]);
  });

  test('none: a pod has lo alone', () => {
    expect(devices(host(withCni({ plugin: 'none' }), 'pod/default/client'))).toEqual(['loopback lo 65536 - 127.0.0.1/8']);
  });
});

describe('rules of one component', () => {
  const cluster = twoNodes({ pods: [pod('web-1', 'node1', '10.244.1.3', { ports: [containerPort(80, { hostPort: 8080 })] })] });
  const compiled = (component: Parameters<typeof compileNodeIptables>[2], family: 4 | 6 = 4) =>
    compileNodeIptables(cluster, node('node1', '172.18.0.2', '10.244.1.0/24'), component, family);

  test('kube-proxy', () => {
    expect(chain(compiled('kube-proxy'), 'nat', 'POSTROUTING')).toHaveLength(1);
    expect(chain(compiled('kube-proxy', 6), 'nat', 'POSTROUTING')).toHaveLength(1);
  });

  test('cni', () => {
    expect(chain(compiled('cni'), 'nat', 'POSTROUTING')).toHaveLength(2);
    expect(compiled('cni').get('nat')?.chain('KUBE-SERVICES')).toBeUndefined();
    expect(compiled('cni', 6).size).toBe(0);
  });

  test('all', () => {
    expect(chain(compiled('all'), 'nat', 'POSTROUTING')).toHaveLength(3);
  });
});

test('a large cluster: hosts are made when they are asked for, and look-ups find every node', () => {
  const nodes = Array.from({ length: 3000 }, (_, index) =>
    node(`worker-node-${index}`, `172.18.${16 + (index >> 8)}.${index & 255}`, `10.${100 + (index >> 8)}.${index & 255}.0/24`),
  );
  const pods = nodes.map(({ name }, index) => pod(`p-${index}`, name, `10.${100 + (index >> 8)}.${index & 255}.2`));
  const large = world(twoNodes({ nodes, pods, podCidrs: [cidr('10.0.0.0/8')] }));
  const first = host(large, 'node/worker-node-0');
  expect(host(large, 'node/worker-node-0')).toBe(first);
  const lookup = (index: number) => {
    const [best] = first.routing.tables.get(254)?.lookup(nodes[index]!.podCidrs[0]!.address) ?? [];
    return best?.nexthops[0]?.dev;
  };
  expect(lookup(2999)).toBe('flannel.1');
  expect(lookup(0)).toBe('cni0');
  expect(routes(first)).toHaveLength(2999 + 3);
  expect(first.fdb).toHaveLength(2999);
  expect(host(large, 'underlay').devices.size).toBe(3000 + 4);
});
