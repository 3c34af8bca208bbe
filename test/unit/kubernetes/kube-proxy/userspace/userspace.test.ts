import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../../../src/kernel/netfilter/iptables/edit.ts';
import { kubeProxyUserspace } from '../../../../../src/kubernetes/kube-proxy/userspace/index.ts';
import { userspaceListeners } from '../../../../../src/kubernetes/kube-proxy/userspace/listeners.ts';
import { userspaceTargets } from '../../../../../src/kubernetes/kube-proxy/userspace/targets.ts';
import { formatIp } from '../../../../../src/net/ip.ts';
import { loadCluster } from '../../../../support/load-cluster.ts';
import type { TableName } from '../../../../../src/kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../../../../src/kubernetes/model/cluster.ts';

function cluster(services: string, more = ''): Cluster {
  return loadCluster(`
cluster: { kubernetesVersion: "1.24" }
kubeProxy: { mode: userspace }
nodes: [{ name: a, ip: 192.168.0.11 }, { name: b, ip: 192.168.0.12 }]
pods:
  - { name: web-1, node: a, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: b, labels: { app: web }, ports: [8080] }
  - { name: web-3, node: b, labels: { app: web }, ports: [8080], ready: false }
  - { name: web-4, node: b, labels: { app: web }, ports: [8080], terminating: true }
${more}
services:
${services}
`);
}

const WEB =
  '  - { name: web, type: NodePort, clusterIP: 10.96.0.20, selector: { app: web }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] }';

function chain(of: Cluster, table: TableName, name: string, family: 4 | 6 = 4): readonly string[] {
  const found = kubeProxyUserspace(of, of.nodes[0]!, family).get(table)?.chain(name);
  return found ? linesOf(found).map(({ body }) => body) : [];
}

/** The number at the end of a rule: where kube-proxy listens. */
function proxyPort(of: Cluster): number {
  return Number(/\d+$/.exec(chain(of, 'nat', 'KUBE-PORTALS-CONTAINER')[0]!)![0]);
}

function sockets(of: Cluster): readonly string[] {
  return userspaceListeners(of, of.nodes[0]!).map(
    ({ protocol, address, port, owner, process, origin }) =>
      `${protocol} ${address === null ? '*' : formatIp(address)}:${port} ${owner} ${process} ${origin?.object} ${origin?.role}`,
  );
}

