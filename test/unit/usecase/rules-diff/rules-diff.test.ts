import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertRule, linesOf, withChain, withoutChain } from '../../../../src/kernel/netfilter/iptables/edit.ts';
import { chainOf } from '../../../../src/kernel/netfilter/iptables/chain.ts';
import { alignChain } from '../../../../src/usecase/rules-diff/align-chain.ts';
import { diffRules } from '../../../../src/usecase/rules-diff/index.ts';
import { longestIncreasing } from '../../../../src/usecase/rules-diff/longest-increasing.ts';
import { nodeRules } from '../../../../src/usecase/rules.ts';
import { loadCluster } from '../../../support/load-cluster.ts';
import type { IptablesTables, TableName } from '../../../../src/kernel/netfilter/iptables/table.ts';
import type { RulesDiff } from '../../../../src/trace/rules-diff.ts';

const CLUSTER = loadCluster(`
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }]
pods:
  - { name: web-1, node: node-1, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: node-1, labels: { app: web }, ports: [8080] }
services:
  - { name: api, selector: { app: web }, type: NodePort, ports: [{ port: 80, targetPort: 8080, nodePort: 30001 }] }
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
`);
const rules = nodeRules(CLUSTER, 'node-1', { component: 'all', family: 4 });
if (!rules.ok) throw new Error(rules.message);
const EXPECTED = rules.tables;

function diff(actual: IptablesTables): RulesDiff {
  return diffRules({ cluster: CLUSTER, node: 'node-1', family: 4, component: 'all', expected: EXPECTED, actual });
}

/** The expected tables with the bodies of one chain changed. */
function changed(table: TableName, chain: string, change: (bodies: readonly string[]) => readonly string[]): IptablesTables {
  const old = EXPECTED.get(table)!.chain(chain)!;
  const bodies = change(linesOf(old).map(({ body }) => body));
  return withChain(
    EXPECTED,
    table,
    chainOf(
      table,
      chain,
      old.policy,
      bodies.map((body) => ({ body })),
    ),
  );
}

