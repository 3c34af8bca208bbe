import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../../src/kernel/netfilter/iptables/edit.ts';
import {
  NO_SERVICES,
  explainChain,
  originsForDump,
  recogniseRule,
  serviceIndexOf,
  serviceIndexOfDump,
} from '../../../../src/usecase/explain/index.ts';
import { nodeRules } from '../../../../src/usecase/rules.ts';
import { loadCluster } from '../../../support/load-cluster.ts';
import { tablesFrom } from '../../../support/save-tables.ts';

const CLUSTER = loadCluster(`
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: web-1, node: node-1, ip: 10.244.0.5, labels: { app: web }, ports: [{ containerPort: 8080, hostPort: 18080 }] }
services:
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
`);

const weave = (cni: string) =>
  loadCluster(`
cni: ${cni}
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods: [{ name: web-1, node: node-1, ports: [{ containerPort: 8080, hostPort: 18080 }] }]
`);

describe.each([
  ['flannel', CLUSTER],
  ['weave', weave('weave')],
  ['weave without its policy controller', weave('{ plugin: weave, npc: false }')],
])('compiled rules, %s', (_, cluster) => {
  const tables = nodeRules(cluster, 'node-1', { component: 'all', family: 4 });
  if (!tables.ok) throw new Error(tables.message);
  const rules = [...tables.tables.values()].flatMap((table) =>
    [...table.chainNames()].flatMap((chain) =>
      linesOf(table.chain(chain)!).map((line) => ({ table: table.name, chain, ...line })),
    ),
  );

  test.each(rules)('$table $chain $body', ({ table, chain, body, origin }) => {
    const read = recogniseRule(table, chain, body, serviceIndexOf(cluster));
    expect({ by: read?.origin.by, role: read?.origin.role }).toEqual({ by: origin?.by, role: origin?.role });
    expect(read?.sentence).toMatch(/^\S.*[^.]$/);
  });
});

describe('rules of dumps', () => {
  test.each([
    [
      'nat',
      'KUBE-XLB-AAAA2222BBBB3333',
      '-m comment --comment "Redirect pods trying to reach external loadbalancer VIP to clusterIP" -s 10.244.0.0/16 -j KUBE-SVC-AAAA2222BBBB3333',
      'kube-proxy',
      'pod-short-circuit',
    ],
    [
      'nat',
      'KUBE-XLB-AAAA2222BBBB3333',
      '-m comment --comment "Balancing rule 0 for shop/web:http" -j KUBE-SEP-AAAAAAAAAAAAAAA1',
      'kube-proxy',
      'balance',
    ],
    [
      'nat',
      'KUBE-FW-AAAA2222BBBB3333',
      '-m comment --comment "shop/web:http loadbalancer IP" -j KUBE-MARK-DROP',
      'kube-proxy',
      'source-range',
    ],
    [
      'filter',
      'KUBE-FIREWALL',
      '-m comment --comment "kubernetes firewall for dropping marked packets" -m mark --mark 0x8000/0x8000 -j DROP',
      'kubelet',
      'marked-drop',
    ],
    [
      'nat',
      'KUBE-NODEPORTS',
      '-d 127.0.0.0/8 -p tcp -m comment --comment "default/web" -m tcp --dport 30080 -m nfacct --nfacct-name  localhost_nps_accepted_pkts -j KUBE-EXT-LOLE4ISW44XBNF3G',
      'kube-proxy',
      'node-port',
    ],
    ['filter', 'FORWARD', '-j DOCKER-USER', 'docker', 'jump'],
    ['nat', 'POSTROUTING', '-s 172.17.0.0/16 ! -o docker0 -j MASQUERADE', 'docker', 'masquerade-out'],
    [
      'nat',
      'POSTROUTING',
      '-s 10.244.0.5/32 -m comment --comment "name: \\"cbr0\\" id: \\"1\\"" -j CNI-0123456789abcdef01234567',
      'bridge-plugin',
      'masquerade-jump',
    ],
  ])('%s %s %s', (table, chain, body, by, role) => {
    expect(recogniseRule(table, chain, body, NO_SERVICES)?.origin).toMatchObject({ by, role });
  });

  test.each([
    ['filter', 'FORWARD', '-s 10.0.0.0/8 -j DROP'],
    ['filter', 'KUBE-SERVICES', '-s 10.0.0.0/8 -j DROP'],
    ['nat', 'KUBE-SVC-AAAA2222BBBB3333', '-j DROP'],
    ['filter', 'cali-FORWARD', '-j MARK --set-xmark 0x0/0xe0000'],
  ])('%s %s %s is nobody’s known here', (table, chain, body) => {
    expect(recogniseRule(table, chain, body, NO_SERVICES)).toBeNull();
  });

  test('options in a comment are no options', () => {
    const rule = '-m comment --comment "shop/web -j KUBE-MARK-MASQ cluster IP" -j ACCEPT';
    expect(recogniseRule('nat', 'KUBE-SERVICES', rule, NO_SERVICES)).toBeNull();
  });
});

