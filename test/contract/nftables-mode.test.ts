import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import type { Outcome } from '../../src/trace/outcome.ts';

const CLUSTER = (version: string): string => `
cluster: { podCIDR: 10.244.0.0/16, serviceCIDR: 10.96.0.0/12, kubernetesVersion: "${version}" }
kubeProxy: { mode: nftables }
nodes:
  - { name: a, ip: 192.168.0.11 }
  - { name: b, ip: 192.168.0.12 }
pods:
  - { name: client, node: a }
  - { name: web-1, node: a, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: b, labels: { app: web }, ports: [8080] }
  - { name: only, node: a, labels: { app: only }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, type: NodePort, clusterIP: 10.96.0.20, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] }
  - { name: sticky, selector: { app: web }, clusterIP: 10.96.0.21, sessionAffinity: ClientIP, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: only, selector: { app: only }, clusterIP: 10.96.0.22, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: none, selector: { app: nobody }, clusterIP: 10.96.0.23, ports: [{ port: 80 }] }
  - { name: far, selector: { app: only }, type: NodePort, clusterIP: 10.96.0.24, externalTrafficPolicy: Local, ports: [{ port: 80, targetPort: 8080, nodePort: 30081 }] }
external:
  - { name: laptop, ip: 203.0.113.9 }
`;

function outcomes(version: string, check: string): readonly Outcome[] {
  const text = `${CLUSTER(version)}checks:\n  - { name: it, ${check}, expect: { verdict: connected } }\n`;
  const loaded = loadScenario([{ name: 'scenario.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const asked = loaded.scenario.checks[0]!;
  const traced = traceConnection(loaded.scenario, asked, { before: asked.before, coldNeighbours: false }, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join('\n'));
  return traced.trace.outcomes;
}

/** Verdict, server and source address of each outcome, with its probability. */
function summary(version: string, check: string): readonly (readonly [string, string | null, string | null, number])[] {
  return outcomes(version, check).map((o) => [o.verdict, o.server, o.source, o.probability]);
}

describe.each(['1.30', '1.36'])('kube-proxy %s in nftables mode', (version) => {
  test('a cluster IP leads to each endpoint with the same chance, and keeps the client address', () => {
    expect(summary(version, 'from: pod/client, to: svc/web:80')).toEqual([
      ['connected', 'pod/default/web-1', '10.244.0.2', 0.5],
      ['connected', 'pod/default/web-2', '10.244.0.2', 0.5],
    ]);
  });

  test('a client that has been served keeps its endpoint', () => {
    const again = summary(
      version,
      'from: pod/client, to: svc/sticky:80, before: [{ from: pod/client, to: svc/sticky:80, backend: pod/web-2 }]',
    );
    expect(again).toEqual([['connected', 'pod/default/web-2', '10.244.0.2', 1]]);
  });

  test('a pod that reaches itself through a service is masqueraded', () => {
    expect(summary(version, 'from: pod/only, to: svc/only:80')).toEqual([['connected', 'pod/default/only', '10.244.0.1', 1]]);
  });

  test('a service without endpoints refuses', () => {
    const [outcome] = outcomes(version, 'from: pod/client, to: svc/none:80');
    expect(outcome).toMatchObject({ verdict: 'refused', cause: { code: 'no-endpoints' } });
  });

  test('a cluster IP refuses ports that no service has, ping too', () => {
    expect(outcomes(version, 'from: pod/client, to: 10.96.0.20:81')[0]!.verdict).toBe('refused');
    expect(outcomes(version, 'from: pod/client, to: 10.96.0.20, protocol: icmp')[0]!.verdict).not.toBe('connected');
  });

  test('node ports answer at the address of the node and masquerade, not on loopback', () => {
    const answered = summary(version, 'from: external/laptop, to: 192.168.0.11:30080');
    expect(answered.map(([verdict, server]) => [verdict, server])).toEqual([
      ['connected', 'pod/default/web-1'],
      ['connected', 'pod/default/web-2'],
    ]);
    expect(answered.every(([, , source]) => source !== '203.0.113.9')).toBe(true);
    expect(outcomes(version, 'from: node/a, to: 127.0.0.1:30080')[0]!.verdict).toBe('refused');
  });

  test('externalTrafficPolicy Local keeps the client address where there is an endpoint, and drops elsewhere', () => {
    expect(summary(version, 'from: external/laptop, to: 192.168.0.11:30081')).toEqual([
      ['connected', 'pod/default/only', '203.0.113.9', 1],
    ]);
    const [outcome] = outcomes(version, 'from: external/laptop, to: 192.168.0.12:30081');
    expect(outcome).toMatchObject({ verdict: 'timeout', cause: { code: 'no-local-endpoints' } });
  });
});

test('the newest kube-proxy drops what goes to an address of the service range that no service has', () => {
  expect(outcomes('1.36', 'from: pod/client, to: 10.96.9.9:80')[0]!.verdict).toBe('timeout');
  expect(outcomes('1.30', 'from: pod/client, to: 10.96.9.9:80')[0]!.verdict).not.toBe('timeout');
});