describe('rules', () => {
  test('iptablesInit: portals in front of node ports, both for others and for the node itself', () => {
    const web = cluster(WEB);
    expect(chain(web, 'nat', 'PREROUTING')).toEqual([
      '-m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-CONTAINER',
      '-m addrtype --dst-type LOCAL -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-CONTAINER',
    ]);
    expect(chain(web, 'nat', 'OUTPUT').map((body) => body.split(' ').at(-1))).toEqual([
      'KUBE-PORTALS-HOST',
      'KUBE-NODEPORT-HOST',
    ]);
    expect(chain(web, 'filter', 'INPUT')).toEqual([
      '-m comment --comment "Ensure that non-local NodePort traffic can flow" -j KUBE-NODEPORT-NON-LOCAL',
    ]);
  });

  test('openOnePortal, openNodePort: REDIRECT for what comes in, DNAT to the node for what it sends, the proxy port let in', () => {
    const web = cluster(WEB);
    const port = proxyPort(web);
    const name = '-p tcp -m comment --comment "default/web" -m tcp';
    expect(chain(web, 'nat', 'KUBE-PORTALS-CONTAINER')).toEqual([
      `-d 10.96.0.20/32 ${name} --dport 80 -j REDIRECT --to-ports ${port}`,
    ]);
    expect(chain(web, 'nat', 'KUBE-PORTALS-HOST')).toEqual([
      `-d 10.96.0.20/32 ${name} --dport 80 -j DNAT --to-destination 192.168.0.11:${port}`,
    ]);
    expect(chain(web, 'nat', 'KUBE-NODEPORT-CONTAINER')).toEqual([`${name} --dport 30080 -j REDIRECT --to-ports ${port}`]);
    expect(chain(web, 'nat', 'KUBE-NODEPORT-HOST')).toEqual([
      `${name} --dport 30080 -j DNAT --to-destination 192.168.0.11:${port}`,
    ]);
    expect(chain(web, 'filter', 'KUBE-NODEPORT-NON-LOCAL')).toEqual([`${name} --dport ${port} -m state --state NEW -j ACCEPT`]);
  });

  test('openPortal: an external IP only where it does not come from a pod, or is local; a load balancer IP as a cluster IP', () => {
    const of = cluster(
      '  - { name: web, type: LoadBalancer, clusterIP: 10.96.0.20, externalIPs: [203.0.113.7], selector: { app: web }, ports: [{ port: 80, nodePort: 30080 }], status: { loadBalancer: { ingress: [{ ip: 203.0.113.8 }] } } }',
    );
    const withoutName = (name: string): readonly string[] =>
      chain(of, 'nat', name).map((body) =>
        body.replace(' -p tcp -m comment --comment "default/web" -m tcp --dport 80', '').replace(/ --to.*/, ''),
      );
    expect(withoutName('KUBE-PORTALS-CONTAINER')).toEqual([
      '-d 10.96.0.20/32 -j REDIRECT',
      '-d 203.0.113.7/32 -m physdev ! --physdev-is-in -j REDIRECT',
      '-d 203.0.113.7/32 -m addrtype --dst-type LOCAL -j REDIRECT',
      '-d 203.0.113.8/32 -j REDIRECT',
    ]);
    expect(withoutName('KUBE-PORTALS-HOST')).toEqual([
      '-d 10.96.0.20/32 -j DNAT',
      '-d 203.0.113.7/32 -m addrtype --dst-type LOCAL -j DNAT',
      '-d 203.0.113.8/32 -j DNAT',
    ]);
  });

  test('newProxySocket knows no SCTP, and a headless service has no portal', () => {
    const of = cluster(`  - { name: a, selector: { app: web }, ports: [{ port: 80, protocol: SCTP }] }
  - { name: b, clusterIP: None, selector: { app: web }, ports: [{ port: 80 }] }`);
    expect(chain(of, 'nat', 'KUBE-PORTALS-CONTAINER')).toEqual([]);
    expect(sockets(of)).toEqual([]);
  });

  test('the ports of a service come as its spec has them', () => {
    const of = cluster(
      '  - { name: web, selector: { app: web }, ports: [{ name: b, port: 443, targetPort: 8080 }, { name: a, port: 80, targetPort: 8080 }] }',
    );
    expect(chain(of, 'nat', 'KUBE-PORTALS-CONTAINER').map((body) => /"(.*)"/.exec(body)![1])).toEqual([
      'default/web:b',
      'default/web:a',
    ]);
  });

  test('one family only: that of the node’s first address', () => {
    const of = loadCluster(`
cluster: { kubernetesVersion: "1.24", podCIDR: "10.244.0.0/16,fd00:244::/56", serviceCIDR: "10.96.0.0/12,fd00:96::/112" }
kubeProxy: { mode: userspace }
nodes: [{ name: a, ip: [192.168.0.11, fd00::11] }]
services:
  - { name: both, ipFamilyPolicy: RequireDualStack, ports: [{ port: 80 }] }
  - { name: six, ipFamilies: [IPv6], ports: [{ port: 80 }] }
`);
    expect(chain(of, 'nat', 'KUBE-PORTALS-CONTAINER', 6)).toEqual([]);
    expect(chain(of, 'nat', 'KUBE-PORTALS-CONTAINER').map((body) => /"(.*)"/.exec(body)![1])).toEqual(['default/both']);
  });

  test('openPortal gives up at the first address that iptables refuses', () => {
    const of = cluster(
      '  - { name: web, type: NodePort, clusterIP: 10.96.0.20, externalIPs: ["fd00::7", 203.0.113.7], selector: { app: web }, ports: [{ port: 80, nodePort: 30080 }] }',
    );
    expect(chain(of, 'nat', 'KUBE-PORTALS-CONTAINER')).toHaveLength(1);
    expect(chain(of, 'nat', 'KUBE-NODEPORT-CONTAINER')).toEqual([]);
  });
});

