import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import { runChecks } from '../../../src/usecase/check.ts';
import { engine } from '../../../src/usecase/engine.ts';

const BASE = `cni: flannel-vxlan
nodes:
  - { name: node-1, ip: 192.168.0.11 }
  - { name: node-2, ip: 192.168.0.12, labels: { node-role.kubernetes.io/control-plane: "" } }
`;

function answers(to: string, more = '', pods = ''): string {
  const text = `${BASE}pods:\n  - { name: client, node: node-1 }\n${pods}checks:\n  - { from: pod/client, to: "${to}" }\n${more}`;
  const loaded = loadScenario([{ name: 'x.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join());
  const { checks } = runChecks(loaded.scenario, {}, engine);
  const { error, outcomes, assumptions } = checks[0]!;
  return [error, ...outcomes.map(({ verdict, server }) => `${verdict} ${server}`), ...assumptions]
    .filter((part) => part)
    .join(' | ');
}

describe('services that a real cluster also has', () => {
  test.each<[string, RegExp]>([
    ['svc/kubernetes', /^connected node\/node-2 \| .*service default\/kubernetes is not given/],
    ['svc/kubernetes:443', /^connected node\/node-2/],
    ['10.96.0.1:443', /^connected node\/node-2/],
    [
      'svc/kube-system/kube-dns:53',
      /^connected pod\/kube-system\/coredns \| .*an assumed pod\/kube-system\/coredns on node\/node-1/,
    ],
    ['10.96.0.10:53', /^connected pod\/kube-system\/coredns/],
    ['10.96.0.2:443', /^(?!connected)/],
  ])('%s', (to, expected) => {
    expect(answers(to)).toMatch(expected);
  });

  test('the pods of the DNS server and of the API server are taken where they are given', () => {
    const dns = '  - { name: dns-a, namespace: kube-system, node: node-2, labels: { k8s-app: kube-dns } }\n';
    expect(answers('svc/kube-system/kube-dns:53', '', dns)).toMatch(/^connected pod\/kube-system\/dns-a/);
    const api = '  - { name: kube-apiserver-node-2, namespace: kube-system, node: node-2, hostNetwork: true }\n';
    expect(answers('svc/kubernetes', '', api)).toMatch(/^connected pod\/kube-system\/kube-apiserver-node-2/);
  });

  test('what is given stays as it is', () => {
    const given = 'services:\n  - { name: kubernetes, ports: [{ port: 443 }] }\n';
    expect(answers('svc/kubernetes', given)).toMatch(/^refused/);
  });
});
