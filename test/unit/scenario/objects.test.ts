import { describe, expect, test } from 'vitest';
import { formatCidr } from '../../../src/net/cidr.ts';
import { formatIp } from '../../../src/net/ip.ts';
import type { Cluster, EndpointSlice } from '../../../src/kubernetes/model/cluster.ts';
import { diagnosticsOf, scenarioOf } from './load-text.ts';

function clusterOf(...documents: readonly (string | object)[]): Cluster {
  return scenarioOf(documents.map((d) => (typeof d === 'string' ? d : JSON.stringify(d)))).cluster;
}

const NODES =
  'nodes: [{ name: n1, ip: 192.168.0.11, labels: { topology.kubernetes.io/zone: za } }, { name: n2, ip: 192.168.0.12 }]\n';

const pod = (name: string, more: { meta?: object; spec?: object; status?: object; node?: string } = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' }, ...more.meta },
  spec: { nodeName: more.node ?? 'n1', containers: [], ...more.spec },
  ...(more.status === undefined ? {} : { status: more.status }),
});
const service = (spec: object, name = 'web'): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ...spec },
});

const show = (slices: readonly EndpointSlice[]): readonly string[] =>
  slices.map((s) => {
    const ports = s.ports.map((p) => `${p.name}=${p.port}/${p.protocol}`).join(' ');
    const endpoints = s.endpoints.map((e) => {
      const conditions = `${e.ready ? 'r' : '-'}${e.serving ? 's' : '-'}${e.terminating ? 't' : '-'}`;
      return `${e.addresses.join(',')} ${conditions} ${e.nodeName} ${e.pod}`;
    });
    return `${s.namespace}/${s.service} ${s.addressType} [${ports}] ${endpoints.join('; ')}`;
  });

describe('pods', () => {
  test('addresses, readiness, ports and owner', () => {
    const [web] = clusterOf(
      NODES,
      pod('web', {
        meta: { namespace: 'shop', ownerReferences: [{ kind: 'StatefulSet', name: 'web', controller: true }] },
        spec: {
          containers: [{ ports: [{ containerPort: 8080, name: 'http', hostPort: 18080, hostIP: '127.0.0.1' }] }],
          initContainers: [
            { ports: [{ containerPort: 1 }] },
            { restartPolicy: 'Always', ports: [{ containerPort: 15001, protocol: 'UDP' }] },
          ],
        },
        status: {
          podIP: '10.244.0.7',
          podIPs: [{ ip: '10.244.0.7' }, { ip: 'fd00::7' }],
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
        },
      }),
    ).pods;
    expect(web).toMatchObject({
      namespace: 'shop',
      name: 'web',
      node: 'n1',
      ready: true,
      serving: true,
      terminating: false,
      owner: { kind: 'StatefulSet', name: 'web' },
    });
    expect(web?.addresses.map(formatIp)).toEqual(['10.244.0.7', 'fd00::7']);
    expect(web?.ports).toMatchObject([
      { name: 'http', port: 8080, protocol: 'tcp', hostPort: 18080, listens: true },
      { name: '', port: 15001, protocol: 'udp', hostPort: null, hostIp: null },
    ]);
  });

  test.each<[string, object, object]>([
    [
      'not ready',
      { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      { ready: false, serving: false, terminating: false },
    ],
    ['conditions without Ready', { status: { conditions: [] } }, { ready: false, serving: false }],
    ['a manifest', {}, { ready: true, serving: true }],
    [
      'terminating and still serving',
      { meta: { deletionTimestamp: '2024-01-01T00:00:00Z' } },
      { ready: false, serving: true, terminating: true },
    ],
  ])('%s', (_, more, expected) => {
    expect(clusterOf(NODES, pod('web', more)).pods).toMatchObject([expected]);
  });

  test('hostNetwork pods have their node address and no hostPort', () => {
    const [web] = clusterOf(
      NODES,
      pod('web', { spec: { hostNetwork: true, containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] } }),
    ).pods;
    expect(web?.addresses.map(formatIp)).toEqual(['192.168.0.11']);
    expect(web?.ports).toMatchObject([{ port: 80, hostPort: null }]);
  });

  test('pods that ended are left out, pending ones with a warning', () => {
    const texts = [
      NODES,
      ...['Succeeded', 'Failed', 'Pending'].map((phase) =>
        JSON.stringify(pod(phase.toLowerCase(), { spec: { nodeName: null }, status: { phase } })),
      ),
    ];
    expect(scenarioOf(texts).cluster.pods).toEqual([]);
    expect(diagnosticsOf(texts)).toEqual([
      expect.stringMatching(/^d.yaml:1:\d+ pending-pod Pod default\/pending is on no node yet \(Pending\); it is left out$/),
    ]);
  });

  test('manifests without a node take turns', () => {
    const { pods } = clusterOf(NODES, ...['a', 'b', 'c'].map((name) => pod(name, { spec: { nodeName: null } })));
    expect(pods.map((p) => `${p.name} ${p.node}`)).toEqual(['a n1', 'b n2', 'c n1']);
  });

  test('a short-form entry adds to an object; given addresses win', () => {
    const text = 'pods: [{ name: web, ip: 10.244.0.99, labels: { tier: front }, ports: [81], hairpinMode: false }]';
    for (const order of [
      [text, pod('web', { status: { podIP: '10.244.0.7' } })],
      [pod('web', { status: { podIP: '10.244.0.7' } }), text],
    ]) {
      const [web] = clusterOf(NODES, ...order).pods;
      expect(web).toMatchObject({ node: 'n1', labels: { app: 'web', tier: 'front' }, ports: [{ port: 81 }], hairpinMode: false });
      expect(web?.addresses.map(formatIp)).toEqual(['10.244.0.99']);
    }
  });

  test('the same object twice is once', () => {
    expect(clusterOf(NODES, pod('web'), pod('web')).pods).toHaveLength(1);
  });
});

