import { describe, expect, test } from 'vitest';
import { BASE, outcome } from './lab.ts';
import type { Probe } from '../../../../src/kubernetes/model/check.ts';
import type { CauseCode } from '../../../../src/trace/outcome.ts';

const IPVS = BASE.replace('cni:', 'kubeProxy: { mode: ipvs }\ncni:');
const balancer = (ranges: string): string => `
---
apiVersion: v1
kind: Service
metadata: { name: lb, namespace: default }
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.30
  selector: { app: web-1 }
  loadBalancerSourceRanges: [${ranges}]
  ports: [{ port: 80, targetPort: 8080, nodePort: 30090 }]
status: { loadBalancer: { ingress: [{ ip: 172.18.0.200 }] } }
`;

interface Case {
  readonly name: string;
  readonly text?: string;
  readonly from?: string;
  readonly to: string;
  readonly commands?: readonly string[];
  readonly more?: Partial<Probe>;
  readonly code: CauseCode;
  readonly says: readonly string[];
  /** Texts in the remedy; null: none. */
  readonly remedy: string | null;
}

const CASES: readonly Case[] = [
  {
    name: 'a virtual server without real servers',
    text: IPVS.replace('selector: { app: web-1 }', 'selector: { app: wbe }'),
    to: 'svc/near',
    code: 'no-endpoints',
    says: ['virtual server tcp 10.96.0.20:80 of node/node-1 has no real server', 'its selector app=wbe matches no pod'],
    remedy: '"app":"web-1"',
  },
  {
    name: 'internalTrafficPolicy Local',
    text: IPVS.replace('name: far,', 'name: far, internalTrafficPolicy: Local,'),
    to: 'svc/far',
    code: 'no-local-endpoints',
    says: ['internalTrafficPolicy Local and no endpoint on node/node-1', 'IPVS refuses'],
    remedy: '{"internalTrafficPolicy":"Cluster"}',
  },
  {
    name: 'a port that the service does not have',
    to: '10.96.0.20:81',
    code: 'port-not-in-service',
    says: ['has no port 81/tcp; it has 80/tcp', 'KUBE-IPVS-FILTER'],
    remedy: '"port":81',
  },
  {
    name: 'a ping',
    to: '10.96.0.20',
    more: { protocol: 'icmp' },
    code: 'clusterip-not-pingable',
    says: ['is an address of node/node-1 (kube-ipvs0)', 'as designed since 1.26'],
    remedy: null,
  },
  {
    name: 'a node port on loopback',
    text: IPVS.replace('name: near,', 'name: near, type: NodePort,').replace(
      'targetPort: 8080 }] }',
      'targetPort: 8080, nodePort: 30080 }] }',
    ),
    from: 'node/node-1',
    to: '127.0.0.1:30080',
    code: 'port-not-listening',
    says: ["opens at the node's other addresses only, as designed"],
    remedy: null,
  },
  {
    name: 'source ranges that leave the client out',
    text: IPVS + balancer('203.0.113.0/24'),
    to: '172.18.0.200:80',
    code: 'source-range',
    says: ['Service default/lb lets only 203.0.113.0/24 use its load balancer address', '10.244.1.2'],
    remedy: '10.244.0.0/16',
  },
  {
    name: 'the range of all',
    text: IPVS + balancer('0.0.0.0/0'),
    to: '172.18.0.200:80',
    code: 'source-range',
    says: ["the ipset that kube-proxy keeps the ranges in can't hold 0.0.0.0/0"],
    remedy: '128.0.0.0/1',
  },
  {
    name: 'a policy of INPUT',
    to: 'svc/near',
    commands: ['node/node-1: iptables -P INPUT DROP'],
    code: 'policy-drop',
    says: ['its traffic passes INPUT, not FORWARD'],
    remedy: '-P INPUT ACCEPT',
  },
  {
    name: 'a rule of INPUT',
    to: 'svc/near',
    commands: ['node/node-1: iptables -A INPUT -p tcp --dport 80 -j DROP'],
    code: 'rule-drop',
    says: ['its traffic passes INPUT, not FORWARD'],
    remedy: '-D INPUT',
  },
];

describe('causes in mode ipvs', () => {
  test.each(CASES)('$name', ({ text = IPVS, from = 'pod/client', to, commands = [], more, code, says, remedy }) => {
    const { cause } = outcome(text, from, to, commands, more);
    expect(cause?.code).toBe(code);
    for (const part of says) expect(cause?.text).toContain(part);
    if (remedy === null) expect(cause?.remedy).toBeNull();
    else expect(cause?.remedy?.join('\n')).toContain(remedy);
  });
});
