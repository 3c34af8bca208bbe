import { expect, test } from 'vitest';
import { compile } from '../../../../src/kubernetes/compile.ts';
import { agentHosts } from '../../../../src/usecase/lab/agent-hosts.ts';
import { scenarioOf } from '../../../support/ask.ts';

/** Hosts whose netfilter is traced. */
function traced(settings: string): readonly string[] {
  const { cluster } = scenarioOf(`
cni: { plugin: flannel, backend: host-gw, ipMasq: false, iptablesForwardRules: false }
${settings}
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods: [{ name: web, node: node-1, ports: [80], commands: ["iptables -A INPUT -j ACCEPT"] }]
`);
  const compiled = compile(cluster);
  if (!compiled.ok) throw new Error('does not compile');
  return agentHosts('k8snet-test', cluster, compiled.world).flatMap(({ host, traced }) => (traced ? [host] : []));
}

test.each([
  ['kubeProxy: { mode: iptables }', ['node/node-1', 'node/node-2', 'pod/default/web']],
  // Not one table of iptables: the rules are nftables' own.
  ['kubeProxy: { mode: nftables }', ['node/node-1', 'node/node-2', 'pod/default/web']],
  ['kubeProxy: { mode: none }', ['pod/default/web']],
])('%s: rules are watched where there are some', (settings, hosts) => expect(traced(settings).toSorted()).toEqual(hosts));
