import { describe, expect, test } from 'vitest';
import { balancersOf, backendsOf, MOST_BACKENDS } from '../../../../src/kubernetes/balancer/balancers.ts';
import { formatRule } from '../../../../src/kernel/routing/format-rule.ts';
import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from '../../../../src/kernel/routing/route.ts';
import { loadCluster } from '../../../support/load-cluster.ts';
import { cidr, node, twoNodes } from '../cluster-fixture.ts';
import { chain, devices, host, routes, world } from '../host-text.ts';
import type { Host } from '../../../../src/kernel/host.ts';
import type { Cluster } from '../../../../src/kubernetes/model/cluster.ts';

const SERVICE = `
services:
  - name: web
    type: LoadBalancer
    selector: { app: web }
    ports: [{ name: http, port: 80, targetPort: 8080 }, { name: dns, port: 53, protocol: UDP, targetPort: 53 }]
`;

function cluster(settings: string, service = SERVICE): Cluster {
  return loadCluster(`
loadBalancer: ${settings}
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods: [{ name: web, node: node-1, labels: { app: web }, ports: [8080] }]
external: [{ name: laptop, ip: 203.0.113.9 }]
${service}`);
}

describe('mode nodePort', () => {
  const compiled = cluster('{}');

  test('the balancer has the public address, and goes to the node ports of the nodes', () => {
    const balancer = host(compiled, 'balancer/default/web');
    expect(devices(balancer)).toEqual([
      'loopback lo 65536 - 127.0.0.1/8',
      'veth eth0 1500 02:c2:64:40:00:01 100.64.0.1/32 198.51.100.1/32 @underlay:lb-web',
    ]);
    expect(routes(balancer)).toEqual(['default via 169.254.1.1 dev eth0 src 100.64.0.1', '169.254.1.1 dev eth0 scope link']);
    const { iptables } = balancer.netfilter;
    expect(chain(iptables, 'nat', 'PREROUTING')).toEqual([
      '-d 198.51.100.1/32 -p tcp -m comment --comment "default/web:http picks a healthy node" -m tcp --dport 80 -j CLOUD-NODES-TCP-80',
      '-d 198.51.100.1/32 -p udp -m comment --comment "default/web:dns picks a healthy node" -m udp --dport 53 -j CLOUD-NODES-UDP-53',
    ]);
    expect(chain(iptables, 'nat', 'CLOUD-NODES-TCP-80')).toEqual([
      '-p tcp -m comment --comment "default/web -> node-1" -m statistic --mode random --probability 0.50000000000 -j DNAT --to-destination 192.168.0.11:30086',
      '-p tcp -m comment --comment "default/web -> node-2" -j DNAT --to-destination 192.168.0.12:30086',
    ]);
    expect(chain(iptables, 'nat', 'POSTROUTING').map((body) => body.split(' ', 2).join(' '))).toEqual([
      '-s 192.168.0.0/24',
      '-s 10.244.0.0/16',
    ]);
    expect(iptables.get('mangle')).toBeUndefined();
  });

  test('the router leads there, and takes answers of balanced connections back', () => {
    const router = host(compiled, 'underlay');
    expect(routes(router)).toContain('198.51.100.1 via 100.64.0.1 dev lb-web');
    expect(routes(router, 1000)).toEqual(['default via 100.64.0.1 dev lb-web']);
    expect(router.routing.rules.map(formatRule)).toContain('priority 100 from all fwmark 0x3e8/0xffffffff lookup 1000');
    expect(chain(router.netfilter.iptables, 'mangle', 'PREROUTING')).toEqual([
      '-i lb-web -m comment --comment "from the balancer of default/web" -m conntrack --ctstate NEW -j CONNMARK --set-xmark 0x3e8/0xffffffff',
      '-m comment --comment "an answer goes back by the balancer" -m conntrack --ctdir REPLY -m connmark ! --mark 0x0 -j CONNMARK --restore-mark --nfmask 0xffffffff --ctmask 0xffffffff',
    ]);
  });

  test('of very many balancers none takes a table that is the kernel’s', () => {
    const many = Array.from({ length: 160 }, (_, i) => `{ name: s${i}, type: LoadBalancer, ports: [{ port: 80 }] }`);
    const router = host(cluster('{}', `services: [${many.join(', ')}]`), 'underlay');
    const returns = router.routing.rules.filter(({ mark }) => mark !== null);
    expect(new Set(returns.map(({ mark }) => mark?.value)).size).toBe(160);
    expect(returns.every(({ priority }) => priority < 32766)).toBe(true);
    for (const { action } of returns) {
      const table = action.kind === 'lookup' ? action.table : 0;
      expect([0, TABLE_DEFAULT, TABLE_MAIN, TABLE_LOCAL]).not.toContain(table);
      expect(routes(router, table)).toEqual([expect.stringMatching(/^default via 100\.64\.0\.\d+ dev lb-s\d+$/)]);
    }
  });

  test('unhealthy nodes are left out; without a healthy one it drops', () => {
    const withOut = (...names: string[]): Host =>
      host(world(compiled, { unhealthy: () => new Set(names) }), 'balancer/default/web');
    expect(chain(withOut('node-1').netfilter.iptables, 'nat', 'CLOUD-NODES-TCP-80')).toEqual([
      '-p tcp -m comment --comment "default/web -> node-2" -j DNAT --to-destination 192.168.0.12:30086',
    ]);
    const none = withOut('node-1', 'node-2').netfilter.iptables;
    expect(none.get('nat')).toBeUndefined();
    expect(chain(none, 'mangle', 'PREROUTING')[0]).toBe(
      '-d 198.51.100.1/32 -p tcp -m comment --comment "default/web:http has no healthy node" -m tcp --dport 80 -j DROP',
    );
  });

  test('source ranges come first', () => {
    const limited = cluster('{}', `${SERVICE}    loadBalancerSourceRanges: [192.0.2.0/24]\n`);
    const { iptables } = host(limited, 'balancer/default/web').netfilter;
    expect(chain(iptables, 'mangle', 'PREROUTING')[0]).toMatch(/ -j CLOUD-SOURCES$/);
    expect(chain(iptables, 'mangle', 'CLOUD-SOURCES')).toEqual(['-s 192.0.2.0/24 -j RETURN', '-j DROP']);
  });

  test('a service without node ports gets nowhere', () => {
    const none = cluster('{}', `${SERVICE}    allocateLoadBalancerNodePorts: false\n`);
    const { iptables } = host(none, 'balancer/default/web').netfilter;
    expect(chain(iptables, 'mangle', 'PREROUTING').every((body) => body.includes('has no node port'))).toBe(true);
  });
});

