import { expect, test } from 'vitest';
import { compile } from '../../../../src/kubernetes/compile.ts';
import { RECOGNISE_NOTHING } from '../../../../src/kubernetes/dumped-rules.ts';
import { linesOf } from '../../../../src/kernel/netfilter/iptables/edit.ts';
import { loadScenario } from '../../../../src/scenario/load.ts';
import { originsForDump } from '../../../../src/usecase/explain/index.ts';

const DUMP = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
-A KUBE-SERVICES -d 10.96.0.9/32 -p tcp -m comment --comment "shop/web has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable
COMMIT
`;

test('the rules of a node that has a dump carry the object behind them, and where they stand', () => {
  const text = 'nodes: [{ name: node-1, ip: 192.168.0.11, iptablesSave: node-1.save }]\n';
  const loaded = loadScenario([{ name: 'scenario.yaml', text }], { readFile: () => DUMP });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  const { cluster } = loaded.scenario;
  const compiled = compile(cluster, {
    recogniseRules: { ...RECOGNISE_NOTHING, iptables: (tables, family) => originsForDump(tables, cluster, family) },
  });
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('\n'));

  const chain = compiled.world.host('node/node-1')!.netfilter.iptables.get('filter')!.chain('KUBE-SERVICES')!;
  expect(linesOf(chain)).toMatchObject([
    { origin: { object: 'Service shop/web', by: 'kube-proxy', role: 'no-endpoints' }, source: { line: 6 } },
  ]);
  expect(chain.rule(0).origin).toEqual(linesOf(chain)[0]!.origin);
});
