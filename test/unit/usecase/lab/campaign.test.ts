import { describe, expect, test } from 'vitest';
import { engine } from '../../../../src/usecase/engine.ts';
import { planCampaigns } from '../../../../src/usecase/lab/campaign.ts';
import { labName } from '../../../../src/usecase/lab/names.ts';
import { scenarioOf } from '../../../support/ask.ts';
import type { ProxyMode } from '../../../../src/kubernetes/model/cluster.ts';

const SCENARIO = scenarioOf(`
nodes: [{ name: a, ip: 192.168.0.11 }]
pods: [{ name: client, node: a }, { name: web, node: a, labels: { app: web }, ports: [8080] }]
services: [{ name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }]
checks:
  - { from: pod/client, to: svc/web:80 }
  - { from: pod/client, to: svc/web:80, proxyMode: nftables }
`);

describe('labs for checks with modes of kube-proxy', () => {
  test.each<[asked: ProxyMode | undefined, nftables: boolean[]]>([
    [undefined, [false, true]],
    // The command line goes before the checks, and one lab will do for all.
    ['iptables', [false]],
    ['nftables', [true]],
  ])('asked for %s', (proxyMode, nftables) => {
    const options = { lab: labName('test'), namespace: 'default', ...(proxyMode !== undefined && { proxyMode }) };
    const { campaigns, refused } = planCampaigns(SCENARIO, SCENARIO.checks, options, engine);
    expect(refused).toEqual([]);
    expect(campaigns.map(({ lab }) => lab.script.includes('table ip kube-proxy'))).toEqual(nftables);
    expect(campaigns.flatMap(({ tasks }) => tasks)).toHaveLength(2);
  });
});
