import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../../src/scenario/load.ts';
import { engine } from '../../../../src/usecase/engine.ts';
import { explain } from '../../../../src/usecase/explain-ref.ts';
import type { Explanation, RegistrationPod, ServiceRegistration } from '../../../../src/trace/explanation.ts';

function explanationOf(text: string, ref: string, node: string | null = null): Explanation {
  const loaded = loadScenario([{ name: 'x.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  const result = explain(loaded.scenario.cluster, { text: ref, node, namespace: 'default' }, engine);
  if (!result.ok) throw new Error('message' in result ? result.message : 'does not compile');
  return result.explanation;
}

function registered(text: string, ref = 'svc/web', node: string | null = null): ServiceRegistration {
  const { service } = explanationOf(text, ref, node);
  if (service === undefined) throw new Error('no service');
  return service;
}

/** A cluster of two nodes; `service` and `pods` are entries of their lists. */
function cluster(service: string, pods: readonly string[], more = ''): string {
  return `
cluster: { kubernetesVersion: "1.30" }
cni: flannel-vxlan
nodes:
  - { name: node-1, ip: 192.168.0.11, labels: { topology.kubernetes.io/zone: a } }
  - { name: node-2, ip: 192.168.0.12, labels: { topology.kubernetes.io/zone: b } }
pods:
${pods.map((pod) => `  - { ${pod} }`).join('\n')}
services:
  - { name: web, clusterIP: 10.96.0.20, ${service} }
${more}`;
}

const WEB = 'selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }]';
const GOOD = 'name: good, node: node-1, labels: { app: web }, ports: [8080]';

function told({ name, state, reasons }: RegistrationPod): string {
  return [name, state, ...reasons.map(({ code, text }) => `${code}: ${text}`)].join(' | ');
}

describe('pods that a selector takes or not', () => {
  test.each<[what: string, pod: string, told: string]>([
    ['fits', 'name: x, node: node-2, labels: { app: web, tier: front }, ports: [8080]', 'default/x | used'],
    ['a slip in a value', 'name: x, node: node-1, labels: { app: wbe }', 'default/x | left-out | labels: app is wbe, not web'],
    ['another value', 'name: x, node: node-1, labels: { app: db }', 'default/x | left-out | labels: app is db, not web'],
    [
      'a slip in a key',
      'name: x, node: node-1, labels: { ap: web }',
      'default/x | left-out | labels: label ap=web, where app is asked for',
    ],
    [
      'another namespace',
      'name: x, namespace: shop, node: node-1, labels: { app: web }',
      'shop/x | left-out | other-namespace: of namespace shop: a selector takes pods of its own, default, only',
    ],
    [
      'not ready',
      'name: x, node: node-1, labels: { app: web }, ports: [8080], ready: false',
      'default/x | unused | not-ready: not ready, as its kubelet says',
    ],
    [
      'another port',
      'name: x, node: node-1, labels: { app: web }, ports: [9090]',
      'default/x | used | not-listening: nothing in it listens on tcp 8080; it listens on 9090',
    ],
  ])('%s', (_, pod, expected) => {
    const { pods, otherPods } = registered(cluster(WEB, [GOOD, pod]));
    expect(pods.map(told)).toEqual(['default/good | used', expected]);
    expect(otherPods).toBe(0);
  });

  test('a pod with nothing of the selector is only counted', () => {
    const made = registered(cluster(WEB, [GOOD, 'name: x, node: node-1, labels: { tier: front }']));
    expect([made.pods.length, made.otherPods]).toEqual([1, 1]);
  });

  test('the nearest one is told first', () => {
    const service = 'selector: { app: web, tier: front }, ports: [{ port: 80 }]';
    const pods = ['app: db', 'app: wbe', 'app: web'].map((label, i) => `name: p${i}, node: node-1, labels: { ${label} }`);
    expect(registered(cluster(service, pods)).pods.map(({ name }) => name)).toEqual(['default/p2', 'default/p1', 'default/p0']);
  });

  test('a named port is each pod’s own, and one may lack it', () => {
    const pods = [8080, 9090].map(
      (port) => `name: p${port}, node: node-1, labels: { app: web }, ports: [{ name: http, containerPort: ${port} }]`,
    );
    const lacking = 'name: x, node: node-1, labels: { app: web }, ports: [{ name: web, containerPort: 8080 }]';
    const made = registered(cluster('selector: { app: web }, ports: [{ port: 80, targetPort: http }]', [...pods, lacking]));
    expect(made.pods.map(({ endpoints }) => endpoints)).toEqual([['10.244.0.2:8080'], ['10.244.0.3:9090'], []]);
    expect(made.pods.map(told)[2]).toBe('default/x | unused | no-such-port: no tcp port named http (it has web 8080)');
  });
});

describe('why a service leads nowhere', () => {
  test.each<[what: string, service: string, pods: readonly string[], fault: string]>([
    ['no pod at all', WEB, [], 'no pod of default has app=web'],
    [
      'a slip in the selector',
      WEB,
      ['name: x, node: node-1, labels: { app: wbe }'],
      'no pod of default has app=web; the nearest is default/x: app is wbe, not web',
    ],
    [
      'pods elsewhere',
      WEB,
      ['name: x, namespace: shop, node: node-1, labels: { app: web }'],
      'no pod of default has app=web; shop/x has, but is of namespace shop: a selector takes pods of its own, default, only',
    ],
    [
      'nobody is ready',
      WEB,
      ['name: x, node: node-1, labels: { app: web }, ports: [8080], ready: false'],
      'the one pod that the selector takes, default/x, can’t be used: not ready, as its kubelet says',
    ],
    [
      'nobody wrote a slice',
      'ports: [{ port: 80 }]',
      [],
      'default/web has no selector, and nobody has written an EndpointSlice for it',
    ],
  ])('%s', (_, service, pods, fault) => {
    const made = registered(cluster(service, pods));
    expect(made.fault).toBe(fault);
    expect(made.nodes[0]?.entries.map(({ sentence }) => sentence)).toEqual(['refused: no endpoint']);
    expect(made.mappings.at(-1)).toMatchObject({ kind: 'cluster-ip', to: [], why: 'no endpoint: refused' });
  });

  test('one endpoint is enough', () => expect(registered(cluster(WEB, [GOOD])).fault).toBeNull());
});

describe('the mappings', () => {
  const mapped = (service: ServiceRegistration): readonly string[] =>
    service.mappings.map(({ from, record, to, by }) => `${by}: ${record === null ? '' : `${record} `}${from} → ${to.join(', ')}`);

  test('name to address to endpoint, and the name of a port', () => {
    const service = 'selector: { app: web }, ports: [{ name: http, port: 80, targetPort: 8080 }]';
    expect(mapped(registered(cluster(service, [GOOD])))).toEqual([
      'cluster DNS: A web.default.svc.cluster.local → 10.96.0.20',
      'cluster DNS: SRV _http._tcp.web.default.svc.cluster.local → port 80 of web.default.svc.cluster.local',
      'kube-proxy: 10.96.0.20:80/tcp → 10.244.0.2:8080',
    ]);
  });

  test('headless: the name leads to the pods', () => {
    const made = registered(cluster(WEB, [GOOD]).replace('clusterIP: 10.96.0.20', 'clusterIP: None'));
    expect(mapped(made)).toEqual(['cluster DNS: A web.default.svc.cluster.local → 10.244.0.2']);
    expect(made.withoutRules).toMatch(/^it is headless/);
    expect(made.nodes).toEqual([]);
    expect(made.fault).toBeNull();
  });

  test('ExternalName: the name leads to another', () => {
    const made = registered(cluster(WEB, [], '  - { name: out, type: ExternalName, externalName: shop.example.com }'), 'svc/out');
    expect(mapped(made)).toEqual(['cluster DNS: CNAME out.default.svc.cluster.local → shop.example.com']);
    expect(made.fault).toBeNull();
  });
});

describe('the rules of each proxy mode', () => {
  const PODS = [GOOD, 'name: far, node: node-2, labels: { app: web }, ports: [8080]'];

  function modeText(mode: string, version = '1.30'): string {
    return cluster(WEB, PODS, `kubeProxy: { mode: ${mode} }`).replace('"1.30"', JSON.stringify(version));
  }

  test.each<[mode: string, version: string, place: RegExp, chain: RegExp]>([
    ['iptables', '1.30', /^nat KUBE-SERVICES #\d+$/, /^KUBE-SVC-LOLE4ISW44XBNF3G$/],
    ['nftables', '1.31', /^ip map service-ips$/, /^service-[A-Z2-7]{8}-default\/web\/tcp\/$/],
    ['ipvs', '1.30', /^IPVS, on kube-ipvs0, in ipset KUBE-CLUSTER-IP$/, /^virtual server tcp 10\.96\.0\.20:80$/],
    ['userspace', '1.25', /^nat KUBE-PORTALS-CONTAINER #\d+$/, /^process kube-proxy, tcp \d+$/],
  ])('%s', (mode, version, place, chain) => {
    const { nodes } = registered(modeText(mode, version));
    expect(nodes).toHaveLength(1);
    expect(nodes[0]!.nodes).toEqual(['node-1', 'node-2']);
    const [entry] = nodes[0]!.entries;
    expect(entry).toMatchObject({ takes: '10.96.0.20:80/tcp', role: 'cluster-ip', place: expect.stringMatching(place) });
    expect(entry!.leadsTo).toMatch(chain);
    const own = nodes[0]!.chains.find(({ name }) => name === entry!.leadsTo);
    expect(own?.steps.flatMap(({ endpoint, pod }) => (endpoint === null ? [] : [`${endpoint} ${pod}`]))).toEqual([
      '10.244.0.2:8080 default/good',
      '10.244.1.2:8080 default/far',
    ]);
  });

  test('none: nobody makes rules', () => {
    const made = registered(modeText('none'));
    expect([made.nodes, made.withoutRules]).toEqual([[], 'no kube-proxy runs here']);
  });
});

describe('nodes that differ', () => {
  test('traffic policy Local: each node has its own endpoints, or drops', () => {
    const made = registered(cluster(`internalTrafficPolicy: Local, ${WEB}`, [GOOD]));
    expect(made.nodes.map(({ nodes, notes }) => [nodes.join(), ...notes])).toEqual([
      ['node-1', 'internalTrafficPolicy Local: the cluster IP leads to the endpoints here only, 10.244.0.2:8080'],
      ['node-2', 'internalTrafficPolicy Local, and no endpoint is here: the cluster IP is dropped'],
    ]);
    expect(made.nodes[1]!.entries).toMatchObject([{ role: 'no-local-endpoints', place: 'filter KUBE-SERVICES #1' }]);
  });

  test('hints: each zone its own', () => {
    const service = `trafficDistribution: PreferClose, ${WEB}`;
    const text = cluster(service, [GOOD, 'name: far, node: node-2, labels: { app: web }, ports: [8080]']).replace('1.30', '1.31');
    expect(registered(text).nodes.map(({ notes }) => notes)).toEqual([
      ['hints leave it 1 of 2 ready endpoints: 10.244.0.2:8080'],
      ['hints leave it 1 of 2 ready endpoints: 10.244.1.2:8080'],
    ]);
  });

  test('a node with a command that has nothing to do with it is like the others', () => {
    const text = cluster(WEB, [GOOD]).replace('192.168.0.12,', "192.168.0.12, commands: ['sysctl -w net.ipv4.ip_forward=0'],");
    expect(registered(text).nodes.map(({ nodes }) => nodes)).toEqual([['node-1', 'node-2']]);
  });

  test('one node alone', () => {
    expect(registered(cluster(WEB, [GOOD]), 'svc/web', 'node-2').nodes.map(({ nodes }) => nodes)).toEqual([['node-2']]);
  });
});

describe('ways in from outside', () => {
  test.each<[service: string, more: string, entrances: readonly string[]]>([
    [WEB, '', []],
    [
      'type: NodePort, selector: { app: web }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }]',
      '',
      ['node-port any node:30080/tcp by API server'],
    ],
    [`externalIPs: [203.0.113.7], ${WEB}`, '', ['external-ip 203.0.113.7:80/tcp by administrator']],
    [
      'type: LoadBalancer, selector: { app: web }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }]',
      '',
      ['load-balancer pending by cloud controller', 'node-port any node:30080/tcp by API server'],
    ],
    [
      WEB,
      'ingresses:\n  - { name: shop, rules: [{ host: shop.example, paths: [{ path: /cart, backend: web:80 }] }] }',
      ['ingress http://shop.example/cart and below by no ingress controller'],
    ],
  ])('%s %s', (service, more, entrances) => {
    const made = registered(cluster(service, [GOOD], more));
    expect(made.entrances.map(({ kind, at, by }) => `${kind} ${at} by ${by}`)).toEqual(entrances);
  });
});

describe('pods, nodes and addresses', () => {
  const TEXT = cluster(
    'type: NodePort, selector: { app: web }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }]',
    ['name: good, node: node-1, labels: { app: web }, ports: [{ containerPort: 8080, hostPort: 8081 }]'],
    '  - { name: wbe, selector: { app: wbe }, ports: [{ port: 80 }] }\n  - { name: other, selector: { tier: x }, ports: [{ port: 80 }] }',
  );

  test('a pod: services that take it and do not, its cable, its host port’s rules', () => {
    const { pod } = explanationOf(TEXT, 'pod/good');
    expect(pod?.services.map(({ name, state }) => `${name} ${state}`)).toEqual(['default/web used', 'default/wbe left-out']);
    expect(pod?.otherServices).toBe(1);
    expect(pod?.cable).toMatchObject({ inside: 'eth0', bridge: 'cni0' });
    expect(pod?.rules.map(({ chain }) => chain.replace(/[0-9a-f]{8,}/, 'POD'))).toContain('CNI-DN-POD');
  });

  test('a node: its pods, services with endpoints there, how much it holds', () => {
    const { node } = explanationOf(TEXT, 'node/node-1');
    expect(node).toMatchObject({ podCidrs: ['10.244.0.0/24'], pods: ['default/good'], services: ['default/web'], zone: 'a' });
    expect(node?.state.map(({ what }) => what)).toContain('iptables rules');
  });

  test.each<[ref: string, holders: readonly string[], notes: readonly string[]]>([
    [
      '10.96.0.20:80',
      ['service svc/default/web: cluster IP, on no device: only rules know it; ports 80/tcp'],
      ['cluster DNS calls it web.default.svc.cluster.local'],
    ],
    [
      '10.96.0.20:81',
      ['service svc/default/web: cluster IP, on no device: only rules know it; it has no port 81, but 80/tcp'],
      ['cluster DNS calls it web.default.svc.cluster.local'],
    ],
    [
      '10.244.0.2:8080',
      ['pod pod/default/good: on eth0, on node-1; listens on 8080/tcp; an endpoint of svc/default/web'],
      ['cluster DNS calls it 10-244-0-2.web.default.svc.cluster.local'],
    ],
    ['192.168.0.11:30080', ['node node/node-1: the node’s own, on eth0; node port of svc/default/web'], []],
    ['node/node-1:8081', ['node node/node-1: the node’s own, on eth0; host port of pod/default/good'], []],
    ['10.244.0.1', ['node node/node-1: on cni0'], []],
    ['192.168.0.1', ['router underlay: the router between the networks, on br0'], []],
    ['10.96.9.9', [], ['in the services’ range 10.96.0.0/12, but no service has it']],
    ['10.244.1.77', [], ['in the range of the pods of node/node-2, but no pod has it']],
    ['8.8.8.8', [], ['nobody here has it: packets leave by the router']],
  ])('%s', (ref, holders, notes) => {
    const { address } = explanationOf(TEXT, ref);
    expect(address?.holders.map(({ kind, name, sentence }) => `${kind} ${name}: ${sentence}`)).toEqual(holders);
    expect(address?.notes).toEqual(notes);
  });

  test.each([
    ['svc/wbb', /^no service "default\/wbb"; did you mean default\/web\?$/],
    ['pod/god', /did you mean default\/good\?$/],
    ['node/node-3', /did you mean node-\d\?$/],
    ['web.default', /did you mean svc\/default\/web\?$/],
    ['web', /^no chain "web"; did you mean svc\/web\?$/],
    ['good', /did you mean pod\/good\?$/],
    ['https://shop.example/', /is traced/],
    ['10.0.0.1:99999', /not a port/],
  ])('%s is refused', (ref, message) => expect(() => explanationOf(TEXT, ref)).toThrow(message));
});
