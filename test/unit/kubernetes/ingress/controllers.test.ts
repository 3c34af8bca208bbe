import { describe, expect, test } from 'vitest';
import { resolveBackend, upstreamEndpoints } from '../../../../src/kubernetes/ingress/backend.ts';
import { classDecision, ingressesOf } from '../../../../src/kubernetes/ingress/classes.ts';
import { controllersOf } from '../../../../src/kubernetes/ingress/controllers.ts';
import { entriesOf, statusAddresses } from '../../../../src/kubernetes/ingress/entries.ts';
import type { Cluster } from '../../../../src/kubernetes/model/cluster.ts';
import { formatIp } from '../../../../src/net/ip.ts';
import { scenarioOf } from '../../scenario/load-text.ts';

const NODES = 'nodes: [{ name: n1, ip: 10.0.0.1 }, { name: n2, ip: 10.0.0.2 }]';
const NGINX = 'app.kubernetes.io/name: ingress-nginx, app.kubernetes.io/component: controller';

function clusterOf(...parts: readonly string[]): Cluster {
  return scenarioOf(parts.map((part) => part.trimEnd()).join('\n')).cluster;
}

function withPods(pods: string, ...more: readonly string[]): Cluster {
  return clusterOf(NODES, `pods:\n${pods}`, ...more);
}

function pod(name: string, labels: string, more = 'ports: [80, 443]'): string {
  return `- { name: ${name}, namespace: ingress, node: n1, labels: { ${labels} }, ${more} }\n`;
}

function ingressClass(name: string, controller: string, isDefault = false): string {
  const annotations = isDefault ? ', annotations: { ingressclass.kubernetes.io/is-default-class: "true" }' : '';
  return `---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: { name: ${name}${annotations} }\nspec: { controller: ${controller} }\n`;
}

describe('which pods are controllers', () => {
  test.each<[labels: string, name: string | null]>([
    [NGINX, 'ingress-nginx'],
    ['app.kubernetes.io/name: ingress-nginx', 'ingress-nginx'],
    ['app.kubernetes.io/name: ingress-nginx, app.kubernetes.io/component: admission-webhook', null],
    ['app.kubernetes.io/name: ingress-nginx, app.kubernetes.io/component: default-backend', null],
    ['app: nginx-ingress, component: controller', 'ingress-nginx'],
    ['app: nginx-ingress', 'nginx-ingress'],
    ['app: nginx-ingress, component: default-backend', null],
    ['app.kubernetes.io/name: traefik', 'traefik'],
    ['app.kubernetes.io/name: haproxy-ingress', 'haproxy-ingress'],
    ['app: envoy', 'contour'],
    ['app: web', null],
  ])('%s: %s', (labels, name) => {
    expect(controllersOf(withPods(pod('c', labels))).map((controller) => controller.name)).toEqual(name === null ? [] : [name]);
  });

  test('the scenario names them, whatever their labels', () => {
    const pods = pod('mine', 'app: mine') + pod('other', NGINX) + pod('going', 'app: mine', 'terminating: true');
    const named = controllersOf(withPods(pods, 'ingress: { controller: { labels: { app: mine } } }'));
    expect(named).toMatchObject([{ name: 'ingress', implementation: null, namespace: 'ingress' }]);
    expect(named[0]?.pods.map(({ name }) => name)).toEqual(['mine']);
    expect(controllersOf(withPods(pods, 'ingress: { controller: { namespace: elsewhere, labels: { app: mine } } }'))).toEqual([]);
  });

  test('each namespace has its own', () => {
    const there = '- { name: c, namespace: other, node: n2, labels: { app.kubernetes.io/name: traefik } }\n';
    const found = controllersOf(withPods(pod('a', NGINX) + pod('b', NGINX) + there));
    expect(found.map(({ name, namespace, pods }) => [name, namespace, pods.length])).toEqual([
      ['ingress-nginx', 'ingress', 2],
      ['traefik', 'other', 1],
    ]);
  });

  test.each<[ports: string, http: number | null, https: number | null]>([
    ['ports: [80, 443]', 80, 443],
    ['ready: true', 80, 443],
    ['ports: [80]', 80, null],
    ['ports: [{ containerPort: 8000, name: web }, { containerPort: 8443, name: websecure }, 9000]', 8000, 8443],
    ['ports: [{ containerPort: 8080, name: http }, { containerPort: 80, name: metrics }]', 8080, null],
    ['ports: [{ containerPort: 80, protocol: UDP }]', null, null],
  ])('listens by %s', (ports, http, https) => {
    expect(controllersOf(withPods(pod('c', NGINX, ports)))[0]?.ports).toEqual({ http, https });
  });
});

