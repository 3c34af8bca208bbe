import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { runChecks } from '../../src/usecase/check.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import type { Outcome } from '../../src/trace/outcome.ts';

/**
 * Walks through nodes with IPVS. The kernel at hand has none, so an expectation names the kernel function, or the rule of real kube-proxy
 * (test/golden/kube-proxy/…/ipvs.txt), that it follows from.
 */
interface Row {
  readonly name: string;
  readonly version?: string;
  readonly kubeProxy?: object;
  readonly a?: object;
  readonly b?: object;
  readonly web1?: object;
  readonly service?: object;
  readonly pods?: readonly object[];
  readonly underlay?: object;
  readonly from: string;
  readonly to: string;
  readonly more?: object;
  /** [verdict, server, source, probability] of each outcome. */
  readonly expect: readonly (readonly [verdict: string, server?: string | null, source?: string | null, probability?: number])[];
  readonly cause?: string;
  /** Texts of rules on the request's way. */
  readonly through?: readonly string[];
  readonly notThrough?: readonly string[];
}

const NODE_PORT = { type: 'NodePort', ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] };
const BALANCER = {
  type: 'LoadBalancer',
  status: { loadBalancer: { ingress: [{ ip: '192.168.0.100' }] } },
  ports: NODE_PORT.ports,
};
/** web-1 is no endpoint: what is left is web-2 on node b. */
const FAR = { labels: {} };
const REJECTS =
  '-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT --reject-with icmp-port-unreachable';
const ACCEPTS_SERVICE = '-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT';

