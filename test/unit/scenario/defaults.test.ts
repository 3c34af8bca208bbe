import { describe, expect, test } from 'vitest';
import { formatCidr } from '../../../src/net/cidr.ts';
import { formatIp } from '../../../src/net/ip.ts';
import type { IpAddress } from '../../../src/net/ip.ts';
import type { Cluster } from '../../../src/kubernetes/model/cluster.ts';
import { scenarioOf } from './load-text.ts';

function clusterOf(texts: string | readonly string[]): Cluster {
  return scenarioOf(texts).cluster;
}

const podIps = (cluster: Cluster): readonly string[] =>
  cluster.pods.map((p) => `${p.name} ${p.node} ${p.addresses.map(formatIp).join(',')}`);
const nodeCidrs = (cluster: Cluster): readonly string[] => cluster.nodes.map((n) => n.podCidrs.map(formatCidr).join(','));
const clusterIps = (cluster: Cluster): readonly string[] => cluster.services.map((s) => s.clusterIps.map(formatIp).join(','));

const NODES = 'nodes: [{ name: n1, ip: 192.168.0.11 }, { name: n2, ip: 192.168.0.12 }]\n';
const service = (name: string, more = ''): string =>
  `- { name: ${name}, ports: [{ port: 80 }]${more === '' ? '' : `, ${more}`} }\n`;

describe('cluster', () => {
  test('nothing said', () => {
    const cluster = clusterOf(NODES);
    expect(cluster.podCidrs.map(formatCidr)).toEqual(['10.244.0.0/16']);
    expect(cluster.serviceCidrs.map(formatCidr)).toEqual(['10.96.0.0/12']);
    expect(cluster.dnsDomain).toBe('cluster.local');
    expect(cluster.cni).toEqual({
      plugin: 'flannel',
      backend: 'vxlan',
      vni: 1,
      port: 8472,
      mtu: null,
      podMtu: null,
      ipMasq: true,
      iptablesForwardRules: true,
      hairpinMode: true,
    });
    expect(scenarioOf(NODES).assumptions).toEqual(['No CNI is given: flannel with VXLAN is assumed (cni: flannel-vxlan)']);
    expect(scenarioOf('cni: flannel-host-gw').assumptions).toEqual([]);
  });

  test.each([
    ["'1.30'", 1, 30],
    ['1.30', 1, 30],
    ['v1.31.4', 1, 31],
    ['1.29.1+k3s1', 1, 29],
  ])('kubernetesVersion: %s', (text, major, minor) => {
    expect(clusterOf(`cluster: { kubernetesVersion: ${text} }`).kubernetesVersion).toEqual({ major, minor });
  });

  test('the version of a dump is that of its kubelets', () => {
    const node =
      'apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {nodeInfo: {kubeletVersion: v1.28.3}, addresses: [{type: InternalIP, address: 10.0.0.1}]}';
    expect(clusterOf(node).kubernetesVersion.minor).toBe(28);
  });

  test.each([
    ['the default holds them', ['10.244.3.0/24', '10.244.1.0/24'], '10.244.0.0/16'],
    ["k3s's", ['10.42.0.0/24', '10.42.1.0/24'], '10.42.0.0/16'],
    ['wider than a /16', ['10.128.0.0/14', '10.132.0.0/14'], '10.128.0.0/13'],
  ])('pod range of a dump: %s', (_, cidrs, expected) => {
    const nodes = cidrs.map((cidr, i) => `{ name: n${i}, ip: 192.168.0.${i + 2}, podCIDR: ${cidr} }`);
    expect(clusterOf(`nodes: [${nodes.join(', ')}]`).podCidrs.map(formatCidr)).toEqual([expected]);
  });
});

