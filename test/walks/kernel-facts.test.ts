import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import type { Outcome } from '../../src/trace/outcome.ts';

/** A two node flannel cluster with one service; rows say what is different and what Linux does then. */
interface Row {
  readonly name: string;
  readonly cni?: object | string;
  readonly kubeProxy?: object;
  readonly node1?: object;
  readonly node2?: object;
  readonly web1?: object;
  readonly pods?: readonly object[];
  readonly service?: object;
  readonly underlay?: object;
  readonly from: string;
  readonly to: string;
  readonly protocol?: string;
  readonly more?: object;
  readonly expect: Partial<Outcome>;
  /** Text that some rule event of the request has. */
  readonly through?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: 'pod to a ClusterIP without endpoints: REJECT, told by the bridge’s address',
    service: { selector: { app: 'none' } },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'refused', server: null },
  },
  {
    name: 'larger than flannel.1 with DF: fragmentation needed, before FORWARD',
    cni: { plugin: 'flannel', backend: 'vxlan', podMTU: 1500 },
    from: 'pod/client',
    to: '10.244.1.2:5353',
    protocol: 'udp',
    more: { payload: 1472, dontFragment: true },
    expect: { verdict: 'message-too-long' },
  },
  {
    name: 'strict rp_filter with an asymmetric path',
    node1: { commands: ['ip route replace 10.244.1.0/24 via 172.18.0.3 dev eth0'] },
    node2: { sysctls: { 'net.ipv4.conf.all.rp_filter': 1 } },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: { verdict: 'timeout' },
  },
  {
    name: 'node to itself through a ClusterIP: the port alone is translated',
    pods: [{ name: 'host-web', node: 'n1', hostNetwork: true, labels: { app: 'host' }, ports: [8081] }],
    service: { selector: { app: 'host' }, ports: [{ port: 80, targetPort: 8081 }] },
    from: 'node/n1',
    to: 'svc/web:80',
    expect: { verdict: 'connected', server: 'pod/default/host-web', source: '172.18.0.2' },
  },
  {
    name: '127.0.0.1 with localhost node ports off',
    kubeProxy: { iptables: { localhostNodePorts: false } },
    service: { type: 'NodePort', ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] },
    from: 'node/n1',
    to: '127.0.0.1:30080',
    expect: { verdict: 'refused' },
  },
  {
    name: 'node to its own node port, Local, no local endpoint: all endpoints, masqueraded',
    web1: { labels: {} },
    service: { type: 'NodePort', externalTrafficPolicy: 'Local', ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] },
    from: 'node/n1',
    to: '172.18.0.2:30080',
    expect: { verdict: 'connected', server: 'pod/default/web-2', source: '10.244.0.0' },
  },
  {
    name: 'pod to a node port, Cluster',
    web1: { labels: {} },
    service: { type: 'NodePort', ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] },
    from: 'pod/client',
    to: '172.18.0.3:30080',
    expect: { verdict: 'connected', server: 'pod/default/web-2', source: '10.244.1.1' },
  },
  {
    name: 'a node told to answer no echo',
    node2: { sysctls: { 'net.ipv4.icmp_echo_ignore_all': 1 } },
    from: 'node/n1',
    to: 'node/n2',
    protocol: 'icmp',
    expect: { verdict: 'timeout', server: null },
  },
  {
    name: 'forwarding off for one device alone',
    node1: { commands: ['sysctl -w net.ipv4.conf.cni0.forwarding=0'] },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: { verdict: 'timeout' },
  },
  {
    name: 'ip_forward written afterwards sets every device',
    node1: { commands: ['sysctl -w net.ipv4.conf.cni0.forwarding=0', 'sysctl -w net.ipv4.ip_forward=1'] },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: { verdict: 'connected' },
  },
  {
    name: 'route type prohibit while forwarding',
    node1: { commands: ['ip route replace prohibit 10.244.1.0/24'] },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: { verdict: 'host-unreachable' },
  },
  {
    name: 'route type prohibit for a packet of the node itself',
    node1: { commands: ['ip route replace prohibit 10.244.1.0/24'] },
    from: 'node/n1',
    to: '10.244.1.2:8080',
    expect: { verdict: 'prohibited' },
  },
  {
    name: 'a frame larger than a bridge port: lost without a word',
    web1: { commands: [] },
    node1: { commands: ['ip link set veth85dffee6 mtu 1000'] },
    from: 'pod/client',
    to: '10.244.0.3:5353',
    protocol: 'udp',
    more: { payload: 1200 },
    expect: { verdict: 'timeout' },
  },
  {
    name: 'pod to another node’s hostPort',
    pods: [{ name: 'hp', node: 'n2', ports: [{ containerPort: 8080, hostPort: 18080 }] }],
    from: 'pod/client',
    to: '172.18.0.3:18080',
    expect: { verdict: 'connected', server: 'pod/default/hp', source: '172.18.0.2' },
  },
  {
    name: 'without any route to the ClusterIP the node’s call fails at once',
    node1: { commands: ['ip route del default'] },
    from: 'node/n1',
    to: 'svc/web:80',
    expect: { verdict: 'network-unreachable', request: expect.not.arrayContaining([expect.objectContaining({ kind: 'rule' })]) },
  },
  {
    name: 'a mark in mangle OUTPUT has the packet routed again',
    web1: { labels: {} },
    node1: {
      commands: [
        'iptables -t mangle -A OUTPUT -d 10.244.1.2 -j MARK --set-mark 0x7',
        'ip route add 10.244.1.0/24 via 172.18.0.3 dev eth0 table 100',
        'ip rule add fwmark 0x7 lookup 100',
      ],
    },
    from: 'node/n1',
    to: '10.244.1.2:8080',
    expect: {
      verdict: 'connected',
      source: '10.244.0.0',
      request: expect.arrayContaining([
        expect.objectContaining({ kind: 'route', purpose: 'reroute', table: '100', dev: 'eth0' }),
      ]),
    },
  },
  {
    name: 'the mark of the inner packet goes on to the outer one',
    web1: { labels: {} },
    node1: {
      commands: [
        'iptables -t mangle -A PREROUTING -s 10.244.0.2 -j MARK --set-mark 0x7',
        'iptables -t mangle -A OUTPUT -p udp --dport 8472 -m mark --mark 0x7',
      ],
    },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: { verdict: 'connected' },
    through: ['-A OUTPUT -p udp -m udp --dport 8472 -m mark --mark 0x7'],
  },
  {
    name: 'a mark that the inner packet was given decides the outer one’s route (udp_tunnel_dst_lookup)',
    web1: { labels: {} },
    node1: {
      commands: [
        'iptables -t mangle -A FORWARD -s 10.244.0.0/16 -j MARK --set-mark 0x1',
        'ip rule add fwmark 0x1 lookup 100',
        'ip route add unreachable default table 100',
      ],
    },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: {
      verdict: 'timeout',
      request: expect.arrayContaining([expect.objectContaining({ kind: 'drop', where: 'vxlan_xmit_one' })]),
    },
  },
  {
    name: 'a masquerading connection that leaves by another device is given up (nf_nat_oif_changed)',
    web1: { labels: {} },
    cni: { plugin: 'flannel', backend: 'host-gw' },
    node1: {
      commands: [
        'iptables -t nat -A POSTROUTING -p tcp --dport 8080 -j MASQUERADE',
        'iptables -t mangle -A PREROUTING -p tcp --tcp-flags SYN,ACK ACK -j MARK --set-mark 0x1',
        'ip rule add fwmark 0x1 lookup 100',
        'ip route add 10.244.1.0/24 dev cni0 table 100',
      ],
    },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: {
      verdict: 'connected',
      server: null,
      ack: expect.arrayContaining([expect.objectContaining({ kind: 'drop', where: 'nf_nat_inet_fn' })]),
    },
  },
  {
    name: 'where OUTPUT finds no way after a mark, send() fails with the route’s errno (NF_DROP_ERR)',
    node1: {
      commands: [
        'iptables -t mangle -A OUTPUT -p udp -j MARK --set-mark 0x1',
        'ip rule add fwmark 0x1 lookup 100',
        'ip route add unreachable default table 100',
      ],
    },
    from: 'node/n1',
    to: '10.244.1.2:5353',
    protocol: 'udp',
    expect: { verdict: 'host-unreachable' },
  },
  {
    name: 'a datagram that the sender’s own POSTROUTING drops: EPERM',
    node1: { commands: ['iptables -t mangle -A POSTROUTING -p udp -d 10.244.1.2 -j DROP'] },
    from: 'node/n1',
    to: '10.244.1.2:5353',
    protocol: 'udp',
    expect: { verdict: 'not-permitted' },
  },
  {
    name: 'a route by lo delivers to the host itself; its RST may not have an address that is none of its own',
    node1: { commands: ['ip route add 198.51.100.0/24 dev lo'] },
    from: 'node/n1',
    to: '198.51.100.7:80',
    expect: {
      verdict: 'timeout',
      request: expect.arrayContaining([expect.objectContaining({ host: 'node/n1', kind: 'drop', reason: 'NO_SOCKET' })]),
    },
  },
  {
    name: 'without a gateway the device’s first address is the source, whatever suits better',
    node1: { commands: ['ip addr add 10.9.0.1/24 dev eth0', 'ip route add 10.9.0.128/25 dev eth0'] },
    node2: { commands: ['ip addr add 10.9.0.200/24 dev eth0'] },
    from: 'node/n1',
    to: '10.9.0.200:9',
    expect: {
      verdict: 'refused',
      request: expect.arrayContaining([expect.objectContaining({ kind: 'route', source: '172.18.0.2' })]),
    },
  },
  {
    name: 'the overlay’s own address gone from the node: no outer packet (__ip_dev_find)',
    node1: {
      commands: [
        'ip addr add 172.18.0.77/16 dev eth0',
        'ip addr del 172.18.0.2/16 dev eth0',
        'ip addr add 172.18.0.77/16 dev eth0',
      ],
    },
    web1: { labels: {} },
    from: 'pod/client',
    to: '10.244.1.2:8080',
    expect: { verdict: 'timeout' },
  },
  {
    name: 'fragments that are larger than the bridge’s MTU stay on no bridge (br_nf_ip_fragment)',
    node1: { commands: ['ip link set cni0 mtu 1400'] },
    from: 'pod/client',
    to: '10.244.0.3:5353',
    protocol: 'udp',
    more: { payload: 3000 },
    expect: { verdict: 'timeout' },
  },
  {
    name: 'firewalld’s reverse path rule lets the node talk to itself',
    node1: { commands: ['iptables -t raw -A PREROUTING -m rpfilter --invert -j DROP'] },
    from: 'node/n1',
    to: '172.18.0.2:9',
    expect: { verdict: 'refused' },
  },
  {
    name: 'TCP to a group',
    from: 'pod/client',
    to: '224.0.0.1:80',
    expect: { verdict: 'network-unreachable', request: [expect.objectContaining({ kind: 'socket' })] },
  },
  { name: 'TCP to a broadcast address', from: 'pod/client', to: '10.244.0.255:80', expect: { verdict: 'network-unreachable' } },
  {
    name: 'a datagram to everybody without SO_BROADCAST',
    from: 'pod/client',
    to: '255.255.255.255:80',
    protocol: 'udp',
    expect: { verdict: 'prohibited' },
  },
  {
    name: 'TCPMSS keeps segments below what a port would swallow',
    web1: { labels: {} },
    cni: { plugin: 'flannel', backend: 'host-gw' },
    more: { payload: 5000 },
    node2: { commands: ['ip link set veth8d8d04a1 mtu 1300', 'ip link set cni0 mtu 1500'] },
    node1: { commands: ['iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1200'] },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'connected' },
  },
  {
    name: 'TCPMSS clamps to the smaller of the MTUs of both routes',
    web1: { labels: {} },
    cni: { plugin: 'flannel', backend: 'host-gw' },
    more: { payload: 5000 },
    node2: {
      commands: [
        'ip link set cni0 mtu 1300',
        'iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu',
      ],
    },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'connected', data: expect.not.arrayContaining([expect.objectContaining({ kind: 'drop' })]) },
  },
  {
    name: 'conntrack tells the destination before DNAT',
    web1: { labels: {} },
    node1: {
      commands: [
        'iptables -t mangle -A FORWARD -m conntrack --ctorigdst 10.96.0.20 --ctorigdstport 80',
        'iptables -t mangle -A FORWARD -m conntrack --ctstate DNAT',
      ],
    },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'connected' },
    through: ['-A FORWARD -m conntrack --ctorigdst 10.96.0.20 --ctorigdstport 80', '-A FORWARD -m conntrack --ctstate DNAT'],
  },
  {
    name: 'externalIPs from outside: masqueraded',
    web1: { labels: {} },
    service: { externalIPs: ['203.0.113.7'] },
    underlay: { commands: ['ip route add 203.0.113.7/32 via 172.18.0.2'] },
    from: 'external/far',
    to: '203.0.113.7:80',
    expect: { verdict: 'connected', server: 'pod/default/web-2', source: '10.244.0.0' },
  },
  {
    name: 'nobody knows any MAC yet',
    web1: { labels: {} },
    more: { coldNeighbours: true },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'connected', server: 'pod/default/web-2' },
  },
  {
    name: 'TCP with a payload: a segment after the handshake',
    web1: { labels: {} },
    more: { payload: 5000 },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: {
      verdict: 'connected',
      data: expect.arrayContaining([expect.objectContaining({ kind: 'socket', action: 'deliver' })]),
    },
  },
  {
    name: 'a smaller MTU on the way is learnt from the router',
    web1: { labels: {} },
    cni: { plugin: 'flannel', backend: 'host-gw' },
    more: { payload: 5000 },
    node2: { commands: ['ip link set cni0 mtu 1300'] },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'connected' },
  },
  {
    name: 'a bridge port with a smaller MTU than its bridge swallows large segments',
    web1: { labels: {} },
    cni: { plugin: 'flannel', backend: 'host-gw' },
    more: { payload: 5000 },
    node2: { commands: ['ip link set veth8d8d04a1 mtu 1300', 'ip link set cni0 mtu 1500'] },
    from: 'pod/client',
    to: 'svc/web:80',
    expect: { verdict: 'timeout' },
  },
];

