import { describe, expect, test } from 'vitest';
import { answerQuery } from '../../../../src/kubernetes/dns/answer-query.ts';
import type { DnsAnswer, DnsRecord, DnsType } from '../../../../src/kubernetes/dns/records.ts';
import type { Cluster } from '../../../../src/kubernetes/model/cluster.ts';
import { formatIp } from '../../../../src/net/ip.ts';
import { scenarioOf } from '../../scenario/load-text.ts';

const CLUSTER = scenarioOf(`
cluster: { serviceCIDR: "10.3.0.0/16,fd00:96::/112", podCIDR: "10.244.0.0/16,fd00:244::/48" }
nodes: [{ name: n1, ip: "10.0.0.1,fd00::1", podCIDR: "10.244.0.0/24,fd00:244::/64" }]
pods:
  - { name: pet, namespace: shop, node: n1, ip: 10.244.0.100, labels: { app: pets }, hostname: my-pet, subdomain: headless, ports: [443] }
  - { name: dog, namespace: shop, node: n1, ip: "10.244.0.101,fd00:244::65", labels: { app: pets }, ports: [443] }
  - { name: sick, namespace: shop, node: n1, ip: 10.244.0.102, labels: { app: pets }, ready: false, ports: [443] }
  - { name: lost, node: n1, ip: 10.244.0.103, labels: { app: lost }, ready: false, ports: [80] }
  - { name: web, node: n1, ip: 10.244.0.110, labels: { app: web }, ports: [8080] }
services:
  - { name: kubernetes, clusterIP: 10.3.0.1, ports: [{ name: https, port: 443 }] }
  - { name: dual, namespace: shop, clusterIPs: [10.3.0.2, "fd00:96::2"], ipFamilyPolicy: RequireDualStack, ports: [{ name: http, port: 80 }] }
  - { name: dns, namespace: shop, clusterIP: 10.3.0.3, ports: [{ name: dns, port: 53, protocol: UDP }, { name: dns-tcp, port: 53 }] }
  - { name: plain, clusterIP: 10.3.0.4, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: headless, namespace: shop, clusterIP: None, selector: { app: pets }, ports: [{ name: https, port: 443 }] }
  - { name: both, namespace: shop, clusterIP: None, ipFamilies: [IPv4, IPv6], selector: { app: pets }, ports: [{ name: https, port: 443 }] }
  - { name: all, namespace: shop, clusterIP: None, publishNotReadyAddresses: true, selector: { app: pets }, ports: [{ name: https, port: 443 }] }
  - { name: portless, namespace: shop, clusterIP: None, selector: { app: pets } }
  - { name: lost, clusterIP: None, selector: { app: lost }, ports: [{ port: 80 }] }
  - { name: foo, type: ExternalName, externalName: www.example.com }
  - { name: nowhere, type: ExternalName, externalName: gone.example.com }
  - { name: inner, type: ExternalName, externalName: Kubernetes.default.svc.cluster.local. }
  - { name: innermost, type: ExternalName, externalName: inner.default.svc.cluster.local }
  - { name: broken, type: ExternalName, externalName: no.default.svc.cluster.local }
  - { name: loop, type: ExternalName, externalName: loop.default.svc.cluster.local }
  - { name: ping, type: ExternalName, externalName: pong.default.svc.cluster.local }
  - { name: pong, type: ExternalName, externalName: ping.default.svc.cluster.local }
  - { name: number, type: ExternalName, externalName: 192.0.2.53 }
externalDNS:
  www.example.com: [192.0.2.53, "2001:db8::53"]
  shop.example: web.shop.example
  "*.shop.example": 192.0.2.80
  a.b.shop.example: 192.0.2.81
  chain.example: missing.example
  ring.example: ring.example
`).cluster;

function show(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return `${record.name} ${record.type} ${formatIp(record.address)}`;
    case 'CNAME':
    case 'PTR':
      return `${record.name} ${record.type} ${record.target}`;
    case 'SRV':
      return `${record.name} SRV ${record.priority} ${record.weight} ${record.port} ${record.target}`;
    case 'TXT':
      return `${record.name} TXT ${record.text}`;
  }
}