describe('pod ranges and addresses', () => {
  test('/24s in order, skipping taken ones', () => {
    expect(
      nodeCidrs(
        clusterOf('nodes: [{name: a, ip: 10.0.0.2}, {name: b, ip: 10.0.0.3, podCIDR: 10.244.0.0/24}, {name: c, ip: 10.0.0.4}]'),
      ),
    ).toEqual(['10.244.1.0/24', '10.244.0.0/24', '10.244.2.0/24']);
  });

  test('a given range that covers several /24s', () => {
    expect(nodeCidrs(clusterOf('nodes: [{name: a, ip: 10.0.0.2}, {name: b, ip: 10.0.0.3, podCIDR: 10.244.0.0/23}]'))[0]).toBe(
      '10.244.2.0/24',
    );
  });

  test('dual stack: a /64 of the second family', () => {
    expect(nodeCidrs(clusterOf(`cluster: { podCIDR: "10.244.0.0/16,fd00:10::/56" }\n${NODES}`))).toEqual([
      '10.244.0.0/24,fd00:10::/64',
      '10.244.1.0/24,fd00:10:0:1::/64',
    ]);
  });

  test('a lone docker host has the whole range', () => {
    expect(nodeCidrs(clusterOf('cni: docker\nnodes: [{name: a, ip: 10.100.0.2}]'))).toEqual(['172.17.0.0/16']);
  });

  test('pods from the third address on, skipping taken ones', () => {
    const pods =
      'pods: [{name: a, node: n1}, {name: b, node: n1, ip: 10.244.0.3}, {name: c, node: n1}, {name: d, node: n2}, {name: h, node: n2, hostNetwork: true}]';
    expect(podIps(clusterOf(NODES + pods))).toEqual([
      'a n1 10.244.0.2',
      'b n1 10.244.0.3',
      'c n1 10.244.0.4',
      'd n2 10.244.1.2',
      'h n2 192.168.0.12',
    ]);
  });

  test('an address that a slice says of a pod', () => {
    const slice =
      '---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nmetadata: {name: s, labels: {kubernetes.io/service-name: web}}\nendpoints:\n- {addresses: [10.244.0.9], targetRef: {kind: Pod, name: web}}\n- {addresses: [10.244.0.2]}\n';
    expect(podIps(clusterOf(`${NODES}pods: [{name: client, node: n1}, {name: web, node: n1}]\n${slice}`))).toEqual([
      'client n1 10.244.0.3',
      'web n1 10.244.0.9',
    ]);
  });
});

describe('services', () => {
  test('cluster IPs from the dynamic band, skipping taken ones; the agreed ones', () => {
    const text = `services:\n${service('a')}${service('b', 'clusterIP: 10.96.1.1')}${service('c')}${service('d', 'clusterIP: None')}${service('kubernetes')}${service('kube-dns', 'namespace: kube-system')}`;
    expect(clusterIps(clusterOf(text))).toEqual(['10.96.1.0', '10.96.1.1', '10.96.1.2', '', '10.96.0.1', '10.96.0.10']);
  });

  test.each([
    ['10.96.0.0/12', '10.96.1.0'],
    ['10.43.0.0/16', '10.43.1.0'],
    ['10.0.0.0/24', '10.0.0.16'],
    ['10.0.0.0/27', '10.0.0.16'],
    ['10.0.0.0/29', '10.0.0.2'],
    ['fd00:96::/112', 'fd00:96::100'],
  ])('dynamic band of %s', (cidr, first) => {
    // In a /29 the first address is that of `kubernetes`.
    expect(clusterIps(clusterOf(`cluster: { serviceCIDR: "${cidr}" }\nservices:\n${service('a')}`))).toEqual([first]);
  });

  test('the static band is used when the dynamic one is full', () => {
    const text = `cluster: { serviceCIDR: 10.0.0.0/27 }\nservices:\n${Array.from({ length: 17 }, (_, i) => service(`s${i}`)).join('')}`;
    expect(clusterIps(clusterOf(text)).slice(-3)).toEqual(['10.0.0.30', '10.0.0.2', '10.0.0.3']);
  });

  test('dual stack', () => {
    const text = `cluster: { serviceCIDR: "10.96.0.0/12,fd00:96::/112" }\nservices:\n${service('a')}${service('b', 'ipFamilyPolicy: RequireDualStack')}${service('c', 'ipFamilies: [IPv6]')}`;
    expect(clusterIps(clusterOf(text))).toEqual(['10.96.1.0', '10.96.1.1,fd00:96::100', 'fd00:96::101']);
  });

  test('node ports and the health check port', () => {
    const text =
      'services:\n' +
      '- { name: a, type: NodePort, ports: [{ name: x, port: 53 }, { name: y, port: 53, protocol: UDP }, { name: z, port: 80, nodePort: 30087 }] }\n' +
      '- { name: b, type: LoadBalancer, externalTrafficPolicy: Local, ports: [{ port: 80 }] }\n' +
      '- { name: c, type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] }\n';
    const { services } = clusterOf(text);
    expect(services.map((s) => s.ports.map((p) => p.nodePort))).toEqual([[30086, 30086, 30087], [30088], [0]]);
    expect(services.map((s) => s.healthCheckNodePort)).toEqual([0, 30089, 0]);
  });

  test('an object with a cluster IP lacks nothing', () => {
    const text =
      'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: LoadBalancer, clusterIP: 10.96.0.5, externalTrafficPolicy: Local, ports: [{port: 80}]}';
    const [service] = clusterOf(text).services;
    expect(service).toMatchObject({
      healthCheckNodePort: 0,
      ports: [{ port: 80, targetPort: 80, nodePort: 0, protocol: 'tcp', name: '' }],
    });
  });

  test("the API server's defaults", () => {
    expect(
      clusterOf(`services:\n${service('a')}${service('b', 'sessionAffinity: ClientIP, selector: {}')}`).services,
    ).toMatchObject([
      {
        namespace: 'default',
        type: 'ClusterIP',
        headless: false,
        ipFamilies: [4],
        selector: null,
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: { kind: 'None' },
        publishNotReadyAddresses: false,
        allocateLoadBalancerNodePorts: true,
      },
      { sessionAffinity: { kind: 'ClientIP', timeoutSeconds: 10800 }, selector: null },
    ]);
  });
});

