import { describe, expect, test } from 'vitest';
import { healthAnswer, healthCheckPort, healthListeners } from '../../../../src/kubernetes/balancer/health.ts';
import { formatIp } from '../../../../src/net/ip.ts';
import { loadCluster } from '../../../support/load-cluster.ts';
import type { Cluster } from '../../../../src/kubernetes/model/cluster.ts';

function cluster({ policy = 'Local', pods = '', more = 'loadBalancer: {}' } = {}): Cluster {
  return loadCluster(`
${more}
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: web-1, node: node-1, labels: { app: web }, ports: [8080] }
${pods}
services:
  - { name: web, type: LoadBalancer, externalTrafficPolicy: ${policy}, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
`);
}

function answers(of: Cluster): string[] {
  return of.nodes.map((node) => {
    const { status, text } = healthAnswer(of, of.services[0]!, node);
    return `${node.name} ${status} ${text}`;
  });
}

describe('what nodes answer', () => {
  test.each<[string, Parameters<typeof cluster>[0], string[]]>([
    ['policy Local', {}, ['node-1 200 1 local endpoint', 'node-2 503 no local endpoints']],
    [
      'two endpoints on one node',
      { pods: '  - { name: web-2, node: node-1, labels: { app: web }, ports: [8080] }' },
      ['node-1 200 2 local endpoints', 'node-2 503 no local endpoints'],
    ],
    [
      'endpoints that are terminating, or not ready',
      {
        pods: `  - { name: web-2, node: node-2, labels: { app: web }, ports: [8080], terminating: true }
  - { name: web-3, node: node-2, labels: { app: web }, ports: [8080], ready: false }`,
      },
      ['node-1 200 1 local endpoint', 'node-2 503 no local endpoints'],
    ],
    ['policy Cluster', { policy: 'Cluster' }, ['node-1 200 kube-proxy is well', 'node-2 200 kube-proxy is well']],
  ])('%s', (_, given, wanted) => expect(answers(cluster(given))).toEqual(wanted));
});

describe('where kube-proxy listens', () => {
  const listening = (of: Cluster): string[] =>
    healthListeners(of, of.nodes[0]!).map(({ address, port }) => `${address === null ? '*' : formatIp(address)}:${port}`);

  test.each<[string, Parameters<typeof cluster>[0], string[]]>([
    ['with a cloud', {}, ['*:10256', '*:30087']],
    ['without one the health check node port is there all the same', { more: '' }, ['*:30087']],
    ['policy Cluster', { policy: 'Cluster' }, ['*:10256']],
    ['node ports on some addresses only', { more: 'kubeProxy: { nodePortAddresses: [192.168.0.0/24] }' }, ['192.168.0.11:30087']],
    [
      'mode userspace',
      { more: 'kubeProxy: { mode: userspace }\nloadBalancer: {}\ncluster: { kubernetesVersion: "1.25" }' },
      ['*:10256'],
    ],
    ['no kube-proxy', { more: 'kubeProxy: { mode: none }' }, []],
  ])('%s', (_, given, wanted) => expect(listening(cluster(given))).toEqual(wanted));

  test('the port that is asked', () => {
    expect(healthCheckPort(cluster().services[0]!)).toBe(30087);
    expect(healthCheckPort(cluster({ policy: 'Cluster' }).services[0]!)).toBe(10256);
  });
});
