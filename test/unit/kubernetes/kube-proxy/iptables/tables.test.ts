import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../../../src/kernel/netfilter/iptables/edit.ts';
import { kubeProxyIptables, kubeProxySysctls } from '../../../../../src/kubernetes/kube-proxy/iptables/index.ts';
import { formatIp, parseIp } from '../../../../../src/net/ip.ts';
import { loadCluster } from '../../../../support/load-cluster.ts';
import type { Chain, TableName } from '../../../../../src/kernel/netfilter/iptables/table.ts';
import type { Packet } from '../../../../../src/net/packet.ts';

/** A service of every kind of frontend, with and without endpoints, and node ports that are other services' ports. */
const SCENARIO = `
kubeProxy: { nodePortAddresses: [] }
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: web-1, node: node-1, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: node-2, labels: { app: web }, ports: [8080] }
  - { name: far, node: node-2, labels: { app: far }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: admin, selector: { app: web }, type: NodePort, ports: [{ name: a, port: 80, targetPort: 8080, nodePort: 30001 }, { name: b, port: 30001, targetPort: 8080, nodePort: 30002 }] }
  - { name: edge, selector: { app: far }, type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 32000, externalIPs: [203.0.113.1], ports: [{ port: 443, targetPort: 8080, nodePort: 30003 }] }
  - { name: dead, selector: { app: none }, type: NodePort, externalIPs: [203.0.113.1], ports: [{ port: 80, nodePort: 30004 }] }
  - { name: here, selector: { app: far }, internalTrafficPolicy: Local, ports: [{ port: 53, targetPort: 8080, protocol: UDP }] }
`;

const SHARED: readonly (readonly [TableName, string])[] = [
  ['nat', 'KUBE-SERVICES'],
  ['nat', 'KUBE-NODEPORTS'],
  ['filter', 'KUBE-SERVICES'],
  ['filter', 'KUBE-EXTERNAL-SERVICES'],
  ['filter', 'KUBE-NODEPORTS'],
  ['filter', 'KUBE-PROXY-FIREWALL'],
];

function tables(text = SCENARIO): ReturnType<typeof kubeProxyIptables> {
  const cluster = loadCluster(text);
  return kubeProxyIptables(cluster, cluster.nodes[0]!, 4);
}

function packet(dst: string, protocol: 'tcp' | 'udp', dport: number): Packet {
  const l4 = protocol === 'tcp' ? ({ protocol, sport: 1, dport, flags: 2 } as const) : ({ protocol, sport: 1, dport } as const);
  return { src: parseIp('10.244.0.9')!, dst: parseIp(dst)!, ttl: 64, tos: 0, df: true, length: 60, l4 };
}

describe('shared chains', () => {
  test.each(SHARED)('%s %s: its lines one by one are its lines', (table, name) => {
    const chain = tables().get(table)!.chain(name)!;
    const bodies = Array.from({ length: chain.length }, (_, i) => chain.body(i));
    expect(bodies).toEqual(linesOf(chain).map(({ body }) => body));
  });

  test.each(SHARED)('%s %s: no rule that could match is missing among the candidates', (table, name) => {
    const chain = tables().get(table)!.chain(name)!;
    for (const dst of ['192.168.0.11', '203.0.113.1', ...addressesIn(chain)]) {
      for (const dport of [80, 443, 53, 30001, 30002, 30003, 30004, 32000]) {
        for (const protocol of ['tcp', 'udp'] as const) {
          const candidates = chain.candidates!(packet(dst, protocol, dport))!;
          const matching = linesOf(chain).flatMap(({ body }, i) => (couldMatch(body, dst, protocol, dport) ? [i] : []));
          expect(candidates).toEqual(expect.arrayContaining(matching));
          expect([...candidates].sort((a, b) => a - b)).toEqual(candidates);
        }
      }
    }
  });

  test('blocks come by namespace, name, port', () => {
    const names = linesOf(tables().get('nat')!.chain('KUBE-SERVICES')!).map(({ origin }) => origin!.object);
    const services = names.filter((name) => name !== null);
    expect(services).toEqual([...services].sort());
    expect(names.at(-1)).toBeNull();
  });

  test('a candidate look-up leaves other services alone', () => {
    const chain = tables().get('nat')!.chain('KUBE-SERVICES')!;
    const clusterIp = addressesIn(chain)[0]!;
    expect(chain.candidates!(packet(clusterIp, 'tcp', 9999))).toEqual([chain.length - 1]);
  });
});