describe('kubeProxy.clusterCIDR', () => {
  const config = (more: string): string =>
    `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n${more}\n---\n`;
  test.each<[string, string, readonly string[]]>([
    ['the pod range', 'cluster: { podCIDR: 10.1.0.0/16 }', ['10.1.0.0/16']],
    ['an object is taken literally', `${config('mode: ipvs')}cluster: { podCIDR: 10.1.0.0/16 }`, []],
    ['an object that gives it', `${config('clusterCIDR: 10.2.0.0/16')}cluster: { podCIDR: 10.1.0.0/16 }`, ['10.2.0.0/16']],
    ['the short form wins', `${config('clusterCIDR: 10.2.0.0/16')}kubeProxy: { clusterCIDR: 10.3.0.0/16 }`, ['10.3.0.0/16']],
    ['the short form can take it away', 'kubeProxy: { clusterCIDR: "" }', []],
    ['both families', `${config('clusterCIDR: "10.2.0.0/16,fd00::/48"')}`, ['10.2.0.0/16', 'fd00::/48']],
  ])('%s', (_, text, expected) => {
    expect(clusterOf(text).kubeProxy.clusterCidrs.map(formatCidr)).toEqual(expected);
  });

  test('the other fields and their defaults', () => {
    expect(
      clusterOf(
        `${config('mode: ipvs\nipvs: {strictARP: true}\nfeatureGates: {A: true}')}kubeProxy: { iptables: { masqueradeBit: 15 }, featureGates: { B: false } }`,
      ).kubeProxy,
    ).toEqual({
      mode: 'ipvs',
      clusterCidrs: [],
      detectLocalMode: 'ClusterCIDR',
      detectLocal: { bridgeInterface: '', interfaceNamePrefix: '' },
      nodePortAddresses: [],
      iptables: { masqueradeAll: false, masqueradeBit: 15, localhostNodePorts: true },
      ipvs: { scheduler: 'rr', strictArp: true, excludeCidrs: [] },
      nftables: { masqueradeAll: false, masqueradeBit: 15 },
      conntrackTcpBeLiberal: false,
      featureGates: { A: true, B: false },
    });
  });
});