/** "RCODE: record, record", with the reason where there is none. */
function ask(question: string, cluster: Cluster = CLUSTER): string {
  const [name = '', type = 'A'] = question.split(' ');
  const { rcode, answers, miss }: DnsAnswer = answerQuery(cluster, name, type as DnsType);
  return `${rcode}: ${answers.map(show).join(', ')}${miss === null ? '' : ` (${miss})`}`;
}

describe('records of the Kubernetes DNS specification', () => {
  test.each<[section: string, question: string, answer: string]>([
    ['2.2 schema version', 'dns-version.cluster.local. TXT', 'NOERROR: dns-version.cluster.local TXT 1.1.0'],
    [
      '2.3.1 A of a ClusterIP',
      'kubernetes.default.svc.cluster.local. A',
      'NOERROR: kubernetes.default.svc.cluster.local A 10.3.0.1',
    ],
    ['2.3.1 A of both families', 'dual.shop.svc.cluster.local A', 'NOERROR: dual.shop.svc.cluster.local A 10.3.0.2'],
    ['2.3.1 AAAA', 'dual.shop.svc.cluster.local AAAA', 'NOERROR: dual.shop.svc.cluster.local AAAA fd00:96::2'],
    ['2.3.1 two ports, one address', 'dns.shop.svc.cluster.local A', 'NOERROR: dns.shop.svc.cluster.local A 10.3.0.3'],
    [
      '2.3.2 SRV of a ClusterIP',
      '_https._tcp.kubernetes.default.svc.cluster.local. SRV',
      'NOERROR: _https._tcp.kubernetes.default.svc.cluster.local SRV 0 100 443 kubernetes.default.svc.cluster.local',
    ],
    [
      '2.3.2 SRV by protocol',
      '_dns._udp.dns.shop.svc.cluster.local SRV',
      'NOERROR: _dns._udp.dns.shop.svc.cluster.local SRV 0 100 53 dns.shop.svc.cluster.local',
    ],
    ['2.3.2 no such port', '_dns._sctp.dns.shop.svc.cluster.local SRV', 'NXDOMAIN:  (no-such-port)'],
    ['2.3.2 unnamed ports have none', '_http._tcp.plain.default.svc.cluster.local SRV', 'NXDOMAIN:  (no-such-port)'],
    [
      '2.3.3 PTR of a ClusterIP',
      '1.0.3.10.in-addr.arpa. PTR',
      'NOERROR: 1.0.3.10.in-addr.arpa PTR kubernetes.default.svc.cluster.local',
    ],
    [
      '2.3.3 PTR of IPv6',
      '2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.0.d.f.ip6.arpa. PTR',
      'NOERROR: 2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.0.d.f.ip6.arpa PTR dual.shop.svc.cluster.local',
    ],
    [
      '2.4.1 A of a headless service: ready endpoints',
      'headless.shop.svc.cluster.local. A',
      'NOERROR: headless.shop.svc.cluster.local A 10.244.0.100, headless.shop.svc.cluster.local A 10.244.0.101',
    ],
    ['2.4.1 AAAA', 'both.shop.svc.cluster.local AAAA', 'NOERROR: both.shop.svc.cluster.local AAAA fd00:244::65'],
    [
      '2.4.1 publishNotReadyAddresses',
      'all.shop.svc.cluster.local A',
      'NOERROR: all.shop.svc.cluster.local A 10.244.0.100, all.shop.svc.cluster.local A 10.244.0.101, all.shop.svc.cluster.local A 10.244.0.102',
    ],
    ['2.4.1 no ready endpoint: NXDOMAIN', 'lost.default.svc.cluster.local A', 'NXDOMAIN:  (no-ready-endpoint)'],
    [
      '2.4.1 an endpoint by its host name',
      'my-pet.headless.shop.svc.cluster.local. A',
      'NOERROR: my-pet.headless.shop.svc.cluster.local A 10.244.0.100',
    ],
    [
      '2.4.1 an endpoint by its address',
      '10-244-0-101.headless.shop.svc.cluster.local A',
      'NOERROR: 10-244-0-101.headless.shop.svc.cluster.local A 10.244.0.101',
    ],
    [
      '2.4.1 an endpoint by its IPv6 address',
      'fd00-244--65.both.shop.svc.cluster.local AAAA',
      'NOERROR: fd00-244--65.both.shop.svc.cluster.local AAAA fd00:244::65',
    ],
    [
      '2.4.1 one with a host name has no name of its address',
      '10-244-0-100.headless.shop.svc.cluster.local A',
      'NXDOMAIN:  (no-such-endpoint)',
    ],
    ['2.4.1 the host name below another service', 'my-pet.both.shop.svc.cluster.local A', 'NXDOMAIN:  (no-such-endpoint)'],
    ['2.4.1 one that is not ready', '10-244-0-102.headless.shop.svc.cluster.local A', 'NXDOMAIN:  (no-such-endpoint)'],
    [
      '2.4.2 SRV of a headless service',
      '_https._tcp.headless.shop.svc.cluster.local. SRV',
      'NOERROR: _https._tcp.headless.shop.svc.cluster.local SRV 0 50 443 my-pet.headless.shop.svc.cluster.local, _https._tcp.headless.shop.svc.cluster.local SRV 0 50 443 10-244-0-101.headless.shop.svc.cluster.local',
    ],
    ['2.4.2 no such port', '_http._tcp.headless.shop.svc.cluster.local SRV', 'NXDOMAIN:  (no-such-port)'],
    [
      '2.4.3 PTR of an endpoint with a host name',
      '100.0.244.10.in-addr.arpa. PTR',
      'NOERROR: 100.0.244.10.in-addr.arpa PTR my-pet.headless.shop.svc.cluster.local, 100.0.244.10.in-addr.arpa PTR 10-244-0-100.both.shop.svc.cluster.local, 100.0.244.10.in-addr.arpa PTR 10-244-0-100.all.shop.svc.cluster.local, 100.0.244.10.in-addr.arpa PTR 10-244-0-100.portless.shop.svc.cluster.local',
    ],
    [
      '2.4.3 PTR of an IPv6 endpoint',
      '5.6.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.4.4.2.0.0.0.d.f.ip6.arpa PTR',
      'NOERROR: 5.6.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.4.4.2.0.0.0.d.f.ip6.arpa PTR fd00-244--65.both.shop.svc.cluster.local',
    ],
    [
      '2.5 ExternalName, followed',
      'foo.default.svc.cluster.local. A',
      'NOERROR: foo.default.svc.cluster.local CNAME www.example.com, www.example.com A 192.0.2.53',
    ],
    ['2.5 its CNAME', 'foo.default.svc.cluster.local CNAME', 'NOERROR: foo.default.svc.cluster.local CNAME www.example.com'],
    [
      '2.6 deprecated pod records',
      '10-244-7-7.default.pod.cluster.local A',
      'NOERROR: 10-244-7-7.default.pod.cluster.local A 10.244.7.7',
    ],
  ])('%s: %s', (_, question, answer) => {
    expect(ask(question)).toBe(answer);
  });

  test('SRV answers carry the addresses of their targets', () => {
    const { additional } = answerQuery(CLUSTER, '_https._tcp.headless.shop.svc.cluster.local', 'SRV');
    expect(additional.map(show)).toEqual([
      'my-pet.headless.shop.svc.cluster.local A 10.244.0.100',
      '10-244-0-101.headless.shop.svc.cluster.local A 10.244.0.101',
    ]);
    expect(answerQuery(CLUSTER, 'dual.shop.svc.cluster.local', 'SRV').additional.map(show)).toEqual([
      'dual.shop.svc.cluster.local A 10.3.0.2',
      'dual.shop.svc.cluster.local AAAA fd00:96::2',
    ]);
  });
});