describe('rules --diff', () => {
  test('the same', () => {
    expect(diff(EXPECTED)).toMatchObject({
      same: true,
      missing: [],
      extra: [],
      changed: [],
      moved: [],
      policies: [],
      foreign: [],
    });
  });

  test('service blocks may come in any order', () => {
    const [api, web, nodePorts] = linesOf(EXPECTED.get('nat')!.chain('KUBE-SERVICES')!).map(({ body }) => body);
    expect(diff(changed('nat', 'KUBE-SERVICES', () => [web!, api!, nodePorts!])).same).toBe(true);
  });

  test('the jump to node ports must come last', () => {
    const found = diff(changed('nat', 'KUBE-SERVICES', (bodies) => [bodies.at(-1)!, ...bodies.slice(0, -1)]));
    expect(found.same).toBe(false);
    expect(found.moved).toMatchObject([{ expected: { rule: 3, origin: { role: 'node-ports' } }, actual: { rule: 1 } }]);
  });

  test('a missing chain: its rules and whose they are', () => {
    const name = [...EXPECTED.get('nat')!.chainNames()].find((n) => n.startsWith('KUBE-SEP-'))!;
    const found = diff(withoutChain(EXPECTED, 'nat', name));
    expect(found.missing.map(({ chain, origin }) => [chain, origin?.by, origin?.role])).toEqual([
      [name, 'kube-proxy', 'hairpin-mark'],
      [name, 'kube-proxy', 'endpoint'],
    ]);
    expect(found.missing[0]!.origin!.object).toMatch(/^Service default\/(api|web)$/);
    expect(found.extra).toEqual([]);
  });

  test('an operator’s rule is extra', () => {
    const found = diff(
      insertRule(EXPECTED, 'filter', 'FORWARD', { body: '-s 10.0.0.0/8 -j DROP', source: { file: 'dump', line: 7 } }, 0),
    );
    expect(found.extra).toEqual([
      {
        table: 'filter',
        chain: 'FORWARD',
        rule: 1,
        text: '-s 10.0.0.0/8 -j DROP',
        purpose: null,
        source: { file: 'dump', line: 7 },
      },
    ]);
    expect([found.same, found.moved]).toEqual([false, []]);
  });

  test('a rule in other words is changed', () => {
    const found = diff(changed('nat', 'KUBE-POSTROUTING', (bodies) => bodies.map((body) => body.replace(' --random-fully', ''))));
    expect(found).toMatchObject({
      missing: [],
      extra: [],
      changed: [{ actual: { rule: 3 }, expected: { origin: { role: 'masquerade' } } }],
    });
  });

  test('rules that stand in another order are moved', () => {
    const found = diff(changed('filter', 'KUBE-FORWARD', ([invalid, marked, established]) => [marked!, established!, invalid!]));
    expect(found.moved).toMatchObject([{ expected: { rule: 1 }, actual: { rule: 3 } }]);
    expect([found.missing, found.extra]).toEqual([[], []]);
  });

  test('another policy', () => {
    const lines = linesOf(EXPECTED.get('filter')!.chain('FORWARD')!);
    const found = diff(withChain(EXPECTED, 'filter', chainOf('filter', 'FORWARD', 'DROP', lines)));
    expect(found).toMatchObject({
      same: false,
      policies: [{ table: 'filter', chain: 'FORWARD', expected: 'ACCEPT', actual: 'DROP' }],
    });
  });

  test('what others made is named, but no difference', () => {
    let actual = insertRule(EXPECTED, 'filter', 'DOCKER', { body: '-i docker0 -j RETURN' });
    actual = insertRule(actual, 'filter', 'FORWARD', { body: '-o docker0 -j DOCKER' }, 0);
    actual = withChain(actual, 'nat', chainOf('nat', 'KUBE-KUBELET-CANARY', null, []));
    expect(diff(actual)).toMatchObject({ same: true, foreign: [{ chain: 'FORWARD' }, { chain: 'DOCKER' }] });
  });

  test('of a whole node, only the compared component counts', () => {
    const proxy = nodeRules(CLUSTER, 'node-1', { component: 'kube-proxy', family: 4 });
    if (!proxy.ok) throw new Error(proxy.message);
    const sides = { expected: proxy.tables, actual: EXPECTED };
    const found = diffRules({ cluster: CLUSTER, node: 'node-1', family: 4, component: 'kube-proxy', ...sides });
    expect(found).toMatchObject({ same: true, missing: [], extra: [] });
    expect(new Set(found.foreign.map(({ origin }) => origin?.by))).toEqual(new Set(['flannel']));
  });

  test('where kubelet started first, KUBE-FIREWALL stands behind the others', () => {
    const last = (bodies: readonly string[]): readonly string[] => [...bodies.slice(1), bodies[0]!];
    expect(linesOf(EXPECTED.get('filter')!.chain('INPUT')!)[0]!.body).toBe('-j KUBE-FIREWALL');
    expect(diff(changed('filter', 'INPUT', last)).same).toBe(true);
  });

  test('counters of kube-proxy 1.31 and later are no difference', () => {
    let actual = changed('filter', 'KUBE-FORWARD', (bodies) =>
      bodies.map((body) => body.replace('INVALID -j', 'INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j')),
    );
    const rule = linesOf(EXPECTED.get('nat')!.chain('KUBE-NODEPORTS')!)[0]!.body;
    const counter = `-d 127.0.0.0/8 ${rule.replace(' -j', ' -m nfacct --nfacct-name  localhost_nps_accepted_pkts -j')}`;
    actual = insertRule(actual, 'nat', 'KUBE-NODEPORTS', { body: counter }, 0);
    expect(diff(actual)).toMatchObject({ same: true, changed: [], extra: [] });
  });

  test('a stranger in a chain of kube-proxy is a difference', () => {
    expect(diff(insertRule(EXPECTED, 'nat', 'KUBE-SERVICES', { body: '-s 10.0.0.0/8 -j ACCEPT' }, 0))).toMatchObject({
      same: false,
      extra: [{ chain: 'KUBE-SERVICES', rule: 1 }],
    });
  });
});

test('an alignment names each rule of both sides at most once', () => {
  const bodies = fc.array(fc.constantFrom('-j A', '-j B', '-s 1.1.1.1/32 -j A', '-m comment --comment "x/y" -j A', ''), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(bodies, bodies, (expected, actual) => {
      const { missing, extra, changed: pairs, moved } = alignChain('X', expected, actual);
      const left = [...missing, ...pairs.map(([i]) => i)];
      const right = [...extra, ...pairs.map(([, k]) => k)];
      expect(new Set(left).size).toBe(left.length);
      expect(new Set(right).size).toBe(right.length);
      expect(expected.length - left.length).toBe(actual.length - right.length);
      for (const [i, k] of moved) expect(expected[i]).toBe(actual[k]);
      for (const [i, k] of pairs) expect(expected[i]).not.toBe(actual[k]);
    }),
  );
});

test('a longest increasing subsequence increases, and none is longer', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 9 }), (numbers) => {
      const kept = numbers.filter((_, i) => longestIncreasing(numbers).has(i));
      expect(kept).toEqual([...kept].sort((a, b) => a - b));
      const lengths: number[] = [];
      numbers.forEach((n, i) => {
        lengths[i] = 1 + Math.max(0, ...numbers.slice(0, i).map((m, k) => (m < n ? lengths[k]! : 0)));
      });
      expect(kept.length).toBe(Math.max(0, ...lengths));
    }),
  );
});
