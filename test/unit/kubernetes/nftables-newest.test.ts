import { describe, expect, test } from 'vitest';
import { printRuleset } from '../../../src/kernel/netfilter/nftables/print.ts';
import { kubeProxyNftables } from '../../../src/kubernetes/kube-proxy/nftables/index.ts';
import { loadCluster } from '../../support/load-cluster.ts';

/** The table of the newest kube-proxy, of which there is no golden data; read in its source (pkg/proxy/nftables). */
function table(more = ''): string {
  const cluster = loadCluster(`
cluster: { podCIDR: 10.244.0.0/16, serviceCIDR: 10.96.0.0/12, kubernetesVersion: "1.36" }
kubeProxy: { mode: nftables${more} }
nodes:
  - { name: a, ip: 192.168.0.11 }
  - { name: b, ip: 192.168.0.12 }
pods:
  - { name: web-1, node: a, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: b, labels: { app: web }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, type: NodePort, clusterIP: 10.96.0.20, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] }
  - { name: sticky, selector: { app: web }, clusterIP: 10.96.0.21, sessionAffinity: ClientIP, ports: [{ port: 80, targetPort: 8080 }] }
`);
  return printRuleset(kubeProxyNftables(cluster, cluster.nodes[0]!, [4]));
}

/** The lines inside a chain or set. */
function block(text: string, head: RegExp): readonly string[] {
  const match = new RegExp(`^\\t${head.source} \\{\\n([\\s\\S]*?)^\\t\\}`, 'm').exec(text);
  return (match?.[1] ?? '')
    .trim()
    .split('\n')
    .map((line) => line.trim());
}

describe("the newest kube-proxy's table", () => {
  const text = table();

  test('only source ranges are checked before DNAT', () => {
    expect(block(text, /chain filter-prerouting-pre-dnat/)).toEqual([
      'type filter hook prerouting priority dstnat - 10; policy accept;',
      'ct state new jump firewall-check',
    ]);
    expect(block(text, /chain filter-output/)).toEqual([
      'type filter hook output priority filter; policy accept;',
      'ct state new jump service-endpoints-check',
      'ct state new jump cluster-ips-check',
    ]);
    expect(text).not.toContain('filter-output-post-dnat');
  });

  test('traffic to cluster IPs from outside is marked once for all services', () => {
    expect(block(text, /chain services/)[0]).toBe(
      'ip daddr @cluster-ips ip saddr != 10.244.0.0/16 meta mark set meta mark | 0x00004000 comment "masquerade clusterIP traffic from outside cluster"',
    );
    expect(text).not.toContain('mark-for-masquerade');
    expect(block(table(', nftables: { masqueradeAll: true }'), /chain services/)[0]).toContain(
      '"masquerade all clusterIP traffic"',
    );
  });

  test('hairpin traffic is known by a set of the endpoints of this node', () => {
    expect(block(text, /set hairpin-connections/)).toContain('elements = { 10.244.0.2 . 10.244.0.2 . tcp . 8080 }');
    expect(block(text, /chain masquerading/)).toEqual([
      'meta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000 masquerade fully-random',
      'ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random',
    ]);
  });

  test('endpoints have chains only where clients are remembered', () => {
    expect(block(text, /chain service-\S+default\/web\/tcp\//)).toEqual([
      'meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.244.0.2 . 8080, 1 : 10.244.1.2 . 8080 }',
    ]);
    expect(block(text, /chain endpoint-\S+default\/sticky\/\S+/)).toHaveLength(2);
    expect(text).not.toMatch(/chain endpoint-\S+default\/web\//);
  });

  test('unallocated addresses of the service range are dropped', () => {
    expect(block(text, /chain cluster-ips-check/)[1]).toBe(
      'ip daddr 10.96.0.0/12 drop comment "Drop traffic to unallocated ClusterIPs"',
    );
  });
});