describe('sockets', () => {
  test('addServiceOnPortInternal, claimNodePort: one to relay, one to hold the node port', () => {
    const web = cluster(WEB);
    expect(sockets(web)).toEqual([
      `tcp *:${proxyPort(web)} node/a kube-proxy Service default/web proxy-port`,
      'tcp *:30080 node/a kube-proxy Service default/web held-port',
    ]);
  });

  test('an external IP that the node has is held too', () => {
    const of = cluster(
      '  - { name: web, clusterIP: 10.96.0.20, externalIPs: [192.168.0.11], selector: { app: web }, ports: [{ port: 80 }] }',
    );
    expect(sockets(of)).toContain('tcp 192.168.0.11:80 node/a kube-proxy Service default/web held-port');
  });

  test('proxy ports are fixed, and different for each service port', () => {
    const of = cluster(Array.from({ length: 2000 }, (_, i) => `  - { name: s${i}, ports: [{ port: 80 }] }`).join('\n'));
    const ports = chain(of, 'nat', 'KUBE-PORTALS-CONTAINER').map((body) => Number(/\d+$/.exec(body)![0]));
    expect(new Set(ports).size).toBe(2000);
    expect(ports.every((port) => port >= 32768 && port <= 60999)).toBe(true);
    expect(proxyPort(cluster(WEB))).toBe(proxyPort(cluster(WEB)));
  });

  test('a port that a process of a node has is not drawn', () => {
    const first = proxyPort(cluster(WEB));
    const taken = cluster(WEB, `  - { name: agent, node: b, hostNetwork: true, ports: [${first}] }`);
    expect(proxyPort(taken)).toBe(first + 1);
  });

  test('a dump says at which port kube-proxy listens', () => {
    const web = cluster(WEB);
    const text =
      '-A KUBE-PORTALS-CONTAINER -d 10.96.0.20/32 -p tcp -m comment --comment "default/web" -m tcp --dport 80 -j REDIRECT --to-ports 41234\n';
    const nodes = web.nodes.map((node) => ({ ...node, iptablesSave: { file: 'dump', text } }));
    expect(sockets({ ...web, nodes })[0]).toContain('tcp *:41234 ');
  });
});

describe('targets', () => {
  test('BuildPortsToEndpointsMap: ready endpoints only, whatever the traffic policy', () => {
    const of = cluster(
      WEB.replace('type: NodePort,', 'type: NodePort, externalTrafficPolicy: Local, internalTrafficPolicy: Local,'),
    );
    const targets = userspaceTargets(of, of.nodes[0]!, proxyPort(of), 'tcp');
    expect(targets?.servicePort.name).toBe('default/web');
    expect(targets?.endpoints.map(({ text }) => text)).toEqual(['10.244.0.2:8080', '10.244.1.2:8080']);
    expect(targets?.affinity).toBeNull();
  });

  test('newServiceInternal: ClientIP affinity, of three hours unless it is given', () => {
    const of = cluster(WEB.replace('type: NodePort,', 'type: NodePort, sessionAffinity: ClientIP,'));
    expect(userspaceTargets(of, of.nodes[0]!, proxyPort(of), 'tcp')?.affinity).toEqual({ seconds: 10800 });
  });

  test('only a port that relays has any, and only in this mode', () => {
    const web = cluster(WEB);
    expect(userspaceTargets(web, web.nodes[0]!, 30080, 'tcp')).toBeNull();
    expect(userspaceTargets(web, web.nodes[0]!, proxyPort(web), 'udp')).toBeNull();
    const other: Cluster = { ...web, kubeProxy: { ...web.kubeProxy, mode: 'iptables' } };
    expect(userspaceTargets(other, other.nodes[0]!, proxyPort(web), 'tcp')).toBeNull();
  });

  test('a service without endpoints has a port all the same', () => {
    const of = cluster('  - { name: none, selector: { app: none }, ports: [{ port: 80 }] }');
    expect(userspaceTargets(of, of.nodes[0]!, proxyPort(of), 'tcp')?.endpoints).toEqual([]);
  });
});
