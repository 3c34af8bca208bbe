import { describe, expect, test } from 'vitest';
import { scenarioOf, traceCheck } from '../../../support/ask.ts';
import type { ProxyMode } from '../../../../src/kubernetes/model/cluster.ts';
import type { Trace } from '../../../../src/trace/trace.ts';

interface Given {
  readonly settings?: string;
  readonly spec?: string;
  readonly from?: string;
  readonly to?: string;
  readonly commands?: string;
  readonly mode?: ProxyMode;
}

/** One pod on node-1 of two nodes. */
function trace({ settings = '{}', spec = '', from = 'external/laptop', to = 'svc/web:80', commands = '', mode }: Given): Trace {
  const text = `
cni: flannel-vxlan
${settings === '' ? '' : `loadBalancer: ${settings}`}
nodes:
  - { name: node-1, ip: 192.168.0.11, commands: [${commands}] }
  - { name: node-2, ip: 192.168.0.12 }
pods:
  - { name: web, node: node-1, labels: { app: web }, ports: [8080] }
  - { name: client, node: node-2 }
services:
  - { name: web, type: LoadBalancer, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }]${spec && `, ${spec}`} }
external: [{ name: laptop, ip: 203.0.113.9 }, { name: neighbour, ip: 192.168.0.77 }]
checks: [{ from: ${from}, to: '${to}' }]
`;
  return traceCheck(scenarioOf(text), 1, mode);
}

function legs({ outcomes }: Trace): string[] {
  return (outcomes[0]?.legs ?? []).map(
    ({ purpose, from, to, verdict, answer }) => `${purpose} ${from} → ${to} ${answer ?? verdict}`,
  );
}

const LOCAL = 'externalTrafficPolicy: Local';

describe('health checks are connections ahead of the asked one', () => {
  test('of policy Local', () => {
    expect(legs(trace({ spec: LOCAL }))).toEqual([
      'probe balancer/default/web → node/node-1:30087 HTTP 200, 1 local endpoint',
      'probe balancer/default/web → node/node-2:30087 HTTP 503, no local endpoints',
    ]);
  });

  test('of policy Cluster', () => {
    expect(legs(trace({}))).toEqual([
      'probe balancer/default/web → node/node-1:10256 HTTP 200, kube-proxy is well',
      'probe balancer/default/web → node/node-2:10256 HTTP 200, kube-proxy is well',
    ]);
  });

  test('none where the packet does not come to the balancer', () => {
    expect(legs(trace({ from: 'pod/client' }))).toEqual([]);
    expect(legs(trace({ from: 'pod/client', to: '198.51.100.1:80' }))).toEqual([]);
  });

  test('a node that does not answer is left out', () => {
    const { outcomes } = trace({ commands: "'iptables -I INPUT -p tcp --dport 10256 -j DROP'" });
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]?.request.some(({ host }) => host === 'node/node-2')).toBe(true);
    expect(outcomes[0]?.legs[0]).toMatchObject({ to: 'node/node-1:10256', verdict: 'timeout' });
  });
});

describe('the way there and back', () => {
  const hosts = (t: Trace, part: 'request' | 'reply'): boolean =>
    t.outcomes.every((outcome) => outcome[part].some(({ host }) => host === 'balancer/default/web'));

  test.each<ProxyMode>(['iptables', 'nftables', 'ipvs'])('mode %s, by node ports: answers come back by the balancer', (mode) => {
    const there = trace({ spec: LOCAL, mode });
    expect(there.outcomes).toMatchObject([{ verdict: 'connected', server: 'pod/default/web', source: '203.0.113.9' }]);
    expect([hosts(there, 'request'), hosts(there, 'reply')]).toEqual([true, true]);
  });

  test.each<ProxyMode>(['iptables', 'nftables', 'ipvs'])('mode %s, direct: answers go past it', (mode) => {
    const there = trace({ settings: '{ mode: direct }', spec: LOCAL, mode });
    expect(there.outcomes).toMatchObject([{ verdict: 'connected', server: 'pod/default/web', source: '203.0.113.9' }]);
    expect([hosts(there, 'request'), hosts(there, 'reply')]).toEqual([true, false]);
  });

  test('a client of the nodes’ own network is masqueraded', () => {
    const { outcomes, notes } = trace({ from: 'external/neighbour', spec: LOCAL });
    expect(outcomes).toMatchObject([{ verdict: 'connected', source: '100.64.0.1' }]);
    expect(notes?.join()).toContain('the balancer masquerades 192.168.0.77');
  });

  test('the balancer belongs to the access from outside', () => {
    const events = trace({}).outcomes[0]!.request.filter(({ host }) => host === 'balancer/default/web');
    expect(new Set(events.map(({ layer }) => layer))).toEqual(new Set(['L3']));
  });
});

