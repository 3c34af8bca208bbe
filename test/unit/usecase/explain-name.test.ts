import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import { explainName } from '../../../src/usecase/explain-name.ts';

const TEXT = `
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }]
pods: [{ name: web, node: node-1, labels: { app: web }, ports: [8080] }]
services:
  - { name: web, clusterIP: 10.96.0.20, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: idle, clusterIP: 10.96.0.21, selector: { app: idle }, ports: [{ port: 80 }] }
  - { name: headless, clusterIP: None, selector: { app: web }, ports: [{ port: 80 }] }
  - { name: other, type: ExternalName, externalName: shop.example.com }
`;

function explained(name: string): readonly string[] {
  const loaded = loadScenario([{ name: 'x.yaml', text: TEXT }], { readFile: () => null });
  if (!loaded.ok) throw new Error('does not load');
  const result = explainName(loaded.scenario.cluster, name, null, 'default');
  if (!result.ok) return [`refused: ${result.message}`];
  return result.value.map((chain) => `${chain.name}: ${chain.sentence} [${chain.rules.length}]`);
}

describe('explainName', () => {
  test.each<[string, readonly string[]]>([
    ['KUBE-MARK-MASQ', ['KUBE-MARK-MASQ: marks packets that KUBE-POSTROUTING shall masquerade [1]']],
    ['KUBE-SERVICE', ['refused: no chain "KUBE-SERVICE" on node-1; did you mean KUBE-SERVICES?']],
    ['KUBE-SVC-AAAAAAAAAAAAAAAA', [expect.stringMatching(/^refused: no chain "KUBE-SVC-AAAAAAAAAAAAAAAA" on node-1/)]],
    ['MINE', ['refused: no chain "MINE" on node-1, and nobody is known to make one']],
    [
      'KUBE-MARK-DROP',
      ['KUBE-MARK-DROP: marks packets that KUBE-FIREWALL shall drop (before 1.28) (node-1 has no such chain) [0]'],
    ],
    ['cali-FORWARD', ['cali-FORWARD: a chain of Calico (node-1 has no such chain) [0]']],
    ['svc/idle', ['KUBE-SERVICES: its rules for Service default/idle, which has no chain of its own: no endpoints [1]']],
    ['svc/headless', ['svc/default/headless: no rule is about it: it is headless, clients get the addresses of the pods [0]']],
    ['svc/other', ['svc/default/other: no rule is about it: it is only another name [0]']],
    ['svc/none', ['refused: no service default/none']],
  ])('%s', (name, expected) => {
    expect(explained(name)).toEqual(expected);
  });
});
