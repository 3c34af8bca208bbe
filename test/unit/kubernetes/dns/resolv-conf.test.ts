import { describe, expect, test } from 'vitest';
import { clusterDnsAddress, effectiveDnsPolicy, nodeResolvConf, searchList } from '../../../../src/kubernetes/dns/resolv-conf.ts';
import type { ResolvConf } from '../../../../src/kubernetes/dns/resolv-conf.ts';
import { formatIp } from '../../../../src/net/ip.ts';
import { scenarioOf } from '../../scenario/load-text.ts';

const NODE =
  'nodes: [{ name: n1, ip: 10.0.0.1, resolvConf: { nameservers: [192.0.2.1], searches: [corp.example, Lab.Example.], options: [{ name: timeout, value: 2 }] } }]';

/** As a resolv.conf, one line a keyword. */
function text({ nameservers, search, options }: ResolvConf): string {
  const words = options.map(({ name, value }) => (value === null ? name : `${name}:${value}`));
  return `${nameservers.map(formatIp).join(' ')} | ${search.join(' ')} | ${words.join(' ')}`;
}

function confOf(pod: string, more = ''): ResolvConf {
  const { cluster } = scenarioOf(`${NODE}\n${more}\npods: [{ name: a, namespace: shop, node: n1, ${pod} }]`);
  return searchList(cluster.pods[0]!, cluster);
}

const CLUSTER = '10.96.0.10 | shop.svc.cluster.local svc.cluster.local cluster.local corp.example lab.example | ndots:5';
const NODES_OWN = '192.0.2.1 | corp.example lab.example | timeout:2';

describe("a pod's resolv.conf, as kubelet writes it", () => {
  test.each<[what: string, pod: string, conf: string]>([
    ['ClusterFirst is the default', '', CLUSTER],
    ['ClusterFirst', 'dnsPolicy: ClusterFirst', CLUSTER],
    ['with hostNetwork it means Default', 'hostNetwork: true', NODES_OWN],
    ['ClusterFirstWithHostNet', 'hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet', CLUSTER],
    ['ClusterFirstWithHostNet without hostNetwork', 'dnsPolicy: ClusterFirstWithHostNet', CLUSTER],
    ['Default', 'dnsPolicy: Default', NODES_OWN],
    [
      'None',
      'dnsPolicy: None, dnsConfig: { nameservers: [9.9.9.9], searches: [x.example], options: [{ name: edns0 }] }',
      '9.9.9.9 | x.example | edns0',
    ],
    [
      'dnsConfig adds to the policy, without doubles',
      'dnsConfig: { nameservers: [10.96.0.10, 9.9.9.9], searches: [cluster.local, x.example] }',
      '10.96.0.10 9.9.9.9 | shop.svc.cluster.local svc.cluster.local cluster.local corp.example lab.example x.example | ndots:5',
    ],
    [
      'its options win',
      'dnsConfig: { options: [{ name: ndots, value: "2" }, { name: single-request }] }',
      CLUSTER.replace('ndots:5', 'ndots:2 single-request'),
    ],
    [
      'at most three name servers',
      'dnsConfig: { nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3] }',
      CLUSTER.replace('0.10', '0.10 1.1.1.1 1.1.1.2'),
    ],
  ])('%s', (_, pod, conf) => {
    expect(text(confOf(pod))).toBe(conf);
  });

  test('whose it is', () => {
    expect(
      ['', 'dnsPolicy: Default', 'dnsPolicy: None, dnsConfig: { nameservers: [9.9.9.9] }'].map((pod) => confOf(pod).from),
    ).toEqual(['cluster', 'node', 'dnsConfig']);
  });

  test('the name server is the service, if it is given', () => {
    const service =
      'services: [{ name: kube-dns, namespace: kube-system, clusterIP: 10.96.5.5, ports: [{ port: 53, protocol: UDP }] }]';
    expect(text(confOf('', service))).toBe(CLUSTER.replace('10.96.0.10', '10.96.5.5'));
  });

  test("the domain and the service range are the cluster's", () => {
    expect(text(confOf('', 'cluster: { dnsDomain: k8s.example, serviceCIDR: 10.0.64.0/24 }'))).toBe(
      '10.0.64.10 | shop.svc.k8s.example svc.k8s.example k8s.example corp.example lab.example | ndots:5',
    );
  });

  test('a service range without a tenth address has no cluster DNS', () => {
    const { cluster } = scenarioOf(`${NODE}\ncluster: { serviceCIDR: 10.0.64.0/29 }`);
    expect(clusterDnsAddress(cluster)).toBeNull();
    expect(text(confOf('', 'cluster: { serviceCIDR: 10.0.64.0/29 }'))).toBe(NODES_OWN);
  });

  test('a node that says nothing has nothing', () => {
    const [own, silent] = scenarioOf('nodes: [{ name: a, ip: 10.0.0.1, resolvConf: {} }, { name: b, ip: 10.0.0.2 }]').cluster
      .nodes;
    expect(text(nodeResolvConf(own!))).toBe(' |  | ');
    expect(text(nodeResolvConf(silent!))).toBe(' |  | ');
  });

  test('a long search list is cut', () => {
    const many = Array.from({ length: 32 }, (_, i) => `d${i}.example`);
    expect(confOf(`dnsConfig: { searches: [${many.join(', ')}] }`).search).toHaveLength(32);
    const long = Array.from({ length: 12 }, (_, i) => `${'x'.repeat(200)}${i}.example`);
    const { search } = confOf(`dnsConfig: { searches: [${long.join(', ')}] }`);
    expect(search.join(' ').length).toBeLessThanOrEqual(2048);
    expect(search).toHaveLength(5 + 9);
  });

  test.each<[options: string, ndots: number]>([
    ['[]', 1],
    ['[{ name: ndots, value: "3" }]', 3],
    ['[{ name: ndots, value: "99" }]', 15],
    ['[{ name: ndots, value: few }]', 0],
    // Without a colon it is no option that glibc knows.
    ['[{ name: ndots }]', 1],
  ])('ndots of %s', (options, ndots) => {
    expect(confOf(`dnsPolicy: None, dnsConfig: { nameservers: [9.9.9.9], options: ${options} }`).ndots).toBe(ndots);
  });
});

test('the policy that counts', () => {
  const dns = { hostname: null, subdomain: null, config: null };
  expect(effectiveDnsPolicy({ hostNetwork: true })).toBe('Default');
  expect(effectiveDnsPolicy({ hostNetwork: false })).toBe('ClusterFirst');
  expect(effectiveDnsPolicy({ hostNetwork: true, dns: { ...dns, policy: 'None' } })).toBe('None');
});