describe('classes', () => {
  const nginx = ingressClass('nginx', 'k8s.io/ingress-nginx');
  const web = ingressClass('web', 'k8s.io/ingress-nginx');
  const traefik = ingressClass('traefik', 'traefik.io/ingress-controller');
  const byDefault = ingressClass('nginx', 'k8s.io/ingress-nginx', true);
  const ofOther = ingressClass('traefik', 'traefik.io/ingress-controller', true);

  test.each<[what: string, ingress: string, objects: string, by: string]>([
    ['its class', 'ingressClassName: nginx', nginx, 'class'],
    ['a class of another name with its controller', 'ingressClassName: web', nginx + web, 'class'],
    ['the class of another controller', 'ingressClassName: traefik', nginx + traefik, 'other-class'],
    ['a class that nobody gives, with its usual name', 'ingressClassName: nginx', '', 'assumption'],
    ['a class that nobody gives, with the name of another', 'ingressClassName: traefik', '', 'other-class'],
    ['no class, and no class is there', '', '', 'assumption'],
    ['no class, and none is the default', '', nginx, 'no-class'],
    ['no class, and its own is the default', '', byDefault + traefik, 'default-class'],
    ['no class, and that of another is the default', '', nginx + ofOther, 'other-class'],
    ['the deprecated annotation', 'annotations: { kubernetes.io/ingress.class: nginx }', '', 'annotation'],
    ['the annotation with another value', 'annotations: { kubernetes.io/ingress.class: traefik }', nginx, 'other-class'],
    [
      'the annotation wins',
      'annotations: { kubernetes.io/ingress.class: nginx }, ingressClassName: traefik',
      nginx + traefik,
      'annotation',
    ],
  ])('%s', (_, ingress, objects, by) => {
    const text = `ingresses: [{ name: i, defaultBackend: "a:80"${ingress === '' ? '' : `, ${ingress}`} }]`;
    const cluster = withPods(pod('c', NGINX), text, objects);
    const [controller] = controllersOf(cluster);
    expect(classDecision(cluster, controller!, cluster.ingresses[0]!).by).toBe(by);
    expect(ingressesOf(cluster, controller!)).toHaveLength(by === 'other-class' || by === 'no-class' ? 0 : 1);
  });

  test('the class that the scenario names is the only one', () => {
    const text =
      'ingresses: [{ name: a, ingressClassName: mine, defaultBackend: "a:80" }, { name: b, ingressClassName: nginx, defaultBackend: "a:80" }]';
    const cluster = withPods(pod('c', NGINX), 'ingress: { class: mine }', text);
    expect(ingressesOf(cluster, controllersOf(cluster)[0]!).map(({ name }) => name)).toEqual(['a']);
  });
});

