import { describe, expect, test } from 'vitest';
import { scenarioOf, traceCheck } from '../../support/ask.ts';
import type { Trace } from '../../../src/trace/trace.ts';

const SAVE = '*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -p tcp --dport 81 -j DROP\nCOMMIT\n';

/** A pod connects to port 80 (or another) of a pod on the other node; node-1 has this rule in an nftables chain at FORWARD. */
function traced(rule: string, { port = 80, options = '', save = '' } = {}): Trace {
  const scenario = scenarioOf(
    `
cni: flannel-host-gw
nodes:
  - { name: node-1, ip: 192.168.0.11, nftRuleset: n.txt${save === '' ? '' : ', iptablesSave: s.txt'} }
  - { name: node-2, ip: 192.168.0.12 }
pods: [{ name: client, node: node-1 }, { name: web, node: node-2, ports: [80, 81] }]
checks: [{ from: pod/client, to: 'pod/web:${port}', expect: { verdict: connected } }]
`,
    {
      'n.txt': `table inet fw {\n${options}\tchain F {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\t${rule}\n\t}\n}\n`,
      's.txt': save,
    },
  );
  return traceCheck(scenario);
}

const verdict = (trace: Trace): string => trace.outcomes[0]!.verdict;

describe('a dump of nftables', () => {
  test('decides', () => {
    expect(verdict(traced('tcp dport 80 drop'))).toBe('timeout');
    expect(verdict(traced('tcp dport 80 drop', { port: 81 }))).toBe('connected');
  });

  test('beside one of iptables: both are in force', () => {
    expect(verdict(traced('tcp dport 80 drop', { save: SAVE }))).toBe('timeout');
    expect(verdict(traced('tcp dport 80 drop', { save: SAVE, port: 81 }))).toBe('timeout');
    expect(verdict(traced('tcp dport 443 drop', { save: SAVE }))).toBe('connected');
  });

  test('a dormant table hangs on no hook (nf_tables_table_disable)', () => {
    expect(verdict(traced('tcp dport 80 drop', { options: '\tflags dormant\n' }))).toBe('connected');
  });

  test('what is not modelled leaves the verdict open where a packet gets to it, and is named by file and line', () => {
    const trace = traced('tcp dport 80 limit rate 1/second drop');
    expect(verdict(trace)).toBe('unknown');
    expect(trace.outcomes[0]!.cause?.text).toContain('(n.txt:4)');
    // The test in front of it fails (NFT_BREAK), so it does not matter.
    expect(verdict(traced('tcp dport 80 limit rate 1/second drop', { port: 81 }))).toBe('connected');
  });
});
