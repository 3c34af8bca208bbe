import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { CAUSE_CODES, VERDICTS } from '../../../src/trace/outcome.ts';
import { validateSchema } from '../../support/json-schema.ts';
import type { Schema } from '../../support/json-schema.ts';
import { load } from './load-text.ts';

const ROOT = join(import.meta.dirname, '../../..');
const schema = JSON.parse(readFileSync(join(ROOT, 'schema/scenario.schema.json'), 'utf8')) as Schema;

/** The scenario documents of all YAML files under a folder, with their files. */
function documentsUnder(folder: string): readonly { readonly file: string; readonly document: unknown }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) =>
      loadAll(readFileSync(join(ROOT, folder, file), 'utf8')).map((document) => ({ file: join(folder, file), document })),
    )
    .filter(({ document }) => typeof document === 'object' && document !== null && !('kind' in document));
}

describe('schema of the short form', () => {
  test.each(['scenarios', 'test/golden'])('all scenarios under %s are valid', (folder) => {
    const documents = documentsUnder(folder);
    expect(documents.length).toBeGreaterThan(0);
    expect(
      documents.flatMap(({ file, document }) => validateSchema(schema, document).map((problem) => `${file} ${problem}`)),
    ).toEqual([]);
  });

  test.each<[string, string]>([
    ['node', 'nodes: [{ name: a, ip: 10.0.0.1, KEY: 1 }]'],
    ['interface', 'nodes: [{ name: a, ip: 10.0.0.1, interfaces: [{ ip: 10.0.1.1/24, KEY: 1 }] }]'],
    ['pod', 'pods: [{ name: a, node: n, KEY: 1 }]'],
    ['podPort', 'pods: [{ name: a, node: n, ports: [{ containerPort: 1, KEY: 1 }] }]'],
    ['service', 'services: [{ name: a, KEY: 1 }]'],
    ['servicePort', 'services: [{ name: a, ports: [{ port: 1, KEY: 1 }] }]'],
    ['external', 'external: [{ name: a, ip: 10.0.0.1, KEY: 1 }]'],
    ['externalPort', 'external: [{ name: a, ip: 10.0.0.1, ports: [{ port: 1, KEY: 1 }] }]'],
    ['underlay', 'underlay: { KEY: 1 }'],
    ['subnet', 'underlay: { subnets: [{ name: a, cidr: 10.0.0.0/24, KEY: 1 }] }'],
    ['firewallRule', 'underlay: { firewall: [{ drop: udp, KEY: 1 }] }'],
    ['cluster', 'cluster: { KEY: 1 }'],
    ['cniConfig', 'cni: { plugin: none, KEY: 1 }'],
    ['kubeProxy', 'kubeProxy: { KEY: 1 }'],
    ['check', 'checks: [{ from: a, to: b, KEY: 1 }]'],
    ['probe', 'checks: [{ from: a, to: b, before: [{ from: a, to: b, KEY: 1 }] }]'],
    ['expect', 'checks: [{ from: a, to: b, expect: { KEY: 1 } }]'],
    ['step', 'steps: [{ KEY: 1 }]'],
    ['dnsConfig', 'pods: [{ name: a, node: n, dnsConfig: { KEY: 1 } }]'],
    ['dnsConfig', 'nodes: [{ name: a, ip: 10.0.0.1, resolvConf: { KEY: 1 } }]'],
    ['ingress', 'ingresses: [{ name: a, KEY: 1 }]'],
    ['ingressRule', 'ingresses: [{ name: a, rules: [{ KEY: 1 }] }]'],
    ['ingressPath', 'ingresses: [{ name: a, rules: [{ paths: [{ backend: "a:1", KEY: 1 }] }] }]'],
    ['ingressBackend', 'ingresses: [{ name: a, defaultBackend: { KEY: 1 } }]'],
    ['ingressTls', 'ingresses: [{ name: a, tls: [{ KEY: 1 }] }]'],
    ['ingressSettings', 'ingress: { KEY: 1 }'],
    ['loadBalancer', 'loadBalancer: { KEY: 1 }'],
    ['changes', 'steps: [{ apply: { KEY: 1 } }]'],
  ])('keys of %s are those of the reader', (name, text) => {
    const result = load(text.replace('KEY', 'qqqqqqqqqq'));
    const unknown = (result.ok ? [] : result.diagnostics).find((d) => d.code === 'unknown-key');
    const known = (unknown?.hint ?? '').replace('Known keys: ', '').split(', ');
    expect(known.sort()).toEqual(Object.keys(schema.$defs?.[name]?.properties ?? {}).sort());
    expect(validateSchema(schema, loadAll(text.replace('KEY', 'qqqqqqqqqq'))[0])).toContainEqual(
      expect.stringContaining('unknown key qqqqqqqqqq'),
    );
  });

  test('words of expectations are those of the trace', () => {
    expect(schema.$defs?.expect?.properties?.verdict?.enum).toEqual(VERDICTS);
    expect(schema.$defs?.expect?.properties?.cause?.enum).toEqual(CAUSE_CODES);
  });
});