describe('nodes', () => {
  test('first InternalIP of each family, podCIDRs, labels', () => {
    const [node] = clusterOf({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'a', labels: { x: 'y' } },
      spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'] },
      status: {
        addresses: [
          { type: 'Hostname', address: 'a' },
          { type: 'ExternalIP', address: '203.0.113.1' },
          { type: 'InternalIP', address: 'fd00::1' },
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'InternalIP', address: '10.0.0.2' },
        ],
      },
    }).nodes;
    expect(node?.addresses.map(formatIp)).toEqual(['10.0.0.1', 'fd00::1']);
    expect(node?.podCidrs.map(formatCidr)).toEqual(['10.1.0.0/24', 'fd00:1::/64']);
    expect(node?.labels).toEqual({ 'kubernetes.io/hostname': 'a', 'kubernetes.io/os': 'linux', x: 'y' });
  });

  test('sysctls, labels and annotations are text', () => {
    const text =
      'nodes: [{ name: a, ip: 10.0.0.1, sysctls: { net.ipv4.ip_forward: 0, x: 010, y: 1.50, z: true }, labels: { v: 1.10 } }]';
    expect(clusterOf(text).nodes).toMatchObject([
      { sysctls: { 'net.ipv4.ip_forward': '0', y: '1.50', z: 'true' }, labels: { v: '1.10' } },
    ]);
  });

  test('a dump and commands', () => {
    const { cluster } = scenarioOf(
      'nodes:\n- name: a\n  ip: 10.0.0.1\n  iptablesSave: dump.txt\n  commands:\n  - ip route del 10.0.0.0/8\n',
      { 'dump.txt': '*filter\nCOMMIT\n' },
    );
    expect(cluster.nodes).toMatchObject([
      {
        iptablesSave: { file: 'dump.txt', text: '*filter\nCOMMIT\n' },
        commands: [{ text: 'ip route del 10.0.0.0/8', position: { line: 6, column: 5 } }],
      },
    ]);
  });
});