// biome-ignore format: a table reads better in rows
const ROWS: readonly Row[] = [
  // ip_vs_in_hook in LOCAL_IN: the ClusterIP is local (kube-ipvs0), IPVS takes the packet behind filter INPUT
  { name: 'pod to a ClusterIP: each real server in turn, the client stays itself', from: 'pod/client', to: 'svc/web:80',
    expect: [['connected', 'pod/default/web-1', '10.244.0.2', 0.5], ['connected', 'pod/default/web-2', '10.244.0.2', 0.5]], through: [ACCEPTS_SERVICE] },
  // ip_vs_in_hook in LOCAL_OUT, 98 before filter OUTPUT; connect() takes the ClusterIP itself as source, since it is local: marked (! -s pods), masqueraded
  { name: 'node to a ClusterIP: from the ClusterIP itself, masqueraded', web1: FAR, from: 'node/a', to: 'svc/web:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]],
    through: ['-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully'] },
  // KUBE-CLUSTER-IP src,dst where no range of pods is known: the node's source is a ClusterIP, and the port is the service's
  { name: 'without a way to tell pods only the node is masqueraded', kubeProxy: { clusterCIDR: '' }, web1: FAR, from: 'node/a', to: 'svc/web:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  // masqueradeAll: dst,dst
  { name: 'masqueradeAll hides pods too', kubeProxy: { iptables: { masqueradeAll: true } }, web1: FAR, from: 'pod/client', to: 'svc/web:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  // KUBE-NODE-PORT-TCP: marked
  { name: 'external to a node port: masqueraded', service: NODE_PORT, web1: FAR, from: 'external/laptop', to: '192.168.0.11:30080', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  { name: 'pod to a node port of another node', service: NODE_PORT, web1: FAR, from: 'pod/client', to: '192.168.0.12:30080', expect: [['connected', 'pod/default/web-2', '10.244.1.1', 1]] },
  { name: 'node to its own node port', service: NODE_PORT, web1: FAR, from: 'node/a', to: '192.168.0.11:30080', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  // no virtual server on 127.0.0.1 (GetNodeIPs leaves loopback out)
  { name: 'localhost node ports do not work', service: NODE_PORT, from: 'node/a', to: '127.0.0.1:30080', expect: [['refused', null, null, 1]], cause: 'port-not-listening' },
  // KUBE-NODE-PORT-LOCAL-TCP: RETURN before the mark
  { name: 'external to a node port, Local: the client is seen', service: { ...NODE_PORT, externalTrafficPolicy: 'Local' }, from: 'external/laptop', to: '192.168.0.11:30080', expect: [['connected', 'pod/default/web-1', '203.0.113.9', 1]] },
  // syncEndpoint: no local endpoint, so those of the cluster; unmarked, and flannel masquerades what enters its network
  { name: 'external to a node port, Local, none local: goes to the cluster’s, does not drop', web1: FAR, service: { ...NODE_PORT, externalTrafficPolicy: 'Local' }, from: 'external/laptop', to: '192.168.0.11:30080',
    expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  { name: 'internalTrafficPolicy Local: the local endpoint alone', service: { internalTrafficPolicy: 'Local' }, from: 'pod/client', to: 'svc/web:80', expect: [['connected', 'pod/default/web-1', '10.244.0.2', 1]] },
  { name: 'load balancer address, Cluster', service: BALANCER, web1: FAR, from: 'pod/client', to: '192.168.0.100:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  { name: 'load balancer address, Local: unmarked', service: { ...BALANCER, externalTrafficPolicy: 'Local' }, from: 'pod/client', to: '192.168.0.100:80', expect: [['connected', 'pod/default/web-1', '10.244.0.2', 1]] },
  // KUBE-SOURCE-RANGES-FIREWALL in INPUT, ahead of IPVS
  { name: 'load balancer source ranges keep others out', service: { ...BALANCER, loadBalancerSourceRanges: ['198.51.100.0/24'] }, from: 'pod/client', to: '192.168.0.100:80', expect: [['timeout', null, null, 1]], cause: 'source-range' },
  { name: 'load balancer source ranges let those in', service: { ...BALANCER, loadBalancerSourceRanges: ['10.244.0.0/24'] }, web1: FAR, from: 'pod/client', to: '192.168.0.100:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  // ipset: "The prefix length is 0"
  { name: '0.0.0.0/0 lets nobody in', service: { ...BALANCER, loadBalancerSourceRanges: ['0.0.0.0/0'] }, from: 'pod/client', to: '192.168.0.100:80', expect: [['timeout', null, null, 1]], cause: 'source-range' },
  // ipvs_mt in KUBE-IPVS-OUT-FILTER: the node's source is the balancer's address, the packet is DNATed already, the connection's vaddr tells
  { name: 'source ranges without the node keep the node out', service: { ...BALANCER, loadBalancerSourceRanges: ['10.244.0.0/24'] }, from: 'node/a', to: '192.168.0.100:80', expect: [['timeout', null, null, 0.5], ['timeout', null, null, 0.5]],
    cause: 'source-range', through: ['-A KUBE-IPVS-OUT-FILTER -s 192.168.0.100/32 -m ipvs --vaddr 192.168.0.100 --vproto 6 --vport 80 -j DROP'] },
  // arp_process: a local address is answered for on every device unless arp_ignore
  { name: 'a balancer’s address on the nodes’ link: any node answers ARP for it', service: BALANCER, web1: FAR, underlay: {}, from: 'external/near', to: '192.168.0.100:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  { name: '… with strictARP nobody does', kubeProxy: { ipvs: { strictARP: true } }, service: BALANCER, from: 'external/near', to: '192.168.0.100:80', expect: [['host-unreachable', null, null, 1]] },
  { name: 'external IP', service: { externalIPs: ['203.0.113.77'] }, web1: FAR, underlay: { commands: ['ip route add 203.0.113.77/32 via 192.168.0.11'] }, from: 'external/laptop', to: '203.0.113.77:80', expect: [['connected', 'pod/default/web-2', '10.244.0.0', 1]] },
  // ip_vs_leave: ICMP_PORT_UNREACH, TCP and UDP alike
  { name: 'no endpoints: refused', service: { selector: { app: 'nobody' } }, from: 'pod/client', to: 'svc/web:80', expect: [['refused', null, null, 1]], cause: 'no-endpoints' },
  { name: 'no endpoints, from the node', service: { selector: { app: 'nobody' } }, from: 'node/a', to: 'svc/web:80', expect: [['refused', null, null, 1]], cause: 'no-endpoints' },
  { name: 'no endpoints, external to the node port', service: { ...NODE_PORT, selector: { app: 'nobody' } }, from: 'external/laptop', to: '192.168.0.11:30080', expect: [['refused', null, null, 1]], cause: 'no-endpoints' },
  // KUBE-IPVS-FILTER; before 1.26 there was none (k/k#108460)
  { name: 'a port that no service has is rejected', from: 'pod/client', to: '10.96.0.20:81', expect: [['refused', null, null, 1]], cause: 'port-not-in-service', through: [REJECTS] },
  { name: 'a ping is rejected likewise', from: 'pod/client', to: '10.96.0.20', more: { protocol: 'icmp' }, expect: [['refused', null, null, 1]], cause: 'clusterip-not-pingable', through: [REJECTS] },
  { name: 'before 1.26 a ping is answered by the node', version: '1.25', from: 'pod/client', to: '10.96.0.20', more: { protocol: 'icmp' }, expect: [['connected', 'node/a', '10.244.0.2', 1]], notThrough: [REJECTS] },
  { name: 'before 1.26 services of the node answer at a ClusterIP', version: '1.25', pods: [{ name: 'sshd', node: 'a', hostNetwork: true, ports: [22] }], from: 'pod/client', to: '10.96.0.20:22',
    expect: [['connected', 'pod/default/sshd', '10.244.0.2', 1]] },
  // filter INPUT stands before IPVS, so its policy meets service traffic; FORWARD sees answers only
  { name: 'INPUT policy DROP hits service traffic', a: { commands: ['iptables -P INPUT DROP'] }, from: 'pod/client', to: 'svc/web:80', expect: [['timeout', null, null, 1]], cause: 'policy-drop' },
  { name: 'FORWARD policy DROP does not', a: { commands: ['iptables -P FORWARD DROP'] }, from: 'pod/client', to: 'svc/web:80', expect: [['connected', 'pod/default/web-1', '10.244.0.2', 0.5], ['connected', 'pod/default/web-2', '10.244.0.2', 0.5]] },
  // KUBE-LOOP-BACK dst,dst,src; the answer goes back through the bridge, where ip_vs_out_hook sees it in FORWARD
  { name: 'a pod that reaches itself through the service is masqueraded', pods: [{ name: 'solo', node: 'a', labels: { app: 'solo' }, ports: [8080] }], service: { selector: { app: 'solo' } }, from: 'pod/solo', to: 'svc/web:80',
    expect: [['connected', 'pod/default/solo', '10.244.0.1', 1]], through: ['-A KUBE-POSTROUTING -m comment --comment "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose" -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE'] },
  // without br_netfilter the answer of a pod on the client's bridge never meets ip_vs_out_hook
  { name: 'an endpoint on the client’s own bridge needs bridge-nf-call-iptables', a: { commands: ['sysctl -w net.bridge.bridge-nf-call-iptables=0'] }, from: 'pod/client', to: 'svc/web:80', more: { backend: 'pod/web-1' },
    expect: [['timeout', null, null, 1]], cause: 'bridge-nf-off' },
  // ip_vs_nat_xmit with a local real server: NF_ACCEPT, on to the socket
  { name: 'a hostNetwork endpoint on the client’s node', pods: [{ name: 'host-web', node: 'a', hostNetwork: true, labels: { app: 'host' }, ports: [8081] }],
    service: { selector: { app: 'host' }, ports: [{ port: 80, targetPort: 8081 }] }, from: 'pod/client', to: 'svc/web:80', expect: [['connected', 'pod/default/host-web', '10.244.0.2', 1]] },
  { name: 'the node to its own hostNetwork endpoint', pods: [{ name: 'host-web', node: 'a', hostNetwork: true, labels: { app: 'host' }, ports: [8081] }],
    service: { selector: { app: 'host' }, ports: [{ port: 80, targetPort: 8081 }] }, from: 'node/a', to: 'svc/web:80', expect: [['connected', 'pod/default/host-web', '192.168.0.11', 1]] },
  { name: 'UDP', web1: FAR, service: { ports: [{ port: 53, targetPort: 5353, protocol: 'UDP' }] }, pods: [{ name: 'dns', node: 'b', labels: { app: 'web' }, ports: [{ containerPort: 5353, protocol: 'UDP' }] }],
    from: 'pod/client', to: 'svc/web:53', more: { protocol: 'udp', backend: 'pod/dns' }, expect: [['connected', 'pod/default/dns', '10.244.0.2', 1]] },
  // ip_vs_out_icmp: the endpoint's own "port unreachable" comes back as the service's
  { name: 'UDP to an endpoint that does not listen: its error reaches the client', web1: FAR, service: { ports: [{ port: 53, targetPort: 9, protocol: 'UDP' }] }, from: 'pod/client', to: 'svc/web:53', more: { protocol: 'udp' }, expect: [['refused', null, null, 1]], cause: 'port-not-listening' },
  // __ip_vs_get_out_rt: decrement_ttl, ensure_mtu_is_adequate
  { name: 'IPVS counts as a hop', web1: FAR, from: 'pod/client', to: 'svc/web:80', more: { ttl: 1 }, expect: [['host-unreachable', null, null, 1]], cause: 'ttl-expired' },
  { name: 'too large for the tunnel: the client learns the MTU from the ClusterIP', web1: FAR, service: { ports: [{ port: 53, targetPort: 8080, protocol: 'UDP' }] }, a: { commands: ['ip link set flannel.1 mtu 1400'] },
    from: 'pod/client', to: 'svc/web:53', more: { protocol: 'udp', payload: 1400, dontFragment: true }, expect: [['message-too-long', null, null, 1]], cause: 'mtu-exceeded' },
  { name: 'TCP data follows the connection', web1: FAR, from: 'pod/client', to: 'svc/web:80', more: { payload: 5000 }, expect: [['connected', 'pod/default/web-2', '10.244.0.2', 1]] },
  // ip_vs_notrack: without vs.conntrack the mark is there and nobody to masquerade
  { name: 'without vs.conntrack nothing is masqueraded', web1: FAR, service: NODE_PORT, a: { commands: ['sysctl -w net.ipv4.vs.conntrack=0'] }, from: 'pod/client', to: '192.168.0.11:30080', expect: [['connected', 'pod/default/web-2', '10.244.0.2', 1]] },
  // ip_vs_sched_persist: the template is per virtual server
  { name: 'affinity keeps a client at its endpoint', service: { sessionAffinity: 'ClientIP' }, from: 'pod/client', to: 'svc/web:80', more: { before: [{ from: 'pod/client', to: 'svc/web:80', backend: 'pod/web-2' }] }, expect: [['connected', 'pod/default/web-2', '10.244.0.2', 1]] },
  { name: 'affinity at the ClusterIP says nothing about the node port', service: { ...NODE_PORT, sessionAffinity: 'ClientIP' }, from: 'pod/client', to: '192.168.0.11:30080', more: { before: [{ from: 'pod/client', to: 'svc/web:80', backend: 'pod/web-2' }] },
    expect: [['connected', 'pod/default/web-1', '10.244.0.1', 0.5], ['connected', 'pod/default/web-2', '10.244.0.0', 0.5]] },
  { name: 'scheduler lc: the one that has no connection yet', kubeProxy: { ipvs: { scheduler: 'lc' } }, from: 'pod/client', to: 'svc/web:80', more: { before: [{ from: 'pod/client', to: 'svc/web:80', backend: 'pod/web-2' }] }, expect: [['connected', 'pod/default/web-1', '10.244.0.2', 1]] },
  { name: 'scheduler sh: always the same', kubeProxy: { ipvs: { scheduler: 'sh' } }, from: 'pod/client', to: 'svc/web:80', expect: [['connected', expect.stringMatching(/^pod\/default\/web-[12]$/), '10.244.0.2', 1]] },
  // xt_addrtype: ClusterIPs are LOCAL
  { name: 'addrtype LOCAL holds for a ClusterIP', web1: FAR, a: { commands: ['iptables -t mangle -A PREROUTING -d 10.96.0.20 -m addrtype --dst-type LOCAL'] }, from: 'pod/client', to: 'svc/web:80',
    expect: [['connected', 'pod/default/web-2', '10.244.0.2', 1]], through: ['-A PREROUTING -d 10.96.0.20/32 -m addrtype --dst-type LOCAL'] },
  // NF_HOOK(LOCAL_OUT) of ip_vs_nat_send_or_cont: a forwarded client's packet passes OUTPUT, no FORWARD
  { name: 'what IPVS sends passes OUTPUT and no FORWARD', web1: FAR, a: { commands: ['iptables -t mangle -A OUTPUT -m ipvs --ipvs', 'iptables -t mangle -A FORWARD -s 10.244.0.2'] }, from: 'pod/client', to: 'svc/web:80',
    expect: [['connected', 'pod/default/web-2', '10.244.0.2', 1]], through: ['-A OUTPUT -m ipvs --ipvs'], notThrough: ['-A FORWARD -s 10.244.0.2/32'] },
  // ip_vs_in_hook returns NF_STOLEN: the sender's call succeeds whatever OUTPUT does to what IPVS sends
  { name: 'a drop behind IPVS is silent', web1: FAR, a: { commands: ['iptables -A OUTPUT -d 10.244.1.0/24 -j DROP'] }, service: { ports: [{ port: 53, targetPort: 8080, protocol: 'UDP' }] }, from: 'node/a', to: 'svc/web:53', more: { protocol: 'udp' },
    expect: [['timeout', null, null, 1]], cause: 'rule-drop' },
  // do_output_route4 fails: dst_link_failure
  { name: 'no route to the endpoint: host unreachable', web1: FAR, a: { commands: ['ip route del 10.244.1.0/24', 'ip route del default'] }, from: 'pod/client', to: 'svc/web:80', expect: [['host-unreachable', null, null, 1]] },
];

function trace(row: Row): readonly Outcome[] {
  const { cause: _cause, ...base } = row;
  const check = { name: 'it', from: row.from, to: row.to, ...row.more, expect: {} };
  const scenario = {
    cluster: { podCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/12', kubernetesVersion: row.version ?? '1.30' },
    cni: 'flannel-vxlan',
    kubeProxy: { mode: 'ipvs', ...row.kubeProxy },
    nodes: [
      { name: 'a', ip: '192.168.0.11', ...base.a },
      { name: 'b', ip: '192.168.0.12', ...base.b },
    ],
    pods: [
      { name: 'client', node: 'a' },
      { name: 'web-1', node: 'a', labels: { app: 'web' }, ports: [8080], ...row.web1 },
      { name: 'web-2', node: 'b', labels: { app: 'web' }, ports: [8080] },
      ...(row.pods ?? []),
    ],
    services: [
      { name: 'web', clusterIP: '10.96.0.20', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...row.service },
    ],
    external: [
      { name: 'laptop', ip: '203.0.113.9' },
      { name: 'near', ip: '192.168.0.50' },
    ],
    ...(row.underlay && { underlay: row.underlay }),
    checks: [check],
  };
  const loaded = loadScenario([{ name: 'scenario.yaml', text: JSON.stringify(scenario) }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const asked = loaded.scenario.checks[0]!;
  const traced = traceConnection(loaded.scenario, asked, { before: asked.before, coldNeighbours: false }, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join('\n'));
  return traced.trace.outcomes;
}

const ruleTexts = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap(({ request }) => request.flatMap((event) => (event.kind === 'rule' ? [event.text] : [])));

describe('IPVS', () => {
  test.each(ROWS.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const outcomes = trace(row);
    expect(outcomes.map((o) => [o.verdict, o.server, o.source, o.probability])).toEqual(row.expect);
    if (row.cause !== undefined) expect(outcomes[0]!.cause?.code).toBe(row.cause);
    for (const text of row.through ?? []) expect(ruleTexts(outcomes)).toContain(text);
    for (const text of row.notThrough ?? []) expect(ruleTexts(outcomes)).not.toContain(text);
  });

  test('the trace names virtual server, scheduler and service', () => {
    const [outcome] = trace({ name: '', from: 'pod/client', to: 'svc/web:80', expect: [] });
    const nat = outcome!.request.find((event) => event.kind === 'nat');
    expect(nat).toMatchObject({
      hook: 'INPUT',
      type: 'dnat',
      layer: 'L2',
      before: { dst: '10.96.0.20', dport: 80 },
      after: { dst: '10.244.0.3', dport: 8080 },
      ipvs: { server: 'tcp 10.96.0.20:80', scheduler: 'rr', realServers: 2 },
      origin: { object: 'Service default/web', by: 'kube-proxy', role: 'cluster-ip' },
    });
    expect(outcome!.reply.find((event) => event.kind === 'nat')).toMatchObject({
      hook: 'FORWARD',
      type: 'snat',
      after: { src: '10.96.0.20', sport: 80 },
    });
  });

  test('the rewritten packet passes the hooks in the order of the kernel', () => {
    const [outcome] = trace({ name: '', web1: FAR, from: 'node/a', to: 'svc/web:80', expect: [] });
    const seen = outcome!.request.flatMap((event) => {
      if (event.host !== 'node/a' || event.outer) return [];
      if (event.kind === 'rule') return [`${event.hook} ${event.table}`];
      return event.kind === 'nat' ? [`${event.hook} ${event.type}`] : event.kind === 'route' ? [`route ${event.purpose}`] : [];
    });
    expect(seen.filter((text, i) => text !== seen[i - 1])).toEqual([
      'route output',
      'OUTPUT nat',
      'OUTPUT dnat',
      'route reroute',
      'OUTPUT filter',
      'POSTROUTING nat',
      'POSTROUTING snat',
    ]);
  });
});

const DUAL_STACK = `
cluster: { podCIDR: "10.244.0.0/16,fd00:10:244::/56", serviceCIDR: "10.96.0.0/16,fd00:10:96::/112" }
cni: flannel-vxlan
kubeProxy: { mode: ipvs }
nodes:
  - { name: a, ip: [192.168.0.11, "fd00:192:168::11"] }
  - { name: b, ip: [192.168.0.12, "fd00:192:168::12"] }
pods:
  - { name: client, node: a }
  - { name: web, node: b, labels: { app: web }, ports: [8080] }
services:
  - name: web
    type: NodePort
    ipFamilyPolicy: PreferDualStack
    clusterIPs: [10.96.0.20, "fd00:10:96::20"]
    selector: { app: web }
    ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }]
external:
  - { name: laptop, ip: [203.0.113.9, "2001:db8::9"] }
checks:
  - { name: pod, from: pod/client, to: "[fd00:10:96::20]:80", expect: { verdict: connected, server: pod/web, source: "fd00:10:244::2" } }
  - { name: node, from: node/a, to: "[fd00:10:96::20]:80", expect: { verdict: connected, server: pod/web, source: "fd00:10:244::" } }
  - { name: node port, from: external/laptop, to: "[fd00:192:168::11]:30080", expect: { verdict: connected, server: pod/web } }
  - { name: other port, from: pod/client, to: "[fd00:10:96::20]:81", expect: { verdict: refused, cause: port-not-in-service } }
  - { name: IPv4, from: pod/client, to: "10.96.0.20:80", expect: { verdict: connected, server: pod/web, source: 10.244.0.2 } }
`;

/** An endpoint goes: kube-proxy gives its real server weight 0 while connections are left (graceful_termination.go). */
const DRAIN = `
cni: flannel-vxlan
kubeProxy: { mode: ipvs }
nodes: [{ name: a, ip: 192.168.0.11 }, { name: b, ip: 192.168.0.12 }]
pods:
  - { name: client, node: a }
  - { name: web-1, node: a, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: b, labels: { app: web }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, sessionAffinity: ClientIP, ports: [{ port: 80, targetPort: 8080 }] }
checks:
  - { name: long, from: pod/client, to: "svc/web:80", backend: pod/web-2, expect: { verdict: connected, server: pod/web-2 } }
steps:
  - name: web-2 ends
    apply: { pods: [{ name: web-2, terminating: true }] }
    checks:
      - { name: goes on, continues: long, payload: 10, expect: { verdict: connected, server: pod/web-2 } }
      - { name: affinity gives way, from: pod/client, to: "svc/web:80", expect: { verdict: connected, server: pod/web-1 } }
  - name: a quiet while
    after: 16m
    checks:
      - { name: forgotten, continues: long, payload: 10, expect: { verdict: reset, cause: connection-forgotten } }
  - name: the service goes, and with it its address on kube-ipvs0
    delete: [svc/web]
    checks:
      - { name: gone, continues: affinity gives way, payload: 10, expect: { verdict: network-unreachable } }
`;

test.each([
  ['both IP families', DUAL_STACK],
  ['connections and persistence when an endpoint goes', DRAIN],
])('%s', (_, text) => {
  const loaded = loadScenario([{ name: 'scenario.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const { checks } = runChecks(loaded.scenario, {}, engine);
  const failed = checks.flatMap(({ name, error, expectations }) => [
    ...(error === undefined ? [] : [`${name}: ${error}`]),
    ...expectations.filter(({ ok }) => !ok).map(({ expected, actual }) => `${name}: expected ${expected}, found ${actual}`),
  ]);
  expect(failed).toEqual([]);
});
