import { Chalk } from 'chalk';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addressText, nodeSummary } from '../../../src/render/registration/node.ts';
import { podText } from '../../../src/render/registration/pod.ts';
import { registrationText } from '../../../src/render/registration/service.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { engine } from '../../../src/usecase/engine.ts';
import { explain } from '../../../src/usecase/explain-ref.ts';
import type { Style } from '../../../src/render/style.ts';

const narrow: Style = { chalk: new Chalk({ level: 0 }), width: 80, ascii: false };

function text(scenario: string, ref: string, style: Style = narrow): string {
  const file = join(import.meta.dirname, '../../../scenarios', scenario);
  const loaded = loadScenario([{ name: scenario, text: readFileSync(file, 'utf8') }], { readFile: () => null });
  if (!loaded.ok) throw new Error('does not load');
  const result = explain(loaded.scenario.cluster, { text: ref, node: null, namespace: 'default' }, engine);
  if (!result.ok) throw new Error('does not explain');
  const { service, pod, node, address } = result.explanation;
  if (service !== undefined) return registrationText(service, style);
  if (pod !== undefined) return podText(pod, style);
  return node === undefined ? addressText(address!, style) : nodeSummary(node, style);
}

describe('a service’s registration as text', () => {
  test('is a path from the selector to the rules', () => {
    expect(text('tutorial.yaml', 'svc/web')).toBe(`SERVICE default/web   ClusterIP · tcp 80 → 8080
flannel vxlan · kube-proxy iptables

TWO MAPPINGS  from the name to an address, from that to a pod

  name      web.default.svc.cluster.local
     ▼      cluster DNS (CoreDNS) reads Service default/web
  address   A 10.96.0.20   the API server gave it out
     ▼      kube-proxy reads EndpointSlice default/web-ipv4
  pods      10.96.0.20:80/tcp → 10.244.0.3:8080, 10.244.1.2:8080

HOW IT COMES TO ITS RULES  each step is another program’s

┌─ selector   app=web   whoever wrote the Service
│
├─ pods       of default; kubelets report them, the API server keeps
│  ✓ web-1  node-1  10.244.0.3:8080  ready
│  ✓ web-2  node-2  10.244.1.2:8080  ready
│    1 pod with nothing of the selector
│
├─ slices     the EndpointSlice controller writes down what the selector takes
│  web-ipv4  IPv4, tcp 8080
│    10.244.0.3  web-1  node-1  ready
│    10.244.1.2  web-2  node-2  ready
│
└─ rules      kube-proxy on each node turns slices into iptables rules
   alike on all nodes: node-1, node-2
     10.96.0.20:80/tcp  cluster IP
       nat KUBE-SERVICES #1 → KUBE-SVC-LOLE4ISW44XBNF3G
     KUBE-SVC-LOLE4ISW44XBNF3G  chooses among all endpoints
       #1   mark for masquerading: not from a pod
       #2   1 in 2    10.244.0.3:8080 web-1  → KUBE-SEP-4BF5YOXF4CNSHTIN
       #3   the rest  10.244.1.2:8080 web-2  → KUBE-SEP-PXJ2U7QYT2QW5545
   Each KUBE-SEP- chain rewrites the destination to its endpoint (DNAT); a pod
   that reaches itself is masqueraded.

--detail rules shows each rule, --node NAME one node only.
`);
  });

  test('says first why it leads nowhere', () => {
    const lines = text('06-selector-broken.yaml', 'svc/web').split('\n');
    expect(lines.slice(3, 5).join(' ')).toBe(
      '✗ It leads nowhere: no pod of default has app=wbe; the nearest is default/web: app is web, not wbe.',
    );
    expect(lines).toContain('│  ✗ web  node-1  10.244.0.3  app is web, not wbe');
  });

  test('an ExternalName service has one mapping and no path', () => {
    expect(text('basics-10-headless.yaml', 'svc/shop')).toBe(`SERVICE default/shop   ExternalName
flannel vxlan · kube-proxy iptables

ONE MAPPING  from a name to another name

  name      shop.default.svc.cluster.local
     ▼      cluster DNS (CoreDNS) reads Service default/shop
  name      CNAME shop.example.com
`);
  });

  test.each([
    ['tutorial.yaml', 'svc/web'],
    ['lb-02-local.yaml', 'svc/web'],
    ['basics-09-session-affinity.yaml', 'svc/web'],
    ['mode-nftables.yaml', 'svc/web'],
    ['mode-ipvs-idle.yaml', 'svc/db'],
    ['mode-userspace.yaml', 'svc/web'],
    ['names-3-headless.yaml', 'svc/db'],
    ['ingress-1-one-for-many.yaml', 'svc/cart'],
    ['dual-stack-01-both-families.yaml', 'svc/web'],
    ['tutorial.yaml', 'pod/web-1'],
    ['tutorial.yaml', 'node/node-1'],
    ['tutorial.yaml', '10.96.0.20:80'],
  ])('%s %s keeps within 80 columns, and in ASCII where nothing else can be shown', (scenario, ref) => {
    for (const line of text(scenario, ref).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII
    expect(text(scenario, ref, { ...narrow, ascii: true })).toMatch(/^[\x00-\x7f]*$/);
    expect(text(scenario, ref, { ...narrow, ascii: true })).not.toContain('?');
  });

  test('of many pods only the most telling are listed', () => {
    const pods = Array.from({ length: 40 }, (_, i) => {
      const more = i % 10 === 3 ? 'ready: false, ' : '';
      return `  - { name: p${i}, node: n, ${more}labels: { app: ${i < 20 ? 'web' : 'wbe'} }, ports: [80] }`;
    });
    const yaml = `nodes: [{ name: n, ip: 192.168.0.11 }]\npods:\n${pods.join('\n')}\nservices: [{ name: web, selector: { app: web }, ports: [{ port: 80 }] }]`;
    const loaded = loadScenario([{ name: 'x.yaml', text: yaml }], { readFile: () => null });
    if (!loaded.ok) throw new Error('does not load');
    const result = explain(loaded.scenario.cluster, { text: 'svc/web', node: null, namespace: 'default' }, engine);
    if (!result.ok) throw new Error('does not explain');
    const lines = registrationText(result.explanation.service!, narrow).split('\n');
    const listed = lines.flatMap((line) => /^│ {2}([✓·✗]) (p\d+)/.exec(line)?.slice(1).join('') ?? []);
    expect(listed).toEqual(['✓p0', '✓p1', '✓p2', '·p3', '✓p4', '✓p5', '✓p6', '·p13', '✗p20', '✗p21', '✗p22']);
    expect(lines).toContain('│    29 more pods (-o json lists all)');
  });
});