describe('services', () => {
  test('what kube-proxy drops is dropped', () => {
    const [web] = clusterOf({
      ...service({
        clusterIP: '10.96.0.010',
        ports: [{ port: 80 }],
        externalIPs: ['203.0.113.007', 'bad', '2001:db8::1'],
        loadBalancerSourceRanges: [' 198.51.100.77/24 ', '10.0.0.0', 'x/8', '010.0.0.0/8'],
      }),
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'Proxy' }, { hostname: 'lb.example' }, { ip: 'bad' }] } },
    }).services;
    expect(web?.clusterIps.map(formatIp)).toEqual(['10.96.0.10']);
    expect(web?.externalIps.map(formatIp)).toEqual(['203.0.113.7', '2001:db8::1']);
    expect(web?.loadBalancerSourceRanges.map(formatCidr)).toEqual(['198.51.100.0/24', '10.0.0.0/8']);
    expect(web?.loadBalancerIngress.map((i) => [i.ip === null ? null : formatIp(i.ip), i.hostname, i.ipMode])).toEqual([
      ['1.2.3.4', null, 'Proxy'],
      [null, 'lb.example', 'VIP'],
      [null, null, 'VIP'],
    ]);
  });

  test('cluster IPs pair with families by position', () => {
    const spec = {
      ports: [{ port: 80 }],
      clusterIP: 'fd00::5',
      clusterIPs: ['fd00::5', '10.96.0.5'],
      ipFamilies: ['IPv6', 'IPv4'],
    };
    expect(clusterOf(service(spec)).services[0]?.clusterIps.map(formatIp)).toEqual(['fd00::5', '10.96.0.5']);
    const swapped = { ...spec, ipFamilies: ['IPv4', 'IPv6'] };
    expect(clusterOf(service(swapped)).services[0]?.clusterIps).toEqual([]);
  });
});