describe('what CoreDNS adds or leaves out', () => {
  test.each<[question: string, answer: string]>([
    // Case and the last dot count for nothing.
    ['KUBERNETES.Default.SVC.Cluster.Local.', 'NOERROR: kubernetes.default.svc.cluster.local A 10.3.0.1'],
    ['_HTTPS._TCP.kubernetes.default.svc.cluster.local SRV', ask('_https._tcp.kubernetes.default.svc.cluster.local SRV')],
    // Ports and protocols also without underscores.
    [
      'https.tcp.kubernetes.default.svc.cluster.local SRV',
      'NOERROR: https.tcp.kubernetes.default.svc.cluster.local SRV 0 100 443 kubernetes.default.svc.cluster.local',
    ],
    // An endpoint of a service that has a ClusterIP.
    ['10-244-0-110.plain.default.svc.cluster.local', 'NOERROR: 10-244-0-110.plain.default.svc.cluster.local A 10.244.0.110'],
    ['110.0.244.10.in-addr.arpa PTR', 'NOERROR: 110.0.244.10.in-addr.arpa PTR 10-244-0-110.plain.default.svc.cluster.local'],
    // The name is there, the type is not.
    ['kubernetes.default.svc.cluster.local AAAA', 'NOERROR:  (no-such-type)'],
    ['kubernetes.default.svc.cluster.local TXT', 'NOERROR:  (no-such-type)'],
    ['headless.shop.svc.cluster.local AAAA', 'NOERROR:  (no-such-type)'],
    ['foo.default.svc.cluster.local SRV', 'NOERROR:  (no-such-type)'],
    ['dns-version.cluster.local A', 'NXDOMAIN:  (not-a-cluster-name)'],
    // Names that only stand above others.
    ['cluster.local', 'NOERROR:  (no-such-type)'],
    ['svc.cluster.local', 'NOERROR:  (no-such-type)'],
    ['shop.svc.cluster.local', 'NOERROR:  (no-such-type)'],
    ['shop.pod.cluster.local', 'NOERROR:  (no-such-type)'],
    ['nobody.svc.cluster.local', 'NXDOMAIN:  (no-such-namespace)'],
    ['kubernetes.nobody.svc.cluster.local', 'NXDOMAIN:  (no-such-namespace)'],
    ['nothing.shop.svc.cluster.local', 'NXDOMAIN:  (no-such-service)'],
    ['kubernetes.shop.svc.cluster.local', 'NXDOMAIN:  (no-such-service)'],
    ['kubernetes.default.cluster.local', 'NXDOMAIN:  (not-a-cluster-name)'],
    ['a.b.c.kubernetes.default.svc.cluster.local', 'NXDOMAIN:  (not-a-cluster-name)'],
    // A headless service without ports has addresses and no SRV records.
    [
      'portless.shop.svc.cluster.local',
      'NOERROR: portless.shop.svc.cluster.local A 10.244.0.100, portless.shop.svc.cluster.local A 10.244.0.101',
    ],
    ['portless.shop.svc.cluster.local SRV', 'NOERROR:  (no-such-type)'],
    ['_x._tcp.portless.shop.svc.cluster.local SRV', 'NXDOMAIN:  (no-such-port)'],
    // Without a port asked for, all of them.
    ['dns.shop.svc.cluster.local SRV', 'NOERROR: dns.shop.svc.cluster.local SRV 0 50 53 dns.shop.svc.cluster.local'],
    // Pod records: insecure mode asks nobody whether there is such a pod, only for the namespace.
    ['fd00-244--9.shop.pod.cluster.local AAAA', 'NOERROR: fd00-244--9.shop.pod.cluster.local AAAA fd00:244::9'],
    ['10-244-7-7.shop.pod.cluster.local AAAA', 'NOERROR:  (no-such-type)'],
    ['10-244-7-7.nobody.pod.cluster.local', 'NXDOMAIN:  (no-such-namespace)'],
    ['pet.shop.pod.cluster.local', 'NXDOMAIN:  (not-an-address)'],
    ['10-244-7-777.shop.pod.cluster.local', 'NXDOMAIN:  (not-an-address)'],
    // Aliases within the zone.
    [
      'inner.default.svc.cluster.local',
      'NOERROR: inner.default.svc.cluster.local CNAME kubernetes.default.svc.cluster.local, kubernetes.default.svc.cluster.local A 10.3.0.1',
    ],
    [
      'innermost.default.svc.cluster.local',
      'NOERROR: innermost.default.svc.cluster.local CNAME inner.default.svc.cluster.local, inner.default.svc.cluster.local CNAME kubernetes.default.svc.cluster.local, kubernetes.default.svc.cluster.local A 10.3.0.1',
    ],
    ['broken.default.svc.cluster.local', 'NOERROR:  (alias-unresolved)'],
    ['loop.default.svc.cluster.local', 'NOERROR:  (alias-unresolved)'],
    ['ping.default.svc.cluster.local', 'NOERROR:  (alias-unresolved)'],
    // And outside of it.
    ['nowhere.default.svc.cluster.local', 'NOERROR: nowhere.default.svc.cluster.local CNAME gone.example.com (alias-unresolved)'],
    [
      'foo.default.svc.cluster.local AAAA',
      'NOERROR: foo.default.svc.cluster.local CNAME www.example.com, www.example.com AAAA 2001:db8::53',
    ],
    ['number.default.svc.cluster.local', 'NXDOMAIN:  (alias-unresolved)'],
    ['_http._tcp.foo.default.svc.cluster.local', 'NXDOMAIN:  (no-such-port)'],
    ['x.foo.default.svc.cluster.local', 'NXDOMAIN:  (no-such-endpoint)'],
  ])('%s', (question, answer) => {
    expect(ask(question)).toBe(answer);
  });

  test('says whose service a name is, and who knew', () => {
    expect(answerQuery(CLUSTER, 'lost.default.svc.cluster.local', 'A')).toMatchObject({
      from: 'cluster',
      service: 'default/lost',
    });
    expect(answerQuery(CLUSTER, 'no.default.svc.cluster.local', 'A')).toMatchObject({ from: 'cluster', service: null });
    expect(answerQuery(CLUSTER, 'www.example.com', 'A')).toMatchObject({ from: 'upstream', service: null });
  });

  test('the zone is the cluster domain', () => {
    const other = { ...CLUSTER, dnsDomain: 'Corp.Example.' };
    expect(ask('kubernetes.default.svc.corp.example', other)).toBe('NOERROR: kubernetes.default.svc.corp.example A 10.3.0.1');
    expect(ask('1.0.3.10.in-addr.arpa PTR', other)).toBe(
      'NOERROR: 1.0.3.10.in-addr.arpa PTR kubernetes.default.svc.corp.example',
    );
    expect(ask('kubernetes.default.svc.cluster.local', other)).toBe('NXDOMAIN:  (unknown-outside)');
  });
});

