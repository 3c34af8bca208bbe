import { describe, expect, test } from 'vitest';
import { diagnosticsOf, load } from './load-text.ts';

const NODE = 'nodes: [{ name: node-1, ip: 192.168.0.11 }]\n';

function errorsOf(text: string | readonly string[]): readonly string[] {
  expect(load(text).ok).toBe(false);
  return diagnosticsOf(text);
}

describe('errors of the short form', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'an unknown key with its nearest spelling',
      'nodes:\n  - { name: a, ip: 10.0.0.1, podCidr: 10.244.0.0/24 }',
      ['2:30 unknown-key Unknown key "podCidr" in a node (Did you mean "podCIDR"?)'],
    ],
    [
      'an unknown key of the document',
      'nodess: []\n',
      ['1:1 unknown-key Unknown key "nodess" in a scenario (Did you mean "nodes"?)'],
    ],
    [
      'all of them at once',
      'cluster: { podCIDR: 10.244.0.0/33 }\nnodes:\n  - { name: a, ip: 10.0.0.300, mtu: big }\n  - { ip: 10.0.0.1 }\n',
      [
        '1:21 wrong-value "podCIDR" must be a range such as 10.244.0.0/16, not "10.244.0.0/33"',
        '3:20 wrong-value "ip" must be an IP address, not "10.0.0.300"',
        '3:37 wrong-value "mtu" must be a whole number from 68 to 65535, not "big"',
        '4:5 missing-key A node needs "name"',
      ],
    ],
    [
      'leading zeroes',
      'nodes: [{ name: a, ip: 010.0.0.1 }]',
      ['1:24 wrong-value "ip" must be an IP address, not "010.0.0.1" (Leading zeroes are not allowed in an IPv4 address)'],
    ],
    ['a list where a mapping belongs', 'cluster: []', ['1:10 wrong-value "cluster" must be a mapping, not a list']],
    ['a mapping where a list belongs', 'nodes: { a: 1 }', ['1:8 wrong-value "nodes" must be a list, not a mapping']],
    ['an item that is no mapping', 'nodes: [node-1]', ['1:9 wrong-value Item 1 must be a mapping, not "node-1"']],
    [
      'a float version in JSON',
      '{"cluster": {"kubernetesVersion": 1.30}}',
      ['1:35 wrong-value "kubernetesVersion" must be a version such as "1.30", not 1.3 (Write it in quotes)'],
    ],
    [
      'keys, and what the rest can not be, in the order of the text',
      `${NODE}pods:\n  - { name: bad, node: node-7 }\n  - { name: web, node: node-1, ports: [80, 80] }\nclutser: {}`,
      [
        '3:24 unknown-node Pod default/bad is on node "node-7", which is not given (Did you mean "node-1"?)',
        '4:44 duplicate-listener Two listeners on tcp port 80 of pod default/web',
        '5:1 unknown-key Unknown key "clutser" in a scenario (Did you mean "cluster"?)',
      ],
    ],
    [
      'nothing that only follows from what could not be read',
      'nods: [{ name: node-1, ip: 192.168.0.11 }]\npods: [{ name: web, node: node-1 }]',
      ['1:1 unknown-key Unknown key "nods" in a scenario (Did you mean "nodes"?)'],
    ],
    [
      'an eth0 with another address than the node',
      'nodes:\n  - { name: a, ip: 192.168.56.11, interfaces: [{ name: eth0, ip: 10.0.2.15/24 }] }',
      [
        '2:47 wrong-value Node a has ip 192.168.56.11, but its interface eth0 has 10.0.2.15 (List the interface that has the ip too, such as { name: eth1, ip: 192.168.56.11/24 })',
      ],
    ],
    [
      'addresses that no host has',
      'nodes: [{ name: a, ip: 127.0.0.1 }]\nexternal:\n  - { name: m, ip: 224.0.0.1 }\n  - { name: z, ip: 0.0.0.0 }\n  - { name: v, ip: "ff02::1" }',
      [
        '1:9 wrong-value 127.0.0.1 of node a is a loopback address, which no host has',
        '3:5 wrong-value 224.0.0.1 of external host m is a multicast address, which no host has',
        '4:5 wrong-value 0.0.0.0 of external host z is an address of "this network", which no host has',
        '5:5 wrong-value ff02::1 of external host v is a multicast address, which no host has',
      ],
    ],
    [
      "a pod with an address of the pod network's own devices",
      `cni: flannel-vxlan\n${NODE}pods:\n  - { name: a, node: node-1, ip: 10.244.0.0 }\n  - { name: b, node: node-1, ip: 10.244.0.1 }`,
      [
        '4:5 duplicate-address 10.244.0.0 of pod default/a is the address of flannel.1 of node node-1',
        '5:5 duplicate-address 10.244.0.1 of pod default/b is the address of the bridge of node node-1',
      ],
    ],
    ['a pod on no node', `${NODE}pods:\n  - { name: web }`, ['3:5 no-node Pod default/web is on no node (Give "node")']],
    [
      'a pod on an unknown node',
      `${NODE}pods:\n  - { name: web, node: node-2 }`,
      ['3:24 unknown-node Pod default/web is on node "node-2", which is not given (Did you mean "node-1"?)'],
    ],
    [
      'a node without an address',
      'nodes: [{ name: a }]',
      ['1:9 no-address Node a has no address (Give "ip", or an InternalIP in the status of the Node object)'],
    ],
    [
      'two listeners in one pod',
      `${NODE}pods: [{ name: web, node: node-1, ports: [80, 80] }]`,
      ['2:47 duplicate-listener Two listeners on tcp port 80 of pod default/web'],
    ],
    [
      'two hostNetwork pods with one port',
      `${NODE}pods:\n  - { name: a, node: node-1, hostNetwork: true, ports: [80] }\n  - { name: b, node: node-1, hostNetwork: true, ports: [{ containerPort: 80 }] }`,
      ['4:57 duplicate-listener Pods default/a and default/b share the network of node node-1 and both listen on tcp port 80'],
    ],
    [
      'two hosts with one address',
      'nodes:\n  - { name: a, ip: 192.168.0.2 }\n  - { name: b, ip: 192.168.0.2 }\nexternal: [{ name: x, ip: 192.168.0.2 }]',
      [
        '3:5 duplicate-address 192.168.0.2 is held by node a and by node b',
        '4:12 duplicate-address 192.168.0.2 is held by node a and by external host x',
      ],
    ],
    [
      'a node with the address of the router',
      'underlay: { nodeCIDR: 192.168.0.0/24 }\nnodes: [{ name: a, ip: 192.168.0.1 }]',
      ['2:9 duplicate-address 192.168.0.1 is held by the router of underlay.nodeCIDR 192.168.0.0/24 and by node a'],
    ],
    [
      'a node outside the node range',
      'underlay: { nodeCIDR: 10.0.0.0/24 }\nnodes: [{ name: a, ip: 192.168.0.1 }]',
      [
        '2:9 outside-range Node a is outside underlay.nodeCIDR 10.0.0.0/24 (All nodes are in it, or in a range of underlay.subnets)',
      ],
    ],
    [
      'two pods with one address on one bridge',
      `${NODE}pods:\n  - { name: a, node: node-1, ip: 10.244.0.2 }\n  - { name: b, node: node-1, ip: 10.244.0.2 }`,
      ['4:5 duplicate-address 10.244.0.2 is held by pod default/a and by pod default/b'],
    ],
    [
      'duplicate names',
      'nodes:\n  - { name: a, ip: 10.0.0.1 }\n  - { name: a, ip: 10.0.0.2 }',
      ['3:5 duplicate-name Node a is given twice (The first is at a.yaml:2:5)'],
    ],
    ['a service without ports', 'services: [{ name: web }]', ['1:12 missing-key Service default/web needs "ports"']],
    [
      'ports without names',
      'services:\n  - name: web\n    ports:\n      - port: 80\n      - port: 81',
      ['5:9 duplicate-name Service default/web has several ports: each needs a name'],
    ],
    [
      'a target port in quotes',
      'services: [{ name: w, ports: [{ port: 80, targetPort: "8080" }] }]',
      [
        '1:55 wrong-value "targetPort" must be a port number, or the name of a container port, not "8080" (A number is written without quotes)',
      ],
    ],
    [
      'a CNI that is not known',
      'cni: flanel-vxlan',
      [
        '1:6 wrong-value "cni" must be one of none, docker, bridge, flannel, weave, flannel-vxlan, flannel-host-gw, flannel-ali-vpc, flannel-aws-vpc, flannel-gce, flannel-udp, flannel-ipip, flannel-wireguard, not "flanel-vxlan" (Did you mean "flannel-vxlan"?)',
      ],
    ],
    [
      'a dump that is not there',
      'nodes: [{ name: a, ip: 10.0.0.1, iptablesSave: gone.txt }]',
      ['1:48 unreadable-file Can\'t read "gone.txt" (The path is relative to a.yaml)'],
    ],
    [
      'a verdict that does not exist',
      'checks:\n  - { from: a, to: b, expect: { verdict: conected } }',
      [
        '2:42 wrong-value "verdict" must be one of connected, refused, reset, timeout, host-unreachable, network-unreachable, message-too-long, prohibited, not-permitted, invalid-argument, unresolved, unknown, not "conected" (Did you mean "connected"?)',
      ],
    ],
    ['a check that goes nowhere', 'checks: [{ from: pod/a }]', ['1:10 missing-key A check needs "to"']],
    [
      'a firewall rule for an unknown host',
      `${NODE}underlay: { firewall: [{ drop: udp/8472, from: node-2 }] }`,
      ['2:24 unknown-host The firewall rule names "node-2", which is not given (Did you mean "node-1"?)'],
    ],
    [
      'a malformed firewall rule',
      'underlay: { firewall: [{ drop: icmp/8 }] }',
      ['1:32 wrong-value "drop" must be PROTOCOL, PROTOCOL/PORT or all, not "icmp/8" (Such as udp/8472)'],
    ],
    [
      'no room for pods',
      'nodes: [{ name: a, ip: 10.0.0.1, podCIDR: 10.244.0.0/30 }]\npods: [{ name: p, node: a }, { name: q, node: a }]',
      [
        '2:30 range-exhausted No address is left for pod default/q in the pod range of node a (Give "ip", or the node a wider podCIDR)',
      ],
    ],
    [
      'no room for nodes',
      'cluster: { podCIDR: 10.244.0.0/24 }\nnodes: [{ name: a, ip: 10.0.0.1 }, { name: b, ip: 10.0.0.2 }]',
      ['2:36 range-exhausted The pod range has no room for node b (Give a wider cluster.podCIDR)'],
    ],
  ])('%s', (_, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
  });

  test('two files that both name the CNI', () => {
    expect(errorsOf(['cni: none', 'x: 1\ncni: bridge'])).toEqual([
      'b.yaml:1:1 unknown-key Unknown key "x" in a scenario (Known keys: cluster, cni, kubeProxy, nodes, pods, services, external, ingresses, externalDNS, underlay, ingress, loadBalancer, checks, steps)',
      'b.yaml:2:6 given-twice "cni" is given twice',
    ]);
  });
});