describe('origins for a dump', () => {
  const dump = tablesFrom(`
    *nat
    -A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m comment --comment "shop/web:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAA2222BBBB3333
    -A KUBE-SVC-AAAA2222BBBB3333 -m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-AAAAAAAAAAAAAAA1
    -A KUBE-SVC-AAAA2222BBBB3333 -j KUBE-SEP-AAAAAAAAAAAAAAA2
    -A KUBE-SEP-AAAAAAAAAAAAAAA1 -s 10.244.1.5/32 -j KUBE-MARK-MASQ
    -A KUBE-SEP-AAAAAAAAAAAAAAA1 -p tcp -m tcp -j DNAT --to-destination 10.244.1.5:8080
    -A KUBE-SVC-LOLE4ISW44XBNF3G -j KUBE-SEP-BBBBBBBBBBBBBBB1
    *filter
    -A FORWARD -s 10.0.0.0/8 -j DROP`);
  const tables = originsForDump(dump, CLUSTER);
  const originOf = (chain: string, rule: number): unknown => linesOf(tables.get('nat')!.chain(chain)!)[rule]!.origin;

  test('a comment elsewhere in the dump names the service behind a hash', () => {
    expect(originOf('KUBE-SVC-AAAA2222BBBB3333', 1)).toMatchObject({ object: 'Service shop/web', role: 'balance' });
    expect(originOf('KUBE-SEP-AAAAAAAAAAAAAAA1', 1)).toMatchObject({ object: 'Service shop/web', role: 'endpoint' });
  });

  test('where the dump is silent, the cluster knows', () => {
    expect(originOf('KUBE-SVC-LOLE4ISW44XBNF3G', 0)).toMatchObject({ object: 'Service default/web' });
  });

  test('a rule of nobody stays without an origin, and all rules stay', () => {
    expect(linesOf(tables.get('filter')!.chain('FORWARD')!)).toEqual([{ body: '-s 10.0.0.0/8 -j DROP' }]);
  });

  test('a rule without a comment is explained with its endpoint', () => {
    const body = '-m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-AAAAAAAAAAAAAAA1';
    expect(recogniseRule('nat', 'KUBE-SVC-AAAA2222BBBB3333', body, serviceIndexOfDump(dump, NO_SERVICES))).toMatchObject({
      sentence: '1 in 2 goes to an endpoint of shop/web:http, 10.244.1.5:8080',
    });
  });
});

describe('chains', () => {
  test.each([
    ['KUBE-SVC-LOLE4ISW44XBNF3G', 'Service default/web', 'chooses among the endpoints of default/web'],
    ['KUBE-SVC-AAAA2222BBBB3333', null, 'chooses among the endpoints of a service'],
    ['FLANNEL-FWD', null, 'lets the pods’ traffic through FORWARD'],
    ['CNI-DN-9f2b5c03aa436a648fc21', null, 'host ports of one pod'],
    ['FORWARD', null, 'packets that this host passes on'],
  ])('%s', (name, object, sentence) => {
    expect(explainChain(name, CLUSTER)).toMatchObject({ sentence, origin: { object } });
  });

  test('nobody’s', () => {
    expect(explainChain('MY-CHAIN', CLUSTER)).toBeNull();
  });
});