describe('endpoint slices', () => {
  const slice = (more: object): object => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: 'x', labels: { 'kubernetes.io/service-name': 'web' } },
    ...more,
  });

  test('given ones, as kube-proxy reads them', () => {
    const given = slice({
      ports: [{ port: 8080 }, { name: 'dns', port: 0, protocol: 'UDP' }],
      endpoints: [
        { addresses: ['010.244.1.5'], nodeName: 'elsewhere', hints: { forZones: [{ name: 'za' }], forNodes: [{ name: 'n1' }] } },
        {
          addresses: ['10.244.1.6'],
          conditions: { ready: false, serving: null, terminating: true },
          targetRef: { kind: 'Pod', name: 'gone' },
        },
        { addresses: ['10.244.1.6'], conditions: {} },
        { addresses: [] },
      ],
    });
    const { endpointSlices } = clusterOf(NODES, service({ ports: [{ port: 80 }] }), pod('web'), given);
    expect(show(endpointSlices)).toEqual([
      'default/web IPv4 [=8080/tcp dns=null/udp] 010.244.1.5 rs- elsewhere null; 10.244.1.6 -st null default/gone; 10.244.1.6 rs- null null',
    ]);
    expect(endpointSlices[0]?.endpoints[0]).toMatchObject({ hintZones: ['za'], hintNodes: ['n1'] });
  });

  test('of no service', () => {
    expect(clusterOf(slice({ metadata: { name: 'x' } })).endpointSlices).toEqual([]);
  });

  test('Endpoints become slices, unless slices are given', () => {
    const endpoints = {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'web' },
      subsets: [
        {
          addresses: [{ ip: '10.0.0.9', nodeName: 'n1' }, { ip: 'fd00::9' }],
          notReadyAddresses: [{ ip: '10.0.0.10' }],
          ports: [{ name: 'http', port: 8080 }],
        },
      ],
    };
    expect(show(clusterOf(service({ ports: [{ port: 80 }] }), endpoints).endpointSlices)).toEqual([
      'default/web IPv4 [http=8080/tcp] 10.0.0.9 rs- n1 null; 10.0.0.10 --- null null',
      'default/web IPv6 [http=8080/tcp] fd00::9 rs- null null',
    ]);
    expect(
      show(clusterOf(service({ ports: [{ port: 80 }] }), endpoints, slice({ ports: [], endpoints: [] })).endpointSlices),
    ).toEqual(['default/web IPv4 [] ']);
    expect(
      show(clusterOf(NODES, pod('web'), service({ ports: [{ port: 80 }] }), { ...endpoints, subsets: [] }).endpointSlices),
    ).toEqual(['default/web IPv4 [] ']);
  });

  test('derived: named target ports, readiness, termination', () => {
    const named = (port: number): object => ({ spec: { containers: [{ ports: [{ name: 'http', containerPort: port }] }] } });
    const { endpointSlices } = clusterOf(
      NODES,
      service({
        ports: [
          { name: 'a', port: 80, targetPort: 'http' },
          { name: 'b', port: 81, targetPort: 9000 },
        ],
      }),
      pod('p1', named(8080)),
      pod('p2', { ...named(8081), node: 'n2' }),
      pod('p3', { ...named(8080), status: { conditions: [] } }),
      pod('p4', { ...named(8080), meta: { deletionTimestamp: 'x' } }),
      pod('p5'),
      pod('other', { meta: { labels: { app: 'db' } } }),
      pod('elsewhere', { meta: { namespace: 'x' } }),
    );
    expect(show(endpointSlices)).toEqual([
      'default/web IPv4 [a=8080/tcp b=9000/tcp] 10.244.0.2 rs- n1 default/p1; 10.244.0.3 --- n1 default/p3; 10.244.0.4 -st n1 default/p4',
      'default/web IPv4 [a=8081/tcp b=9000/tcp] 10.244.1.2 rs- n2 default/p2',
      'default/web IPv4 [b=9000/tcp] 10.244.0.5 rs- n1 default/p5',
    ]);
    expect(endpointSlices.every((s) => s.derived)).toBe(true);
  });

  test('derived: publishNotReadyAddresses, headless, dual stack', () => {
    const dual = 'cluster: { podCIDR: "10.244.0.0/16,fd00:10::/56", serviceCIDR: "10.96.0.0/12,fd00:96::/112" }\n';
    const spec = { clusterIP: 'None', publishNotReadyAddresses: true, ipFamilyPolicy: 'PreferDualStack', ports: [] };
    expect(show(clusterOf(dual + NODES, service(spec), pod('p', { status: { conditions: [] } })).endpointSlices)).toEqual([
      'default/web IPv4 [] 10.244.0.2 r-- n1 default/p',
      'default/web IPv6 [] fd00:10::2 r-- n1 default/p',
    ]);
  });

  test('not derived for ExternalName, without a selector, or where slices are given', () => {
    const external = service({ type: 'ExternalName', externalName: 'x.example', ports: [] });
    expect(clusterOf(NODES, pod('p'), external, service({ selector: {}, ports: [{ port: 1 }] }, 'free')).endpointSlices).toEqual(
      [],
    );
  });

  test.each([
    ['PreferClose', '1.30', { hintZones: [], hintNodes: [] }],
    ['PreferClose', '1.31', { hintZones: ['za'], hintNodes: [] }],
    ['PreferSameNode', '1.33', { hintZones: [], hintNodes: [] }],
    ['PreferSameNode', '1.34', { hintZones: ['za'], hintNodes: ['n1'] }],
  ])('hints of trafficDistribution %s in %s', (trafficDistribution, version, expected) => {
    const { endpointSlices } = clusterOf(
      `cluster: { kubernetesVersion: "${version}" }\n${NODES}`,
      service({ trafficDistribution, ports: [{ port: 80 }] }),
      pod('p'),
    );
    expect(endpointSlices[0]?.endpoints).toMatchObject([expected]);
  });
});