describe('names outside of the zone', () => {
  test.each<[question: string, answer: string]>([
    ['WWW.example.com.', 'NOERROR: www.example.com A 192.0.2.53'],
    ['www.example.com SRV', 'NOERROR:  (no-such-type)'],
    ['example.com', 'NOERROR:  (no-such-type)'],
    ['example.org', 'NXDOMAIN:  (unknown-outside)'],
    ['web.shop.example', 'NOERROR: web.shop.example A 192.0.2.80'],
    ['deep.web.shop.example', 'NOERROR: deep.web.shop.example A 192.0.2.80'],
    // RFC 4592: a name that is there, if only above others, ends the wildcard.
    ['b.shop.example', 'NOERROR:  (no-such-type)'],
    ['x.b.shop.example', 'NXDOMAIN:  (unknown-outside)'],
    ['shop.example', 'NOERROR: shop.example CNAME web.shop.example, web.shop.example A 192.0.2.80'],
    ['shop.example CNAME', 'NOERROR: shop.example CNAME web.shop.example'],
    ['chain.example', 'NXDOMAIN: chain.example CNAME missing.example (alias-unresolved)'],
    ['ring.example', 'NOERROR: ring.example CNAME ring.example (alias-unresolved)'],
    ['9.9.9.9.in-addr.arpa PTR', 'NXDOMAIN:  (unknown-outside)'],
    ['999.0.3.10.in-addr.arpa PTR', 'NXDOMAIN:  (unknown-outside)'],
  ])('%s', (question, answer) => {
    expect(ask(question)).toBe(answer);
  });
});