describe('errors that need the whole cluster', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a pod with the address of its bridge',
      `cni: flannel\n${NODE}pods: [{ name: a, node: node-1, ip: 10.244.0.1 }]`,
      ['3:8 duplicate-address 10.244.0.1 of pod default/a is the address of the bridge of node node-1'],
    ],
    [
      'an interface in no subnet',
      'nodes: [{ name: a, ip: 10.0.0.2, interfaces: [{ ip: 10.1.0.2/24, subnet: natt }] }]\nunderlay: { subnets: [{ name: nat, cidr: 10.1.0.0/24 }] }',
      ['1:9 unknown-subnet Interface eth1 of node a is in subnet "natt", which is not given (Did you mean "nat"?)'],
    ],
    [
      'two interfaces with one address in one subnet',
      'nodes:\n- { name: a, ip: 10.0.0.2, interfaces: [{ ip: 10.1.0.2/24, subnet: nat }] }\n- { name: b, ip: 10.0.0.3, interfaces: [{ ip: 10.1.0.2/24, subnet: nat }] }\nunderlay: { subnets: [{ name: nat, cidr: 10.1.0.0/24 }] }',
      ['3:3 duplicate-address 10.1.0.2 is held by node a and by node b'],
    ],
    [
      'a node port without the type',
      'services: [{ name: a, ports: [{ port: 80, nodePort: 30080 }] }]',
      ['1:31 wrong-value Service default/a has a node port, but its type is ClusterIP (Give type: NodePort)'],
    ],
    [
      'hostNetwork with another hostPort',
      `${NODE}pods: [{ name: a, node: node-1, hostNetwork: true, ports: [{ containerPort: 80, hostPort: 81 }] }]`,
      ['2:60 wrong-value Pod default/a has hostNetwork: its hostPort 81 must be its containerPort 80'],
    ],
  ])('%s', (_, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
  });

  test('one address behind two private links', () => {
    const node = (n: number): string => `- { name: n${n}, ip: 10.0.0.${n}, interfaces: [{ ip: 10.1.0.2/24 }] }\n`;
    expect(load(`nodes:\n${node(2)}${node(3)}`).ok).toBe(true);
  });
});

