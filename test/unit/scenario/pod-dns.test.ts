import { describe, expect, test } from 'vitest';
import { formatIp } from '../../../src/net/ip.ts';
import { diagnosticsOf, load, scenarioOf } from './load-text.ts';

const NODE = 'nodes: [{ name: n1, ip: 10.0.0.1 }]\n';
const CONFIG =
  'dnsConfig: { nameservers: [9.9.9.9], searches: [x.example], options: [{ name: ndots, value: "2" }, { name: edns0 }] }';
const NOTHING = { hostname: null, subdomain: null, policy: 'ClusterFirst', config: null };

function podObject(spec: string): string {
  return `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { nodeName: n1, ${spec} }\n`;
}

describe('what a pod says of names', () => {
  test.each<[text: string, dns: object | undefined]>([
    ['restartPolicy: Always', undefined],
    ['dnsPolicy: ClusterFirst', undefined],
    ['hostname: my-pet', { ...NOTHING, hostname: 'my-pet' }],
    ['subdomain: pets', { ...NOTHING, subdomain: 'pets' }],
    ['dnsPolicy: Default', { ...NOTHING, policy: 'Default' }],
    [
      `dnsPolicy: None, ${CONFIG}`,
      {
        ...NOTHING,
        policy: 'None',
        config: {
          searches: ['x.example'],
          options: [
            { name: 'ndots', value: '2' },
            { name: 'edns0', value: null },
          ],
        },
      },
    ],
  ])('%s', (text, dns) => {
    const [fromObject] = scenarioOf([NODE, podObject(text)]).cluster.pods;
    const short = text.startsWith('restartPolicy') ? '' : `, ${text}`;
    const [fromShort] = scenarioOf(`${NODE}pods: [{ name: a, node: n1${short} }]`).cluster.pods;
    if (dns === undefined) expect([fromObject?.dns, fromShort?.dns]).toEqual([undefined, undefined]);
    else expect([fromObject?.dns, fromShort?.dns]).toMatchObject([dns, dns]);
    if (text.includes('9.9.9.9')) expect(fromObject?.dns?.config?.nameservers.map(formatIp)).toEqual(['9.9.9.9']);
  });

  test.each<[text: string, problem: RegExp]>([
    [
      'dnsPolicy: Cluster',
      /wrong-value "dnsPolicy" must be one of ClusterFirst, ClusterFirstWithHostNet, Default, None, not "Cluster"/,
    ],
    ['dnsPolicy: None', /missing-key dnsPolicy None needs a nameserver in "dnsConfig"/],
    ['dnsPolicy: None, dnsConfig: { searches: [a] }', /missing-key dnsPolicy None needs a nameserver/],
    ['hostname: My.Pet', /wrong-value "hostname" must be a DNS label/],
    ['subdomain: a_b', /wrong-value "subdomain" must be a DNS label/],
    ['dnsConfig: { nameservers: [x] }', /wrong-value Item 1 must be an IP address, not "x"/],
    [
      'dnsConfig: { nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4] }',
      /wrong-value "nameservers" must be a list of at most 3 addresses/,
    ],
    [
      `dnsConfig: { searches: [${Array.from({ length: 33 }, (_, i) => `d${i}`).join(', ')}] }`,
      /wrong-value "searches" must be a list of at most 32 domains/,
    ],
    ['dnsConfig: { options: [{ value: "1" }] }', /missing-key An option of resolv.conf needs "name"/],
  ])('%s', (text, problem) => {
    for (const input of [[NODE, podObject(text)], [`${NODE}pods: [{ name: a, node: n1, ${text} }]`]]) {
      expect(load(input).ok).toBe(false);
      expect(diagnosticsOf(input)[0]).toMatch(problem);
    }
  });

  test('keys of dnsConfig are strict in the short form alone', () => {
    expect(load([NODE, podObject('dnsConfig: { x: y }')]).ok).toBe(true);
    expect(diagnosticsOf(`${NODE}pods: [{ name: a, node: n1, dnsConfig: { x: y } }]`)[0]).toMatch(
      /unknown-key Unknown key "x" in "dnsConfig"/,
    );
  });
});

describe('host names of endpoints', () => {
  const services =
    'services: [{ name: pets, clusterIP: None, selector: { app: pets }, ports: [{ port: 80 }] }, { name: other, clusterIP: None, selector: { app: pets }, ports: [{ port: 80 }] }]\n';
  const hostnames = (...texts: readonly string[]): readonly string[] =>
    scenarioOf([NODE + services, ...texts]).cluster.endpointSlices.flatMap(({ service, endpoints }) =>
      endpoints.map(({ hostname, pod }) => `${service}: ${pod} ${hostname ?? '-'}`),
    );

  test('a pod is known by its host name below the service that is its subdomain', () => {
    const pods =
      'pods: [{ name: a, node: n1, labels: { app: pets }, hostname: my-pet, subdomain: pets }, { name: b, node: n1, labels: { app: pets }, hostname: b }]';
    expect(hostnames(pods)).toEqual(['pets: default/a my-pet', 'pets: default/b -', 'other: default/a -', 'other: default/b -']);
  });

  test('the pods of a StatefulSet are known by their names below its service', () => {
    const set = (kind: string): string =>
      `apiVersion: apps/v1\nkind: ${kind}\nmetadata: { name: pet }\nspec: { replicas: 2, serviceName: pets, template: { metadata: { labels: { app: pets } }, spec: { dnsPolicy: Default, containers: [] } } }`;
    expect(hostnames(set('StatefulSet')).slice(0, 2)).toEqual(['pets: default/pet-0 pet-0', 'pets: default/pet-1 pet-1']);
    expect(hostnames(set('Deployment')).slice(0, 2)).toEqual(['pets: default/pet-0 -', 'pets: default/pet-1 -']);
    const [pod] = scenarioOf([NODE, set('StatefulSet')]).cluster.pods;
    expect(pod?.dns).toEqual({ hostname: 'pet-0', subdomain: 'pets', policy: 'Default', config: null });
  });

  test('given slices and Endpoints say them themselves', () => {
    const slice =
      'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: { name: s, labels: { kubernetes.io/service-name: pets } }\naddressType: IPv4\nendpoints: [{ addresses: [10.1.0.1], hostname: one }, { addresses: [10.1.0.2], hostname: "" }]';
    const endpoints =
      'apiVersion: v1\nkind: Endpoints\nmetadata: { name: other }\nsubsets: [{ addresses: [{ ip: 10.1.0.3, hostname: three }, { ip: 10.1.0.4 }] }]';
    expect(hostnames(slice, endpoints)).toEqual(['pets: null one', 'pets: null -', 'other: null three', 'other: null -']);
  });
});

test("a node's own resolv.conf", () => {
  const [own, silent] = scenarioOf(
    'nodes: [{ name: a, ip: 10.0.0.1, resolvConf: { searches: [corp.example] } }, { name: b, ip: 10.0.0.2 }]',
  ).cluster.nodes;
  expect(own?.resolvConf).toEqual({ nameservers: [], searches: ['corp.example'], options: [] });
  expect(silent?.resolvConf).toBeUndefined();
});