describe('underlay', () => {
  test.each([
    ['the /24 of the first node', ['192.168.0.11', '192.168.0.200'], '192.168.0.0/24', '192.168.0.1'],
    ['the smallest prefix that holds all', ['192.168.0.11', '192.168.3.4'], '192.168.0.0/22', '192.168.0.1'],
    ['a node holds the first address', ['192.168.0.1', '192.168.0.254'], '192.168.0.0/24', '192.168.0.253'],
  ])('%s', (_, ips, nodeCidr, router) => {
    const { underlay } = clusterOf(`nodes: [${ips.map((ip, i) => `{ name: n${i}, ip: ${ip} }`).join(', ')}]`);
    expect(formatCidr(underlay.nodeCidr)).toBe(nodeCidr);
    expect(formatIp(underlay.router)).toBe(router);
  });

  test.each<[string, string, string, string | undefined, readonly string[]]>([
    ['eth0 has the ip', 'ip: 10.0.0.2, interfaces: [{ ip: 10.9.0.2/24 }]', '10.0.0.2', undefined, ['eth1 10.9.0.2']],
    ['eth0 is listed with it', 'ip: 10.0.0.2, interfaces: [{ name: eth0, ip: 10.0.0.2/24 }]', '10.0.0.2', undefined, []],
    [
      'another interface has it',
      'ip: 10.0.0.2, interfaces: [{ name: eth0, ip: 10.0.2.15/24 }, { ip: 10.0.0.2/24 }]',
      '10.0.0.2',
      'eth0 10.0.2.15',
      ['eth1 10.0.0.2'],
    ],
    [
      'eth0 need not come first',
      'ip: 10.0.0.2, interfaces: [{ name: ens4, ip: 10.0.0.2/24 }, { name: eth0, ip: 10.0.2.15/24 }]',
      '10.0.0.2',
      'eth0 10.0.2.15',
      ['ens4 10.0.0.2'],
    ],
    ['there is no eth0', 'ip: 10.0.0.2, interfaces: [{ name: ens3, ip: 10.0.0.2/24 }]', '10.0.0.2', 'ens3 10.0.0.2', []],
    ['no ip is given', 'interfaces: [{ name: ens3, ip: 10.0.0.2/24 }]', '10.0.0.2', 'ens3 10.0.0.2', []],
  ])('addresses on interfaces: %s', (_, text, address, first, further) => {
    const [node] = clusterOf(`nodes: [{ name: a, ${text} }]`).nodes;
    const show = (i: { readonly name: string; readonly address: IpAddress }): string => `${i.name} ${formatIp(i.address)}`;
    expect(node?.addresses.map(formatIp)).toEqual([address]);
    expect(node?.firstInterface && show(node.firstInterface)).toBe(first);
    expect(node?.interfaces.map(show)).toEqual(further);
  });

  test('subnets, interfaces, firewall and commands', () => {
    const text =
      'nodes:\n' +
      '- { name: a, ip: 192.168.0.11, mtu: 1400, addresses: [192.168.0.50/24], interfaces: [{ ip: 10.0.2.15/24, subnet: nat, mtu: 9000 }] }\n' +
      '- { name: b, interfaces: [{ ip: 192.168.0.12/24 }, { name: ens4, ip: 10.0.2.16/24 }] }\n' +
      'underlay:\n' +
      '  subnets: [{ name: nat, cidr: 10.0.2.0/24 }, { name: far, cidr: 10.9.0.0/16, router: 10.9.0.254 }]\n' +
      '  firewall: [{ drop: udp/8472, from: a, to: node/b }, { drop: icmp }, { drop: all, from: 10.0.0.0/8 }]\n' +
      '  commands: [ip route add blackhole 10.5.0.0/16]\n';
    const { nodes, underlay } = clusterOf(text);
    expect(
      nodes.map((n) => [n.addresses.map(formatIp), n.mtu, n.extraAddresses.map((a) => `${formatIp(a.address)}/${a.length}`)]),
    ).toEqual([
      [['192.168.0.11'], 1400, ['192.168.0.50/24']],
      [['192.168.0.12'], 1500, []],
    ]);
    expect(
      nodes.map((n) => n.interfaces.map((i) => `${i.name} ${formatIp(i.address)}/${i.length} ${i.subnet} ${i.mtu}`)),
    ).toEqual([['eth1 10.0.2.15/24 nat 9000'], ['ens4 10.0.2.16/24 null 1500']]);
    expect(underlay.subnets.map((s) => `${s.name} ${formatCidr(s.cidr)} ${formatIp(s.router)}`)).toEqual([
      'nat 10.0.2.0/24 10.0.2.1',
      'far 10.9.0.0/16 10.9.0.254',
    ]);
    expect(underlay.firewall).toMatchObject([
      { protocol: 'udp', port: 8472, from: 'node/a', to: 'node/b' },
      { protocol: 'icmp', port: null, from: null, to: null },
      { protocol: null, port: null, from: '10.0.0.0/8', to: null },
    ]);
    expect(underlay.commands).toMatchObject([
      { text: 'ip route add blackhole 10.5.0.0/16', position: { file: 'a.yaml', line: 7, column: 14 } },
    ]);
  });
});