describe('a table of kubectl', () => {
  const hint = 'This is a table, as kubectl prints it for people: ask kubectl for -o yaml';
  test.each([
    'NAME    READY   STATUS    RESTARTS   AGE\nweb-1   1/1     Running   0          3d\n',
    'NAMESPACE   NAME    READY   STATUS    RESTARTS     AGE\nshop        web-1   1/1     Running   1 (3d ago)   3d\n',
    'NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\nkubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   5d\n',
    'NAME   STATUS   CONDITION\nweb    ok       Ready: True\n',
  ])('%j', (text) => {
    expect(errorsOf(text)).toEqual([expect.stringContaining(hint)]);
  });
});

describe('errors of Kubernetes objects', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'no apiVersion',
      'kind: Pod\nmetadata: {name: a}',
      [
        '1:1 not-an-object A Kubernetes object needs "apiVersion" and "kind", as text; "apiVersion" is not there (A scenario has neither of them)',
      ],
    ],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: x', ['4:3 missing-key Pod without metadata.name']],
    [
      'a wrong type',
      'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - port: "80"',
      ['6:11 wrong-value "port" must be a whole number from 1 to 65535, not "80"'],
    ],
    [
      'an item of a List that is no object',
      'apiVersion: v1\nkind: List\nitems: [1]',
      ['3:9 wrong-value Item 1 must be a Kubernetes object, not 1'],
    ],
    [
      'a List in a List',
      'apiVersion: v1\nkind: List\nitems: [{ kind: List, items: [] }]',
      ['3:9 not-an-object An item of a List must be a Kubernetes object with a kind'],
    ],
    [
      'two containers on one port',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeName: n, containers: [{ports: [{containerPort: 80}]}, {ports: [{containerPort: 80}]}]}\n---\nnodes: [{name: n, ip: 10.0.0.1}]',
      ['3:18 duplicate-listener Two listeners on tcp port 80 of pod default/a'],
    ],
    [
      'a cluster IP twice',
      'services:\n- { name: a, clusterIP: 10.96.0.5, ports: [{port: 80}] }\n- { name: b, clusterIP: 10.96.0.5, ports: [{port: 80}] }',
      ['3:3 duplicate-address Cluster IP 10.96.0.5 belongs to service default/a and to default/b'],
    ],
  ])('%s', (_, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
  });
});

