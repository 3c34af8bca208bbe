import { describe, expect, test } from 'vitest';
import { load, trace } from './run.ts';

const scenario = load(`
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: client, node: node-1 }
  - { name: host, node: node-1, hostNetwork: true }
  - { name: web-1, node: node-2, labels: { app: web }, ports: [8080] }
  - { name: db-0, node: node-1, labels: { app: db }, ports: [5432] }
  - { name: db-1, node: node-2, labels: { app: db }, ports: [5432] }
services:
  - { name: web, selector: { app: web }, ports: [{ name: http, port: 80, targetPort: 8080 }] }
  - { name: db, clusterIP: None, selector: { app: db }, ports: [{ name: pg, port: 5432 }] }
external: [{ name: laptop, ip: 203.0.113.9, ports: [443] }]
externalDNS: { laptop.example: 203.0.113.9, loop.example: pool.example, pool.example: loop.example, six.example: 'fd00::1' }
`);

function queries(from: string, to: string): readonly string[] {
  return trace(scenario, { from, to }).outcomes[0]!.legs.map(({ text, answer, verdict }) => `${text}: ${answer ?? verdict}`);
}

describe('names', () => {
  test.each([
    ['web:80', ['A web.default.svc.cluster.local: 10.96.1.0']],
    ['web.default:80', ['A web.default.default.svc.cluster.local: NXDOMAIN', 'A web.default.svc.cluster.local: 10.96.1.0']],
    ['web.default.svc.cluster.local.:80', ['A web.default.svc.cluster.local: 10.96.1.0']],
    ['web:http', ['SRV _http._tcp.web.default.svc.cluster.local: port 80 of web.default.svc.cluster.local']],
    [
      'laptop.example:443',
      [
        'A laptop.example.default.svc.cluster.local: NXDOMAIN',
        'A laptop.example.svc.cluster.local: NXDOMAIN',
        'A laptop.example.cluster.local: NXDOMAIN',
        'A laptop.example: 203.0.113.9',
      ],
    ],
  ])('a pod asks for %s along its search list', (to, wanted) => {
    expect(queries('pod/client', to)).toEqual(wanted);
  });

  test('the query is a walk of its own, translated to a server of cluster DNS', () => {
    const [leg] = trace(scenario, { from: 'pod/client', to: 'web:80' }).outcomes[0]!.legs;
    expect(leg).toMatchObject({ purpose: 'resolve', from: 'pod/default/client', to: '10.96.0.10:53', verdict: 'connected' });
    expect(leg?.request.some((event) => event.kind === 'nat' && event.before.dst === '10.96.0.10')).toBe(true);
    expect(leg?.reply.length).toBeGreaterThan(0);
  });

  test('a client picks one address of an answer, and each is as likely', () => {
    const { outcomes } = trace(scenario, { from: 'pod/client', to: 'db:5432' });
    expect(outcomes.map(({ server, probability }) => [server, probability])).toEqual([
      ['pod/default/db-0', 0.5],
      ['pod/default/db-1', 0.5],
    ]);
  });

  test('a pin picks for it', () => {
    const { outcomes } = trace(scenario, { from: 'pod/client', to: 'db:5432', backend: 'pod/db-1' });
    expect(outcomes.map(({ server }) => server)).toEqual(['pod/default/db-1']);
  });

  test('who is not on cluster DNS does not ask it', () => {
    for (const from of ['external/laptop', 'node/node-1', 'pod/host']) {
      const { outcomes } = trace(scenario, { from, to: 'web:80' });
      expect(outcomes).toMatchObject([{ verdict: 'unresolved', legs: [], cause: { code: 'unresolved' } }]);
    }
    expect(trace(scenario, { from: 'node/node-1', to: 'laptop.example:443' }).outcomes).toMatchObject([
      { verdict: 'connected', server: 'external/laptop', legs: [] },
    ]);
  });

  test('a lost query is a cause in its leg', () => {
    const drop = [{ host: 'node-1', command: 'iptables -I FORWARD -p udp --dport 53 -j DROP' }];
    const [outcome] = trace(scenario, { from: 'pod/client', to: 'web:80' }, drop).outcomes;
    expect(outcome).toMatchObject({
      verdict: 'unresolved',
      request: [],
      cause: { code: 'rule-drop', at: { leg: 1, part: 'request' } },
    });
    const at = outcome!.cause!.at!;
    expect(outcome!.legs[at.leg - 1]!.request[at.event]).toMatchObject({ kind: 'rule', verdict: 'drop' });
  });

  test('a name nobody has names the one that was meant', () => {
    const [outcome] = trace(scenario, { from: 'pod/client', to: 'wbe:80' }).outcomes;
    expect(outcome?.verdict).toBe('unresolved');
    expect(outcome?.cause?.text).toContain('did you mean web?');
  });

  test.each([
    ['pod/client', 'google.com:443', /nobody knows google\.com: add it under externalDNS/],
    ['pod/client', 'web.shop:80', /service web is in namespace default; did you mean web\.default\?/],
    ['pod/client', 'loop.example:80', /is an alias, and the name that it stands for has no address/],
    ['pod/client', 'six.example:80', /has no address of a family that the client has/],
    ['node/node-1', 'web.default:80', /node\/node-1 does not ask the cluster's DNS: only pods do/],
    ['pod/host', 'web:80', /with hostNetwork the policy ClusterFirst means its node's resolv\.conf/],
    ['external/laptop', 'nobody.example:80', /add it under externalDNS/],
  ])('%s → %s: the cause is what is true', (from, to, text) => {
    const [outcome] = trace(scenario, { from, to }).outcomes;
    expect(outcome).toMatchObject({ verdict: 'unresolved', cause: { code: 'unresolved' } });
    expect(outcome?.cause?.text).toMatch(text);
  });

  test.each([
    ['web..shop:80', /not a DNS name: a label is empty/],
    [`${'a'.repeat(64)}.shop:80`, /a label has 64 characters/],
    ['web:-1', /neither a port/],
    ['http://:80', /no URL that can be followed/],
    ['http://web:65536/', /no URL that can be followed/],
    ['ftp://web/', /no URL that can be followed/],
    ['shop.example/cart', /a URL is written http:\/\/shop\.example\/cart/],
  ])('%s is refused', (to, message) => {
    expect(() => trace(scenario, { from: 'pod/client', to })).toThrow(message);
  });

  test.each([
    [{ backend: 'pod/nope' }, /backend: no pod "default\/nope"/],
    [{ sourceAddress: '9.9.9.9' }, /source address 9\.9\.9\.9 is not one of/],
  ])('what else is wrong with a question is told before any name is looked up', (more, message) => {
    expect(() => trace(scenario, { from: 'pod/client', to: 'web:80', ...more })).toThrow(message);
  });

  test('/etc/hosts answers for localhost and for the pod itself', () => {
    for (const to of ['localhost:5432', 'db-0:5432'])
      expect(trace(scenario, { from: 'pod/db-0', to }).outcomes).toMatchObject([
        { verdict: 'connected', server: 'pod/default/db-0', legs: [] },
      ]);
  });

  test('the API server has its name in every cluster', () => {
    expect(trace(scenario, { from: 'pod/client', to: 'kubernetes.default:443' }).outcomes).toMatchObject([
      { verdict: 'connected', server: 'node/node-1' },
    ]);
  });

  test('queries are followed to their answers, though the connection is not', () => {
    const result = trace(scenario, { from: 'pod/client', to: 'web:80' }, [], true);
    expect(result.outcomes).toMatchObject([{ verdict: 'connected', reply: [] }]);
    expect(result.outcomes[0]!.legs[0]!.reply.length).toBeGreaterThan(0);
  });
});

describe('several servers of cluster DNS', () => {
  const many = load(`
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: client, node: node-1 }
  - { name: direct, node: node-1, dnsPolicy: None, dnsConfig: { nameservers: [10.244.1.20], searches: [default.svc.cluster.local] } }
  - name: patient
    node: node-1
    dnsPolicy: None
    dnsConfig: { nameservers: [192.0.2.1, 10.96.0.10], searches: [svc.cluster.local, default.svc.cluster.local] }
  - { name: web-1, node: node-2, labels: { app: web }, ports: [8080] }
  - { name: dns-1, namespace: kube-system, node: node-2, ip: 10.244.1.20, labels: { k8s-app: kube-dns }, ports: [{ containerPort: 53, protocol: UDP }] }
  - { name: dns-2, namespace: kube-system, node: node-2, ip: 10.244.1.21, labels: { k8s-app: kube-dns }, ports: [{ containerPort: 53, protocol: UDP }] }
services: [{ name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }]
externalDNS: { far.example: 203.0.113.9 }
external: [{ name: far, ip: 203.0.113.9, ports: [80] }]
`);

  test('which of them answers makes no difference', () => {
    const { outcomes, sampled } = trace(many, { from: 'pod/client', to: 'far.example:80' });
    expect(sampled).toBe(false);
    expect(outcomes).toMatchObject([{ probability: 1, verdict: 'connected', server: 'external/far' }]);
    expect(outcomes[0]!.legs).toHaveLength(4);
  });

  test('one that does not answer makes one', () => {
    const drop = [{ host: 'pod/kube-system/dns-2', command: 'iptables -P INPUT DROP' }];
    const { outcomes } = trace(many, { from: 'pod/client', to: 'web:80' }, drop);
    expect(outcomes.map(({ verdict, cause }) => [verdict, cause?.code])).toEqual(
      expect.arrayContaining([
        ['connected', undefined],
        ['unresolved', 'policy-drop'],
      ]),
    );
    expect(outcomes.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 6);
  });

  test('asked by its own address it knows the cluster as well', () => {
    expect(trace(many, { from: 'pod/direct', to: 'web:80' }).outcomes).toMatchObject([{ verdict: 'connected' }]);
  });

  test('every name is first asked of the first server', () => {
    const [outcome] = trace(many, { from: 'pod/patient', to: 'web:80' }).outcomes;
    expect(outcome!.legs.map(({ to, answer }) => [to, answer])).toEqual([
      ['192.0.2.1:53', undefined],
      ['10.96.0.10:53', 'NXDOMAIN'],
      ['192.0.2.1:53', undefined],
      ['10.96.0.10:53', '10.96.1.0'],
    ]);
  });
});
