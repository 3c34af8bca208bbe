import { describe, expect, test } from 'vitest';
import { load, trace } from './run.ts';

const scenario = load(`
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: client, node: node-1 }
  - { name: host, node: node-1, hostNetwork: true }
  - { name: web-1, node: node-2, labels: { app: web }, ports: [8080] }
  - { name: db-0, node: node-1, labels: { app: db }, ports: [5432] }
  - { name: db-1, node: node-2, labels: { app: db }, ports: [5432] }
services:
  - { name: web, selector: { app: web }, ports: [{ name: http, port: 80, targetPort: 8080 }] }
  - { name: db, clusterIP: None, selector: { app: db }, ports: [{ name: pg, port: 5432 }] }
external: [{ name: laptop, ip: 203.0.113.9, ports: [443] }]
externalDNS: { laptop.example: 203.0.113.9 }
`);

function queries(from: string, to: string): readonly string[] {
  return trace(scenario, { from, to }).outcomes[0]!.legs.map(({ text, answer, verdict }) => `${text}: ${answer ?? verdict}`);
}

describe('names', () => {
  test.each([
    ['web:80', ['A web.default.svc.cluster.local: 10.96.1.0']],
    ['web.default:80', ['A web.default.default.svc.cluster.local: NXDOMAIN', 'A web.default.svc.cluster.local: 10.96.1.0']],
    ['web.default.svc.cluster.local.:80', ['A web.default.svc.cluster.local: 10.96.1.0']],
    ['web:http', ['SRV _http._tcp.web.default.svc.cluster.local: port 80 of web.default.svc.cluster.local']],
    [
      'laptop.example:443',
      [
        'A laptop.example.default.svc.cluster.local: NXDOMAIN',
        'A laptop.example.svc.cluster.local: NXDOMAIN',
        'A laptop.example.cluster.local: NXDOMAIN',
        'A laptop.example: 203.0.113.9',
      ],
    ],
  ])('a pod asks for %s along its search list', (to, wanted) => {
    expect(queries('pod/client', to)).toEqual(wanted);
  });

  test('the query is a walk of its own, translated to a server of cluster DNS', () => {
    const [leg] = trace(scenario, { from: 'pod/client', to: 'web:80' }).outcomes[0]!.legs;
    expect(leg).toMatchObject({ purpose: 'resolve', from: 'pod/default/client', to: '10.96.0.10:53', verdict: 'connected' });
    expect(leg?.request.some((event) => event.kind === 'nat' && event.before.dst === '10.96.0.10')).toBe(true);
    expect(leg?.reply.length).toBeGreaterThan(0);
  });

  test('a client picks one address of an answer, and each is as likely', () => {
    const { outcomes } = trace(scenario, { from: 'pod/client', to: 'db:5432' });
    expect(outcomes.map(({ server, probability }) => [server, probability])).toEqual([
      ['pod/default/db-0', 0.5],
      ['pod/default/db-1', 0.5],
    ]);
  });

  test('a pin picks for it', () => {
    const { outcomes } = trace(scenario, { from: 'pod/client', to: 'db:5432', backend: 'pod/db-1' });
    expect(outcomes.map(({ server }) => server)).toEqual(['pod/default/db-1']);
  });

  test('who is not on cluster DNS does not ask it', () => {
    for (const from of ['external/laptop', 'node/node-1', 'pod/host']) {
      const { outcomes } = trace(scenario, { from, to: 'web:80' });
      expect(outcomes).toMatchObject([{ verdict: 'unresolved', legs: [], cause: { code: 'unresolved' } }]);
    }
    expect(trace(scenario, { from: 'node/node-1', to: 'laptop.example:443' }).outcomes).toMatchObject([
      { verdict: 'connected', server: 'external/laptop', legs: [] },
    ]);
  });

  test('a lost query is a cause in its leg', () => {
    const drop = [{ host: 'node-1', command: 'iptables -I FORWARD -p udp --dport 53 -j DROP' }];
    const [outcome] = trace(scenario, { from: 'pod/client', to: 'web:80' }, drop).outcomes;
    expect(outcome).toMatchObject({
      verdict: 'unresolved',
      request: [],
      cause: { code: 'rule-drop', at: { leg: 1, part: 'request' } },
    });
    const at = outcome!.cause!.at!;
    expect(outcome!.legs[at.leg - 1]!.request[at.event]).toMatchObject({ kind: 'rule', verdict: 'drop' });
  });

  test('a name nobody has names the one that was meant', () => {
    const [outcome] = trace(scenario, { from: 'pod/client', to: 'wbe:80' }).outcomes;
    expect(outcome?.verdict).toBe('unresolved');
    expect(outcome?.cause?.text).toContain('did you mean web?');
  });
});
