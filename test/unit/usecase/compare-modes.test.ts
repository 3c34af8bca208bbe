import { describe, expect, test } from 'vitest';
import { comparisonText } from '../../../src/render/text/comparison.ts';
import { compareModes } from '../../../src/usecase/compare-modes.ts';
import { scenarioOf, traceCheck } from '../../support/ask.ts';
import { ascii, plain } from '../render/plain-style.ts';
import type { ProxyMode } from '../../../src/kubernetes/model/cluster.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import type { ModeComparison } from '../../../src/trace/mode-comparison.ts';

const ALL: readonly ProxyMode[] = ['iptables', 'ipvs', 'nftables', 'userspace'];

function scenario(check: string, commands: readonly string[] = []): Scenario {
  return scenarioOf(`
cluster: { kubernetesVersion: "1.25" }
nodes: [{ name: a, ip: 192.168.0.11, commands: ${JSON.stringify(commands)} }, { name: b, ip: 192.168.0.12 }]
pods:
  - { name: client, node: a }
  - { name: web-1, node: a, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: b, labels: { app: web }, ports: [8080] }
  - { name: far, node: b, labels: { app: far }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: far, type: NodePort, externalTrafficPolicy: Local, selector: { app: far }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] }
external: [{ name: laptop, ip: 203.0.113.9 }]
checks:
  - { ${check} }
`);
}

function compare(check: string, modes = ALL, commands: readonly string[] = []): ModeComparison {
  const made = scenario(check, commands);
  return compareModes(
    made.cluster,
    modes.map((mode) => traceCheck(made, 1, mode)),
  );
}

function about(comparison: ModeComparison, aspect: string): readonly string[] {
  return comparison.differences.filter((d) => d.aspect === aspect).map(({ modes, text }) => `${modes.join(', ')}: ${text}`);
}

describe('what differs between proxy modes', () => {
  test('userspace: another source, another connection, and why', () => {
    const comparison = compare('from: pod/client, to: svc/web:80');
    expect(about(comparison, 'verdict')).toEqual([]);
    expect(about(comparison, 'source')).toEqual([
      'iptables, ipvs, nftables: the server sees the client: nobody rewrites the source',
      'userspace: the server sees a: a process there took the client’s connection and made one of its own',
    ]);
    expect(about(comparison, 'connections')).toHaveLength(1);
    expect(about(comparison, 'decision').map((text) => text.split(':')[0])).toEqual(ALL);
    expect(about(comparison, 'rules')[0]).toMatch(/^iptables, userspace: .* the more services, the more rules$/);
  });

  test('a verdict that differs has the cause of each that fails, and what lets the others through', () => {
    const comparison = compare('from: external/laptop, to: 192.168.0.11:30080');
    const verdicts = about(comparison, 'verdict');
    expect(verdicts[0]).toMatch(/^iptables: .*externalTrafficPolicy Local and no endpoint/);
    expect(verdicts).toContain(
      'ipvs: where a policy of Local finds no endpoint on the node, the virtual server has all of them instead',
    );
    expect(verdicts).toContain('userspace: this mode knows no traffic policies: any ready endpoint will do');
  });

  test.each([
    ['192.168.0.11:30080', ['userspace: this mode knows no traffic policies: any ready endpoint will do']],
    // The number of a node port means nothing at an address that is no node's.
    ['pod/web-1:30080', []],
  ])('to %s', (to, verdicts) => {
    const made = scenario(`from: external/laptop, to: "${to}"`);
    const trace = traceCheck(made, 1, 'iptables');
    const other = {
      ...trace,
      network: { ...trace.network, proxyMode: 'userspace' },
      outcomes: trace.outcomes.map((outcome) => ({ ...outcome, verdict: 'connected' as const, server: 'pod/default/far' })),
    };
    const all = about(compareModes(made.cluster, [trace, other]), 'verdict');
    expect(all.filter((text) => text.startsWith('userspace'))).toEqual(verdicts);
  });

  test('modes that do the same have nothing to say', () => {
    expect(compare('from: pod/client, to: pod/web-2:8080').differences.map(({ aspect }) => aspect)).toEqual([
      'rules',
      'rules',
      'rules',
    ]);
    expect(compare('from: pod/client, to: svc/web:80', ['iptables', 'iptables']).differences).toEqual([]);
  });
});

describe('in one view', () => {
  const narrow = { ...plain, width: 80 };

  test('a row for each mode: verdict, servers, what they saw, rules, connections', () => {
    const text = comparisonText(compare('from: pod/client, to: svc/web:80'), narrow);
    const rows = text.split('\n').filter((line) => /CONNECTED|pod\/web-2 /.test(line));
    expect(rows.map((row) => row.replace(/ +\d+(-\d+)? +(?=\d$)/, ' N '))).toEqual([
      'iptables   CONNECTED  pod/web-1  10.244.0.2 N 1',
      '                      pod/web-2  10.244.0.2',
      'ipvs       CONNECTED  pod/web-1  10.244.0.2 N 1',
      '                      pod/web-2  10.244.0.2',
      'nftables   CONNECTED  pod/web-1  10.244.0.2 N 1',
      '                      pod/web-2  10.244.0.2',
      'userspace  CONNECTED  pod/web-1  10.244.0.1 N 2',
      '                      pod/web-2  10.244.0.0',
    ]);
    expect(text.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  test('where each chose: rule, virtual server, process; and where one was stopped', () => {
    const text = comparisonText(
      compare('from: pod/client, to: svc/web:80, backend: pod/web-1', ALL, ['iptables -P INPUT DROP']),
      plain,
    );
    expect(text).toMatch(/ {2}iptables {3}a PREROUTING: nat KUBE-SEP-\w+ #2\n/);
    expect(text).toContain('  ipvs       a INPUT: filter INPUT, policy DROP\n');
    expect(text).toMatch(/ipvs +TIMED OUT +- +- +\d+ +1/);
    const open = comparisonText(compare('from: pod/client, to: svc/web:80'), plain);
    expect(open).toMatch(/ {2}ipvs +a INPUT: virtual server tcp \S+ · rr, 1 of 2 real servers\n/);
    expect(open).toMatch(/ {2}userspace +a, a process \(port \d+, by a PREROUTING: nat KUBE-PORTALS-CONTAINER #\d+\)\n/);
  });

  test('it says when nothing differs, and plain terminals get plain characters', () => {
    expect(comparisonText(compare('from: pod/client, to: svc/web:80', ['iptables', 'iptables']), plain)).toContain(
      'The modes do not differ.',
    );
    const text = comparisonText(compare('from: pod/client, to: svc/web:80'), ascii);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
    expect(text).toMatch(/^[\x00-\x7f]*$/);
    expect(text).not.toContain('?');
  });
});