describe('ipMode', () => {
  const to = '198.51.100.1:80';

  test('VIP: the client’s own node translates, and a note says so', () => {
    expect(trace({ from: 'pod/client', to }).notes?.join()).toContain(
      "198.51.100.1 is the balancer's address, but node-2 translated it",
    );
  });

  test('Proxy: out and back in', () => {
    const { outcomes, notes } = trace({ settings: '{ ipMode: Proxy }', from: 'pod/client', to });
    expect(outcomes.every(({ request }) => request.some(({ host }) => host === 'balancer/default/web'))).toBe(true);
    expect(notes?.join()).toContain('ipMode Proxy: node-2 has no rule for 198.51.100.1');
  });
});

describe('causes', () => {
  const cause = (given: Given): { code: string; text: string } | null => trace(given).outcomes[0]!.cause;

  test.each<[string, Given, string, RegExp]>([
    ['pending', { settings: '' }, 'load-balancer-pending', /no cloud is there/],
    [
      'another class',
      { spec: 'loadBalancerClass: example.com/l4' },
      'load-balancer-pending',
      /loadBalancerClass example.com\/l4/,
    ],
    ['no range of its family', { settings: '{ publicCIDR: "2001:db8:1b::/64" }' }, 'load-balancer-pending', /no range of IPv4/],
    [
      'no healthy node',
      { spec: LOCAL, commands: "'iptables -I INPUT -p tcp --dport 30087 -j REJECT'" },
      'no-healthy-node',
      /node-1 does not answer: .*REJECT.*; node-2 answers HTTP 503, no local endpoints/,
    ],
    ['no node port', { spec: 'allocateLoadBalancerNodePorts: false' }, 'no-node-port', /allocateLoadBalancerNodePorts: false/],
    ['source ranges', { spec: 'loadBalancerSourceRanges: [192.0.2.0/24]' }, 'source-range', /203\.0\.113\.9 is not in it/],
    ['another port', { to: '198.51.100.1:443' }, 'port-not-in-service', /has no port 443\/tcp/],
    [
      'another port, direct',
      { settings: '{ mode: direct }', to: '198.51.100.1:443' },
      'port-not-in-service',
      /has no port 443\/tcp/,
    ],
  ])('%s', (_, given, code, text) => {
    expect(cause(given)?.code).toBe(code);
    expect(cause(given)?.text).toMatch(text);
  });

  test('a pending service: nothing is sent', () => {
    expect(trace({ settings: '' })).toMatchObject({
      to: 'svc/default/web:80',
      packet: null,
      outcomes: [{ verdict: 'unresolved', server: null, request: [], legs: [] }],
    });
  });
});

test('both families, each by an address of its own', () => {
  const text = `
loadBalancer: {}
cluster: { podCIDR: [10.244.0.0/16, 'fd00:10:244::/56'], serviceCIDR: [10.96.0.0/12, 'fd00:10:96::/112'] }
nodes: [{ name: node-1, ip: [192.168.0.11, 'fd00:192::11'] }]
pods: [{ name: web, node: node-1, labels: { app: web }, ports: [8080] }]
services:
  - name: web
    type: LoadBalancer
    externalTrafficPolicy: Local
    ipFamilyPolicy: PreferDualStack
    selector: { app: web }
    ports: [{ port: 80, targetPort: 8080 }]
external: [{ name: laptop, ip: [203.0.113.9, '2001:db8::9'] }]
checks:
  - { name: four, from: external/laptop, to: 'svc/web:80' }
  - { name: six, from: external/laptop, to: '[2001:db8:1b::1]:80' }
`;
  const sources = [1, 2].map((number) => traceCheck(scenarioOf(text), number).outcomes[0]?.source);
  expect(sources).toEqual(['203.0.113.9', '2001:db8::9']);
});

test('of many health checks a few are told, those that failed first', () => {
  const nodes = Array.from({ length: 20 }, (_, i) => `  - { name: node-${i}, ip: 192.168.0.${10 + i} }`).join('\n');
  const text = `
loadBalancer: {}
nodes:
${nodes}
pods: [{ name: web, node: node-0, labels: { app: web }, ports: [8080] }]
services:
  - { name: web, type: LoadBalancer, ${LOCAL}, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
external: [{ name: laptop, ip: 203.0.113.9 }]
checks: [{ from: external/laptop, to: 'svc/web:80' }]
`;
  const traced = traceCheck(scenarioOf(text));
  expect(traced.outcomes[0]?.legs.map(({ answer }) => answer)).toEqual(Array(16).fill('HTTP 503, no local endpoints'));
  expect(traced.notes?.join()).toContain('has checked 20 nodes, of which 1 are well');
});