describe('chains of services', () => {
  test('each is found by its name before anybody listed the table, and has rules', () => {
    const listed = [...tables().get('nat')!.chainNames()].filter((name) => /^KUBE-(SVC|SVL|EXT|FW|SEP)-/.test(name));
    expect(listed.length).toBeGreaterThan(10);
    for (const name of listed) expect(tables().get('nat')!.chain(name)?.length).toBeGreaterThan(0);
  });

  test('an unknown one is not there', () => {
    expect(tables().get('nat')!.chain('KUBE-SVC-AAAAAAAAAAAAAAAA')).toBeUndefined();
    expect(tables().get('nat')!.chain('SOMETHING')).toBeUndefined();
  });

  test('names come sorted behind the base chains', () => {
    const names = [...tables().get('nat')!.chainNames()];
    expect(names.slice(0, 3)).toEqual(['PREROUTING', 'OUTPUT', 'POSTROUTING']);
    expect(names.slice(3)).toEqual([...names.slice(3)].sort());
  });
});

describe('route_localnet', () => {
  test.each([
    ['on by default', '', { 'net.ipv4.conf.all.route_localnet': '1' }],
    ['off with localhostNodePorts false', 'kubeProxy: { iptables: { localhostNodePorts: false } }', {}],
    ['off when no node port address is on loopback', 'kubeProxy: { nodePortAddresses: [192.168.0.0/16] }', {}],
    [
      'on when one is',
      'kubeProxy: { nodePortAddresses: [192.168.0.0/16, 127.0.0.0/8] }',
      { 'net.ipv4.conf.all.route_localnet': '1' },
    ],
  ])('%s', (_, config, sysctls) => {
    const cluster = loadCluster(`${config}\nnodes: [{ name: node-1, ip: 192.168.0.11 }]\n`);
    expect(kubeProxySysctls(cluster, cluster.nodes[0]!)).toEqual(sysctls);
  });
});

test('node ports on chosen addresses: those of the CNI’s devices too', () => {
  const cluster = loadCluster('kubeProxy: { nodePortAddresses: [10.0.0.0/8] }\nnodes: [{ name: node-1, ip: 192.168.0.11 }]\n');
  const lines = (devices: readonly string[]): readonly string[] =>
    linesOf(
      kubeProxyIptables(
        cluster,
        cluster.nodes[0]!,
        4,
        devices.map((d) => parseIp(d)!),
      )
        .get('nat')!
        .chain('KUBE-SERVICES')!,
    ).map(({ body }) => body.split(' ', 2).join(' '));
  expect(lines([])).toEqual([]);
  expect(lines(['10.244.0.1'])).toEqual(['-d 10.244.0.1/32']);
});

function addressesIn(chain: Chain): readonly string[] {
  return linesOf(chain)
    .flatMap(({ body }) => /-d (\S+)\/32/.exec(body)?.[1] ?? [])
    .map((text) => formatIp(parseIp(text)!));
}

function couldMatch(body: string, dst: string, protocol: string, dport: number): boolean {
  const option = (name: string): string | undefined => new RegExp(`(?:^| )${name} (\\S+)`).exec(body)?.[1];
  return (
    (option('-d') ?? `${dst}/32`) === `${dst}/32` &&
    (option('-p') ?? protocol) === protocol &&
    (option('--dport') ?? String(dport)) === String(dport)
  );
}