describe('ways to a controller', () => {
  const service = (more: string): string =>
    `services: [{ name: in, namespace: ingress, selector: { app.kubernetes.io/name: ingress-nginx }, ${more}, ports: [{ name: http, port: 80 }, { name: https, port: 443 }] }]`;

  function entries(cluster: Cluster): readonly string[] {
    return entriesOf(cluster, controllersOf(cluster)[0]!).map(({ kind, addresses, hostnames, ports, object }) =>
      [kind, object, [...addresses.map(formatIp), ...hostnames].join(','), `${ports.http}/${ports.https}`].join(' '),
    );
  }

  test.each<[what: string, pods: string, more: string, ways: string[]]>([
    [
      'a balancer, and its node ports',
      pod('c', NGINX),
      `${service('type: LoadBalancer, status: { loadBalancer: { ingress: [{ ip: 198.51.100.7 }, { hostname: lb.example }] } }')}`,
      ['load-balancer ingress/in 198.51.100.7,lb.example 80/443', 'node-port ingress/in 10.0.0.1,10.0.0.2 30086/30087'],
    ],
    [
      'a pending one has node ports alone',
      pod('c', NGINX),
      service('type: LoadBalancer'),
      ['node-port ingress/in 10.0.0.1,10.0.0.2 30086/30087'],
    ],
    ['external addresses', pod('c', NGINX), service('externalIPs: [203.0.113.5]'), ['external-ip ingress/in 203.0.113.5 80/443']],
    [
      'host ports',
      pod('c', NGINX, 'ports: [{ containerPort: 80, hostPort: 80 }, { containerPort: 443, hostPort: 8443 }]'),
      '',
      ['host-port ingress/c 10.0.0.1 80/8443'],
    ],
    ['hostNetwork', pod('c', NGINX, 'hostNetwork: true, ports: [80, 443]'), '', ['host-network ingress/c 10.0.0.1 80/443']],
    ['none', pod('c', NGINX), service('type: ClusterIP'), []],
    ['a service of other pods', pod('c', NGINX), service('type: NodePort').replace('ingress-nginx }', 'other }'), []],
  ])('%s', (_, pods, more, ways) => {
    expect(entries(withPods(pods, more))).toEqual(ways);
  });

  test('the status of an Ingress', () => {
    const text =
      'ingresses: [{ name: a, defaultBackend: "a:80", status: { loadBalancer: { ingress: [{ ip: 198.51.100.7 }, { hostname: lb.example }] } } }]';
    const { addresses, hostnames } = statusAddresses(withPods(pod('c', NGINX), text).ingresses[0]!);
    expect([addresses.map(formatIp), hostnames]).toEqual([['198.51.100.7'], ['lb.example']]);
  });
});

describe('backends', () => {
  const cluster = clusterOf(
    NODES,
    `pods:
  - { name: a, namespace: shop, node: n1, ip: 10.244.0.5, labels: { app: web }, ports: [{ containerPort: 8080, name: web }] }
  - { name: b, namespace: shop, node: n1, ip: 10.244.0.6, labels: { app: web }, ready: false, ports: [{ containerPort: 8080, name: web }] }
  - { name: c, namespace: shop, node: n2, ip: 10.244.1.5, labels: { app: web }, ports: [{ containerPort: 8081, name: web }] }
services: [{ name: web, namespace: shop, selector: { app: web }, ports: [{ name: http, port: 80, targetPort: web }, { name: dead, port: 81, targetPort: no }] }]`,
  );
  const shop = { namespace: 'shop' };

  test('a service by the number and the name of its port', () => {
    for (const port of [80, 'http']) {
      expect(resolveBackend(cluster, shop, { kind: 'service', service: 'web', port })).toMatchObject({
        kind: 'service',
        service: { name: 'web' },
        port: { name: 'http', port: 80 },
      });
    }
  });

  test('what is not there', () => {
    expect(resolveBackend(cluster, shop, { kind: 'service', service: 'web', port: 8080 })).toMatchObject({
      kind: 'no-such-port',
      port: 8080,
    });
    expect(resolveBackend(cluster, shop, { kind: 'service', service: 'web', port: '80' })).toMatchObject({
      kind: 'no-such-port',
    });
    expect(resolveBackend(cluster, { namespace: 'default' }, { kind: 'service', service: 'web', port: 80 })).toEqual({
      kind: 'no-such-service',
      service: 'default/web',
    });
    const resource = { kind: 'resource', resourceKind: 'Bucket', name: 'b' } as const;
    expect(resolveBackend(cluster, shop, resource)).toBe(resource);
  });

  test('ready endpoints, each with its own port', () => {
    const [service] = cluster.services;
    const show = (name: string): readonly string[] =>
      upstreamEndpoints(cluster, service!, { name, protocol: 'tcp' }).map(
        ({ address, port, pod: owner }) => `${formatIp(address)}:${port} ${owner}`,
      );
    expect(show('http')).toEqual(['10.244.0.5:8080 shop/a', '10.244.1.5:8081 shop/c']);
    expect(show('dead')).toEqual([]);
  });
});