describe('workloads', () => {
  const workload = (kind: string, name: string, spec: object = {}, meta: object = {}): object => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, ...meta },
    spec: {
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ ports: [{ containerPort: 80 }] }] } },
      ...spec,
    },
  });
  const podsOf = (cluster: Cluster): readonly string[] => cluster.pods.map((p) => `${p.name} ${p.node}`);

  test('plain replicas and StatefulSets are numbered, DaemonSets named after nodes', () => {
    const cluster = clusterOf(
      NODES,
      workload('Deployment', 'web', { replicas: 3 }),
      workload('StatefulSet', 'db', { ordinals: { start: 5 } }),
      workload('DaemonSet', 'agent'),
      workload('ReplicaSet', 'rs', { replicas: 0 }),
    );
    expect(podsOf(cluster)).toEqual(['web-0 n1', 'web-1 n2', 'web-2 n1', 'db-5 n1', 'agent-n1 n1', 'agent-n2 n2']);
    expect(cluster.pods[0]).toMatchObject({
      labels: { app: 'web' },
      ports: [{ port: 80 }],
      owner: { kind: 'Deployment', name: 'web' },
    });
    expect(cluster.workloads.map((w) => [w.kind, w.name, w.pods])).toEqual([
      ['Deployment', 'web', ['default/web-0', 'default/web-1', 'default/web-2']],
      ['StatefulSet', 'db', ['default/db-5']],
      ['DaemonSet', 'agent', ['default/agent-n1', 'default/agent-n2']],
      ['ReplicaSet', 'rs', []],
    ]);
  });

  test('given pods of the owner are its pods', () => {
    const replicaSet = workload(
      'ReplicaSet',
      'web-abc',
      {},
      { ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }] },
    );
    const given = (name: string, hash: string): object =>
      pod(name, {
        meta: {
          labels: { 'pod-template-hash': hash },
          ownerReferences: [{ kind: 'ReplicaSet', name: `web-${hash}`, controller: true }],
        },
      });
    const cluster = clusterOf(
      NODES,
      workload('Deployment', 'web'),
      replicaSet,
      given('web-abc-1', 'abc'),
      given('web-def-1', 'def'),
    );
    expect(podsOf(cluster)).toEqual(['web-abc-1 n1', 'web-def-1 n1']);
    expect(cluster.workloads.map((w) => w.pods)).toEqual([['default/web-abc-1', 'default/web-def-1'], ['default/web-abc-1']]);
  });

  test('a short-form pod pins one of them', () => {
    const cluster = clusterOf(NODES, 'pods: [{ name: web-0, node: n2 }]', workload('Deployment', 'web', { replicas: 2 }));
    expect(podsOf(cluster)).toEqual(['web-0 n2', 'web-1 n2']);
    expect(cluster.pods[0]).toMatchObject({ labels: { app: 'web' } });
  });

  test('more pods than a cluster can have', () => {
    const huge = ['a', 'b'].map((name) => JSON.stringify(workload('Deployment', name, { replicas: 100_000 })));
    expect(diagnosticsOf([NODES, ...huge])[0]).toMatch(/too-many-pods Deployment b asks for too many pods/);
  });

  test('node selectors, cordoned and tainted nodes', () => {
    const cordoned = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n2' }, spec: { unschedulable: true } };
    const selecting = { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n2' } } } };
    expect(
      podsOf(
        clusterOf(NODES, cordoned, workload('Deployment', 'web', { replicas: 2 }), workload('DaemonSet', 'agent', selecting)),
      ),
    ).toEqual(['web-0 n1', 'web-1 n1', 'agent-n2 n2']);
    expect(
      diagnosticsOf([NODES, JSON.stringify(workload('Deployment', 'web', { template: { spec: { nodeSelector: { a: 'b' } } } }))]),
    ).toEqual([
      'b.yaml:1:64 pending-pod The pods of Deployment web can be placed nowhere: no node is a=b. They stay Pending and are left out',
    ]);
  });
});

