import { expect, test } from 'vitest';
import { rulesText } from '../../../../src/usecase/rules-text.ts';
import { loadCluster } from '../../../support/load-cluster.ts';

test.each([
  ['1.28', false],
  ['1.29', true],
])('KUBE-IPVS-OUT-FILTER in %s: %s (k/k#119791)', (version, isThere) => {
  const cluster = loadCluster(`cluster: { kubernetesVersion: "${version}" }\nnodes: [{ name: a, ip: 192.168.0.11 }]\n`);
  const result = rulesText(cluster, { node: 'a', component: 'kube-proxy', format: 'iptables-save', proxyMode: 'ipvs' });
  expect(result.ok && result.value.includes('KUBE-IPVS-OUT-FILTER')).toBe(isThere);
});
