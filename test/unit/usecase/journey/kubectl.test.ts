import { describe, expect, test } from 'vitest';
import { runChecks } from '../../../../src/usecase/check.ts';
import { engine } from '../../../../src/usecase/engine.ts';
import { load, trace } from './run.ts';

const scenario = load(`
cni: flannel-vxlan
nodes: [{ name: control, ip: 192.168.0.11, labels: { node-role.kubernetes.io/control-plane: '' } }, { name: worker, ip: 192.168.0.12 }]
pods:
  - { name: client, node: worker }
  - { name: web-1, node: worker, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: control, labels: { app: web }, ports: [8080] }
  - { name: late, node: worker, labels: { app: late }, ports: [8080], ready: false }
services:
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: late, selector: { app: late }, ports: [{ port: 80, targetPort: 8080 }] }
external: [{ name: laptop, ip: 203.0.113.9 }]
`);

describe('kubectl', () => {
  test.each([
    [
      'exec' as const,
      'pod/web-1',
      ['node/control → kubelet of node/worker: connected'],
      { server: 'pod/default/web-1', source: null },
    ],
    [
      'port-forward' as const,
      'svc/web:80',
      ['node/control → kubelet of node/worker: connected', 'runtime in pod/default/web-1 → localhost:8080: connected'],
      { server: 'pod/default/web-1', source: '127.0.0.1' },
    ],
    [
      'kubectl-proxy' as const,
      'pod/web-1:8080',
      ['node/control → pod/default/web-1:8080: connected'],
      { server: 'pod/default/web-1', source: '10.244.0.0' },
    ],
    [
      'kubectl-proxy' as const,
      'node/worker',
      ['node/control → kubelet of node/worker: connected'],
      { server: 'node/worker', source: '192.168.0.11' },
    ],
  ])('%s to %s', (via, to, legs, end) => {
    const { outcomes, notes = [] } = trace(scenario, { from: 'external/laptop', to, via });
    expect(outcomes).toMatchObject([{ verdict: 'connected', ...end }]);
    expect(outcomes[0]!.legs.map((leg) => `${leg.from} → ${leg.to}: ${leg.verdict}`)).toEqual(legs);
    expect(notes).toHaveLength(1);
  });

  test('a service is one pod before any packet is sent', () => {
    const { assumptions } = trace(scenario, { from: 'external/laptop', to: 'svc/web:80', via: 'port-forward' });
    expect(assumptions.join()).toContain('kubectl takes one pod of svc/default/web: pod/default/web-1');
  });

  test('inside the cluster the API server is a service, outside an address', () => {
    const asked = (from: string) => trace(scenario, { from, to: 'pod/web-1', via: 'exec' }).packet?.destination;
    expect(asked('pod/client')).toBe('10.96.0.1');
    expect(asked('external/laptop')).toBe('192.168.0.11');
  });

  test.each([
    ['pod/web-1:9999', 'port-forward' as const, [], 'reset', 'port-not-listening'],
    [
      'pod/web-1',
      'exec' as const,
      [{ host: 'worker', command: 'iptables -I INPUT -p tcp --dport 10250 -j DROP' }],
      'timeout',
      'rule-drop',
    ],
    [
      'pod/web-1',
      'exec' as const,
      [{ host: 'control', command: 'iptables -I INPUT -p tcp --dport 6443 -j REJECT' }],
      'refused',
      'rule-reject',
    ],
  ])('%s via %s fails with a cause in its leg', (to, via, commands, verdict, code) => {
    const [outcome] = trace(scenario, { from: 'external/laptop', to, via }, commands).outcomes;
    expect(outcome).toMatchObject({ verdict, cause: { code } });
  });

  test.each([
    ['external/laptop', 'exec' as const, /needs a pod, a service or a workload/],
    ['node/worker', 'exec' as const, /reaches pods/],
    ['pod/nobody', 'exec' as const, /no pod "default\/nobody"/],
  ])('%s via %s is refused', (to, via, message) => {
    expect(() => trace(scenario, { from: 'external/laptop', to, via })).toThrow(message);
  });

  test("the API server's proxy picks a ready endpoint, port-forward any pod", () => {
    const proxied = trace(scenario, { from: 'external/laptop', to: 'svc/web:80', via: 'kubectl-proxy' }).outcomes;
    expect(proxied.map(({ server, probability }) => [server, probability])).toEqual([
      ['pod/default/web-1', 0.5],
      ['pod/default/web-2', 0.5],
    ]);
    expect(trace(scenario, { from: 'external/laptop', to: 'svc/late:80', via: 'kubectl-proxy' }).outcomes).toMatchObject([
      { verdict: 'connected', status: 503, cause: { code: 'no-endpoints' }, legs: [] },
    ]);
    expect(trace(scenario, { from: 'external/laptop', to: 'svc/late:80', via: 'port-forward' }).outcomes).toMatchObject([
      { verdict: 'connected', server: 'pod/default/late' },
    ]);
  });

  test('a port that is closed to the API server is its 503', () => {
    const { outcomes } = trace(scenario, { from: 'external/laptop', to: 'pod/web-1:9999', via: 'kubectl-proxy' });
    expect(outcomes).toMatchObject([
      { verdict: 'connected', status: 503, cause: { code: 'port-not-listening', at: { leg: 1 } } },
    ]);
  });

  test.each(['port-forward', 'kubectl-proxy'] as const)('%s: a backend is what it says', (via) => {
    const asked = { from: 'external/laptop', to: 'svc/web:80', via, backend: 'pod/web-2' };
    expect(trace(scenario, asked).outcomes).toMatchObject([{ probability: 1, server: 'pod/default/web-2' }]);
    expect(() => trace(scenario, { ...asked, backend: 'pod/late' })).toThrow(/pod\/default\/late is none of the/);
  });

  test.each([
    [{ protocol: 'udp' as const }, /speaks TCP, not udp/],
    [{ payload: 9000 }, /payload has no place/],
    [{ sourceAddress: '9.9.9.9' }, /is not one of external\/laptop/],
  ])('what kubectl can not be told is refused', (more, message) => {
    expect(() => trace(scenario, { from: 'external/laptop', to: 'pod/web-1', via: 'exec', ...more })).toThrow(message);
  });
});

test('a check does not see what another one has added to the cluster', () => {
  const given = load(`
cni: flannel-vxlan
nodes: [{ name: control, ip: 192.168.0.11 }, { name: worker, ip: 192.168.0.12 }]
pods: [{ name: client, node: worker }, { name: web, node: worker, ports: [8080] }]
external: [{ name: laptop, ip: 203.0.113.9 }]
checks:
  - { name: plain, from: pod/client, to: svc/kubernetes:443, expect: { verdict: connected } }
  - { name: exec, from: external/laptop, to: pod/web, via: exec, expect: { verdict: connected } }
`);
  expect(runChecks(given, {}, engine).checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['plain', true],
    ['exec', true],
  ]);
});