describe('who listens', () => {
  test('a pod that declares nothing listens where services point', () => {
    const { pods } = clusterOf(
      NODES,
      pod('silent'),
      pod('declares', { spec: { containers: [{ ports: [{ containerPort: 9090 }] }] } }),
      'pods: [{ name: client, node: n1 }]',
      service({
        ports: [
          { name: 'a', port: 80, targetPort: 8080 },
          { name: 'b', port: 81, targetPort: 8080 },
        ],
      }),
      service({ ports: [{ port: 53, protocol: 'UDP' }] }, 'dns'),
    );
    expect(pods.map((p) => [p.name, p.assumedPorts])).toEqual([
      [
        'silent',
        [
          { protocol: 'tcp', port: 8080, service: 'default/web' },
          { protocol: 'udp', port: 53, service: 'default/dns' },
        ],
      ],
      ['declares', []],
      ['client', []],
    ]);
  });

  test('an endpoint without targetRef belongs to the pod with its address', () => {
    const slice =
      'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nmetadata: {name: s, labels: {kubernetes.io/service-name: web}}\nports: [{port: 7}]\nendpoints: [{addresses: [10.244.0.5]}]';
    const { pods } = clusterOf(NODES, slice, 'pods: [{ name: a, node: n1, ip: 10.244.0.5 }]');
    expect(pods).toMatchObject([{ assumedPorts: [{ port: 7, protocol: 'tcp', service: 'default/web' }] }]);
  });

  const api = (ip: string): string =>
    `apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nmetadata: {name: kubernetes, labels: {kubernetes.io/service-name: kubernetes}}\nports: [{name: https, port: 6443}]\nendpoints: [{addresses: [${ip}]}]`;
  const hostPod = (name: string, ports: string): string =>
    `pods: [{ name: ${name}, namespace: kube-system, node: n1, hostNetwork: true${ports} }]`;

  test('the API server of a kubeadm dump: an endpoint at the address of its node', () => {
    const { nodes, pods } = clusterOf(
      NODES,
      api('192.168.0.11'),
      hostPod('etcd-n1', ''),
      hostPod('kube-apiserver-n1', ''),
      hostPod('proxy', ', ports: [10256]'),
    );
    const assumed = { protocol: 'tcp', port: 6443, service: 'default/kubernetes' };
    expect(pods.map((p) => p.assumedPorts)).toEqual([[], [assumed], []]);
    expect(nodes.map((n) => n.assumedPorts ?? [])).toEqual([[], []]);
  });

  test('an API server that is a process of its node, or declares its port', () => {
    const assumed = [{ protocol: 'tcp', port: 6443, service: 'default/kubernetes' }];
    expect(clusterOf(NODES, api('192.168.0.11')).nodes[0]?.assumedPorts).toEqual(assumed);
    const declared = clusterOf(NODES, api('192.168.0.11'), hostPod('kube-apiserver-n1', ', ports: [6443]'));
    expect([declared.nodes[0]?.assumedPorts ?? [], declared.pods[0]?.assumedPorts]).toEqual([[], []]);
  });

  test('listens: false', () => {
    expect(clusterOf(NODES, 'pods: [{ name: a, node: n1, ports: [{ containerPort: 80, listens: false }] }]').pods).toMatchObject([
      { ports: [{ port: 80, listens: false }], assumedPorts: [] },
    ]);
  });
});

describe('lists and other kinds', () => {
  test('kubectl lists, typed lists, YAML lists', () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [pod('a'), pod('b')] };
    const typed = { apiVersion: 'v1', kind: 'PodList', items: [{ metadata: { name: 'c' }, spec: { nodeName: 'n1' } }] };
    const yaml =
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: d}\n  spec: {nodeName: n2}\n';
    expect(clusterOf(NODES, list, typed, yaml).pods.map((p) => p.name)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('kinds of no use are counted, those not modelled are kept', () => {
    const object = (kind: string, name: string): object => ({ apiVersion: 'x/v1', kind, metadata: { name, namespace: 'ns' } });
    const texts = [
      object('Secret', 'a'),
      object('ConfigMap', 'b'),
      object('Secret', 'c'),
      object('Namespace', 'd'),
      object('IngressClass', 'e'),
      object('NetworkPolicy', 'g'),
    ].map((o) => JSON.stringify(o));
    expect(scenarioOf(texts).cluster.notModelled).toEqual([{ kind: 'NetworkPolicy', namespace: 'ns', name: 'g' }]);
    expect(diagnosticsOf(texts)).toEqual([
      '- policy-not-enforced NetworkPolicy ns/g is given, but the CNI (flannel) enforces none',
      '- kinds-passed-over Passed over, of no use here: 1 ConfigMap, 2 Secret',
    ]);
  });

  test('anchors and merge keys', () => {
    expect(clusterOf(`${NODES}pods:\n- &a { name: a, node: n1, labels: { x: y } }\n- { <<: *a, name: b }\n`).pods).toMatchObject([
      { name: 'a', node: 'n1', labels: { x: 'y' } },
      { name: 'b', node: 'n1', labels: { x: 'y' } },
    ]);
  });
});
