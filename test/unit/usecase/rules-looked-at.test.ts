import { expect, test } from 'vitest';
import { scenarioOf, traceCheck } from '../../support/ask.ts';
import type { ProxyMode } from '../../../src/kubernetes/model/cluster.ts';

/** Rules looked at for a connection to the last of `services` services. */
function lookedAt(services: number, mode: ProxyMode): number {
  const names = Array.from({ length: services }, (_, i) => `s${String(i).padStart(4, '0')}`);
  const scenario = scenarioOf(`
cluster: { kubernetesVersion: "1.25" }
nodes: [{ name: a, ip: 192.168.0.11 }]
pods:
  - { name: client, node: a }
  - { name: web, node: a, labels: { app: web }, ports: [8080] }
services:
${names.map((name) => `  - { name: ${name}, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }`).join('\n')}
checks:
  - { from: pod/client, to: svc/${names.at(-1)}:80 }
`);
  return traceCheck(scenario, 1, mode).outcomes[0]!.rulesLookedAt!;
}

test.each<[ProxyMode, number]>([
  // nat KUBE-SERVICES has a rule a service.
  ['iptables', 100],
  // So has KUBE-PORTALS-CONTAINER, and KUBE-PORTALS-HOST, which the proxy's own connection passes.
  ['userspace', 200],
  ['ipvs', 0],
  ['nftables', 0],
])('a hundred services more: in mode %s so many rules more are looked at: %i', (mode, more) => {
  expect(lookedAt(110, mode) - lookedAt(10, mode)).toBe(more);
});

test('rules of a chain that nothing matches count too', () => {
  const rules = (fill: readonly string[]): number =>
    traceCheck(
      scenarioOf(`
nodes: [{ name: a, ip: 192.168.0.11, commands: ${JSON.stringify(['iptables -N T', 'iptables -I FORWARD -j T', ...fill])} }]
pods: [{ name: client, node: a }, { name: web, node: a, ports: [8080] }]
checks: [{ from: pod/client, to: pod/web:8080 }]
`),
    ).outcomes[0]!.rulesLookedAt!;
  // The SYN, the SYN-ACK and the ACK pass it.
  expect(rules(['iptables -A T -p udp', 'iptables -A T -p udp']) - rules([])).toBe(6);
});
