import { loadScenario } from '../../../../src/scenario/load.ts';
import type { Probe } from '../../../../src/kubernetes/model/check.ts';
import type { Scenario } from '../../../../src/scenario/scenario.ts';
import { engine } from '../../../../src/usecase/engine.ts';
import type { LaboratoryOptions } from '../../../../src/usecase/laboratory.ts';
import { traceConnection } from '../../../../src/usecase/trace.ts';
import type { Outcome } from '../../../../src/trace/outcome.ts';
import { probe } from '../fixtures.ts';

/** Two nodes with flannel, a client, one web pod on each node, a service, and two hosts outside. */
export const BASE = `
cluster: { podCIDR: 10.244.0.0/16, serviceCIDR: 10.96.0.0/12, kubernetesVersion: '1.30' }
underlay: { nodeCIDR: 172.18.0.0/16 }
cni: { plugin: flannel, backend: vxlan }
nodes:
- { name: node-1, ip: 172.18.0.2, podCIDR: 10.244.1.0/24 }
- { name: node-2, ip: 172.18.0.3, podCIDR: 10.244.2.0/24 }
pods:
- { name: client, node: node-1, ip: 10.244.1.2, ports: [8080] }
- { name: web-1, node: node-1, ip: 10.244.1.3, labels: { app: web-1 }, ports: [8080] }
- { name: web-2, node: node-2, ip: 10.244.2.2, labels: { app: web-2 }, ports: [8080, { containerPort: 5353, protocol: UDP }] }
services:
- { name: near, clusterIP: 10.96.0.20, selector: { app: web-1 }, ports: [{ port: 80, targetPort: 8080 }] }
- { name: far, clusterIP: 10.96.0.21, selector: { app: web-2 }, ports: [{ port: 80, targetPort: 8080 }] }
external:
- { name: laptop, ip: 192.0.2.10, ports: [443] }
- { name: neighbour, ip: 172.18.0.100, ports: [443] }
`;

/** What any `iptablesSave` of a scenario reads as. */
const dumpOf = (rule: string): string => `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
${rule}
COMMIT
`;
const UNKNOWN = '-A FORWARD -m geoip --source-country DE -j DROP';

/** "node-1: ip route del ..." */
export function command(line: string): NonNullable<LaboratoryOptions['commands']>[number] {
  const colon = line.indexOf(': ');
  return { host: line.slice(0, colon), command: line.slice(colon + 2) };
}

export function scenario(text: string, dumpedRule = UNKNOWN): Scenario {
  const loaded = loadScenario([{ name: 'test.yaml', text }], { readFile: () => dumpOf(dumpedRule) });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  return loaded.scenario;
}

/** The only outcome of a connection; `commands` as `--do` takes them. */
export function outcome(
  text: string,
  from: string,
  to: string,
  commands: readonly string[] = [],
  more: Partial<Probe> = {},
  dumpedRule = UNKNOWN,
): Outcome {
  const traced = traceConnection(scenario(text, dumpedRule), probe(from, to, more), { commands: commands.map(command) }, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join('\n'));
  const [only, ...others] = traced.trace.outcomes;
  if (!only || others.length > 0) throw new Error(`${others.length + 1} outcomes`);
  return only;
}

/** The device by which a pod of the base scenario is plugged into its node's bridge. */
export function veth(pod: string): string {
  const { request } = outcome(BASE, `pod/${pod}`, 'svc/near');
  const arrival = request.find((event) => event.kind === 'rx');
  if (arrival?.kind !== 'rx') throw new Error(`nothing came from pod/${pod}`);
  return arrival.device;
}