function outcomesOf(row: Row): readonly Outcome[] {
  const document = {
    cluster: { kubernetesVersion: '1.30' },
    cni: row.cni ?? 'flannel-vxlan',
    kubeProxy: { mode: 'iptables', ...row.kubeProxy },
    underlay: { nodeCIDR: '172.18.0.0/16', ...row.underlay },
    nodes: [
      { name: 'n1', ip: '172.18.0.2', ...row.node1 },
      { name: 'n2', ip: '172.18.0.3', ...row.node2 },
    ],
    pods: [
      { name: 'client', node: 'n1', ip: '10.244.0.2' },
      {
        name: 'web-1',
        node: 'n1',
        ip: '10.244.0.3',
        labels: { app: 'web' },
        ports: [8080, { containerPort: 5353, protocol: 'UDP' }],
        ...row.web1,
      },
      {
        name: 'web-2',
        node: 'n2',
        ip: '10.244.1.2',
        labels: { app: 'web' },
        ports: [8080, { containerPort: 5353, protocol: 'UDP' }],
      },
      ...(row.pods ?? []),
    ],
    services: [
      { name: 'web', clusterIP: '10.96.0.20', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...row.service },
    ],
    external: [{ name: 'far', ip: '192.0.2.10', ports: [443] }],
    checks: [
      { name: row.name, from: row.from, to: row.to, ...(row.protocol && { protocol: row.protocol }), ...row.more, expect: {} },
    ],
  };
  const loaded = loadScenario([{ name: 'fact.yaml', text: JSON.stringify(document) }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  const check = loaded.scenario.checks[0]!;
  const result = traceConnection(loaded.scenario, check, { coldNeighbours: check.coldNeighbours }, engine);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.trace.outcomes;
}

describe('several next hops', () => {
  test('all packets between two addresses take the same one (fib_multipath_hash)', () => {
    const row: Row = {
      name: 'multipath',
      cni: { plugin: 'flannel', backend: 'host-gw' },
      web1: { labels: {} },
      node1: { commands: ['ip route replace 10.244.1.0/24 nexthop via 172.18.0.3 dev eth0 nexthop via 172.18.0.1 dev eth0'] },
      underlay: { commands: ['ip route add 10.244.1.0/24 via 172.18.0.3'] },
      from: 'pod/client',
      to: '10.244.1.2:8080',
      expect: {},
    };
    const outcomes = outcomesOf(row);
    expect(outcomes.map(({ probability, verdict }) => ({ probability, verdict }))).toEqual([
      { probability: 0.5, verdict: 'connected' },
      { probability: 0.5, verdict: 'connected' },
    ]);
    for (const { request, ack } of outcomes) {
      const hosts = (events: Outcome['request']) => events.map(({ host }) => host).filter((host) => host === 'underlay').length;
      expect(hosts(ack)).toBe(hosts(request));
    }
  });
});

describe('what Linux was measured to do', () => {
  test.for(ROWS)('$name', (row) => {
    const outcomes = outcomesOf(row);
    expect(outcomes).toHaveLength(1);
    const outcome = outcomes[0]!;
    expect(outcome).toMatchObject(row.expect);
    const texts = outcome.request.flatMap((event) => (event.kind === 'rule' ? [event.text] : []));
    for (const text of row.through ?? []) expect(texts).toContain(text);
  });
});
