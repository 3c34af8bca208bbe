import fc from 'fast-check';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';

/** Loads, and touches every position: nothing of it may throw, and a result is a scenario or at least one error. */
function survive(text: string): void {
  const result = loadScenario([{ name: 'x', text }], { readFile: () => null });
  const diagnostics = result.ok ? result.scenario.diagnostics : result.diagnostics;
  for (const { position } of diagnostics) {
    if (position === null) continue;
    expect(position.line).toBeGreaterThan(0);
    expect(position.column).toBeGreaterThan(0);
  }
  if (result.ok) expect(diagnostics.every((d) => d.severity !== 'error')).toBe(true);
  else expect(diagnostics.length).toBeGreaterThan(0);
}

const KEYS = [
  'cluster',
  'podCIDR',
  'serviceCIDR',
  'kubernetesVersion',
  'cni',
  'plugin',
  'backend',
  'kubeProxy',
  'mode',
  'clusterCIDR',
  'nodes',
  'name',
  'ip',
  'mtu',
  'sysctls',
  'addresses',
  'interfaces',
  'commands',
  'pods',
  'namespace',
  'node',
  'labels',
  'ports',
  'containerPort',
  'protocol',
  'hostPort',
  'hostNetwork',
  'services',
  'selector',
  'port',
  'targetPort',
  'nodePort',
  'type',
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'external',
  'underlay',
  'nodeCIDR',
  'subnets',
  'cidr',
  'router',
  'firewall',
  'drop',
  'from',
  'to',
  'checks',
  'before',
  'expect',
  'verdict',
  'kind',
  'apiVersion',
  'metadata',
  'spec',
  'status',
  'items',
  'endpoints',
  'subsets',
  'template',
  'replicas',
  'conditions',
  'podCIDRs',
  'containers',
  'ownerReferences',
  'addressType',
  '__proto__',
  'constructor',
];
const WORDS = [
  'a',
  'b',
  'n1',
  'web',
  '10.0.0.1',
  '10.244.0.0/16',
  '10.0.0.0/31',
  '::1',
  'fd00::/64',
  '0.0.0.0/0',
  '::/0',
  'None',
  'NodePort',
  'LoadBalancer',
  'ExternalName',
  'UDP',
  'v1',
  'Pod',
  'Node',
  'Service',
  'List',
  'Endpoints',
  'EndpointSlice',
  'Deployment',
  'DaemonSet',
  'KubeProxyConfiguration',
  'IPv4',
  'IPv6',
  'flannel',
  'docker',
  'udp/53',
  '1.30',
];

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(...WORDS),
    fc.constantFrom(0, 1, 80, 70000, -1, 1.5, true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6 }),
  ),
})).value;

test('random values as JSON and as YAML', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 }), (document) => {
      survive(JSON.stringify(document));
      survive(dump(document));
    }),
    { numRuns: 1500 },
  );
});

test('random text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), survive), { numRuns: 1000 });
  fc.assert(
    fc.property(
      fc
        .array(
          fc.constantFrom(
            ...KEYS,
            ...WORDS,
            ': ',
            '\n',
            '  ',
            '- ',
            '{',
            '}',
            '[',
            ']',
            '&a ',
            '*a',
            '<<: ',
            '|\n',
            '"',
            "'",
            '#',
            '---\n',
            '\t',
          ),
          { maxLength: 60 },
        )
        .map((parts) => parts.join('')),
      survive,
    ),
    { numRuns: 1500 },
  );
});

test('golden scenarios with a piece cut out or doubled', () => {
  const folder = join(import.meta.dirname, '../golden/kernel');
  const texts = readdirSync(folder)
    .map((name) => join(folder, name, 'scenario.yaml'))
    .filter((file) => existsSync(file))
    .slice(0, 12)
    .map((file) => readFileSync(file, 'utf8'));
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.nat(), fc.nat({ max: 200 }), fc.boolean(), (text, at, length, twice) => {
      const start = at % text.length;
      survive(text.slice(0, start) + (twice ? text.slice(start, start + length).repeat(2) : '') + text.slice(start + length));
    }),
    { numRuns: 600 },
  );
});