describe('text that is no scenario', () => {
  test.each<[string, string, string]>([
    ['an empty file', '', '- empty-input Nothing in a.yaml: no scenario, no Kubernetes object'],
    ['empty documents', '---\n---\n# nothing\n', '- empty-input Nothing in a.yaml: no scenario, no Kubernetes object'],
    ['a null document', 'null', '- empty-input Nothing in a.yaml: no scenario, no Kubernetes object'],
    ['a plain text', 'hello', '1:1 not-a-scenario A document must be a mapping: a scenario, or a Kubernetes object'],
    ['a list', '- a\n- b', '1:1 not-a-scenario A document must be a mapping: a scenario, or a Kubernetes object'],
    [
      'a second document that is a list',
      'cni: none\n---\n- a',
      '3:1 not-a-scenario A document must be a mapping: a scenario, or a Kubernetes object',
    ],
    ['an open bracket', '{a: 1', '1:6 syntax Not valid YAML: unexpected end of the stream within a flow collection'],
    ['a key twice', 'cni: none\ncni: bridge', '2:1 syntax Not valid YAML: duplicated mapping key'],
    ['binary junk', '\u0000\u0001\u0002', '1:1 syntax Not valid YAML: null byte is not allowed in input'],
    ['a key that is a list', '? [a]\n: 1', '1:1 syntax Not valid YAML: object-based map does not support complex keys'],
    ['an alias to nothing', 'a: *b', '1:5 syntax Not valid YAML: unidentified alias "b"'],
    ['an alias inside itself', 'nodes: &a [*a]', '1:1 too-many-aliases An alias contains itself'],
    ['nesting without end', '['.repeat(5000), '1:100 syntax Not valid YAML: nesting exceeded maxDepth (100)'],
  ])('%s', (_, text, expected) => {
    expect(errorsOf(text)).toEqual([expected]);
  });

  test('aliases that multiply', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 10; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(errorsOf(lines.join('\n'))).toEqual(['1:1 too-many-aliases Aliases expand to more than 1000000 values']);
  });

  test('JSON nested without end', () => {
    expect(errorsOf(`{"nodes":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)[0]).toMatch(
      /wrong-value Item 1 must be a mapping, not a list$/,
    );
  });

  test('of one kind of problem twenty are told, the rest is counted', () => {
    const text = `nodes:\n${Array.from({ length: 25 }, (_, i) => `- { name: n${i} }\n`).join('')}`;
    const diagnostics = errorsOf(text);
    expect(diagnostics).toHaveLength(21);
    expect(diagnostics.at(-1)).toBe('- no-address 5 more of the same kind');
  });
});