describe('mode direct', () => {
  const compiled = cluster('{ mode: direct }');

  test('the balancer does not have the public address, and routes it to the nodes by a leg on their switch', () => {
    const balancer = host(compiled, 'balancer/default/web');
    expect(devices(balancer).slice(1)).toEqual([
      'veth eth0 1500 02:c2:64:40:00:01 100.64.0.1/32 @underlay:lb-web',
      'veth eth1 1500 02:c3:64:40:00:01 @underlay:lb-web-1',
    ]);
    expect(routes(balancer)).toContain(
      '198.51.100.1 nexthop via 192.168.0.11 dev eth1 weight 1 onlink nexthop via 192.168.0.12 dev eth1 weight 1 onlink',
    );
    expect(chain(balancer.netfilter.iptables, 'mangle', 'PREROUTING').at(-1)).toBe('-d 198.51.100.1/32 -j DROP');
  });

  test('the router marks nothing: answers need not come back', () => {
    const router = host(compiled, 'underlay');
    expect(router.netfilter.iptables.size).toBe(0);
    expect(routes(router, 1000)).toEqual([]);
  });
});

describe('which services have a balancer, and which nodes are behind it', () => {
  const typed = (more: string) =>
    cluster('{}', `services: [{ name: web, selector: { app: web }, ports: [{ port: 80 }], ${more} }]\n`);

  test.each([
    ['type: LoadBalancer', 1],
    ['type: NodePort', 0],
    ['type: LoadBalancer, loadBalancerClass: example.com/other', 0],
    ['type: LoadBalancer, status: { loadBalancer: { ingress: [{ hostname: lb.example }] } }', 0],
  ])('%s: %i', (more, count) => expect(balancersOf(typed(more))).toHaveLength(count));

  test('none without a cloud', () => {
    expect(balancersOf({ ...typed('type: LoadBalancer'), loadBalancer: null })).toEqual([]);
  });

  test('labelled nodes are left out, and so are those beyond the quota', () => {
    const excluded = { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } };
    const nodes = Array.from({ length: MOST_BACKENDS + 5 }, (_, i) =>
      node(`node${i}`, `172.18.${1 + (i >> 7)}.${1 + (i & 127)}`, '10.244.1.0/24', i === 0 ? excluded : {}),
    );
    const backends = backendsOf(twoNodes({ nodes, podCidrs: [cidr('10.244.0.0/16')] }), 4);
    expect(backends).toHaveLength(MOST_BACKENDS);
    expect(backends[0]?.node.name).toBe('node1');
  });
});
